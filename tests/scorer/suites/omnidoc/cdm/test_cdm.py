"""Tokens, colours and the matching of boxes, without drawing anything."""

from collections.abc import Sequence

import pytest

from scorer.suites.omnidoc.cdm import CdmScore, Rendering, TokenBox, colour, colour_of, formula_inputs, score_pair
from scorer.suites.omnidoc.cdm.canonical import LatexError, canonical
from scorer.suites.omnidoc.evaluation import with_cdm
from scorer.suites.omnidoc.sample import Sample


class TestCanonical:
    @pytest.mark.parametrize(
        ("latex", "form"),
        [
            ("x^2_1", "x _ { 1 } ^ { 2 }"),
            (r"\frac12", r"\frac 1 2"),
            (r"\hat x", r"\hat { x }"),
            ("a'", r"a ^ { \prime }"),
            (r"a \over b", r"\frac { a } { b }"),
            (r"\text{on x}", r"\mathrm { o n ~ x }"),
            (r"a \\ b", r"a \, b"),
            (r"\max_x", r"\operatorname* { m a x } _ { x }"),
            (r"\begin{cases} a & b \end{cases}", r"\left\{ \begin{array} { l l } { a } & { b } \end{array} \right."),
        ],
    )
    def test_form(self, latex: str, form: str) -> None:
        """Equal formulas written differently come to one form."""
        assert canonical(latex) == form

    @pytest.mark.parametrize("latex", ["{a", "a}", r"\left( a", "^2", "x^1^2", r"\begin{foo}\end{foo}", "a & b"])
    def test_refused(self, latex: str) -> None:
        """What does not parse is refused."""
        with pytest.raises(LatexError):
            canonical(latex)


class TestColour:
    def test_tokens(self) -> None:
        """Every token that shows has a colour; braces, scripts and wrappers have none."""
        assert colour(r"\frac{a}{b}+\mathbf{x}_{1}").tokens == (r"\frac", "a", "b", "+", "x", "1")

    def test_colours(self) -> None:
        """Colours are distinct and never black."""
        colours = [colour_of(index) for index in range(5800)]
        assert len(set(colours)) == 5800
        assert colours[0] == (0, 0, 15)
        assert max(map(max, colours)) <= 255

    def test_unparsable(self) -> None:
        """A formula that does not parse is coloured as it stands."""
        assert colour("a ^ ^ b").tokens == ("a", "b")

    def test_nested_deep(self) -> None:
        """A formula nested without end does not parse, and is coloured as it stands."""
        latex = r"\sqrt" * 3000
        assert colour(latex).tokens == (latex,)

    def test_missing_argument(self) -> None:
        """A cell that spans others but has no content is refused."""
        with pytest.raises(LatexError, match="cannot be coloured"):
            colour(r"\multicolumn {2} {c} x ^ ^")

    def test_too_long(self) -> None:
        """A formula that no page holds is not worked on: what it takes grows with the square of its length."""
        assert len(colour(r"\frac{a}{b}" * 4000).tokens) == 12000
        with pytest.raises(LatexError, match="a formula of 10000000 characters is not drawn"):
            colour("a" * 10_000_000)

    def test_inputs(self) -> None:
        """Dollars and a LaTeX fence go."""
        assert formula_inputs("$$ a $$", "x ```latex\n$b$\n``` y") == ("a", "b")


def _drawn(*tokens: tuple[str, int]) -> Rendering:
    return Rendering(100, 40, tuple(TokenBox(token, (x, 5, x + 8, 20)) for token, x in tokens))


class TestScore:
    def test_same(self) -> None:
        """The same tokens in the same places match in full."""
        drawn = _drawn(*[(token, 10 * at) for at, token in enumerate("abcdef")])
        assert score_pair(drawn, drawn).f1 == 1.0

    def test_by_hand(self) -> None:
        """Three of four tokens found among three: recall 3/4, precision 1, F1 6/7."""
        score = score_pair(_drawn(("a", 0), ("b", 10), ("c", 20), ("d", 30)), _drawn(("a", 0), ("b", 10), ("c", 20)))
        assert (score.recall, score.precision, score.f1) == (0.75, 1.0, 0.857)

    def test_equivalent(self) -> None:
        """Tokens that look alike match; others do not, wherever they stand."""
        assert score_pair(_drawn((r"\leq", 0)), _drawn((r"\le", 0))).f1 == 1.0
        assert score_pair(_drawn(("a", 0)), _drawn(("b", 0))).f1 == 0.0

    def test_failed(self) -> None:
        """A rendering that failed scores 0 with its reason."""
        score = score_pair(_drawn(("a", 0)), Rendering(0, 0, (), "no page"))
        assert (score.f1, score.error) == (0.0, "prediction: no page")


class TestNothing:
    @pytest.mark.parametrize(
        ("gold", "predicted", "error"),
        [("x", "", None), ("$$ $$", "$$$$", "gold: the formula is empty, as is the prediction: nothing is drawn")],
    )
    def test_is_not_drawn(self, gold: str, predicted: str, error: str | None) -> None:
        """A prediction of nothing scores 0; of nothing on both sides CDM is 0 over 0, which the method takes for 0."""

        def undrawn(pairs: Sequence[tuple[str, str]]) -> list[CdmScore]:
            assert not pairs
            return []

        sample = Sample(image="x.jpg", gold=gold, predicted=predicted, norm_gold="", norm_predicted="")
        [found] = with_cdm([sample], undrawn)
        assert (found.metric["CDM"], found.error) == (0.0, error)
