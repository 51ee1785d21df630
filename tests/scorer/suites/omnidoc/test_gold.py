"""Annotations that do not fit are refused by page and field."""

import pytest

from scorer.suites.omnidoc.gold import GoldError, read_pages, selected
from scorer.suites.omnidoc.page import match_page
from tests.scorer.suites.omnidoc.pages import block, data, page


class TestFaults:
    @pytest.mark.parametrize(
        ("fault", "message"),
        [
            ({"category_type": None}, r"page 0 \(small.jpg\), layout_dets\[0\]: expected the field 'category_type'"),
            ({"order": "first"}, r"layout_dets\[0\]: order must be a number or null, found 'first'"),
            ({"poly": ["x"]}, r"poly must be numbers"),
            ({"attribute": []}, r"attribute must be dict"),
        ],
    )
    def test_field(self, fault: dict[str, object], message: str) -> None:
        """The message names the page, the block and the field."""
        with pytest.raises(GoldError, match=message):
            read_pages([data({**block("title", 1, 0, text="x"), **fault})])

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
