"""One rule for every count."""

from orchestrator.counting import counted


def test_one_is_singular() -> None:
    """And nothing else is."""
    assert [counted(number, "fault") for number in (0, 1, 2)] == ["0 faults", "1 fault", "2 faults"]
