"""Comparing the parsers of a run with each other, document by document: no gold is needed."""

import itertools
from dataclasses import dataclass

from scorer.scoring import outputs
from scorer.scoring.inputs import Inputs
from scorer.store.artifacts import Artifacts
from scorer.suites.bizdoc import agreement, faithfulness
from scorer.suites.bizdoc.text import normalise
from scorer.suites.bizdoc.words import TooManyWords


@dataclass(frozen=True, slots=True)
class Comparison:
    """A document, and the output of each parser that parsed it, by parser."""

    document: str
    artifacts: tuple[tuple[str, str | None], ...]

    def __str__(self) -> str:
        return f"the parsers on {self.document}"


@dataclass(frozen=True, slots=True)
class Structure:
    """How much an output has of each; characters are those of the text's normal form, None when it was not read."""

    characters: int | None
    headings: int
    tables: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Two parsers, in the order of their names: their agreement in 0..1, or None with a reason."""

    parser_a: str
    parser_b: str
    agreement: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Compared:
    """The pairs of a document, and each parser's structure."""

    document: str
    structures: dict[str, Structure]
    pairs: tuple[Pair, ...]


def comparisons(given: Inputs) -> list[Comparison]:
    """Return the documents that at least two parsers parsed."""
    found = []
    for document in given.documents:
        parsed = [
            (name, measured.artifact)
            for name in sorted(parser["parser"] for parser in given.parsers)
            if (measured := given.measured.get((name, document.id))) and measured.parsed
        ]
        if len(parsed) > 1:
            found.append(Comparison(document.id, tuple(parsed)))
    return found


def compare(comparison: Comparison, artifacts: Artifacts) -> Compared:
    """Compare every pair; of each output only digests are kept, and one text at a time is in memory.

    Raises:
        StoreError: a stored artifact cannot be read.
    """
    read = {artifact: _read(artifacts, artifact) for artifact in dict.fromkeys(a for _, a in comparison.artifacts)}
    pairs = []
    for (parser_a, a), (parser_b, b) in itertools.combinations(comparison.artifacts, 2):
        one, other = read[a].fingerprint, read[b].fingerprint
        if one is None or other is None:
            unread = parser_a if one is None else parser_b
            pairs.append(Pair(parser_a, parser_b, None, f"{unread}: {read[a if one is None else b].reason}"))
        else:
            pairs.append(Pair(parser_a, parser_b, agreement.agreement(one, other), ""))
    structures = {parser: read[artifact].structure for parser, artifact in comparison.artifacts}
    return Compared(comparison.document, structures, tuple(pairs))


@dataclass(frozen=True, slots=True)
class _Read:
    structure: Structure
    fingerprint: agreement.Fingerprint | None
    reason: str = ""


def _read(artifacts: Artifacts, artifact: str | None) -> _Read:
    document = outputs.read(artifacts, artifact).document
    headings, tables = len(document.headings), len(document.tables)
    if not faithfulness.readable("", document.text):
        reason = f"the text is longer than {faithfulness.LONGEST} characters: it was not compared"
        return _Read(Structure(None, headings, tables), None, reason)
    text = normalise(document.text)
    structure = Structure(len(text), headings, tables)
    try:
        return _Read(structure, agreement.fingerprint(text))
    except TooManyWords as error:
        return _Read(structure, None, str(error))
