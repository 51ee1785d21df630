"""Storing one parse: its output and chunks as artifacts first, then its row."""

import contextlib
import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer.store.artifacts import Arriving, Artifacts
from scorer.store.database import Database
from scorer.store.errors import StorageFailed, StoreError, Unknown

_STATUS = {
    value.number: value.name.removeprefix("PARSE_STATUS_").lower() for value in parser_pb2.ParseStatus.DESCRIPTOR.values
}
_ASSISTED = {parser_pb2.ASSISTANCE_FETCH: "fetch", parser_pb2.ASSISTANCE_PARSE: "parse"}
_MOST_PAGES = 2**31 - 1


class SubmissionDamaged(StoreError):
    """What arrived is not what was sent."""


def submit(database: Database, artifacts: Artifacts, requests: Iterator[pb.SubmitRequest]) -> pb.SubmitResponse:
    """Store what became of one document, and return when it is on disk.

    The output passes through in slices and is never held whole. A row that is there already stays as it is.

    Raises:
        Unknown: the run, parser or document is not in the store.
        ValueError: the record contradicts itself, or the parts come in the wrong order.
        SubmissionDamaged: the output is not the one the record names.
        StorageFailed: the disk is full or cannot be written; nothing of this row was stored.
    """
    first = next(requests, None)
    if first is None or first.WhichOneof("part") != "record":
        raise ValueError("a submission begins with its record")
    record = first.record
    _check(record)
    with _naming(database, record):
        stored = _stored(database, record)
        if stored is not None:
            return stored
        with artifacts.arriving() as output, artifacts.arriving() as chunks:
            _receive(requests, output, chunks)
            digest = output.keep() if output.size else None
            if record.output_sha256 and output.size and digest != record.output_sha256:
                raise SubmissionDamaged(
                    f"the output that arrived has SHA-256 {digest}, the record says {record.output_sha256}"
                )
            chunks_digest = chunks.keep() if chunks.size else None
            row = _row(record, output, digest, chunks_digest)
        remarks = [
            {
                "run_id": record.run_id,
                "stage": "parse",
                "parser": record.parser,
                "document": record.document_id,
                "text": text,
            }
            for text in record.done.warnings
        ]
        with database.write() as writer:
            key = [record.run_id, record.parser, record.document_id, record.repeat]
            # Looked up again: the same row may have been submitted twice at once.
            present = writer.execute(
                "select 1 from parses where run_id = ? and parser = ? and document = ? and repeat = ?", key
            )
            if not present:
                writer.insert("parses", [row])
                writer.insert("warnings", remarks)
        stored = _stored(database, record)
        return stored if present and stored else _response(row, duplicate=False)


def _receive(requests: Iterator[pb.SubmitRequest], output: Arriving, chunks: Arriving) -> None:
    for request in requests:
        part = request.WhichOneof("part")
        if part == "chunks":
            chunks.write(request.chunks)
        elif part == "output" and not chunks.size:
            output.write(request.output)
        else:
            raise ValueError(f"a submission is its record, then output, then chunks; {part} came out of turn")


def _check(record: pb.ParseRecord) -> None:
    name = f"{record.parser} on {record.document_id}, repeat {record.repeat}"
    if record.done.status == parser_pb2.PARSE_STATUS_UNSPECIFIED:
        raise ValueError(f"{name}: the record has no status")
    if record.repeat < 1:
        raise ValueError(f"{name}: repeats are counted from 1")
    for field in ("seconds", "sent_to_done_seconds", "lead_seconds", "tail_seconds", "outside_cpu_seconds"):
        if record.HasField(field) and not (math.isfinite(getattr(record, field)) and getattr(record, field) >= 0):
            raise ValueError(f"{name}: {field} is {getattr(record, field)}, expected a finite number, 0 or more")
    seconds = _scored_seconds(record)
    if record.done.status == parser_pb2.PARSE_STATUS_OK and not (seconds is not None and seconds > 0):
        raise ValueError(f"{name}: a parsed document's seconds are above 0, got {seconds}")


def _scored_seconds(record: pb.ParseRecord) -> float | None:
    """A service that works outside its marks is timed from sending to the end."""
    field = "sent_to_done_seconds" if "clock_suspect" in record.flags else "seconds"
    return float(getattr(record, field)) if record.HasField(field) else None  # type: ignore[arg-type]


def _stored(database: Database, record: pb.ParseRecord) -> pb.SubmitResponse | None:
    """Return the answer for a row that is there already; None when it may be stored."""
    found = database.rows(
        "select r.run_id is not null as run, p.state, d.document, s.status, s.artifact, s.chunks_artifact"
        " from (select ? as run_id, ? as parser, ? as document, ? as repeat) k"
        " left join runs r on r.run_id = k.run_id"
        " left join parsers p on p.run_id = k.run_id and p.parser = k.parser"
        " left join documents d on d.run_id = k.run_id and d.document = k.document"
        " left join parses s on s.run_id = k.run_id and s.parser = k.parser"
        " and s.document = k.document and s.repeat = k.repeat",
        [record.run_id, record.parser, record.document_id, record.repeat],
    )[0]
    if not found["run"]:
        raise Unknown(f"there is no run {record.run_id!r}")
    if found["state"] is None:
        raise Unknown(f"{record.parser!r} is not a parser of run {record.run_id}")
    if found["document"] is None:
        raise Unknown(f"{record.document_id!r} is not a document of run {record.run_id}")
    if found["status"] is not None:
        return _response(found, duplicate=True)
    if found["state"] != "ready":
        raise ValueError(f"{record.parser} is {found['state']} in run {record.run_id}: it cannot have rows")
    return None


def _response(row: dict[str, Any], *, duplicate: bool) -> pb.SubmitResponse:
    return pb.SubmitResponse(
        artifact=row["artifact"] or "", chunks_artifact=row["chunks_artifact"] or "", duplicate=duplicate
    )


def _row(record: pb.ParseRecord, output: Arriving, digest: str | None, chunks: str | None) -> dict[str, Any]:
    done, cut = record.done, record.chunk_done if record.HasField("chunk_done") else None
    reached = record.reached_parser
    return {
        "run_id": record.run_id,
        "parser": record.parser,
        "document": record.document_id,
        "repeat": record.repeat,
        "measured_run_id": record.run_id,
        "status": _STATUS[done.status],
        "reason": done.reason,
        "assisted": _ASSISTED.get(done.assisted, "none"),
        "reached_parser": reached,
        "seconds": _scored_seconds(record),
        "timed_seconds": record.seconds if record.HasField("seconds") else None,
        "sent_to_done_seconds": record.sent_to_done_seconds if record.HasField("sent_to_done_seconds") else None,
        "worker_seconds": done.worker_seconds if reached else None,
        "lead_seconds": record.lead_seconds if record.HasField("lead_seconds") else None,
        "tail_seconds": record.tail_seconds if record.HasField("tail_seconds") else None,
        "collect_seconds": done.collect_seconds if reached else None,
        "chunk_seconds": cut.seconds if cut else None,
        "cpu_seconds": done.cpu_seconds if reached else None,
        "outside_cpu_seconds": record.outside_cpu_seconds if record.HasField("outside_cpu_seconds") else None,
        "peak_memory_bytes": done.peak_memory_bytes if reached else None,
        "cgroup_peak_bytes": done.cgroup_peak_bytes or None,
        "pages": _pages(output.first_line),
        "artifact": digest,
        "output_bytes": output.size if digest else None,
        "chunks_artifact": chunks,
        "chunker": cut.chunker or None if cut else None,
        "chunk_status": _STATUS[cut.status] if cut else None,
        "chunk_reason": cut.reason or None if cut else None,
        "moved_bytes": record.moved_bytes,
        "repaired_code_points": done.repaired_code_points + (cut.repaired_code_points if cut else 0),
        "leftover_processes": done.leftover_processes,
        "flags": sorted(set(record.flags)),
        "started_at": _moment(record.started_at),
    }


def _pages(first_line: bytes) -> int | None:
    """Return the page count of an output's ``meta`` line; third parties write it, so anything else is no count."""
    try:
        meta = json.loads(first_line)
    except (ValueError, RecursionError):
        return None
    pages = meta.get("pages") if isinstance(meta, dict) else None
    return pages if type(pages) is int and 0 <= pages <= _MOST_PAGES else None


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).replace(tzinfo=None)


@contextlib.contextmanager
def _naming(database: Database, record: pb.ParseRecord) -> Iterator[None]:
    """Say which row could not be stored, and what is safe."""
    try:
        yield
    except StorageFailed as error:
        row = f"{record.parser} on {record.document_id}, repeat {record.repeat}"
        try:
            count = database.rows("select count(*) as n from parses where run_id = ?", [record.run_id])[0]["n"]
            kept = f"the rows of run {record.run_id} stored before it ({count}) are kept"
        except Exception:  # DuckDB refuses to read, too, once its own file could not be written
            kept = f"every row of run {record.run_id} acknowledged before it is kept"
        raise error.because(f"{row} was not stored; {kept}") from error
