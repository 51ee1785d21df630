"""What a run folder says of a grading beside its score lines: its summary, and in 1.0.0 a line a page.

Source: OmniParseBench 1.0.0rc1 and 1.0.0, runs.
"""

from collections.abc import Iterator
from typing import Any

from scorer.omniparse.grading import Graded, GradedPage
from scorer.suites.omniparse.vocabulary import FAMILIES


def scorer_name(graded: Graded) -> str:
    """Return by which name a run folder of 1.0.0rc1 knows who graded it."""
    return f"docassay omniparse@{graded.version.name}"


def run_summary(graded: Graded, *, run: str, provider: str) -> dict[str, Any]:
    """Return the summary of a run folder in its version's own layout.

    Args:
        graded: what was graded.
        run: the run's name, that of its folder.
        provider: who made the predictions.
    """
    if graded.version.knows_unsupported:
        return _of_rc1(graded, run, provider)
    return _of_v1_0_0(graded, run)


def _of_rc1(graded: Graded, run: str, provider: str) -> dict[str, Any]:
    summary = graded.summary()
    suites: dict[str, dict[str, int]] = {}
    for page in graded.pages:
        count = suites.setdefault(page.page.suite, {"pages": 0, "failed": 0, "pending": 0})
        count["pages"] += 1
        count["failed"] += page.failed
    return {
        "run": run,
        "provider": provider,
        "settings": {},
        "scorer": scorer_name(graded),
        **summary,
        "per_suite": {suite: summary["per_suite"][suite] | suites[suite] for suite in sorted(suites)},
        "pages": len(graded.pages),
        "failed": sum(page.failed for page in graded.pages),
        "pending": 0,
        "usd": None,
        "credits": None,
    }


def _of_v1_0_0(graded: Graded, run: str) -> dict[str, Any]:
    summary = graded.summary()
    lost = [page.page.page_id for page in graded.pages if not page.answered]
    coverage = (len(graded.pages) - len(lost)) / len(graded.pages) if graded.pages else 0.0
    written = {
        "scorer": "unit_tests",
        "options": {},
        "run": run,
        "headline": None if summary["headline"] is None else summary["headline"] * coverage,
        "headline_is": "scored.headline × coverage",
        "rows": len(graded.pages),
        "failed": len(lost),
        "coverage": coverage,
        "scored": {"headline": summary["headline"], "headline_is": "the mean of the families' scores"}
        | {"families": summary["families"]},
    }
    if lost:
        written["partial"] = {"no_answer": len(lost), "not_scored": 0, "e.g.": lost[:3]}
    return written


def page_lines(graded: Graded) -> Iterator[dict[str, Any]]:
    """Yield for each page whether it was scored, and how many of its tests passed in each family (1.0.0)."""
    return map(_page_line, graded.pages)


def _page_line(page: GradedPage) -> dict[str, Any]:
    row = {"document": page.page.document}
    name = page.page.page_id
    if not page.answered:
        return {"id": name, "status": "failed", "row": row, "error": f"no prediction: predictions/{name}.json"}
    families: dict[str, dict[str, int]] = {}
    for line in page.lines:
        count = families.setdefault(FAMILIES[line["test_type"]], {"tests": 0, "passed": 0})
        count["tests"] += 1
        count["passed"] += line["result"] == "pass"
    passed = sum(count["passed"] for count in families.values())
    return {"id": name, "status": "scored", "row": row} | {
        "tests": len(page.lines),
        "passed": passed,
        "per_family": families,
    }
