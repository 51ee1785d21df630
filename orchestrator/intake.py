"""The look at each document before any parser has it, by a service locked down like a parser."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from docassay.v1 import parser_pb2 as pb
from orchestrator import fleet, staging
from orchestrator.client import ParserClient
from orchestrator.corpus import Document
from orchestrator.interruption import Interruption
from orchestrator.progress import Reporter
from orchestrator.selection import Selected

_SECONDS = 60.0
_MEMORY = 2 << 30


@dataclass(frozen=True, slots=True)
class Finding:
    """What intake says of one document.

    Attributes:
        status: how the document is settled without any parser; None when it is not.
        reason: why, in one line.
        pages: the page count; None when unknown.
        estimated: the count is an estimate from the amount of text.
        notes: anything odd.
    """

    status: "pb.ParseStatus.ValueType | None" = None
    reason: str = ""
    pages: int | None = None
    estimated: bool = False
    notes: tuple[str, ...] = ()


class IntakeFailed(Exception):
    """Intake itself does not work on this machine; the message says why."""


def look(
    documents: Sequence[Document],
    *,
    parser: Selected,
    staged: staging.Staged,
    scratch: Path,
    reporter: Reporter,
    interruption: Interruption,
    patience: float,
) -> dict[str, Finding]:
    """Look at every document; one that intake cannot look at is noted and left to the parsers.

    Args:
        parser: intake itself, which is served as a parser is.
        patience: see ``fleet.serving``.

    Raises:
        IntakeFailed: the service did not start or load.
    """
    reporter.stage("looking at the documents", len(documents))
    with fleet.serving(parser, staged, scratch, interruption, patience=patience) as service:
        service.reach()
        if service.description.state != pb.PARSER_STATE_READY:
            raise IntakeFailed(f"intake is not ready: {service.description.reason}")
        findings: dict[str, Finding] = {}
        for document in documents:
            reporter.current(document.id)
            findings[document.id] = _look(document, service.clients[0])
            reporter.advance()
    return findings


def _look(document: Document, intake: ParserClient) -> Finding:
    header = pb.ParseHeader(
        document_id=staging.opaque_name(document),
        format=document.format,
        deadline_seconds=_SECONDS,
        memory_bytes=_MEMORY,
        path=staging.opaque_name(document),
    )
    with tempfile.SpooledTemporaryFile(max_size=1 << 20) as sink:
        try:
            answer = intake.parse(header, None, sink, timeout=3 * _SECONDS)
        except grpc.RpcError as error:
            return Finding(notes=(f"intake was lost: {error.details() if isinstance(error, grpc.Call) else error}",))
        sink.seek(0)
        line = sink.readline()
    if answer.done.status not in (pb.PARSE_STATUS_OK, pb.PARSE_STATUS_EMPTY) or not line:
        return Finding(notes=(f"intake could not look at it: {answer.done.reason}",))
    return _finding(json.loads(line).get("facts", {}))


def _finding(facts: dict[str, Any]) -> Finding:
    settled = facts.get("settled") or {}
    word = settled.get("status")
    return Finding(
        status=pb.ParseStatus.Value(f"PARSE_STATUS_{word.upper()}") if word else None,
        reason=settled.get("reason", ""),
        pages=facts.get("pages"),
        estimated=bool(facts.get("pages_estimated")),
        notes=tuple(facts.get("notes", ())),
    )
