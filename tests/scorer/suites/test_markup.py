"""Markup read without a tree, against Beautiful Soup's tree."""

import pytest
from bs4 import BeautifulSoup
from bs4.exceptions import ParserRejectedMarkup
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.suites.html_parser import tree
from scorer.suites.markup import MarkupError, escaped, read
from scorer.suites.odl.tables import _tables
from scorer.suites.omnidoc.page import _cell_strings

_names = st.sampled_from("table tr td th thead span math b p br img pre script style rt meta".split())
_rests = st.sampled_from(
    ("", " class='a  b'", "/", " x=<", ' class="a  b"', ' b="2" a-1=""', ' a="1" a="2"', ' a="&lt;"', ' a="', ' a="1"b')
)
_begins = st.builds(lambda name, rest: f"<{name}{rest}>", _names, _rests)
_ends = st.builds(lambda name: f"</{name}>", st.one_of(_names, st.just("P")))
_odd = st.sampled_from(
    (
        *("a", "é", " ", "\n", "  ", "&", "<", ">", "</", "<a", '"', "&amp;", "&lt;x", "&#60;", "&#x3c", "&nope;"),
        *(
            "<!---->",
            "<!-- -->",
            "<!-- c -->",
            "<!--",
            "-->",
            "<!--a>",
            "<![CDATA[x]]>",
            "<![CDATA[",
            "]]>",
            "]>",
            "<![if x]>",
            "<![if ",
            "<![odd[",
            "<!DOCTYPE html>",
            "<!doctype ",
        ),
        *(
            "<?",
            "<!",
            "</a",
            "<A B=c",
            "<a b='",
            '<a b="',
            "<a x='>' ",
            "== ",
            "\x00",
            "\x0b",
            "\xa0",
            "&#",
            "<script>",
            "/",
        ),
        *("<?pi x>", "<meta charset='latin1'>", "<img alt='\"q\" & <'>", "<td a='", "<td headers='a  b' b c=''>"),
    )
)
_markup = st.lists(st.one_of(_begins, _ends, _odd), max_size=25).map("".join)


def _soup(markup: str) -> BeautifulSoup | None:
    """Return the tree, or None where the parser rejects the text."""
    try:
        return BeautifulSoup(markup, "html.parser")
    except ParserRejectedMarkup:
        return None


def _written(markup: str) -> str:
    return "".join(event.written for event in read(markup))


@pytest.mark.filterwarnings("ignore::bs4.XMLParsedAsHTMLWarning")
@pytest.mark.filterwarnings("ignore::bs4.MarkupResemblesLocatorWarning")
class TestRead:
    @settings(max_examples=200)
    @given(st.lists(st.one_of(_begins, _ends, st.sampled_from(("a", " ", "\n", "&amp;"))), max_size=40).map("".join))
    def test_tags(self, markup: str) -> None:
        """So is what has hardly anything but tags."""
        assert _written(markup) == str(_soup(markup))

    @settings(max_examples=400)
    @given(_markup)
    def test_written(self, markup: str) -> None:
        """What is read and written anew is what the tree writes, whatever the markup; what it rejects is an error."""
        soup = _soup(markup)
        if soup is None:
            with pytest.raises(MarkupError, match="cannot be read as HTML"):
                read(markup)
            with pytest.raises(ParserRejectedMarkup):
                tree(markup)
            return
        assert str(tree(markup)) == str(soup)
        assert _written(markup) == str(soup)
        assert _tables(read(markup)) == [str(table) for table in soup.find_all("table")]
        assert _cell_strings(read(markup)) == [cell.string for cell in soup.find_all("td")]

    def test_deep(self) -> None:
        """Tags nested by the thousand, with text between, need no stack of calls."""
        markup = "<td>" + "<b>x" * 5000 + "</b>y" * 5000 + "</td>"
        assert _written(markup) == markup

    def test_unended(self) -> None:
        """Comments and sections without an end are looked for once; each is text up to the next tag's end."""
        for begin in ("<!--a>", "<![CDATA[a]>", "<![if a>"):
            assert _written(f"{begin * 60_000}") == escaped(begin * 60_000)

    @pytest.mark.parametrize(
        ("unit", "end"),
        [
            *(("<table", ""), ("<table", "\0"), ("<table", " " * 50_000), ("</a", ""), ("<?", ""), ("<!", "")),
            *(("<!--", ""), ("<![CDATA[", ""), ("<!doctype ", ""), ("<a b", ""), ("<a b", "\0"), ("<a b=", "")),
            *(("<a/b/", ""), ("<a x='>' ", 'y="'), ("<a b=' c=\"", "")),
        ],
    )
    def test_unended_tags(self, unit: str, end: str) -> None:
        """What begins and does not end is looked at once, however often: no time to the square of the length."""
        few = unit * 30 + end
        assert _written(few) == str(_soup(few))
        assert [type(event) for event in read(unit * 300_000 + end)] == [type(event) for event in read(few)]
        assert len(list(tree(unit * 300_000 + end).children)) == len(list(tree(few).children))

    def test_digits(self) -> None:
        """A character by a number of thousands of digits is an error of the text."""
        with pytest.raises(MarkupError):
            read("&#" + "9" * 5000 + ";")
