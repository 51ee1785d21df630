"""A small corpus and runs over it, whose figures can be computed by hand.

Four documents: ``a`` (pdf, 10 pages, all gold), ``b`` (docx, 5 pages, headings and text), ``c`` (html, 5 pages, a
table without a header row) and ``d`` (pptx, 5 pages, no gold). Three parsers: ``good`` returns the gold; ``poor``
returns text and tables but no headings, finds no table in ``a`` and times out on ``b``; ``heavy`` lacks its weights.
"""

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer import gold
from services.runtime import form

NOW = datetime(2026, 7, 26, 20, 16, 31, tzinfo=UTC)

GOOD, POOR, HEAVY = "good@1.0", "poor@2.0", "heavy@3.0"
DOCUMENTS = ("a", "b", "c", "d")
PAGES = {"a": 10, "b": 5, "c": 5, "d": 5}
FORMATS = {"a": "pdf", "b": "docx", "c": "html", "d": "pptx"}
DOMAINS = {"a": "finance", "b": "legal", "c": "finance", "d": "talks"}
ANNOTATIONS = {"a": ("hierarchy", "content", "tables", "qa"), "b": ("hierarchy", "content"), "c": ("tables",), "d": ()}

TEXT = {
    "a": "Annual report\n\nRevenue rose to 12 million.\n\nOutlook\n\nCosts will fall next year.",
    "b": "Contract\n\nThe parties agree.\n\nTerms\n\nPayment within thirty days.",
    "c": "Prices",
    "d": "Slides",
}
HEADINGS = {"a": ("Annual report", "Outlook"), "b": ("Contract", "Terms"), "c": (), "d": ()}
TABLES = {
    "a": ((True, ("Item", "2025")), (False, ("Revenue", "12"))),
    "b": (),
    "c": ((False, ("Apples", "3")), (False, ("Pears", "4"))),
    "d": (),
}
SECONDS = {GOOD: 0.02, POOR: 0.2}
"""Seconds a page: 50 and 5 pages a second."""


def corpus(folder: Path) -> Path:
    """Write the gold of the corpus; scoring needs no document."""
    for document in DOCUMENTS:
        first, *below = HEADINGS[document] or ("",)
        children = [{"text": text, "level": 2, "children": []} for text in below]
        files = {
            "hierarchy": ("headings.json", {"headings": [{"text": first, "level": 1, "children": children}]}),
            "content": ("content.md", TEXT[document]),
            "tables": ("tables.json", {"tables": [_gold_table(document)]}),
            "qa": ("qa.json", {"questions": [_question()]}),
        }
        for name in ANNOTATIONS[document]:
            suffix, content = files[name]
            path = folder / "annotations" / name / f"{document}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            text = content if isinstance(content, str) else json.dumps({"document": document, **content})
            path.write_text(text, encoding="utf-8")
    return folder


def open_request(
    folder: Path, *, parsers: Sequence[str] = (GOOD, POOR, HEAVY), plan: str = "plan", repeats: int = 1, **extra: object
) -> pb.OpenRunRequest:
    """Return the request that opens a run over the corpus at ``folder``."""
    run = pb.Run(
        plan_digest=plan,
        suite="bizdoc",
        mode="local",
        exclusive=True,
        machine_json='{"cpus": 2}',
        machine_digest="machine",
        commit="commit",
        timeout_seconds=60,
        timeout_seconds_per_page=1,
        memory_bytes=1 << 30,
        cpus=[0, 1],
        repeats=repeats,
        corpus_name="small",
        corpus_version="1",
        corpus_digest="corpus",
        corpus_path=str(folder),
        argv=["docassay", "run"],
    )
    return pb.OpenRunRequest(
        run=run,
        parsers=[run_parser(parser) for parser in parsers],
        documents=[
            pb.RunDocument(
                document_id=document,
                domain=DOMAINS[document],
                format=FORMATS[document],
                pages=PAGES[document],
                sha256=f"sha-{document}",
                bytes=1,
                annotations=ANNOTATIONS[document],
                gold_digest=gold.digest(folder, document, ANNOTATIONS[document]),
            )
            for document in DOCUMENTS
        ],
        **extra,  # type: ignore[arg-type]
    )


def run_parser(parser: str) -> pb.RunParser:
    """Return a parser of a run; ``heavy`` is not ready."""
    name, _, version = parser.partition("@")
    ready = name != "heavy"
    return pb.RunParser(
        parser=parser,
        description=parser_pb2.DescribeResponse(
            name=name,
            version=version,
            formats=["pdf", "docx", "pptx", "html"],
            chunker="shared@1",
            lock_digest=f"lock-{parser}",
            adapter_digest="adapter",
            licence="MIT",
            state=parser_pb2.PARSER_STATE_READY if ready else parser_pb2.PARSER_STATE_WEIGHTS_UNAVAILABLE,
            reason="" if ready else "weights.bin (2 GB) is missing: run fetch",
        ),
        transport="path",
        replicas=1,
    )


def output(document: str, *, text: str | None = None, headings: bool = True, tables: bool = True) -> bytes:
    """Return an output artifact: the gold of a document, or parts of it."""
    found = [
        form.Heading(heading, 1 if index == 0 else 2, "ROOT" if index == 0 else 0)
        for index, heading in enumerate(HEADINGS[document] if headings else ())
    ]
    rows = tuple(
        form.Row(header, tuple(form.Cell(cell, row, column) for column, cell in enumerate(cells)))
        for row, (header, cells) in enumerate(TABLES[document] if tables else ())
    )
    collected = form.Collected(pages=PAGES[document], headings=found, tables=[form.Table(rows)] if rows else [])
    parsed = form.Parsed(TEXT[document] if text is None else text, "markdown")
    return b"".join(form.output_lines(parsed, collected, form.Repair()))


def chunks(document: str) -> bytes:
    """Return a chunks artifact: the document's text, paragraph by paragraph."""
    pieces = [form.Chunk(part) for part in TEXT[document].split("\n\n")]
    return b"".join(form.chunk_lines(pieces, form.Repair()))


def record(run_id: str, parser: str, document: str, *, repeat: int = 1, seconds: float | None = None) -> pb.ParseRecord:
    """Return the record of a parse that succeeded, or of ``poor`` timing out on ``b``."""
    failed = parser.startswith("poor") and document == "b"
    pace = SECONDS.get(parser, SECONDS[GOOD])
    status = parser_pb2.PARSE_STATUS_TIMEOUT if failed else parser_pb2.PARSE_STATUS_OK
    return pb.ParseRecord(
        run_id=run_id,
        parser=parser,
        document_id=document,
        repeat=repeat,
        done=parser_pb2.Done(
            parse_id=f"{parser}-{document}",
            status=status,
            reason="the deadline of 65 s passed" if failed else "",
            assisted=parser_pb2.ASSISTANCE_NONE,
            worker_seconds=0.1,
            peak_memory_bytes=1 << 20,
        ),
        reached_parser=True,
        seconds=65.0 if failed else (seconds or PAGES[document] * pace),
        sent_to_done_seconds=66.0,
        lead_seconds=0.01,
        tail_seconds=0.01,
        started_at="2026-07-26T20:16:31+00:00",
        chunk_done=None if failed else parser_pb2.ChunkDone(status=parser_pb2.PARSE_STATUS_OK, chunker="shared@1"),
    )


def parts(first: pb.ParseRecord, text: bytes = b"", pieces: bytes = b"", size: int = 64) -> Iterator[pb.SubmitRequest]:
    """Yield a submission in small slices."""
    yield pb.SubmitRequest(record=first)
    for piece in _slices(text, size):
        yield pb.SubmitRequest(output=piece)
    for piece in _slices(pieces, size):
        yield pb.SubmitRequest(chunks=piece)


def submission(run_id: str, parser: str, document: str, *, repeat: int = 1) -> Iterator[pb.SubmitRequest]:
    """Yield the submission of a parser of the small corpus for a document."""
    first = record(run_id, parser, document, repeat=repeat)
    if first.done.status != parser_pb2.PARSE_STATUS_OK:
        return parts(first)
    if parser.startswith("poor"):
        return parts(first, output(document, headings=False, tables=document != "a"), chunks(document))
    return parts(first, output(document), chunks(document))


def everything(run_id: str, parsers: Iterable[str] = (GOOD, POOR)) -> Iterator[Iterator[pb.SubmitRequest]]:
    """Yield the submissions of a whole run."""
    for parser in parsers:
        for document in DOCUMENTS:
            yield submission(run_id, parser, document)


def _slices(data: bytes, size: int) -> Iterator[bytes]:
    source = io.BytesIO(data)
    while piece := source.read(size):
        yield piece


def _gold_table(document: str) -> dict[str, object]:
    rows = [{"header": header, "cells": list(cells)} for header, cells in TABLES[document]]
    return {"id": "t1", "page": 1, "rows": rows}


def _question() -> dict[str, object]:
    evidence = [{"text": "Revenue rose to 12 million.", "page": 1}]
    return {"id": "q1", "question": "How high was the revenue?", "answer": "12 million", "evidence": evidence}
