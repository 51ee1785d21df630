"""A page's tests run against a parser's outputs for it: one verdict a test, a pure function.

Source: OmniParseBench 1.0.0rc1 and 1.0.0.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scorer.suites.omniparse.blocks import Block, MalformedOutputError, read_blocks
from scorer.suites.omniparse.content import Mark
from scorer.suites.omniparse.gold import Test
from scorer.suites.omniparse.layout_kind import LayoutKind, layout_kind
from scorer.suites.omniparse.order import Order, order
from scorer.suites.omniparse.page import Page
from scorer.suites.omniparse.present import Present, present
from scorer.suites.omniparse.repeat import Repeat, repeat
from scorer.suites.omniparse.table_cell import TableCell, table_cell
from scorer.suites.omniparse.versions import Version
from scorer.suites.omniparse.vocabulary import OUTPUT_TYPES

Result = Literal["pass", "fail", "unsupported"]

View = Page | tuple[Block, ...]
"""An output as the tests read it: `html` as a page, `blocks` checked."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One test's result and, unless it passed, why."""

    id: str
    result: Result
    why: str


def grade(
    tests: Sequence[Test], outputs: Mapping[str, Any], *, version: Version, unsupported: Collection[str] = ()
) -> list[Verdict]:
    """Return a verdict for each of a page's tests, in their order.

    Args:
        tests: The page's tests, checked by `gold.parse_gold`.
        outputs: The parser's outputs, `html` and `blocks`; a missing or null one fails its tests.
        version: The released behaviour to reproduce.
        unsupported: Output types the parser declares it cannot produce (1.0.0rc1 only).

    Raises:
        ValueError: when `unsupported` names something that is no output type, or under 1.0.0, which has no such word.
    """
    left_out = checked_unsupported(unsupported, version)
    read = {test.output_type for test in tests} - left_out
    views = {output_type: _view(output_type, outputs.get(output_type), version) for output_type in read}
    return [_verdict(test, views.get(test.output_type)) for test in tests]


def checked_unsupported(unsupported: Collection[str], version: Version) -> frozenset[str]:
    """Return the output types that are declared unsupported.

    Raises:
        ValueError: one is no output type, or the version has no such word.
    """
    left_out = frozenset([unsupported] if isinstance(unsupported, str) else unsupported)
    if strange := sorted(left_out - set(OUTPUT_TYPES)):
        raise ValueError(f"no output types: {strange}; an output declared unsupported is one of {list(OUTPUT_TYPES)}")
    if left_out and not version.knows_unsupported:
        raise ValueError(f"omniparse@{version.name} has no unsupported outputs: a missing output fails its tests")
    return left_out


def _view(output_type: str, output: Any, version: Version) -> View | str:
    """Return an output as its tests read it, or the reason for which all of them fail."""
    if output is None:
        return f"no {output_type} output"
    try:
        return read_blocks(output) if output_type == "blocks" else Page(output, neighbours=version.neighbours)
    except MalformedOutputError as error:
        return f"malformed {output_type} output: {error}"


def _verdict(test: Test, view: View | str | None) -> Verdict:
    if view is None:
        return Verdict(test.id, "unsupported", f"the provider can't produce {test.output_type}")
    if isinstance(view, str):
        return Verdict(test.id, "fail", view)
    passed, why = _run(test, view)
    return Verdict(test.id, "pass" if passed else "fail", why)


def _run(test: Test, view: View) -> Mark:
    match test.params, view:
        case Present() as params, Page() as page:
            return present(params, page)
        case Order() as params, Page() as page:
            return order(params, page)
        case Repeat() as params, Page() as page:
            return repeat(params, page)
        case TableCell() as params, Page() as page:
            return table_cell(params, page)
        case LayoutKind() as params, tuple() as blocks:
            return layout_kind(params, blocks)
    raise TypeError(f"test {test.id!r} ({test.test_type}) does not read this output: its gold was not checked")
