"""Size, time and memory: what a service does with much of them, and when a limit is passed.

Nothing is known here of the parser inside, so its limits are passed by asking it for more than it was given: a document
with much text under a deadline of a tenth of what it took at most, and under a memory limit between what a probe and
what that document needed. ``docs/adding-a-parser.md`` says how far these proofs go.
"""

import functools
import threading
import time
from collections.abc import Iterator

import grpc

from docassay.v1 import parser_pb2 as pb
from orchestrator.conformity import documents
from orchestrator.conformity.findings import Remark, Unproven
from orchestrator.conformity.parsing import text_of
from orchestrator.conformity.subject import PATIENCE_SECONDS, SECONDS, Document, Seen, Subject

_BUSY_SECONDS = 1.0
"""A parse must take so long for a second call to come while it is under way."""

_MEANWHILE_SECONDS = 4.0
"""How much of the long document is worked on while other questions are asked."""

_LONGEST_SECONDS = 150.0
"""A document with 64 MiB of text that would take longer, judged by a trial, is not asked for."""

_SHARE = 0.1
"""Of the seconds a document took, what its deadline is set to."""

_LEAST_DEADLINE = 0.02
_LONGEST_DEADLINE = 3.0
_PROMPT_SECONDS = 5.0
"""How long after a deadline the answer may come, and after a caller left the service may be busy."""

_ROOM_BYTES = 64 << 20
"""By how much the long document must need more memory than a probe for a limit between them."""

_SPARE_BYTES = 256 << 20
"""By how much the limit lies above what a probe needed, at most: the sooner it is passed, the sooner all is seen."""

_REST_SECONDS = 1.0
_REST_SHARE = 0.5


def large_document(subject: Subject) -> Iterator[str]:
    """A probe with 64 MiB of padding has the text of the probe."""
    format = subject.formats[0]
    seen = subject.parse(
        subject.document(f"the {format} probe with 65 MiB of padding", format, lambda: documents.padded(format))
    )
    if seen.done is None or "started" not in seen.order:
        yield f"{seen.what} ended with {seen.status} after {', '.join(seen.order) or 'nothing'}"
    elif seen.status == "ok":
        text = text_of(seen).lower()
        found = [word for word in documents.WORDS if word in text]
        if len(found) < len(documents.WORDS) // 2:
            yield f"the text of {seen.what} lacks most of the probe's words: it has {', '.join(found) or 'none'}"
    yield from subject.lively(seen)
    if seen.done is not None and seen.status != "ok":
        raise Unproven(f"the parser was handed {seen.what}, and ended it with {seen.status}: {seen.done.reason}")


def large_output(subject: Subject) -> Iterator[str]:
    """The document with more than 64 MiB of text gives an output of more than 64 MiB."""
    seen = _parsed_long(subject, trial=True)
    if not (too_much := _too_much(seen)):
        seen = _parsed_long(subject, trial=False)
    for each in (seen, *(tries[0] for tries in subject.probes.values())):
        if each.largest > documents.SLICE_BYTES:
            yield f"a slice of the output of {each.what} has {each.largest} bytes, allowed are {documents.SLICE_BYTES}"
    if seen.done is None:
        yield f"{seen.what} ended with {seen.status}, expected Done with a status"
    yield from subject.lively(seen)
    if seen.done is not None and seen.status != "ok":
        raise Unproven(f"{seen.what} ended with {seen.status}: {seen.done.reason}")
    if too_much:
        raise Unproven(too_much)
    if seen.status == "ok" and seen.output_bytes <= documents.LARGE_BYTES:
        raise Unproven(f"the parser made {seen.output_bytes >> 20} MiB of output of {seen.what}")


def _parsed_long(subject: Subject, *, trial: bool) -> Seen:
    """Parse the document with much text, of the cheapest format that has one; the other limits are shown by it."""
    for format in subject.formats:
        if documents.has_lengthy(format):
            what = f"a {format} document with {'4' if trial else '66'} MiB of text"
            make = functools.partial(documents.lengthy, format, trial=trial)
            subject.lengthy = subject.document(what, format, make)
            subject.long = subject.parse(subject.lengthy)
            return subject.long
    raise Unproven(f"no document with 64 MiB of text can be made of {', '.join(subject.formats)}")


def _too_much(trial: Seen) -> str:
    """Return why sixteen times the text of a trial would show nothing; empty when it may."""
    if trial.status != "ok" or trial.marks.started is None or trial.marks.finished is None:
        return f"{trial.what} ended with {trial.status}"
    told = f"the parser made {trial.output_bytes / (1 << 20):.1f} MiB of output of {trial.what}"
    if trial.output_bytes * documents.TRIAL_SHARE <= documents.LARGE_BYTES:
        return f"{told}: sixteen times as much text would not give 64 MiB"
    seconds = trial.marks.finished - trial.marks.started
    if seconds * documents.TRIAL_SHARE > _LONGEST_SECONDS:
        return f"{told} in {seconds:.0f} s: sixteen times as much text would take more than {_LONGEST_SECONDS:g} s"
    return ""


def one_at_a_time(subject: Subject) -> Iterator[str]:
    """While the long document is parsed, the service is healthy, describes itself, and takes no other document."""
    document, probe = _long(subject), subject.probe(subject.formats[0])
    others: list[Seen] = []
    faults: list[str] = []
    inquiry = threading.Thread(target=lambda: _ask_meanwhile(subject, probe, others, faults))
    seen = subject.parse(document, seconds=_MEANWHILE_SECONDS, started=lambda _: inquiry.start())
    if inquiry.ident is None:
        raise Unproven(f"{seen.what} was not started: {seen.status}")
    inquiry.join()
    yield from faults
    [other] = others
    yield from subject.lively(seen)
    if other.refused is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return
    if seen.marks.done - seen.marks.sent < _BUSY_SECONDS or seen.marks.done <= other.marks.sent:
        raise Unproven(f"{seen.what} did not keep the parser busy for {_BUSY_SECONDS:g} s")
    yield f"a second Parse ended with {other.status}, expected RESOURCE_EXHAUSTED"


def _ask_meanwhile(subject: Subject, probe: Document, others: list[Seen], faults: list[str]) -> None:
    others.append(subject.parse(probe, seconds=60))
    try:
        subject.health("")
        subject.describe()
    except grpc.RpcError as error:
        code = error.code() if isinstance(error, grpc.Call) else error
        faults.append(f"health or Describe ended with {code} while a document is parsed")


def given_up(subject: Subject) -> Iterator[str]:
    """The caller leaves a parse in its middle; soon after, the service takes the next document."""
    document = _long(subject)
    left = subject.parse(document, started=lambda call: call.cancel())
    if "started" not in left.order:
        raise Unproven(f"{document.what} was not started: {left.status}")
    begun, busy = time.monotonic(), 0.0
    while True:
        try:
            subject.warm()  # a caller who left was not told whether the worker ended
            break
        except grpc.RpcError as error:
            if not isinstance(error, grpc.Call) or error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise
            if (busy := time.monotonic() - begun) > PATIENCE_SECONDS:
                yield f"the service was still busy {PATIENCE_SECONDS:g} s after the caller left"
                return
        time.sleep(0.1)
    if busy > _PROMPT_SECONDS:
        yield f"the service was busy for {busy:.0f} s after the caller left, expected {_PROMPT_SECONDS:g} s at most"
    yield from subject.lively()
    yield from _at_rest(subject)
    yield from _short_of_proof(subject)


def deadline(subject: Subject) -> Iterator[str]:
    """A tenth of the seconds a document took, or less, are not enough for it."""
    document, full = _long(subject), _full_seconds(subject)
    seconds = min(max(full * _SHARE, _LEAST_DEADLINE), _LONGEST_DEADLINE)
    if full < 2 * seconds:
        raise Unproven(f"{document.what} takes {full:.3f} s, too little for a deadline within it")
    seen = subject.parse(document, seconds=seconds)
    if seen.status != "timeout":
        yield f"{document.what}, which takes {full:.2f} s, ended with {seen.status} under a deadline of {seconds:.2f} s"
    elif seen.marks.started is not None and (late := seen.marks.done - seen.marks.started - seconds) > _PROMPT_SECONDS:
        yield f"the answer came {late:.1f} s after the deadline, expected within {_PROMPT_SECONDS:g} s"
    yield from _at_rest(subject)
    yield from subject.lively(seen)
    yield from _short_of_proof(subject)


def memory(subject: Subject) -> Iterator[str]:
    """A limit that a probe keeps and the long document passes; else one that even a probe passes."""
    format = subject.formats[0]
    little = max((seen.done.peak_memory_bytes for seen in subject.probes[format] if seen.done), default=0)
    much = subject.long.done.peak_memory_bytes if subject.long is not None and subject.long.done is not None else 0
    if not little:
        raise Unproven("peak_memory_bytes of a probe is 0, so no limit can be chosen")
    subject.stub.Unload(pb.UnloadRequest(), timeout=PATIENCE_SECONDS)
    subject.warm()
    if much >= little + _ROOM_BYTES:
        limit = little + min((much - little) // 2, _SPARE_BYTES)
        kept = subject.parse(subject.probe(format), memory_bytes=limit)
        if kept.status == "oom":
            yield f"{kept.what} needs {little >> 20} MiB, and ended with oom under a limit of {limit >> 20} MiB"
        passed = subject.parse(_long(subject), memory_bytes=limit)
        needs = much
    else:
        limit, needs = little // 2, little
        passed = subject.parse(subject.probe(format), memory_bytes=limit)
    if passed.status != "oom":
        yield f"{passed.what} needs {needs >> 20} MiB, and ended with {passed.status} under {limit >> 20} MiB"
    yield from _at_rest(subject)
    yield from subject.lively(passed)
    if much < little + _ROOM_BYTES:
        yield Remark(
            "shown with a limit below what the loaded parser holds: no document here needs much more than that"
        )


def _long(subject: Subject) -> Document:
    """Return the document with much text."""
    if subject.lengthy is None:
        raise Unproven(f"no document with 64 MiB of text can be made of {', '.join(subject.formats)}")
    return subject.lengthy


def _full_seconds(subject: Subject) -> float:
    """Return how long the parser worked on the long document, without a limit it would meet."""
    marks = subject.long.marks if subject.long is not None else None
    if marks is None or marks.started is None:
        raise Unproven("the document with much text was not started")
    return min((marks.finished or marks.done) - marks.started, SECONDS)


def _at_rest(subject: Subject) -> Iterator[str]:
    """Yield a fault if the container still works though nothing is asked of it: what was to be ended goes on."""
    if subject.container is None:
        return
    time.sleep(_REST_SECONDS)
    before, begun = subject.container.cpu_seconds(), time.monotonic()
    time.sleep(_REST_SECONDS)
    used, seconds = subject.container.cpu_seconds() - before, time.monotonic() - begun
    if used > seconds * _REST_SHARE:
        yield f"the container used {used:.2f} s of CPU in {seconds:.1f} s while nothing was asked of it"


def _short_of_proof(subject: Subject) -> Iterator[str]:
    """Say so when the full work takes less than what a prompt answer may take."""
    full = _full_seconds(subject)
    if full < 2 * (_PROMPT_SECONDS if subject.container is None else _REST_SECONDS):
        yield Remark(f"the whole document takes {full:.1f} s here: that the work was cut short was told, not shown")
