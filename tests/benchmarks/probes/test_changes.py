"""What a changed pin is said to change."""

import pytest

from benchmarks.probes import changes

OLD = {"a table.pdf": "span", "a link.pdf": "lost"}
NEW = {"a table.pdf": "flat", "a link.pdf": "lost"}


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ({"t@1": OLD}, {"t@1": OLD}, []),
        ({"t@1": OLD}, {"t@1": NEW}, ["t@1: a table.pdf: span -> flat"]),
        ({"t@1": OLD}, {"t@2": NEW, "t@1": OLD}, ["t@2 (before: t@1): a table.pdf: span -> flat"]),
        ({"t@1": OLD}, {"t@2": OLD, "t@1": OLD}, ["t@2 (before: t@1): no row differs"]),
        (
            {"t@1": OLD, "t@1:fast": NEW},
            {"t@2": NEW, "t@2:fast": NEW},
            [
                "t@2 (before: t@1): a table.pdf: span -> flat",
                "t@2:fast (before: t@1:fast): no row differs",
                "t@1: no longer recorded",
                "t@1:fast: no longer recorded",
            ],
        ),
        # The newest older one, whether it stays or goes, and none that is newer.
        (
            {"t@1": NEW, "t@3": OLD},
            {"t@4": NEW, "t@1": NEW},
            ["t@4 (before: t@3): a table.pdf: span -> flat", "t@3: no longer recorded"],
        ),
        (
            {"t@0.10": OLD, "t@0.9": NEW},
            {"t@0.11": NEW, "t@0.10": OLD, "t@0.9": NEW},
            ["t@0.11 (before: t@0.10): a table.pdf: span -> flat"],
        ),
        (
            {"t@3": OLD},
            {"t@3": OLD, "t@2": {"a link.pdf": "lost"}},
            ["t@2: a link.pdf: nothing -> lost"],
        ),
        (
            {"t@1": OLD, "t@3": OLD},
            {"t@4": NEW, "t@3": OLD},
            ["t@4 (before: t@3): a table.pdf: span -> flat", "t@1: no longer recorded"],
        ),
        ({"other@1": OLD}, {"t@1": {"a link.pdf": "lost"}, "other@1": OLD}, ["t@1: a link.pdf: nothing -> lost"]),
        ({"t@1": {"a link.pdf": "lost"}}, {"t@1": OLD}, ["t@1: a table.pdf: nothing -> span"]),
    ],
)
def test_rows(before: dict[str, dict[str, str]], after: dict[str, dict[str, str]], lines: list[str]) -> None:
    """A new version is laid beside the one before it in its setting, and only what differs is told."""
    assert list(changes.rows(before, after)) == lines
