"""Annotations that do not fit are refused by page and field."""

import pytest

from scorer.suites.omnidoc.detection import Classes, detect, predictions_of
from scorer.suites.omnidoc.evaluation import evaluate, score_page
from scorer.suites.omnidoc.gold import GoldError, read_pages, selected
from scorer.suites.omnidoc.page import match_page
from tests.scorer.suites.omnidoc.pages import WRONG, block, data, page, spoiled


class TestFaults:
    @pytest.mark.parametrize(
        ("fault", "message"),
        [
            (
                {"category_type": None},
                r"page 0 \(small.jpg\), layout_dets\[0\]: expected the field 'category_type', found null",
            ),
            ({"order": "first"}, r"layout_dets\[0\]: order must be a number or null, found 'first'"),
            ({"order": float("nan")}, r"order must be a number or null, found nan"),
            ({"poly": ["x"]}, r"poly must be 8 numbers"),
            ({"poly": [True] * 8}, r"poly must be 8 numbers"),
            ({"poly": [1, 2]}, r"poly must be 8 numbers"),
            ({"poly": 7}, r"poly must be a list, found 7"),
            ({"attribute": []}, r"attribute must be an object"),
            ({"text": {"a": 1}}, r"layout_dets\[0\]: text must be text, found {'a': 1}"),
            ({"anno_id": [1]}, r"anno_id must be a number or text, found \[1\]"),
            ({"category_type": 3}, r"category_type must be text, found 3"),
        ],
    )
    def test_field(self, fault: dict[str, object], message: str) -> None:
        """The message names the page, the block and the field."""
        with pytest.raises(GoldError, match=message):
            read_pages([data({**block("title", 1, 0, text="x"), **fault})])

    def test_numbers_as_text(self) -> None:
        """A text of digits that a tool wrote as a number is that text."""
        assert page(block("title", 1, 0, text=1998)).blocks[0].text == "1998"

    @pytest.mark.parametrize("wrong", WRONG, ids=repr)
    def test_anything_anywhere(self, wrong: object) -> None:
        """Whatever stands in a field, the page is read and scored, or refused by its place; nothing else happens."""
        whole = data(
            block("text_block", 1, 1, text="some words", attribute={"language": "en"}),
            block("text_block", 2, 2, text="some more", line_with_spans=[block("equation_inline", None, 5)]),
            block("table", 3, 3, html="<table><tr><td>1</td></tr></table>"),
            block("equation_isolated", 4, 4, latex="x"),
            relations=[{"relation_type": "truncated", "source_anno_id": 1, "target_anno_id": 2}],
        )
        classes = Classes(block_level=("text_block",), span_level=("equation_inline",))
        for copy in spoiled(whole, wrong):
            try:
                [read] = read_pages([copy])
                evaluate([score_page(match_page(read, "some words\n\nand more"))], {read.image: read.attributes})
                detect([read], predictions_of([read], classes), classes).figures()
            except GoldError as fault:
                assert str(fault)

    def test_not_a_list(self) -> None:
        """A file that is not a list of pages is refused."""
        with pytest.raises(GoldError, match="expected a list of pages, found dict"):
            read_pages({})

    def test_missing_content(self) -> None:
        """A text block without text is refused when it is matched."""
        with pytest.raises(GoldError, match="expected the field 'text', found none"):
            match_page(page(block("title", 1, 7)), "x")

    def test_unknown_filter(self) -> None:
        """A filter on an attribute that pages lack is refused, naming those they have."""
        with pytest.raises(GoldError, match="asks for 'colour', page_attribute has language"):
            selected([page()], {"colour": "red"})

    def test_unknown_relation(self) -> None:
        """A relation to a block that is not there is refused."""
        relation: dict[str, object] = {"relation_type": "truncated", "source_anno_id": 1, "target_anno_id": 2}
        with pytest.raises(GoldError, match="names block 1"):
            page(relations=[relation]).text_and_formulas()
