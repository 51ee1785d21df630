"""Predictions made elsewhere as a run of the store: their parsers are those who made them, and nobody timed them."""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer.scoring import signatures
from scorer.scoring.inputs import GRADED
from scorer.scoring.writing import Remark
from scorer.store import runs
from scorer.store.database import Database

__all__ = ["answer", "begun", "gold_digest", "opening"]


def opening(
    run: pb.Run,
    suite: str,
    gold: Path,
    documents: Sequence[pb.RunDocument],
    *,
    whole: bool,
    parsers: Sequence[str],
    answers: Sequence[Any],
) -> pb.OpenRunRequest:
    """Return a run of graded documents as the store takes it.

    Args:
        run: who asks.
        suite: name@version.
        gold: the file or folder of the gold.
        documents: those graded.
        whole: the gold has no others.
        parsers: whose predictions they are.
        answers: what tells these predictions from others.
    """
    digest = gold_digest(documents)
    record = pb.Run()
    record.CopyFrom(run)
    record.suite, record.mode = suite, GRADED
    record.scope_json = json.dumps(None if whole else [document.document_id for document in documents])
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


@contextlib.contextmanager
def begun(
    database: Database,
    request: pb.OpenRunRequest,
    parses: Sequence[Mapping[str, Any]],
    remarks: Sequence[Remark] = (),
    *,
    now: datetime,
) -> Iterator[str]:
    """Store a run that is scored meanwhile, and give its id; it is finished when its figures are written.

    Broken off, it stays as it is, and the same predictions graded again on the same machine go on with it. What is
    refused leaves no run: it would be refused again.

    Args:
        database: the store.
        request: the run.
        parses: its rows of ``parses``, all but the run.
        remarks: on the predictions as they were read.
        now: the start of a new run.
    """
    opened = runs.open_run(database, request, now=now)
    run_id = opened.run_id
    if not opened.done:
        with database.write() as writer:
            writer.insert("parses", [{**row, "run_id": run_id, "measured_run_id": run_id} for row in parses])
            writer.insert("warnings", [remark.row(run_id) for remark in remarks])
    try:
        yield run_id
    except ValueError:
        with database.write() as writer:
            for table in ("runs", "parsers", "documents", "parses", "warnings"):
                writer.execute(f"delete from {table} where run_id = ?", [run_id])
        raise
