"""Headings and tables out of markdown: the rules by example, and no text that hurts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.runtime import markdown
from services.runtime.inline import plain

N = 60_000
HOSTILE = (
    *("**a", "*a ", "_a", "__a ", "_*", "*_*_", "`", "`a``", "~~~\n", "\\", "\t", "# ", " #"),
    *("<!--", "<a ", "</a ", "<a\n", "[", "[](", "![](", "![a](", '[a](b "', "&#", "&#1"),
    *("|", "|-", "\n|", "a|b\n|-|-|\n"),
)


def rows(text: str) -> list[list[list[str]]]:
    return [[[cell.text for cell in row.cells] for row in table.rows] for table in markdown.tables(text)]


class TestHeadings:
    @pytest.mark.parametrize(
        ("line", "found"),
        [
            ("# One", (1, "One")),
            ("###### Six ######", (6, "Six")),
            ("   ## Indented", (2, "Indented")),
            ("## C#", (2, "C#")),
            ("## C #", (2, "C")),
            ("#\tTab", (1, "Tab")),
            ("# **Bold** and *it* and `code`", (1, "Bold and it and code")),
            ("# [A link](http://a/b) &amp; ![alt](x.png)", (1, "A link & alt")),
            ("# [![alt](x.png)](y)", (1, "alt")),
            ("# snake_case_name 2*3", (1, "snake_case_name 2*3")),
            (r"# \*no\* mark", (1, "*no* mark")),
            ("# a<br>b <!-- c --> d", (1, "a b d")),
            ("# a<BR/>b</p><p>c d<sup>2</sup>", (1, "a b c d2")),
            ("# Annual\x0bReport\x0c\x85of\u2028us", (1, "Annual Report of us")),
            ("# `**x**` **y**", (1, "**x** y")),
            ("# ***both***", (1, "both")),
            ("# 1995* 1992*", (1, "1995* 1992*")),
            ("####### Seven", None),
            ("#NoSpace", None),
            ("    # code", None),
            ("#", None),
            ("# #", None),
        ],
    )
    def test_atx(self, line: str, found: tuple[int, str] | None) -> None:
        """ATX lines are headings with their level, reduced to what a reader sees."""
        assert [(entry.level, entry.text) for entry in markdown.headings(line)] == ([found] if found else [])

    def test_fences(self) -> None:
        """Nothing in a code fence is a heading; a fence closes with its own kind, as long or longer."""
        text = "````\n# a\n```\n# b\n`````\n# c\n~~~ python\n# d\n~~~\n# e\n```\n# never closed"
        assert [entry.text for entry in markdown.headings(text)] == ["c", "e"]


class TestTables:
    def test_rows(self) -> None:
        """The line above the separator is the header; escaped pipes stay; rows are as wide as the widest."""
        text = "before\n| a | **b** |\n|:--|--:|\n| c \\| d |\ne | f | g\n\nafter | none"
        assert rows(text) == [[["a", "b", ""], ["c | d", "", ""], ["e", "f", "g"]]]
        [table] = markdown.tables(text)
        assert [row.header for row in table.rows] == [True, False, False]
        assert [cell.col for cell in table.rows[0].cells] == [0, 1, 2]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends(self, end: str) -> None:
        """Lines end as in CommonMark; a vertical tab in a cell does not end its row."""
        assert rows(end.join(["| a |", "|---|", "| b\x0bc |"])) == [[["a"], ["b c"]]]

    def test_lines_within_a_cell(self) -> None:
        """What stands on two lines is two words, however the break is written."""
        assert rows("| Net<br>income | 11<br/>12 |\n|---|---|") == [[["Net income", "11 12"]]]

    def test_cells_keep_links(self) -> None:
        """A cell's links and images stay as the tool wrote them, as they were recorded."""
        assert rows("| ![](a.png) | [x](y) |\n| --- | --- |") == [[["![](a.png)", "[x](y)"]]]

    @pytest.mark.parametrize("second", ["---", "| - x |", "||", "| :-: - |", "|  |"])
    def test_no_separator(self, second: str) -> None:
        """Without a row of dashes between pipes there is no table."""
        assert rows(f"a | b\n{second}\nc | d") == []

    def test_wide_header_over_many_rows(self) -> None:
        """A small text never becomes a vast table."""
        text = "|" * 20_000 + "\n|-|\n" + "|\n" * 20_000
        assert sum(len(row.cells) for table in markdown.tables(text) for row in table.rows) < 100_000


class TestAnyText:
    @given(st.text() | st.text(st.sampled_from("#|-*_`~<>![]()&\\;:a1 \n\t")))
    def test_never_raises(self, text: str) -> None:
        """Any text has headings and tables, if none."""
        for table in markdown.tables(text):
            widths = {len(row.cells) for row in table.rows}
            assert len(widths) == 1
        assert all(entry.text.strip() == entry.text for entry in markdown.headings(text))

    @given(st.text(st.sampled_from("ab 12.,;\u00e4\u4e2d")))
    def test_plain_text_stays(self, text: str) -> None:
        """A text without marks is itself, white space collapsed."""
        assert plain(text, links=True) == " ".join(text.split())

    @pytest.mark.parametrize("piece", HOSTILE)
    def test_linear(self, piece: str) -> None:
        """Sixty thousand openings that never close: each of these hung a backtracking pattern for minutes or more."""
        for text in (piece * N, "# " + piece.replace("\n", " ") * N, f"| a |\n|---|\n| {piece * N} |"):
            list(markdown.headings(text))
            list(markdown.tables(text))

    @pytest.mark.parametrize("piece", [" ", "\t", "#", " #", "-", " -"])
    def test_linear_with_an_end_that_disappoints(self, piece: str) -> None:
        """A long run followed by one character that makes it something else."""
        for text in (f"# a{piece * N}x", f"a|b\n{piece * N}|x", f"a|b\n|{piece * N}x"):
            list(markdown.headings(text))
            list(markdown.tables(text))
