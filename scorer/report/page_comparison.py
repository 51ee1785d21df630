"""What a comparison of two runs over pages says, whatever the pages were scored by: pages and parsers in both."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from scorer.report.changes import Change, judged, record
from scorer.scoring.inputs import Inputs
from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED

__all__ = ["answer", "pages_of", "shared_pages"]

Pages = Mapping[str, tuple[str, str]]
"""Pages by id: the digests of file and gold."""


class PageRun(Protocol):
    """A scored run over pages."""

    given: Inputs
    pages: Pages

    def parsers(self) -> dict[str, tuple[str, str]]:
        """Return name and setting of the parsers that are compared."""
        ...


class PagePair(Protocol):
    """A parser of either run."""

    def data(self, changes: Sequence[Change]) -> dict[str, Any]:
        """Return the pair as data, its changes judged."""
        ...


def pages_of(given: Inputs) -> Pages:
    """Return a run's pages."""
    return {page.id: (page.sha256, page.gold_digest) for page in given.documents}


def shared_pages(earlier: Pages, later: Pages) -> list[str]:
    """Return the pages that are compared: those with the same file and gold under the same id.

    Raises:
        ValueError: there are none.
    """
    shared = [page for page in earlier if page in later and _same(earlier[page], later[page])]
    if not shared:
        raise ValueError(
            "the two runs share no page (the same file and gold under the same id): nothing can be compared"
        )
    return shared


def _same(was: tuple[str, str], now: tuple[str, str]) -> bool:
    """Tell whether two pages are one: by gold, and by file where both runs had it (graded predictions come without)."""
    return was[1] == now[1] and (was[0] == now[0] or not (was[0] and now[0]))


def answer(
    earlier: PageRun,
    later: PageRun,
    *,
    suite: str,
    shared: Sequence[str],
    matched: Sequence[tuple[str, str]],
    changed: Sequence[tuple[PagePair, Sequence[Change]]],
    differing: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return how two runs differ, ready for JSON: the keys of a comparison of two runs of whole documents.

    Args:
        earlier: one run.
        later: the other.
        suite: name@version.
        shared: the pages compared.
        matched: the parsers compared, of the earlier and of the later run.
        changed: each pair of them with its changes, not yet corrected.
        differing: the conditions that bar comparisons.
    """
    in_order = iter(judged([change for _, changes in changed for change in changes]))
    parsers = [pair.data([next(in_order) for _ in changes]) for pair, changes in changed]
    return {
        "before": record(earlier.given),
        "after": record(later.given),
        "suite": suite,
        "documents": len(shared),
        "only_before": [page for page in earlier.pages if page not in later.pages],
        "only_after": [page for page in later.pages if page not in earlier.pages],
        "other_files": [page for page in earlier.pages if page in later.pages and page not in shared],
        "differing": differing,
        "parsers": parsers,
        "unpaired_before": [name for name in earlier.parsers() if name not in {first for first, _ in matched}],
        "unpaired_after": [name for name in later.parsers() if name not in {second for _, second in matched}],
        "seed": DEFAULT_SEED,
        "resamples": DEFAULT_RESAMPLES,
        "worse": [
            {"parser": pair["after"], "headline": change["headline"]}
            for pair in parsers
            for change in pair["changes"]
            if change["verdict"] == "worse"
        ],
    }
