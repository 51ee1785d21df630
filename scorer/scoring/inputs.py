"""What scoring needs of a run: its conditions, its ready parsers, its documents, and how each parse ended."""

from dataclasses import dataclass
from typing import Any

from scorer.store.database import Database
from scorer.store.errors import Unknown

GRADED = "graded"
"""The mode of a run of predictions made elsewhere."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A parser on a document, repeats taken together.

    Attributes:
        parsed: it succeeded in every repeat, without help.
        assisted: it succeeded, but somebody else did part of the work.
        failure: why it was not parsed; empty when it was.
        seconds: median over the repeats; None when not parsed.
        artifact: SHA-256 of the first output; None when there is none.
        chunks_artifact: of the first chunks.
        no_chunks: why there are no chunks.
    """

    parsed: bool
    assisted: bool
    failure: str
    seconds: float | None
    artifact: str | None
    chunks_artifact: str | None
    no_chunks: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document in scope: id, format, digest, pages (None: unknown) and the gold it has."""

    id: str
    format: str
    sha256: str
    pages: int | None
    annotations: tuple[str, ...]
    gold_digest: str


@dataclass(frozen=True, slots=True)
class Inputs:
    """A run as it stands in the store; ``run`` and ``parsers`` are rows of those tables, ready parsers only."""

    run: dict[str, Any]
    parsers: tuple[dict[str, Any], ...]
    documents: tuple[Document, ...]
    measured: dict[tuple[str, str], Measured]

    @property
    def whole(self) -> bool:
        """Every document of the manifest is in scope."""
        return self.run["scope"] is None

    @property
    def parsed(self) -> bool:
        """Nothing is left to be parsed, as nothing ever is of predictions made elsewhere."""
        return self.run["mode"] == GRADED or self.run["finished_at"] is not None


def read(database: Database, run_id: str) -> Inputs:
    """Return what scoring needs of a run.

    Raises:
        Unknown: there is no such run.
    """
    found = database.rows("select * from runs where run_id = ?", [run_id])
    if not found:
        raise Unknown(f"there is no run {run_id!r}")
    parsers = database.rows("select * from parsers where run_id = ? and state = 'ready' order by parser", [run_id])
    documents = [
        Document(
            row["document"],
            row["format"],
            row["sha256"],
            row["pages"],
            tuple(row["annotations"]),
            row["gold_digest"],
        )
        for row in database.rows("select * from documents where run_id = ? order by document", [run_id])
    ]
    rows = database.rows(
        "select parser, document, status, reason, assisted, seconds, artifact, chunks_artifact, chunk_reason"
        " from document_parses where run_id = ?",
        [run_id],
    )
    measured = {(row["parser"], row["document"]): _measured(row) for row in rows}
    return Inputs(found[0], tuple(parsers), tuple(documents), measured)


ABSENT = Measured(False, False, "absent: the run has no parse of it", None, None, None, "")


def _measured(row: dict[str, Any]) -> Measured:
    assisted = row["status"] == "ok" and row["assisted"] != "none"
    parsed = row["status"] == "ok" and not assisted
    if parsed:
        failure = ""
    elif assisted:
        failure = f"{row['assisted']}_assisted: somebody else did part of the work"
    else:
        failure = f"{row['status']}: {row['reason']}" if row["reason"] else row["status"]
    return Measured(
        parsed,
        assisted,
        failure,
        row["seconds"] if parsed else None,
        row["artifact"],
        row["chunks_artifact"],
        row["chunk_reason"] or "the parser gave none",
    )
