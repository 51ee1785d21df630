"""The end of an examination: the statuses of everything that was parsed, Unload, Shutdown."""

from collections.abc import Iterator

from docassay.v1 import parser_pb2 as pb
from orchestrator.conformity.findings import Unproven
from orchestrator.conformity.parsing import text_of
from orchestrator.conformity.subject import CALL_SECONDS, Seen, Subject

_LONGEST_REASON = 2000
_END_SECONDS = 20.0
"""Compose kills a container ten seconds after it asked it to end; nothing is parsed any more by then."""
_ENDS_WORKER = ("timeout", "crash")
_WITH_RESULT = ("ok", "empty")


def statuses(subject: Subject) -> Iterator[str]:
    """Every Done so far says what it must, and nothing that contradicts it."""
    for seen in subject.seen:
        if seen.done is not None:
            yield from (f"{seen.what}: {fault}" for fault in _faults(seen, seen.done))


def _faults(seen: Seen, done: pb.Done) -> Iterator[str]:
    status, reason = seen.status, done.reason
    if status == "unspecified" or status.startswith("the unknown"):
        yield f"the status is {status}"
        return
    if status == "ok" and reason:
        yield f"ok with the reason {reason[:80]!r}"
    if status != "ok" and not reason.strip():
        yield f"{status} without a reason"
    if "\n" in reason or len(reason) > _LONGEST_REASON:
        yield f"the reason of {status} is not one line of at most {_LONGEST_REASON} characters"
    if (status in _WITH_RESULT) != bool(done.parse_id):
        yield f"{status} {'without a' if status in _WITH_RESULT else 'with the'} parse_id {done.parse_id}".rstrip()
    if status == "unsupported" and seen.output_bytes:
        yield "unsupported with an output"
    if status in _ENDS_WORKER and not done.worker_ended:
        yield f"{status}, but worker_ended is false"
    if status in _WITH_RESULT and done.worker_ended:
        yield f"{status}, but worker_ended is true"
    if status in _WITH_RESULT and (status == "ok") != bool(text_of(seen).strip()):
        yield f"{status}, and the output has {'no' if status == 'ok' else 'some'} text"


def unload(subject: Subject) -> Iterator[str]:
    """Unload twice is no error, and a fresh start gives what the first gave."""
    for _ in range(2):
        subject.stub.Unload(pb.UnloadRequest(), timeout=CALL_SECONDS)
    warmup = subject.warm()
    if warmup.state != pb.PARSER_STATE_READY:
        yield f"Warmup after Unload: {warmup.reason}"
        return
    yield from subject.lively()


def unprivileged(subject: Subject) -> Iterator[str]:
    """What is locked down by the container alone is locked down twice."""
    if subject.container is None:
        raise Unproven("the service was started by somebody else")
    if subject.container.privileged():
        yield "the image runs as root: name another user with USER in its Dockerfile"


def shutdown(subject: Subject) -> Iterator[str]:
    """The container ends by itself, well."""
    if subject.container is None:
        raise Unproven("the service was started by somebody else, and is left running")
    subject.stub.Shutdown(pb.ShutdownRequest(), timeout=CALL_SECONDS)
    code = subject.container.ended(_END_SECONDS)
    if code is None:
        yield f"the container still runs {_END_SECONDS:g} s after Shutdown"
    elif code:
        yield f"the container ended with exit code {code}, expected 0"
