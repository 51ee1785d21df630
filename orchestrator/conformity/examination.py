"""The points of the contract, in the order in which they are examined."""

from collections.abc import Iterator

import grpc

from orchestrator.conformity import ends, limits, opening, parsing, refusals
from orchestrator.conformity.findings import Finding, Point, Remark, Unproven, Verdict
from orchestrator.conformity.subject import Subject

OPENING = (
    Point("health", "the health service says SERVING, of the server and of docassay.v1.Parser", opening.health),
    Point("describe", "Describe says what a run needs to know, the same each time", opening.describe),
    Point("warmup", "Warmup loads the parser and parses a probe of every declared format", opening.warmup),
)
"""Unless the service becomes ready by these, nothing further can be examined."""

FURTHER = (
    Point("formats", "the built-in probe of every declared format is parsed to its text", parsing.formats),
    Point("form", "the output is JSON lines of the common form", parsing.form),
    Point(
        "marks", "Started, Finished, output and Done come in order, and nothing is worked outside them", parsing.marks
    ),
    Point("figures", "Done has the figures that are measured in the service", parsing.figures),
    Point("repeatable", "the same document twice gives the same output", parsing.repeatable),
    Point("chunks", "Chunk gives the chunks of the document parsed last, and of no other", parsing.chunks),
    Point("paths", "a document is read by its path under the documents folder, and nothing outside it", parsing.paths),
    Point(
        "undeclared", "a format that is not declared is unsupported, and never reaches the parser", refusals.undeclared
    ),
    Point("requests", "requests that break the contract are refused with INVALID_ARGUMENT", refusals.requests),
    Point("empty", "a file without a byte is answered, and the service goes on", refusals.empty),
    Point("garbage", "noise and documents cut short are answered, and the service goes on", refusals.garbage),
    Point("large_document", "a document over 64 MiB arrives whole", limits.large_document),
    Point("large_output", "an output over 64 MiB comes in slices of 1 MiB at most", limits.large_output),
    Point(
        "one_at_a_time",
        "a second document is refused while one is parsed, and health is answered",
        limits.one_at_a_time,
    ),
    Point("given_up", "a parse whose caller has left is ended, and the next document is taken", limits.given_up),
    Point("deadline", "a parse past its deadline is ended as timeout, and the service goes on", limits.deadline),
    Point("memory", "a parse past its memory is ended as oom, and the service goes on", limits.memory),
    Point(
        "statuses", "every status of this examination was used rightly, with a reason where one is due", ends.statuses
    ),
    Point("unload", "Unload ends the worker, and Warmup starts another", ends.unload),
    Point("unprivileged", "the image runs as another user than root", ends.unprivileged),
    Point("shutdown", "Shutdown is answered and ends the service", ends.shutdown),
)

POINTS = OPENING + FURTHER


def examine(subject: Subject) -> Iterator[Finding]:
    """Yield how each point stands; all are unproven of a service that does not become ready."""
    for point in OPENING:
        yield _examined(point, subject)
    for point in FURTHER:
        yield _examined(point, subject) if subject.ready else _unproven(point, "not examined: the service is not ready")


def _examined(point: Point, subject: Subject) -> Finding:
    faults: list[str] = []
    remarks: list[str] = []
    try:
        for words in point.check(subject):
            (remarks if isinstance(words, Remark) else faults).append(str(words))
    except Unproven as reason:
        if not faults:
            return _unproven(point, str(reason))
    except grpc.RpcError as error:
        code, details = (error.code().name, error.details()) if isinstance(error, grpc.Call) else ("", str(error))
        faults.append(f"the call ended with {code}: {' '.join((details or '').split())[:300]}")
    if faults:
        return Finding(point.name, point.claim, Verdict.FAILS, tuple(faults))
    return Finding(point.name, point.claim, Verdict.HOLDS, tuple(remarks))


def _unproven(point: Point, reason: str) -> Finding:
    return Finding(point.name, point.claim, Verdict.UNPROVEN, (reason,))
