"""Limits as a person writes them."""

import pytest

from orchestrator import limits


class TestTimeout:
    def test_default_is_120_seconds_and_3_a_page(self) -> None:
        """A document of 10 pages may take 150 seconds."""
        assert limits.Limits().deadline(10) == 150

    def test_unknown_pages_leave_the_base(self) -> None:
        """Without a page count only the base counts."""
        assert limits.Limits().deadline(None) == 120

    @pytest.mark.parametrize(("text", "value"), [("120+3", (120, 3)), ("60", (60, 0)), (" 0.5+0.25 ", (0.5, 0.25))])
    def test_reads_seconds_and_seconds_a_page(self, text: str, value: tuple[float, float]) -> None:
        """A bare number is flat; a second one counts for each page."""
        assert limits.parse_timeout(text) == value

    @pytest.mark.parametrize(
        "text", ["", "0", "-1", "ten", "1+", "+3", "1e3", "inf", "nan", "604801", "1+" + "9" * 400]
    )
    def test_refuses_what_is_no_time(self, text: str) -> None:
        """What cannot be read is shown, with how to write it."""
        with pytest.raises(ValueError, match="write seconds"):
            limits.parse_timeout(text)


class TestMemory:
    @pytest.mark.parametrize(
        ("text", "value"),
        [("4GiB", 4 << 30), ("512MiB", 512 << 20), ("2g", 2 << 30), ("1.5 GB", 3 << 29), ("2097152", 2 << 20)],
    )
    def test_reads_sizes(self, text: str, value: int) -> None:
        """Units are powers of 1,024."""
        assert limits.parse_memory(text) == value

    @pytest.mark.parametrize("text", ["", "0", "much", "4XB", "-1GiB", "1000", "1025TiB", "9" * 400])
    def test_refuses_what_is_no_size(self, text: str) -> None:
        """Nonsense, and less than a MiB, is refused with how to write it."""
        with pytest.raises(ValueError, match="write a size"):
            limits.parse_memory(text)
