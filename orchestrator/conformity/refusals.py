"""What a service must refuse or survive: undeclared formats, broken requests, empty and broken files."""

from collections.abc import Iterable, Iterator

import grpc

from docassay.v1 import parser_pb2 as pb
from orchestrator.conformity import documents
from orchestrator.conformity.subject import Seen, Subject

_UNDECLARED = "undeclared"
_AS_BYTES = b"a document"


def undeclared(subject: Subject) -> Iterator[str]:
    """Done alone, with its status and a reason."""
    left_out = [format for format in documents.FORMATS if format not in subject.description.formats]
    for format in (_UNDECLARED, *left_out):
        seen = subject.parse(subject.document(f"a document of the format {format}", format, lambda: _AS_BYTES))
        if seen.status != "unsupported":
            yield f"{seen.what} ended with {seen.status}, expected unsupported"
        elif seen.order != ("done",):
            yield f"{seen.what} gave {', '.join(seen.order)}, expected Done alone"


def requests(subject: Subject) -> Iterator[str]:
    """Each is refused by its status code, and the service goes on."""
    format = subject.formats[0]
    good = pb.ParseRequest(header=pb.ParseHeader(document_id="d", format=format, deadline_seconds=60))
    data = pb.ParseRequest(data=_AS_BYTES)

    def with_deadline(seconds: float) -> pb.ParseRequest:
        return pb.ParseRequest(header=pb.ParseHeader(document_id="d", format=format, deadline_seconds=seconds))

    cases: Iterable[tuple[str, list[pb.ParseRequest]]] = (
        ("a Parse without a message", []),
        ("a Parse that begins with data", [data, good]),
        ("a Parse with a second header", [good, data, good]),
        ("a deadline of 0 seconds", [with_deadline(0), data]),
        ("a deadline below 0", [with_deadline(-1), data]),
        ("a deadline that is no number", [with_deadline(float("nan")), data]),
    )
    for what, messages in cases:
        seen = subject.send(what, messages)
        if seen.refused is not grpc.StatusCode.INVALID_ARGUMENT:
            yield f"{what} ended with {seen.status}, expected INVALID_ARGUMENT"
    yield from subject.lively()


def empty(subject: Subject) -> Iterator[str]:
    """Whatever the answer, there is one, and no text."""
    for format in subject.formats:
        seen = subject.parse(subject.document(f"an empty {format} file", format, lambda: b""))
        yield from _answered(subject, seen)
        if seen.status == "ok":
            yield f"{seen.what} ended with ok, expected empty, error or unsupported"


def garbage(subject: Subject) -> Iterator[str]:
    """Whatever the answer, there is one."""
    for format in subject.formats:
        half = documents.plain(format)[: len(documents.plain(format)) // 2]
        for document in (
            subject.document(f"noise called {format}", format, documents.noise),
            subject.document(f"half of the {format} probe", format, lambda half=half: half),  # type: ignore[misc]
        ):
            yield from _answered(subject, subject.parse(document))


def _answered(subject: Subject, seen: Seen) -> Iterator[str]:
    """Yield what is wrong if there was no answer, or if the service is not as before."""
    if seen.done is None:
        yield f"{seen.what} ended with {seen.status}, expected Done with a status"
    yield from subject.lively(seen)
