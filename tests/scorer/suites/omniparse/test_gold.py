from typing import Any

import pytest

from scorer.suites.omniparse import GoldError, parse_gold
from tests.scorer.suites.omniparse.made import gold_test, text

BOX = [[0.1, 0.1, 0.2, 0.2]]


class TestRefused:
    @pytest.mark.parametrize(
        ("test", "rule"),
        [
            (gold_test("present", content=text("abc", 3)), "max_diffs must be a whole number from 0 to 2"),
            (gold_test("present", content=text("abc", True)), "max_diffs must be a whole number"),
            (gold_test("present", content=text(" \u200b ")), "something left after folding"),
            (gold_test("present", content={"number": "16,17"}), "must read as one number"),
            (gold_test("present", content={"number": 2}), "isn't a text, a number or an equation"),
            (gold_test("present", content={"latex": r"\frac{a}{"}), "doesn't render in KaTeX"),
            (gold_test("present", content={"latex": r"\quad"}), "renders to nothing"),
            (gold_test("present", content=text("abc", place=[[0.2, 0.1, 0.1, 0.2]])), "boxes from 0 to 1"),
            (gold_test("present", {"x": 1}, content=text("abc")), "no settings expected"),
            (gold_test("order", before=text("abc"), after=text("abcd", 1)), "share max_diffs, not [0, 1]"),
            (gold_test("order", before=text("abc")), "order needs args ['after']"),
            (gold_test("repeat", {"expected_count": 0}, content=text("abc")), "positive whole number"),
            (gold_test("repeat", {"expected_count": True}, content=text("abc")), "expected_count=True"),
            (gold_test("repeat", {"expected_count": 1}, content=text("abc", 1)), "max_diffs must be 0"),
            (gold_test("repeat", {"expected_count": 1}, content={"number": "1"}), "compares text only, not number"),
            (gold_test("table_cell", cell=text("a"), headings=text("b")), "headings takes a list of args"),
            (gold_test("table_cell", cell={"latex": "x"}), "table_cell's cell compares text only"),
            (gold_test("table_cell", cell=text("a"), diagonal=text("b")), "has no role ['diagonal']"),
            (gold_test("layout_kind", {"kind": "heading"}, content=text("a")), "its content needs a place"),
            (gold_test("layout_kind", {"kind": "title"}, content=text("a", place=BOX)), "its kind must be one of"),
            (gold_test("layout_kind", {"kind": 3}, content=text("a", place=BOX)), "kind=3"),
            (gold_test("present", content=text("abc")) | {"test_type": []}, "unknown test_type []"),
            (gold_test("present", content=text("abc")) | {"tags": ["english"]}, "unknown tags ['english']"),
            (gold_test("present", content=text("abc")) | {"id": " "}, "id must be a non-empty string"),
            (gold_test("present", content=text("abc")) | {"output_type": "blocks"}, "present reads 'html'"),
            (gold_test("present", content=text("abc")) | {"derivation": "guess"}, "unknown derivation"),
        ],
    )
    def test_a_broken_rule_is_named_with_page_and_test(self, test: dict[str, Any], rule: str) -> None:
        """Page, test id and rule."""
        with pytest.raises(GoldError) as caught:
            parse_gold("page-7", {"tests": [test]})
        assert str(caught.value).startswith(f"page-7: test {test['id']!r}")
        assert rule in str(caught.value)

    @pytest.mark.parametrize("document", [[], {}, {"tests": {}}, {"tests": [], "x": 1}, {"tests": ["a"]}, None])
    def test_what_is_no_gold_file_is_refused(self, document: Any) -> None:
        """The page is named."""
        with pytest.raises(GoldError, match="page-7"):
            parse_gold("page-7", document)


class TestRead:
    def test_every_field_is_kept(self) -> None:
        """A good test keeps its tags, derivation and params."""
        (test,) = parse_gold("p", {"tests": [gold_test("present", content=text("abc", 1)) | {"tags": ["eng", "Latn"]}]})
        assert (test.id, test.page_id, test.tags, test.derivation) == ("t", "p", ("eng", "Latn"), "authored")
