"""Aids for people who write gold: drafts from a parser's output, and where evidence is found.

A draft is a parser's opinion. It goes into ``drafts/`` beside the corpus, never into ``annotations/``: it becomes gold
when a person has corrected it and moved it there.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer import gold, output
from scorer.store import query
from scorer.store.artifacts import Artifacts
from scorer.suites.bizdoc import Heading, Table

DRAFTS = "drafts"

_NEWEST = """
select parser, arg_max(artifact, run_id) as artifact from document_parses
where document = '{document}' and artifact is not null group by parser order by parser
"""


class AuthoringError(Exception):
    """There is nothing to draft from or to look in; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Found:
    """One piece of evidence, and the parsers whose text holds it, white space apart."""

    question: str
    evidence: str
    parsers: tuple[str, ...]


def draft(corpus: Path, results: Path, document: str, parser: str) -> list[Path]:
    """Write drafts of a document's heading tree, content and tables from a parser's newest output.

    Args:
        corpus: the corpus folder; the drafts go into its folder ``drafts``.
        results: the results folder that holds the output.
        document: an id that is safe in a query, as ids of a loaded corpus are.
        parser: name@version, or a name that only one version has output of.

    Returns:
        The files that were written.

    Raises:
        AuthoringError: the parser has no output of the document, or a draft is there already.
    """
    artifacts = _artifacts(results, document)
    named = [key for key in artifacts if parser in (key, key.partition("@")[0])]
    if len(named) != 1:
        known = ", ".join(artifacts) or "none"
        raise AuthoringError(
            f"no output of {document} by one parser {parser!r} in {results}; parsers with one: {known}"
        )
    with Artifacts(results / "artifacts").open(artifacts[named[0]]) as source:
        read = output.read_output(source).document
    folder = corpus / DRAFTS
    files = {
        folder / f"{document}.headings.json": _json({"document": document, "headings": list(_tree(read.headings))}),
        folder / f"{document}.content.md": read.text,
        folder / f"{document}.tables.json": _json({"document": document, "tables": list(_tables(read.tables))}),
    }
    for path in files:
        if path.exists():
            raise AuthoringError(f"{path} is there already and may hold somebody's work: move it away first")
    folder.mkdir(exist_ok=True)
    for path, content in files.items():
        path.write_text(content, encoding="utf-8")
    return list(files)


def evidence(corpus: Path, results: Path, document: str) -> Iterator[Found]:
    """Yield every piece of evidence of a document's questions, and the parsers whose text holds it.

    Raises:
        AuthoringError: there is no output of the document to look in.
    """
    questions = gold.load(corpus, document, ["qa"]).questions or ()
    artifacts = _artifacts(results, document)
    if not artifacts:
        raise AuthoringError(f"no output of {document} in {results}: parse it first")
    texts = {}
    for parser, artifact in artifacts.items():
        with Artifacts(results / "artifacts").open(artifact) as source:
            texts[parser] = " ".join(output.read_output(source).document.text.split())
    for question in questions:
        for span in question.evidence:
            wanted = " ".join(span.split())
            yield Found(question.id, span, tuple(parser for parser, text in texts.items() if wanted in text))


def _artifacts(results: Path, document: str) -> dict[str, str]:
    rows = query.table(results, _NEWEST.format(document=document.replace("'", "''"))).to_pylist()
    return {row["parser"]: row["artifact"] for row in rows}


def _tree(headings: Sequence[Heading]) -> list[dict[str, Any]]:
    """Nest headings by their levels; one without a level stands below the last that has one."""
    roots: list[dict[str, Any]] = []
    above: list[dict[str, Any]] = []
    for heading in headings:
        level = heading.level or (above[-1]["level"] + 1 if above else 1)
        node: dict[str, Any] = {"text": heading.text, "level": level, "children": []}
        while above and above[-1]["level"] >= level:
            above.pop()
        (above[-1]["children"] if above else roots).append(node)
        if heading.level is not None:
            above.append(node)
    return roots


def _tables(tables: Sequence[Table]) -> Iterator[dict[str, Any]]:
    """Yield the tables with every row as wide as the widest."""
    for index, table in enumerate(tables, 1):
        width = max((len(row.cells) for row in table.rows), default=0)
        rows = [{"header": row.header, "cells": [*row.cells, *[""] * (width - len(row.cells))]} for row in table.rows]
        yield {"id": f"t{index}", "page": None, "rows": rows}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
