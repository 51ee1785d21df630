"""One rule for every count and every list cut short."""

from scorer.counting import counted, listed


def test_one_is_singular() -> None:
    """And nothing else is."""
    assert [counted(number, "fault") for number in (0, 1, 2)] == ["0 faults", "1 fault", "2 faults"]


def test_what_a_list_leaves_out_is_counted() -> None:
    """A list that leaves nothing out says nothing of it."""
    assert [listed(["a", "b", "c"], most) for most in (1, 2, 3, 4)] == [
        "a and 2 more",
        "a, b and 1 more",
        "a, b, c",
        "a, b, c",
    ]
