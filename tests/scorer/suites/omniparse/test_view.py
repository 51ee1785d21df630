import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.omniparse.view import text_view


class TestRewrites:
    @pytest.mark.parametrize(
        ("markup", "text"),
        [
            ("a<b>b</b>c", "abc"),
            ("a<p>b", "a b"),
            ("1,240<sup>1</sup>", "1,240 1"),
            ("P &lt; 0.05 and x < y, <a@b.c>", "P < 0.05 and x < y, <a@b.c>"),
            ("<my_tag>", "<my_tag>"),
            ("<!-- no -->x<script>no</script>", " x "),
            ("<math>x^2</math>", "$x^2$"),
            ('<math display="block">x</math>', " $$x$$ "),
            ("<math><mi>x</mi></math>", " x "),
            ('<MATH><annotation encoding="application/x-tex">a&lt;b</annotation></MATH>', "$a<b$"),
            ("<input type=checkbox checked><input type=radio>", " ☒  ☐ "),
            ("<checked/><unchecked>", " ☒  ☐ "),
            ('<input value="v">', " v "),
            ('<img alt="logo">![chart](x.png)', " logo  chart "),
            ("<ol start=3><li>a<li>b</ol>", "  3. a 4. b "),
            ("<ol><li>a<ul><li>b</ul><li>c</ol>", "  1. a  b  2. c "),
        ],
    )
    def test_by_hand(self, markup: str, text: str) -> None:
        """What a reader sees, worked by hand from the order of the rewrites."""
        assert text_view(markup) == text

    def test_without_descriptions(self) -> None:
        """`seen` leaves image descriptions out."""
        assert text_view('a<img alt="logo">b![chart](x)c', alt=False) == "a b c"

    def test_a_tag_that_unescaping_brings_in_is_read(self) -> None:
        """An escaped image in a formula's annotation becomes a tag, as in the reference."""
        markup = '<math><annotation encoding="application/x-tex">&lt;img alt="logo"&gt;</annotation></math>'
        assert text_view(markup) == "$ logo $"

    def test_letters_that_match_without_case(self) -> None:
        """A long s counts as an s where tags are matched without case."""
        assert text_view("<ſup>x") == " x"

    @given(st.text(st.characters(exclude_characters="<&!"), max_size=30))
    def test_text_without_markup_stays(self, text: str) -> None:
        """Plain text is what a reader sees."""
        assert text_view(text) == text
