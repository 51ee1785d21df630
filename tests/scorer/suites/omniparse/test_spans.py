from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.omniparse.hold import hold, release
from scorer.suites.omniparse.spans import between, elements


class TestFound:
    def test_the_nearest_closing_ends_a_span(self) -> None:
        """Spans follow one another and none is within another."""
        found = [(span.start, span.end, span.body) for span in between("<!--", "-->").find("a<!--b<!---->c--><!--d-->")]
        assert found == [(1, 13, "b<!--"), (17, 25, "d")]

    def test_an_opening_without_closing_hides_nothing(self) -> None:
        """An element that stays open is none, and one of another name after it is found."""
        assert [span.body for span in elements("style", "title").find("<style><title>t</TITLE>")] == [">t"]

    def test_an_element_ends_at_its_own_end_tag(self) -> None:
        """A name that starts with another's is another; spaces in an end tag count only where they may."""
        text = "<pre>a</p></pre ></pre>"
        assert [span.end for span in elements("p", "pre").find(text)] == [len(text)]
        assert [span.end for span in elements("p", "pre", spaced=True).find(text)] == [text.index(" >") + 2]

    def test_the_fewest_characters_of_a_body(self) -> None:
        """With one character at least, two delimiters in a row enclose nothing."""
        assert [span.body for span in between(r"\$\$", r"\$\$", least=1).find("$$$$x$$")] == ["$$x"]


class TestHold:
    @given(st.text(st.sampled_from("ab<!->0"), max_size=30))
    def test_what_is_held_is_put_back(self, text: str) -> None:
        """Taking spans out and putting them back changes nothing."""
        held: list[str] = []
        assert release(hold(text, between("<!--", "-->").find(text), held), held) == text

    def test_a_placeholder_of_the_text_itself_stays(self) -> None:
        """A number that nothing was held under is text."""
        assert release("\ue0007\ue001\ue0000\ue001", ["x"]) == "\ue0007\ue001x"
