"""Tests and pages made by hand."""

from typing import Any

from scorer.suites.omniparse import RC1, Verdict, Version, grade, parse_gold


def text(value: str, max_diffs: int = 0, **more: Any) -> dict[str, Any]:
    """A text arg."""
    return {"text": value, "max_diffs": max_diffs, **more}


def gold_test(test_type: str, settings: dict[str, Any] | None = None, **args: Any) -> dict[str, Any]:
    """A gold test with the id `t`."""
    return {
        "id": "t",
        "test_type": test_type,
        "output_type": "blocks" if test_type == "layout_kind" else "html",
        "derivation": "authored",
        "tags": [],
        "args": args,
        "settings": settings or {},
    }


def verdict(test: dict[str, Any], html: Any = None, *, version: Version = RC1, **outputs: Any) -> Verdict:
    """Grade one test."""
    given = outputs if html is None else {"html": html, **outputs}
    return grade(parse_gold("p", {"tests": [test]}), given, version=version)[0]


def passes(test: dict[str, Any], html: Any = None, **more: Any) -> bool:
    """Whether one test passes."""
    return verdict(test, html, **more).result == "pass"
