"""Predictions made elsewhere as a run of the store: their parsers are those who made them, and nobody timed them."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer.scoring import signatures
from scorer.store.database import Writer

__all__ = ["answer", "forget", "gold_digest", "opening"]


def opening(
    run: pb.Run,
    suite: str,
    gold: Path,
    documents: Sequence[pb.RunDocument],
    *,
    partial: bool,
    parsers: Sequence[str],
    answers: Sequence[Any],
) -> pb.OpenRunRequest:
    """Return a run of graded documents as the store takes it.

    Args:
        run: who asks.
        suite: name@version.
        gold: the file or folder of the gold.
        documents: those graded.
        partial: there are others.
        parsers: whose predictions they are.
        answers: what tells these predictions from others.
    """
    digest = gold_digest(documents)
    record = pb.Run()
    record.CopyFrom(run)
    record.suite, record.mode = suite, "graded"
    record.scope_json = json.dumps([document.document_id for document in documents] if partial else None)
    record.repeats = 1
    record.corpus_name = gold.stem
    record.corpus_digest = digest
    record.corpus_path = str(gold)
    record.plan_digest = signatures.digest([suite, digest, list(answers)])
    return pb.OpenRunRequest(
        run=record,
        parsers=[_parser(name) for name in parsers],
        documents=documents,
    )


def gold_digest(documents: Sequence[pb.RunDocument]) -> str:
    """Return the digest of the gold of all documents."""
    return signatures.digest(sorted([document.document_id, document.gold_digest] for document in documents))


def _parser(name: str) -> pb.RunParser:
    tool, _, rest = name.partition("@")
    number, _, setting = rest.partition(":")
    description = parser_pb2.DescribeResponse(
        name=tool, version=number, setting=setting, state=parser_pb2.PARSER_STATE_READY
    )
    return pb.RunParser(parser=name, description=description, transport="files", replicas=1)


def answer(image: str, missing: str, now: datetime) -> dict[str, Any]:
    """Return the row of `parses` of a page that nobody timed, all but run and parser; `missing`: why there is none."""
    return {
        "document": image,
        "repeat": 1,
        "status": "error" if missing else "ok",
        "reason": missing,
        "assisted": "none",
        "reached_parser": False,
        "artifact": None,
        "output_bytes": None,
        "moved_bytes": 0,
        "repaired_code_points": 0,
        "leftover_processes": 0,
        "flags": [],
        "started_at": now.astimezone(UTC).replace(tzinfo=None),
    }


def forget(writer: Writer, run_id: str) -> None:
    """Take back a run that was not scored."""
    for table in ("runs", "parsers", "documents", "parses"):
        writer.execute(f"delete from {table} where run_id = ?", [run_id])
