from typing import Any

import pytest

from scorer.suites.omniparse.blocks import Block, MalformedOutputError, read_blocks
from scorer.suites.omniparse.layout_kind import holder
from tests.scorer.suites.omniparse.made import gold_test, passes, text, verdict

PLACE = [[0.1, 0.1, 0.5, 0.2]]


def _test(kind: str = "heading") -> dict[str, Any]:
    return gold_test("layout_kind", {"kind": kind}, content=text("line", place=PLACE))


def _block(label: str, *box: float) -> dict[str, Any]:
    return {"label": label, "bbox": list(box)}


class TestHolder:
    def test_the_smallest_block_that_holds_half_the_place_decides(self) -> None:
        """A page-sized text block around a heading block does not hide it."""
        blocks = [_block("text", 0, 0, 1, 1), _block("heading", 0.1, 0.1, 0.5, 0.2)]
        assert passes(_test(), blocks=blocks)

    def test_exactly_half_is_enough(self) -> None:
        """The left half of the place is held; a hair less is not."""
        place = [[0.25, 0.25, 0.75, 0.5]]
        test = gold_test("layout_kind", {"kind": "heading"}, content=text("line", place=place))
        assert passes(test, blocks=[_block("heading", 0, 0, 0.5, 1)])
        assert verdict(test, blocks=[_block("heading", 0, 0, 0.499, 1)]).why == "no block covers 50% of its place"

    def test_of_equals_the_first_holds(self) -> None:
        """Two blocks of one box: the first's label counts."""
        box = (0.1, 0.1, 0.5, 0.2)
        assert holder((box,), (Block("text", box, ""), Block("heading", box, ""))) == Block("text", box, "")

    def test_an_inverted_box_has_no_area(self) -> None:
        """A box whose corners are swapped covers nothing."""
        assert not passes(_test(), blocks=[_block("heading", 0.5, 0.2, 0.1, 0.1)])


class TestKind:
    @pytest.mark.parametrize(("label", "expected"), [("text", True), ("list", True), ("form", True), ("table", False)])
    def test_lists_and_forms_are_text(self, label: str, expected: bool) -> None:
        """For the kind text, list and form blocks pass too."""
        assert passes(_test("text"), blocks=[_block(label, 0, 0, 1, 1)]) is expected

    def test_the_reason_quotes_the_block(self) -> None:
        """Label, kind and the block's text."""
        block = _block("table", 0, 0, 1, 1) | {"text": "Sum"}
        assert verdict(_test(), blocks=[block]).why == "its block is labelled 'table', not 'heading': 'Sum'"


class TestMalformed:
    @pytest.mark.parametrize(
        ("blocks", "message"),
        [
            ("x", "blocks must be a list, not str"),
            ([{"label": "text"}], "block 0 isn't an object of label, bbox and text"),
            ([_block("text", 0, 0, 1, 1), _block("title", 0, 0, 1, 1)], "block 1: label 'title' isn't one of"),
            ([_block("text", 0, 0, 1, 2)], "isn't four numbers from 0 to 1"),
            ([_block("text", 0, 0, 1, True)], "isn't four numbers from 0 to 1"),
            ([_block("text", 0, 0, 1, float("nan"))], "isn't four numbers from 0 to 1"),
            ([_block("text", 0, 0, 1, 1) | {"text": 3}], "its text is neither a string nor null"),
        ],
    )
    def test_one_bad_block_makes_the_output_malformed(self, blocks: Any, message: str) -> None:
        """The output's tests fail with the first bad block as their reason."""
        with pytest.raises(MalformedOutputError, match=r"block"):
            read_blocks(blocks)
        found = verdict(_test(), blocks=blocks)
        assert found.result == "fail"
        assert found.why.startswith("malformed blocks output: ")
        assert message in found.why
