"""One document, one parser: the timed call, its marks, its flags, and the record of what became of it."""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO

import grpc

from docassay.v1 import parser_pb2 as pb
from docassay.v1 import scorer_pb2
from orchestrator import staging
from orchestrator.client import Answer, Marks, ParserClient, ServiceSilent
from orchestrator.corpus import Document
from orchestrator.limits import Limits

GRACE_SECONDS = 120.0
"""Beyond its own deadline, how long a service may take to answer before it is given up."""

SPOOL_BYTES = 1 << 23
"""Bytes of an output kept in memory before it goes to a file."""

MARK_SECONDS = 0.1
MARK_SECONDS_PER_MIB = 0.02
"""Beyond their sum, time outside the marks makes a clock suspect."""

ASSISTANCE: "Mapping[str, pb.Assistance.ValueType]" = {
    "none": pb.ASSISTANCE_NONE,
    "fetch": pb.ASSISTANCE_FETCH,
    "parse": pb.ASSISTANCE_PARSE,
}

COLLECT_SHARE = 0.1
DISTURBED_SHARE = 0.05
DISTURBED_SECONDS = 0.1
"""The kernel counts CPU time in hundredths of a second, so less than this many says nothing."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What became of one document: the record to submit, and the output and chunks to submit with it.

    ``lost``: the service itself was lost during it, not only its worker.
    """

    record: scorer_pb2.ParseRecord
    output: IO[bytes]
    chunks: IO[bytes]
    lost: bool = False


@contextlib.contextmanager
def measure(
    parser: ParserClient,
    document: Document,
    *,
    pages: int | None,
    limits: Limits,
    by_path: bool,
    exclusive: bool,
) -> Iterator[Measured]:
    """Parse and chunk one document; the record lacks its key (run, parser, repeat), which the caller knows.

    Args:
        pages: what the deadline is reckoned from; None when unknown.
        by_path: the service sees the staged folder; else the bytes are sent.
        exclusive: nothing else is meant to run, so other CPU use is worth a flag.
    """
    deadline = limits.deadline(pages)
    header = pb.ParseHeader(
        document_id=staging.opaque_name(document),
        format=document.format,
        deadline_seconds=deadline,
        memory_bytes=limits.memory_bytes,
        path=staging.opaque_name(document) if by_path else "",
    )
    staging.warm(document)
    with (
        tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as output,
        tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as chunks,
    ):
        started_at = datetime.now(UTC).isoformat()
        chunk_done = pb.ChunkDone()
        try:
            answer = parser.parse(
                header, None if by_path else document.path, output, timeout=2 * deadline + GRACE_SECONDS
            )
            outside = answer.busy_seconds - answer.done.cpu_seconds
            if answer.done.parse_id:
                chunk_done = parser.chunk(answer.done.parse_id, chunks, timeout=deadline + GRACE_SECONDS)
        except (grpc.RpcError, ServiceSilent) as error:
            yield Measured(lost(document, _words(error), started_at), _empty(output), _empty(chunks), lost=True)
            return
        record = _record(answer, document, outside=outside, by_path=by_path, exclusive=exclusive)
        record.started_at = started_at
        record.chunk_done.CopyFrom(chunk_done)
        output.seek(0)
        chunks.seek(0)
        yield Measured(record, output, chunks)


def settled(document: Document, status: "pb.ParseStatus.ValueType", reason: str) -> scorer_pb2.ParseRecord:
    """Return the record of a document that no parser was asked about."""
    return scorer_pb2.ParseRecord(
        document_id=document.id,
        done=pb.Done(status=status, reason=reason, assisted=pb.ASSISTANCE_NONE),
        reached_parser=False,
        started_at=datetime.now(UTC).isoformat(),
    )


def lost(document: Document, reason: str, started_at: str) -> scorer_pb2.ParseRecord:
    """Return the record of a document during which the service itself was lost."""
    return scorer_pb2.ParseRecord(
        document_id=document.id,
        done=pb.Done(
            status=pb.PARSE_STATUS_CRASH,
            reason=f"the service was lost: {reason}",
            assisted=pb.ASSISTANCE_NONE,
            worker_ended=True,
        ),
        reached_parser=True,
        started_at=started_at,
        flags=["service_lost"],
    )


def _record(
    answer: Answer, document: Document, *, outside: float, by_path: bool, exclusive: bool
) -> scorer_pb2.ParseRecord:
    marks, moved = answer.marks, answer.output_bytes + (0 if by_path else document.bytes)
    record = scorer_pb2.ParseRecord(
        document_id=document.id,
        done=answer.done,
        reached_parser=marks.started is not None,
        sent_to_done_seconds=marks.done - marks.sent,
        moved_bytes=moved,
        output_sha256=answer.sha256 if answer.output_bytes else "",
        outside_cpu_seconds=max(outside, 0.0),
    )
    if document.assisted != "none":
        record.done.assisted = ASSISTANCE[document.assisted]
    if marks.started is not None:
        record.lead_seconds = marks.started - marks.sent
    if marks.finished is not None:
        record.tail_seconds = marks.done - marks.finished
    if marks.seconds is not None:
        record.seconds = marks.seconds
        record.flags.extend(_flags(answer, marks, moved=moved, outside=outside, exclusive=exclusive))
    return record


def _flags(answer: Answer, marks: Marks, *, moved: int, outside: float, exclusive: bool) -> Iterator[str]:
    assert marks.started is not None and marks.finished is not None and marks.seconds is not None
    allowed = MARK_SECONDS + MARK_SECONDS_PER_MIB * moved / (1 << 20)
    if marks.started - marks.sent > allowed or marks.done - marks.finished > allowed:
        yield "clock_suspect"
    if answer.done.collect_seconds > COLLECT_SHARE * marks.seconds:
        yield "collect_heavy"
    available = (marks.finished - marks.sent) * len(os.sched_getaffinity(0))
    if exclusive and outside > max(DISTURBED_SECONDS, DISTURBED_SHARE * available):
        yield "disturbed"


def _empty(sink: IO[bytes]) -> IO[bytes]:
    sink.seek(0)
    sink.truncate()
    return sink


def _words(error: Exception) -> str:
    if isinstance(error, grpc.Call):
        return f"{error.code().name}: {' '.join((error.details() or '').split())[:300]}"
    return str(error)
