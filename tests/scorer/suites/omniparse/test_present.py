import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from scorer.suites.omniparse import text as text_module
from scorer.suites.omniparse.number import hits, number_pattern, parse_number
from tests.scorer.suites.omniparse.made import gold_test, passes, text, verdict


class TestText:
    def test_found_whatever_case_and_markup(self) -> None:
        """Case, tags and spacing do not matter."""
        assert passes(gold_test("present", content=text("Total due")), "<p>TOTAL <b>due</b>: 40</p>")

    def test_a_substitution_costs_one_edit(self) -> None:
        """One wrong letter passes with one edit allowed and fails with none."""
        for diffs, expected in ((1, True), (0, False)):
            assert passes(gold_test("present", content=text("revenue rose", diffs)), "revenye rose") is expected

    def test_words_glued_together_are_found(self) -> None:
        """The squeezed texts are compared where the folded ones differ."""
        assert passes(gold_test("present", content=text("Probiotic1")), "Probiotic<sup>1</sup>")

    def test_the_reason_gives_best_ratio_and_threshold(self) -> None:
        """Of 4 letters, 'abcd' against 'abxd' has 3 in common twice: 0.75, below 1."""
        assert (
            verdict(gold_test("present", content=text("abcd")), "abxd").why == "'abcd' not found (best 0.750 < 1.000)"
        )

    def test_a_page_shorter_than_the_text_is_compared_whole(self) -> None:
        """A fragment of the text is not the text."""
        assert not passes(gold_test("present", content=text("a long sentence here")), "long")


class TestNumber:
    @pytest.mark.parametrize(
        ("number", "html", "why"),
        [
            ("1,240.00", "1 240.00", ""),
            ("1,240", "$ 1240", ""),
            ("1,240", "11,240", "'1,240' not found digit-for-digit"),
            ("1,240", "1,240.50", "'1,240' not found digit-for-digit"),
            ("-4.8%", "−4.8 %", ""),
            ("-4.8%", "4.8%", "'-4.8%' present but sign lost"),
            ("4.8", "-4.8", "'4.8' present but sign added"),
            ("4.8%", "4.8", "'4.8%' present but percent lost"),
            ("-4.8%", "4.8", "'-4.8%' present but sign lost / percent lost"),
            ("12345", "No.12345", ""),
            ("19", "COVID-19", ""),
            ("39", "(39%)", ""),
        ],
    )
    def test_by_hand(self, number: str, html: str, why: str) -> None:
        """Digits, point, sign and percent count; currency and thousands marks do not."""
        assert verdict(gold_test("present", content={"number": number}), html).why == why

    @pytest.mark.parametrize(
        ("token", "core"),
        [
            ("12,345", "12345"),
            ("0,123", "0.123"),
            ("1.234.567,89", "1234567.89"),
            ("4.500", None),
            ("16,17", None),
            ("twelve", None),
        ],
    )
    def test_ambiguous_separators_are_no_number(self, token: str, core: str | None) -> None:
        """One point before three digits, or one comma before two, can be read two ways."""
        number = parse_number(token)
        assert (number and number.core) == core


class TestNumberPlaces:
    @given(
        st.text(st.sampled_from("0129,. -($%)xE€"), max_size=40),
        st.sampled_from(("1,290.12", "12", "-9", "(1%)", "1.290.129.0212", "0,129", "12,901")),
    )
    def test_no_place_is_left_out(self, text: str, token: str) -> None:
        """Trying only places near the first digits finds what trying every place finds."""
        number = parse_number(token)
        assert number is not None
        everywhere = number_pattern(number.core, number.written).finditer(text)
        assert [hit.span() for hit in hits(number, text)] == [hit.span() for hit in everywhere]


class TestLatex:
    @pytest.mark.parametrize(
        ("latex", "html", "expected"),
        [
            (r"\frac{1}{2} \to x", r"$\dfrac12\rightarrow x$", True),
            (r"\frac{a}{b}", r"$\frac{a}{c}$", False),
            (r"\frac{a}{b}", "a/b", False),
            (r"x \leq y", r"$x$ and $y$", False),
            (r"(a, b)", r"$(a$, $b)$", True),
            (r"\alpha = 0.05", "α = 0.05", True),
            (r"a \not\in B", r"$a \notin B$", True),
            (r"E=mc^2", "<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>", True),
            (r"\mathbb{R}", "$R$", False),
            (r"x+1", r"\[ x + 1 \tag{3} \]", True),
        ],
    )
    def test_what_it_renders_counts(self, latex: str, html: str, expected: bool) -> None:
        """Two ways to write one equation are one; another symbol, index or structure is not."""
        assert passes(gold_test("present", content={"latex": latex}), html) is expected

    @pytest.mark.parametrize(
        "html", [r"$\frac{a}{$", "<math><mfrac><mi>a</mi></mfrac></math>", "<math>" + "<mrow>" * 5000 + "</math>"]
    )
    def test_math_that_cannot_be_read_contributes_nothing(self, html: str) -> None:
        """Broken math on a page fails the test and breaks nothing."""
        assert not passes(gold_test("present", content={"latex": r"\frac{a}{b}"}), html)


class TestLongText:
    @settings(max_examples=300)
    @given(
        needle=st.text("abc ", min_size=1, max_size=64),
        unit=st.text("abc ", min_size=1, max_size=40),
        times=st.integers(5, 60),
        inserted=st.text("abcd", max_size=8),
        stretch=st.sampled_from([7, 16, 40, 64]),
        cutoff=st.sampled_from([0.0, 30.0, 60.0, 80.0]),
    )
    def test_the_ratio_is_rapidfuzzs(
        self, needle: str, unit: str, times: int, inserted: str, stretch: int, cutoff: float
    ) -> None:
        """Whatever repeats in a text, and whatever breaks it."""
        hay = unit * times + inserted + unit * times
        assume(len(hay) >= len(needle))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text_module, "_LONG", 1)
            patch.setattr(text_module, "_STRETCH", stretch)
            found = text_module._partial_ratio(needle, hay, score_cutoff=cutoff)
        assert found == fuzz.partial_ratio(needle, hay, score_cutoff=cutoff)

    def test_a_stretch_that_repeats_is_looked_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The whole text is never looked at; as many stretches are as the loop is long, at most."""
        looked = []
        compare = fuzz.partial_ratio_alignment

        def counted(needle: str, stretch: str, **more: float) -> object:
            looked.append(stretch)
            return compare(needle, stretch, **more)

        monkeypatch.setattr(fuzz, "partial_ratio_alignment", counted)
        monkeypatch.setattr(fuzz, "partial_ratio", lambda *_, **__: pytest.fail("the whole text"))
        unit = "the lazy dog sat in the sum, "
        assert text_module._partial_ratio("lazy cat sat on", unit * 10_000, score_cutoff=0.0) > 50
        assert len(looked) <= len(unit) + 1
