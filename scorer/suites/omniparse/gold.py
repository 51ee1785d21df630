"""A page's tests, read from its gold and checked: a test that could pass or fail on any output is refused.

Source: OmniParseBench 1.0.0rc1, gold format. A refusal is worded as the reference's recorded refusals are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scorer.suites.omniparse.args import Args, GoldError, Params
from scorer.suites.omniparse.vocabulary import DERIVATIONS, PROPERTIES, READS, ROLES, is_tag

__all__ = ["GoldError", "Test", "outputs_read", "parse_gold", "parse_test"]

_FIELDS = ("id", "test_type", "output_type", "derivation", "tags", "args", "settings")
_LANGUAGE_OR_SCRIPT = "a language (ISO 639-3, e.g. eng) or a script (ISO 15924, e.g. Latn)"


@dataclass(frozen=True, slots=True)
class Test:
    """One test: what it checks, in which output, how its claim was established, and what its content is."""

    __test__ = False  # not a test of this project

    id: str
    page_id: str
    test_type: str
    output_type: str
    derivation: str
    tags: tuple[str, ...]
    params: Params


def parse_gold(page_id: str, document: Any) -> tuple[Test, ...]:
    """Read a gold file's content as the page's tests.

    Raises:
        GoldError: at the first rule broken.
    """
    shape = '{"tests": [...]}'
    if not isinstance(document, dict):
        raise GoldError(f"{page_id}: a gold file is an object, {shape}, not a JSON {type(document).__name__}")
    if unknown := sorted(document.keys() - {"tests"}):
        raise GoldError(f"{page_id}: unknown keys {unknown}; a gold file holds only 'tests'")
    tests = document.get("tests")
    if not isinstance(tests, list):
        raise GoldError(f"{page_id}: a gold file holds 'tests', the list of the page's tests: {shape}")
    return tuple(parse_test(page_id, test) for test in tests)


def parse_test(page_id: str, test: Any) -> Test:
    """Read one test of a page's gold.

    Raises:
        GoldError: at the first rule broken.
    """
    if not isinstance(test, dict):
        raise GoldError(f"{page_id}: each test is an object, not {test!r:.80}")
    where = f"{page_id}: test {test.get('id')!r}"
    if missing := [field for field in _FIELDS if field not in test]:
        raise GoldError(f"{where} lacks {missing}")
    if fault := _fault(test):
        raise GoldError(f"{where}: {fault}")
    args = Args(where, test["test_type"], test["args"], test["settings"])
    return Test(
        id=test["id"],
        page_id=page_id,
        test_type=test["test_type"],
        output_type=test["output_type"],
        derivation=test["derivation"],
        tags=tuple(test["tags"]),
        params=args.params(),
    )


def _fault(test: dict[str, Any]) -> str | None:
    """Return which rule a test with all its fields breaks, args and settings aside."""
    if unknown := [field for field in test if field not in _FIELDS]:
        return f"unknown fields {unknown}; a test has {list(_FIELDS)}"
    if not isinstance(test["id"], str) or not test["id"].strip():
        return "id must be a non-empty string"
    test_type, tags = test["test_type"], test["tags"]
    reads = READS.get(test_type) if isinstance(test_type, str) else None
    if reads is None:
        return f"unknown test_type {test_type!r}; known: {sorted(READS)}"
    if test["output_type"] != reads:
        return f"{test_type} reads {reads!r}, not {test['output_type']!r}"
    if test["derivation"] not in DERIVATIONS:
        return f"unknown derivation {test['derivation']!r}; known: {DERIVATIONS}"
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        return f"tags must be a list of strings, not {tags!r:.80}"
    if strange := [tag for tag in tags if not is_tag(tag)]:
        return f"unknown tags {strange}; a tag is one of {[*ROLES, *PROPERTIES]}, {_LANGUAGE_OR_SCRIPT}"
    return None


def outputs_read(tests: Sequence[Test]) -> frozenset[str]:
    """Return the output types the tests read: what their page is asked for."""
    return frozenset(test.output_type for test in tests)
