"""Verdicts as rows of the store's table `verdicts`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scorer.suites.omniparse.vocabulary import FAMILIES


def verdict_rows(
    lines: Iterable[Mapping[str, Any]], *, run_id: str, suite: str, parser: str
) -> Iterator[dict[str, Any]]:
    """Yield score lines as rows; `passed` is None for an unsupported test.

    A row's tags are the test's own and, prefixed, what else a slice may ask for: `part:` (the dataset's suite) and
    `derivation:`.
    """
    for line in lines:
        yield {
            "run_id": run_id,
            "suite": suite,
            "parser": parser,
            "document": line["page_id"],
            "source": line["document"],
            "test": line["test_id"],
            "family": FAMILIES[line["test_type"]],
            "kind": line["test_type"],
            "passed": None if line["result"] == "unsupported" else line["result"] == "pass",
            "why": line["why"],
            "tags": [*line["tags"], f"part:{line['suite']}", f"derivation:{line['derivation']}"],
        }
