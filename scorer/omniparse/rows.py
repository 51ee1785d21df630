"""Verdicts as rows of the store's table `verdicts`."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class VerdictRow(NamedTuple):
    """A row of `verdicts`, in the order of its columns; `passed` is None for an unsupported test."""

    run_id: str
    suite: str
    parser: str
    document: str
    test: str
    kind: str
    passed: bool | None
    why: str
    tags: list[str]


def verdict_rows(lines: Iterable[Mapping[str, Any]], *, run_id: str, suite: str, parser: str) -> list[VerdictRow]:
    """Return score lines as rows.

    A row's tags are the test's own and, prefixed, what else a slice may ask for: `page:`, `part:` (the dataset's
    suite) and `derivation:`.
    """
    return [
        VerdictRow(
            run_id=run_id,
            suite=suite,
            parser=parser,
            document=line["document"],
            test=line["test_id"],
            kind=line["test_type"],
            passed=None if line["result"] == "unsupported" else line["result"] == "pass",
            why=line["why"],
            tags=[
                *line["tags"],
                f"page:{line['page_id']}",
                f"part:{line['suite']}",
                f"derivation:{line['derivation']}",
            ],
        )
        for line in lines
    ]
