"""Cutting a page in one pass, against the method's expressions."""

import re
from bisect import bisect_left

from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.suites.omnidoc.normalise import normalise_table, to_unicode
from scorer.suites.omnidoc.split import _balanced, _html_tables, _places, _without_images, split
from scorer.suites.omnidoc.stretches import Marks, delimited

_KINDS: tuple[Marks, ...] = (("$$", "$$"), (r"\[", r"\]"), ("$", "$"), (r"\(", r"\)"))


def _texts(*parts: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts), max_size=20).map("".join)


class TestOnePass:
    @settings(max_examples=400)
    @given(_texts("$", "$$", r"\[", r"\]", r"\(", r"\)", "a", "\n", "\\"))
    def test_delimited(self, text: str) -> None:
        """Formulas are where the lazy alternation finds them, line ends included."""
        pattern = "|".join(f"({re.escape(begin)}.*?{re.escape(end)})" for begin, end in _KINDS)
        expected = [(_KINDS[m.lastindex - 1], *m.span()) for m in re.finditer(pattern, text, re.DOTALL) if m.lastindex]
        assert list(delimited(text, _KINDS)) == expected

    @settings(max_examples=400)
    @given(_texts("![", "](", ")", "]", "(", "a", "!", "\n"))
    def test_images(self, text: str) -> None:
        """Images are where the lazy expression finds them, each on one line."""
        assert _without_images(text) == re.sub(r"!\[.*?\]\(.*?\)", "", text)

    @settings(max_examples=400)
    @given(_texts("<table>", "<table", "<tablex", "</table>", ">", "a", "0123456789"))
    def test_tables(self, text: str) -> None:
        """Tables are those that looking anew behind each begin that never closes would find."""
        begins = [match.start() for match in re.finditer(r"<table[^>]*>", text)]
        ends = [match.start() for match in re.finditer("</table>", text)]
        assert list(_html_tables(text)) == _looking_anew(text, begins, ends, skip=16, tail=8)

    @settings(max_examples=400)
    @given(_texts(r"\begin{tabular}", r"\end{tabular}", "a", "bc"))
    def test_tabulars(self, text: str) -> None:
        """So are tabulars, whose begins a skip of one character too many may swallow."""
        begins, ends = (list(_places(text, mark)) for mark in (r"\begin{tabular}", r"\end{tabular}"))
        expected = _looking_anew(text, begins, ends, skip=16, tail=14)
        assert list(_balanced(text, begins, ends, skip=16, tail=14)) == expected

    def test_to_unicode(self) -> None:
        """An inline formula ends on its line; one without LaTeX keeps its marks."""
        assert to_unicode("$\\alpha_1$ $a$\n\\(b^2\\) $c^\n2$ \\(d^\n\\)") == "α_1 $a$\nb^2 $c^\n2$ \\(d^\n\\)"

    @settings(max_examples=400)
    @given(_texts("&lt;table", "&lt;TABLE x", "&lt;tablex", "&gt;", "&lt;/table&gt;", "&lt;/Table&gt;", "a"))
    def test_inside_table(self, inner: str) -> None:
        """Of escaped markup the greedy expression decides what is inside the table."""
        markup = f"<table>{inner}</table>"
        text = markup.replace("&lt;", "<").replace("&gt;", ">")
        inside = "".join(re.findall(r"<table\b[^>]*>(.*)</table>", text, re.DOTALL | re.IGNORECASE))
        assert normalise_table(markup) == f'<html><body><table border="1" >{inside}</table></body></html>'

    def test_missing_ends(self) -> None:
        """Openings without an end are looked for once: a hundred thousand of each take no longer than their text."""
        for unit in (r"\( a ", r"\[ a ", "<table>", "<table", r"\begin{tabular}", "![", "![a](", "$$ a\n\n"):
            assert split(unit * 100_000)


def _looking_anew(text: str, begins: list[int], ends: list[int], *, skip: int, tail: int) -> list[tuple[int, int, str]]:
    """Find outermost tables as the method words it: after a begin that never closes, all over again behind it."""
    tokens = sorted([(start, True) for start in begins] + [(start, False) for start in ends])
    found: list[tuple[int, int, str]] = []
    first = 0
    while True:
        stack: list[int] = []
        for start, opens in tokens[first:]:
            if opens:
                stack.append(start)
            elif stack:
                outer = stack.pop()
                if not stack:
                    stop = min(start + tail, len(text))
                    found.append((outer, stop, text[outer:stop]))
        if not stack:
            return found
        first = bisect_left(tokens, (stack[0] + skip, False))
