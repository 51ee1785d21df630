"""The versions of OmniDocBench's evaluator, and everything that differs between them, in one place.

A version is a set of rules, each a function or a choice. v1.6 would be a second `Version`: its own splitting (LaTeX
tables converted, formulas rescued from image texts and table cells, arithmetic chains split), its own normalisation
(circled characters, guards for long LaTeX, more formula commands, table cells), truncated blocks by union-find with
`ignore` honoured, tables assigned by normalised markup, formulas matched again among themselves, a reading order of
text, formulas and tables, and pages without a prediction scored as empty.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scorer.suites.omnidoc.gold import GoldError, GoldPage
from scorer.suites.omnidoc.page import PageMatch, match_markdown, match_page
from scorer.suites.omnidoc.recognition import NORMALISERS

__all__ = ["DEFAULT", "UnsupportedVersionError", "Version", "version"]


class UnsupportedVersionError(ValueError):
    """A version that cannot be scored; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The rules of a version."""

    name: str
    match_page: Callable[[GoldPage, str], PageMatch]
    match_markdown: Callable[[str, str, str], PageMatch]
    normalisers: Mapping[str, Callable[[str], str]]


def _naming_the_page(page: GoldPage, markdown: str) -> PageMatch:
    """Match a page; a block that lacks what matching reads is named with its page."""
    try:
        return match_page(page, markdown)
    except GoldError as fault:
        raise GoldError(f"page {page.image}: {fault}") from fault


V1_5 = Version(
    name="v1.5",
    match_page=_naming_the_page,
    match_markdown=match_markdown,
    normalisers=NORMALISERS,
)

DEFAULT = V1_5


def version(name: str) -> Version:
    """Return a version by its name, which may have the suite's before it; raises `UnsupportedVersionError`."""
    name = name.removeprefix("omnidoc@")
    if name == V1_5.name:
        return V1_5
    if name == "v1.6":
        raise UnsupportedVersionError(
            "omnidoc@v1.6 is not available: no recorded answers of that evaluator exist to prove an implementation "
            "right; use omnidoc@v1.5"
        )
    raise UnsupportedVersionError(f"omnidoc@{name} is not known; use omnidoc@v1.5")
