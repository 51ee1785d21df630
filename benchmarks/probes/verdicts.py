"""What a parser made of a probe, in a word: questions to the common form of its output."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.probes.words import PLAIN_TABLE

_TAG = re.compile(r"</?(?:p|br|td|th|tr)\b[^<>]*>")


@dataclass(frozen=True, slots=True)
class Output:
    """One parser's output for one probe: its text, its headings and tables as JSON items."""

    text: str
    headings: tuple[dict[str, Any], ...]
    tables: tuple[dict[str, Any], ...]

    @property
    def words(self) -> str:
        """The text on one line, without the tags that some tools break lines with."""
        return " ".join(_TAG.sub(" ", self.text).split())


def levels(output: Output) -> str:
    """Say whether three headings of three levels are found as such."""
    wanted = ("alpha chapter", "beta section", "gamma part")
    found = [(heading["text"].lower(), heading["level"]) for heading in output.headings]
    given = [level for name in wanted for text, level in found if text == name]
    if not given:
        return "none"
    if len(given) < len(wanted):
        return f"{len(given)} of {len(wanted)}"
    known = [level for level in given if level is not None]
    return "levels" if len(known) == len(wanted) and known == sorted(set(known)) else "no levels"


def grid(output: Output) -> str:
    """Say whether a table without merged cells comes as one, each cell in its place."""
    if not output.tables:
        return "table lost"
    rows = [[cell["text"] for cell in row["cells"]] for table in output.tables for row in table["rows"]]
    return "cells in place" if len(output.tables) == 1 and rows == PLAIN_TABLE else "cells differ"


def span(output: Output, text: str, side: str) -> str:
    """Say how a merged cell comes: with its span, repeated, once without a span, or no table at all."""
    cells = [cell for table in output.tables for row in table["rows"] for cell in row["cells"]]
    found = [cell for cell in cells if cell["text"] == text]
    if not found:
        return "table lost" if not output.tables else "cell lost"
    if any(cell[side] > 1 for cell in found):
        return "span"
    return "repeated" if len(found) > 1 else "flat"


def tables(output: Output) -> str:
    """Say how many tables one table became."""
    return {0: "none", 1: "one"}.get(len(output.tables), str(len(output.tables)))


def order(output: Output) -> str:
    """Say whether one column comes before the other."""
    words = output.words
    left_ends, right_begins = words.find("The left column ends here"), words.find("The right column begins here")
    if left_ends < 0 or right_begins < 0:
        return "lost"
    return "in order" if left_ends < right_begins else "interleaved"


def nesting(output: Output) -> str:
    """Say whether an inner item is further in than the outer ones."""
    lines = output.text.splitlines()
    indents = {name: _indent(lines, name) for name in ("Outer one", "Inner one", "Outer two")}
    if None in indents.values():
        return "lost"
    outer, inner = indents["Outer one"], indents["Inner one"]
    assert outer is not None
    assert inner is not None
    return "nested" if inner > outer else "flat"


def _indent(lines: Sequence[str], name: str) -> int | None:
    return next((len(line) - len(line.lstrip()) for line in lines if name in line), None)


def kept(output: Output, *texts: str) -> str:
    """Say whether a text is there."""
    return "kept" if all(text in output.words for text in texts) else "dropped"


def changes(output: Output) -> str:
    """Say which side of a tracked change is shown."""
    sides = ("fifty" in output.words, "forty" in output.words)
    return {(True, False): "accepted", (False, True): "rejected", (True, True): "both"}.get(sides, "neither")


def direction(output: Output) -> str:
    """Say in which order the letters of a right-to-left sentence come, or its words though their letters are right."""
    sentence = "שלום עולם"
    if sentence in output.words:
        return "logical"
    if " ".join(reversed(sentence.split())) in output.words:
        return "words reversed"
    return "reversed" if sentence[::-1] in output.words else "lost"


def hidden(output: Output) -> str:
    """Say whether a marked figure is there and a hidden fact is not."""
    shown = "4,711" in output.words
    return ("kept" if shown else "dropped") + (", hidden shown" if "Fact out of sight" in output.words else "")


def unwrapped(output: Output) -> str:
    """Say whether a wrapped page's words are there without the wrapping."""
    found = kept(output, "Words of the filing.")
    return found + (", wrapping too" if "ACCESSION NUMBER" in output.words else "")


def address(output: Output) -> str:
    """Say whether a link keeps its address."""
    if "manual" not in output.words.replace("example.org/manual", ""):
        return "lost"
    return "with address" if "https://example.org/manual" in output.text else "words alone"
