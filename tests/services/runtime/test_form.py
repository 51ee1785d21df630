"""The common output form as lines, and what cannot be stored."""

import json

from hypothesis import given
from hypothesis import strategies as st

from services.runtime import form

TEXTS = st.text(st.characters(), max_size=200) | st.text(
    st.sampled_from("a\x00\ud800\udfff\n\u2028\U0001f600"), max_size=50
)
HEADINGS = st.builds(
    form.Heading,
    text=TEXTS,
    level=st.none() | st.integers(1, 9),
    parent=st.none() | st.just("ROOT") | st.integers(0, 9),
    page=st.none() | st.integers(1, 99),
    source=st.sampled_from(["reported", "derived"]),
)
CELLS = st.builds(
    form.Cell, TEXTS, st.integers(0, 9), st.integers(0, 9), rowspan=st.integers(1, 3), colspan=st.integers(1, 3)
)
ROWS = st.builds(form.Row, st.booleans(), st.lists(CELLS, max_size=3).map(tuple))
TABLES = st.builds(form.Table, st.lists(ROWS, max_size=3).map(tuple), page=st.none() | st.integers(1, 99))
BLOCKS = st.builds(form.Block, st.integers(1, 9), TEXTS, st.tuples(*[st.floats(0, 1)] * 4))


def stored(text: str) -> str:
    return "".join(
        "\ufffd" if character == "\0" or "\ud800" <= character <= "\udfff" else character for character in text
    )


class TestOutputLines:
    @given(
        text=TEXTS,
        headings=st.lists(HEADINGS, max_size=3),
        tables=st.lists(TABLES, max_size=2),
        blocks=st.lists(BLOCKS, max_size=2),
        note=TEXTS,
    )
    def test_round_trip(
        self,
        text: str,
        headings: list[form.Heading],
        tables: list[form.Table],
        blocks: list[form.Block],
        note: str,
    ) -> None:
        """Every line is one JSON object in UTF-8 that gives back what was handed over, repaired where it must be."""
        repair = form.Repair()
        collected = form.Collected(pages=3, headings=headings, tables=tables, blocks=blocks, facts={"notes": [note]})
        lines = list(form.output_lines(form.Parsed(text, "plain"), collected, repair))
        assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
        items = [json.loads(line.decode("utf-8")) for line in lines]
        assert items[0] == {"kind": "meta", "text_format": "plain", "pages": 3, "facts": {"notes": [stored(note)]}}
        assert "".join(item["text"] for item in items if item["kind"] == "text") == stored(text)
        assert [
            (item["text"], item["level"], item["parent"], item["page"], item["source"])
            for item in items
            if item["kind"] == "heading"
        ] == [(stored(entry.text), entry.level, entry.parent, entry.page, entry.source) for entry in headings]
        found = [item for item in items if item["kind"] == "table"]
        assert [
            [(row["header"], [tuple(cell.values()) for cell in row["cells"]]) for row in item["rows"]] for item in found
        ] == [
            [
                (row.header, [(stored(c.text), c.row, c.col, c.rowspan, c.colspan) for c in row.cells])
                for row in table.rows
            ]
            for table in tables
        ]
        assert [(item["label"], item["box"]) for item in items if item["kind"] == "block"] == [
            (stored(block.label), list(block.box)) for block in blocks
        ]

    @given(TEXTS)
    def test_repair_is_counted(self, text: str) -> None:
        """The count is that of the code points replaced."""
        repair = form.Repair()
        assert repair(text) == stored(text)
        assert repair.count == sum(character == "\0" or "\ud800" <= character <= "\udfff" for character in text)

    def test_long_text_comes_in_pieces(self) -> None:
        """No line holds more than a piece of the text."""
        text = "x" * (2 * form.TEXT_PIECE + 1)
        lines = list(form.output_lines(form.Parsed(text, "plain"), form.Collected(), form.Repair()))
        pieces = [json.loads(line)["text"] for line in lines[1:]]
        assert list(map(len, pieces)) == [form.TEXT_PIECE, form.TEXT_PIECE, 1]
