from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.conformance.omniparse_answers import own_answer
from scorer.suites.omniparse import RC1, V1_0_0, GoldError, grade, parse_gold
from tests.scorer.suites.omniparse.made import gold_test, text, verdict

WORDS = st.text(st.sampled_from("abcdefgh 1<&é"), min_size=1, max_size=12)
DIFFS = st.integers(0, 2)
ARG = st.builds(text, WORDS, st.just(0))
TESTS = st.one_of(
    st.builds(lambda a: gold_test("present", content=a), st.builds(text, WORDS, DIFFS)),
    st.builds(lambda a, b: gold_test("order", before=a, after=b), ARG, ARG),
    st.builds(lambda a, n: gold_test("repeat", {"expected_count": n}, content=a), ARG, st.integers(1, 3)),
    st.builds(
        lambda cell, around: gold_test("table_cell", cell=cell, **around),
        ARG,
        st.dictionaries(st.sampled_from(("up", "down", "left", "right", "top_heading", "left_heading")), ARG),
    ),
)


class TestOutputs:
    @pytest.mark.parametrize("version", [RC1, V1_0_0])
    def test_a_missing_or_null_output_fails(self, version: Any) -> None:
        """Absent and null are the same, with the same reason."""
        for outputs in ({}, {"html": None}, {"blocks": []}):
            found = verdict(gold_test("present", content=text("abc")), version=version, **outputs)
            assert (found.result, found.why) == ("fail", "no html output")

    def test_unsupported_comes_first(self) -> None:
        """A declared output is unsupported even where one was given; 1.0.0 has no such word."""
        tests = parse_gold("p", {"tests": [gold_test("present", content=text("abc"))]})
        (found,) = grade(tests, {"html": "abc"}, version=RC1, unsupported=["html"])
        assert (found.result, found.why) == ("unsupported", "the provider can't produce html")
        with pytest.raises(ValueError, match="no unsupported outputs"):
            grade(tests, {}, version=V1_0_0, unsupported=["html"])
        with pytest.raises(ValueError, match="'pdf'"):
            grade(tests, {}, version=RC1, unsupported=["pdf"])

    @pytest.mark.parametrize("html", [3, ["a"], {"a": 1}, True])
    def test_html_that_is_no_string_is_malformed(self, html: Any) -> None:
        """Its tests fail with its type as the reason."""
        found = verdict(gold_test("present", content=text("abc")), html)
        assert found.why.startswith(f"malformed html output: html must be a string, not {type(html).__name__}")


class TestProperties:
    @settings(max_examples=150)
    @given(TESTS)
    def test_its_own_answer_passes_and_nothing_fails(self, test: dict[str, Any]) -> None:
        """Whatever a test looks for, a page made of it passes, an empty page fails, and twice is the same."""
        try:
            tests = parse_gold("p", {"tests": [test]})
        except GoldError:
            return
        for version in (RC1, V1_0_0):
            own = own_answer(tests[0])
            assert grade(tests, own, version=version)[0].result == "pass"
            assert grade(tests, own, version=version) == grade(tests, own, version=version)
            assert grade(tests, {"html": ""}, version=version)[0].result == "fail"

    @settings(max_examples=100)
    @given(st.text(st.sampled_from("<>/ablet=\"'tdrh!-[]$&;\\{}x0 "), max_size=60), TESTS)
    def test_no_output_breaks_the_grading(self, html: str, test: dict[str, Any]) -> None:
        """Any string gets a verdict."""
        try:
            tests = parse_gold("p", {"tests": [test]})
        except GoldError:
            return
        assert grade(tests, {"html": html + "<table>" + html}, version=RC1)[0].result in ("pass", "fail")
