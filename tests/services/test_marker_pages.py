"""What is read out of the pages of Marker's JSON form, built by hand from the fields of its blocks."""

from types import SimpleNamespace
from typing import ClassVar

import pytest

from services.marker import pages
from services.runtime.form import Block, Collected, Label

GRID = "<table><tbody><tr><th>Name</th><th>1996</th></tr><tr><td>Austria</td><td>59</td></tr></tbody></table>"


def block(
    kind: str, html: str = "", *children: SimpleNamespace, box: tuple[int, ...] = (0, 0, 400, 80)
) -> SimpleNamespace:
    return SimpleNamespace(block_type=kind, html=html, bbox=list(box), children=list(children) or None)


def group(kind: str, *children: SimpleNamespace) -> SimpleNamespace:
    """Its HTML refers to the blocks in it, whose own is theirs."""
    references = (f"<content-ref src='/page/0/{child.block_type}/1'></content-ref>" for child in children)
    return block(kind, "".join(references), *children)


def read(*blocks: SimpleNamespace) -> Collected:
    """Read one page of 400 by 800 points."""
    return pages.read([block("Page", "", *blocks, box=(0, 0, 400, 800))])


@pytest.mark.parametrize("kind", ["Table", "Form", "TableOfContents"])
class TestWhatIsMadeAsTablesAre:
    """The three classes below the tool's BaseTable: rendered as a table, their children are what that is made of."""

    LABELS: ClassVar[dict[str, Label]] = {"Table": "table", "Form": "form", "TableOfContents": "list"}

    @pytest.mark.parametrize("part", ["TableCell", "Line", "Reference"])
    def test_its_html_is_a_table_and_its_children_are_no_blocks(self, kind: str, part: str) -> None:
        found = read(block(kind, GRID, block(part, "Austria"), block(part, "59")))
        [table] = found.tables
        assert [[cell.text for cell in row.cells] for row in table.rows] == [["Name", "1996"], ["Austria", "59"]]
        assert [row.header for row in table.rows] == [True, False]
        assert (table.page, table.source) == (1, "reported")
        assert found.blocks == [Block(1, self.LABELS[kind], (0.0, 0.0, 1.0, 0.1))]

    def test_one_without_a_grid_is_no_table(self, kind: str) -> None:
        """The tool keeps what it could make no table of as a paragraph; it is a region all the same."""
        found = read(block(kind, "<p>Name: <b>Ada</b></p>"))
        assert (found.tables, [one.label for one in found.blocks]) == ([], [self.LABELS[kind]])


class TestTables:
    def test_one_in_a_group_is_read_once(self) -> None:
        found = read(group("TableGroup", block("Caption", "Table 1"), block("Table", GRID)))
        assert len(list(found.tables)) == 1
        assert [one.label for one in found.blocks] == ["table", "caption", "table"]

    @pytest.mark.parametrize("kind", ["Text", "Figure", "ListGroup", "ComplexRegion"])
    def test_any_block_of_the_vision_models_may_hold_one(self, kind: str) -> None:
        """Its HTML stands in the block as it is, and the tool's markdown renders the table."""
        assert len(list(read(block(kind, f"<p>Above</p>{GRID}")).tables)) == 1


class TestHeadings:
    def test_their_levels_are_those_of_their_html(self) -> None:
        found = read(
            block("SectionHeader", "<h1>A <i>title</i></h1>"), block("SectionHeader", "<h3>Part &amp; rest</h3>")
        )
        assert [(one.text, one.level, one.page, one.source) for one in found.headings] == [
            ("A title", 1, 1, "reported"),
            ("Part & rest", 3, 1, "reported"),
        ]

    def test_their_text_is_html_and_no_markdown(self) -> None:
        """Lines are apart, and an asterisk is one."""
        [heading] = read(block("SectionHeader", "<h2>Calls of *args*<br/>and [x](y)</h2>")).headings
        assert heading.text == "Calls of *args* and [x](y)"

    def test_one_without_text_is_none(self) -> None:
        assert read(block("SectionHeader", "<h2> </h2>"), block("Text", "<p>words</p>")).headings == []


class TestBlocks:
    def test_what_the_tool_crops_is_a_figure(self) -> None:
        """The three types of its image_blocks, and the groups of the first two with their captions."""
        found = read(*(block(kind) for kind in ("Picture", "Figure", "Diagram", "PictureGroup", "FigureGroup")))
        assert {one.label for one in found.blocks} == {"figure"}

    def test_lines_of_a_list_are_the_lists(self) -> None:
        """They stand beside its items where the tool found no bullet."""
        found = read(group("ListGroup", block("Reference"), block("ListItem", "<li>a</li>"), block("Line", "b")))
        assert [one.label for one in found.blocks] == ["list", "list"]

    def test_boxes_are_shares_of_their_page(self) -> None:
        """A page's own box need not begin at nought."""
        inside = block("Text", box=(110, 220, 310, 620))
        found = pages.read([block("Page"), block("Page", "", inside, box=(10, 20, 410, 820))])
        assert (found.pages, found.blocks) == (2, [Block(2, "text", (0.25, 0.25, 0.75, 0.75))])
