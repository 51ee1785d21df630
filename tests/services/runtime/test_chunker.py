"""The shared chunker: nothing lost, nothing too long, nothing across a heading."""

from hypothesis import given
from hypothesis import strategies as st

from services.runtime import chunker, markdown

LINES = st.lists(
    st.text(st.sampled_from("ab #|`~\t\n*"), max_size=30)
    | st.text(st.sampled_from("abc "), min_size=1_000, max_size=3_000)
    | st.sampled_from(["# One", "## Two", "```", "~~~~", "| a | b |", "", "   ", "x" * 2_500]),
    max_size=20,
).map("\n".join)


def said(text: str) -> str:
    return "".join(text.split())


class TestChunk:
    @given(LINES, st.sampled_from(["markdown", "plain", "html"]))
    def test_nothing_is_lost(self, text: str, text_format: str) -> None:
        """Every character that is no white space comes once and in order, headings aside."""
        body = [
            line
            for line, fenced in markdown.lines(text)
            if fenced or text_format != "markdown" or markdown.atx(line) is None
        ]
        chunks = list(chunker.chunk(text, text_format))  # type: ignore[arg-type]
        assert "".join(said(chunk.text) for chunk in chunks) == said("".join(body))
        assert all(0 < len(chunk.text) <= chunker.LIMIT for chunk in chunks)

    def test_headings_above(self) -> None:
        """A chunk carries the headings above it, as plain text, and never crosses one."""
        text = "intro\n\n# A **b**\n\none\n\n### C\n\ntwo\n\n## D\n\nthree\n\n# E\n\n```\n# no heading\n```\n"
        assert [(chunk.text, chunk.heading) for chunk in chunker.chunk(text, "markdown")] == [
            ("intro", None),
            ("one", ("A b",)),
            ("two", ("A b", "C")),
            ("three", ("A b", "D")),
            ("```\n# no heading\n```", ("E",)),
        ]

    def test_paragraphs_are_packed(self) -> None:
        """Short paragraphs share a chunk as long as they fit; a long one is cut at a space."""
        long = "word " * 300
        chunks = [chunk.text for chunk in chunker.chunk(f"one\n\ntwo\n\n{long}", "plain")]
        assert chunks[0] == "one\n\ntwo"
        assert all(len(chunk) <= chunker.LIMIT and not chunk.startswith(" ") for chunk in chunks)

    def test_a_paragraph_of_millions(self) -> None:
        """Time grows with the text, not with its square: this would take hours otherwise."""
        assert sum(len(chunk.text) for chunk in chunker.chunk("x" * 20_000_000, "plain")) == 20_000_000
