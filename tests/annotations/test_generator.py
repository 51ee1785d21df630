"""The generator refuses a source whose gold could not be right."""

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.generator import gold, html, inline, model
from annotations.generator.model import Cell
from annotations.generator.notation import amount, p, row
from annotations.generator.probes import SOURCE


class TestTables:
    def test_flat_rows(self) -> None:
        """A text stands once, at its cell's top left, and covered positions are empty."""
        rows = (row(Cell("a", rows=2), Cell("b", cols=2)), row("c", "d"), row("e", Cell("f", cols=2)))
        assert model.grid(rows) == [["a", "b", ""], ["", "c", "d"], ["e", "f", ""]]

    @pytest.mark.parametrize(
        "rows",
        [
            (row("a", "b"), row("c")),
            (row(Cell("a", rows=2)), row("b", "c")),
            (row("a"), row(Cell("b", rows=2))),
        ],
    )
    def test_rows_of_different_width_are_refused(self, rows: tuple[model.Row, ...]) -> None:
        """Cells that leave a hole or stick out are an error."""
        with pytest.raises(ValueError, match="rows do not fill"):
            model.grid(rows)

    def test_cuts_leave_cells_whole(self) -> None:
        """A table may be cut only where no cell goes on."""
        rows = (row(Cell("a", rows=2), "b"), row("c"), row("d", "e"), row(Cell("f", rows=2), "g"), row("h"))
        assert model.breaks(rows) == [2, 3, 5]


class TestText:
    @given(st.text(alphabet="ab *[]^1").filter(lambda text: "**" not in text))
    def test_text_without_marks_is_unchanged(self, text: str) -> None:
        """Lone stars and brackets are text."""
        unmarked = re.sub(r"\[\^+", "[", text)
        assert "".join(run.text for run in inline.runs(unmarked)) == unmarked

    def test_marks(self) -> None:
        """A reader sees bold text without stars and a footnote's number."""
        assert inline.plain("the **Client** pays.[^a]", {"a": 3}) == "the Client pays.3"

    def test_amounts(self) -> None:
        """Figures have separators, and brackets for minus."""
        assert amount(-1234) == "(1,234)"
        assert amount(94.62, digits=1, sign="$", unit="M") == "$94.6M"


class TestFaults:
    def test_a_footnote_without_reference_is_refused(self) -> None:
        """A note nobody refers to would be in the file of one format and not of another."""
        with pytest.raises(ValueError, match="footnotes"):
            model.note_numbers(dataclasses.replace(SOURCE, notes={"stray": "text"}))

    def test_evidence_that_occurs_nowhere_is_refused(self) -> None:
        """A span that is not in the rendition stops the generator, and the message quotes it."""
        source = dataclasses.replace(
            SOURCE, blocks=(p("What is said."),), questions=(model.Question("What?", "said", ("What is not said.",)),)
        )
        with pytest.raises(ValueError, match="What is not said"):
            gold.questions(source, html.render(source), {})
