import pytest

from tests.scorer.suites.omniparse.made import gold_test, text, verdict


class TestRepeat:
    @pytest.mark.parametrize(
        ("html", "expected", "why"),
        [
            ("Page title. Page title.", 2, ""),
            ("Page title.", 2, "'Page title' appears 1x, not 2x"),
            ("Page titles, page title", 1, ""),
            ("page_title: pagetitle _page title_", 2, ""),
            ('page title <img alt="page title">', 1, ""),
            ("nothing", 1, "'Page title' appears 0x, not 1x"),
        ],
    )
    def test_by_hand(self, html: str, expected: int, why: str) -> None:
        """Whole runs of words count, wherever spaces fall; image descriptions do not."""
        assert verdict(gold_test("repeat", {"expected_count": expected}, content=text("Page title")), html).why == why
