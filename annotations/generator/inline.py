"""The two marks of a source text: ``**bold**`` and ``[^id]``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_MARK = re.compile(r"\*\*(?P<bold>.+?)\*\*|\[\^(?P<note>[a-z0-9-]+)\]")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text, or (``note``) a reference to a footnote."""

    text: str = ""
    bold: bool = False
    note: str | None = None


def runs(text: str) -> list[Run]:
    """The stretches of a text."""
    result = []
    end = 0
    for mark in _MARK.finditer(text):
        if mark.start() > end:
            result.append(Run(text[end : mark.start()]))
        result.append(Run(note=mark["note"]) if mark["note"] else Run(mark["bold"], bold=True))
        end = mark.end()
    if end < len(text):
        result.append(Run(text[end:]))
    return result


def notes(text: str) -> list[str]:
    """The ids of the footnotes a text refers to, in order."""
    return [run.note for run in runs(text) if run.note]


def plain(text: str, numbers: Mapping[str, int]) -> str:
    """A text as a reader sees it: no marks, a reference as its number."""
    return "".join(str(numbers[run.note]) if run.note else run.text for run in runs(text))
