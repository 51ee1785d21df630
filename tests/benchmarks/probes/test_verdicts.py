"""The questions to a parser's output, answered by hand."""

from typing import Any

import pytest

from benchmarks.probes import verdicts
from benchmarks.probes.verdicts import Output


def output(text: str = "", *, headings: tuple[tuple[str, int | None], ...] = (), cells: tuple[Any, ...] = ()) -> Output:
    made = tuple({"text": text, "row": 0, "col": at, **spans} for at, (text, spans) in enumerate(cells))
    tables = ({"rows": [{"header": True, "cells": list(made)}]},) if cells else ()
    return Output(text, tuple({"text": text, "level": level} for text, level in headings), tables)


ONE = {"rowspan": 1, "colspan": 1}
TWO = {"rowspan": 1, "colspan": 2}
NAMES = ("Alpha chapter", "Beta section", "Gamma part")


@pytest.mark.parametrize(
    ("levels", "verdict"),
    [((1, 2, 3), "levels"), ((2, 2, 2), "no levels"), ((None, None, None), "no levels"), ((3, 2, 1), "no levels")],
)
def test_levels(levels: tuple[int | None, ...], verdict: str) -> None:
    """Levels count when each heading is deeper than the one before."""
    assert verdicts.levels(output(headings=tuple(zip(NAMES, levels, strict=True)))) == verdict


def test_levels_of_fewer() -> None:
    """Headings that are not there are counted."""
    assert verdicts.levels(output(headings=(("alpha chapter", 1),))) == "1 of 3"
    assert verdicts.levels(output("# Alpha chapter")) == "none"


@pytest.mark.parametrize(
    ("cells", "verdict"),
    [
        ((("Sales", TWO),), "span"),
        ((("Sales", ONE), ("Sales", ONE)), "repeated"),
        ((("Sales", ONE), ("", ONE)), "flat"),
        ((("Sales Spring", ONE),), "cell lost"),
        ((), "table lost"),
    ],
)
def test_span(cells: tuple[Any, ...], verdict: str) -> None:
    """A merged cell has its span, or comes twice, or loses it."""
    assert verdicts.span(output(cells=cells), "Sales", "colspan") == verdict


def test_grid() -> None:
    """A plain table is one, row by row and cell by cell, of no other cells."""
    rows = [
        {"cells": [{"text": text} for text in texts]}
        for texts in (("Region", "Season", "Sales"), ("North", "Spring", "11"), ("South", "Autumn", "22"))
    ]
    assert verdicts.grid(Output("", (), ({"rows": rows},))) == "cells in place"
    assert verdicts.grid(Output("", (), ({"rows": rows[:2]},))) == "cells differ"
    assert verdicts.grid(Output("", (), ({"rows": rows[:1]}, {"rows": rows[1:]}))) == "cells differ"
    assert verdicts.grid(Output("| Region | Season | Sales |", (), ())) == "table lost"


def test_order() -> None:
    """The left column ends before the right one begins."""
    left, right = "The left column ends here.", "The right column begins here."
    assert verdicts.order(output(f"{left}\n{right}")) == "in order"
    assert verdicts.order(output(f"{right}\n{left}")) == "interleaved"
    assert verdicts.order(output(f"<p>The left column<br>ends here.</p><p>{right}</p>")) == "in order"
    assert verdicts.order(output(left)) == "lost"


def test_nesting() -> None:
    """The inner item is further in."""
    assert verdicts.nesting(output("- Outer one\n  - Inner one\n- Outer two")) == "nested"
    assert verdicts.nesting(output("Outer one\nInner one\nOuter two")) == "flat"
    assert verdicts.nesting(output("Inner one\nOuter two")) == "lost"


def test_words() -> None:
    """Changes, hidden facts, directions and addresses are told apart."""
    assert verdicts.changes(output("is fifty crowns")) == "accepted"
    assert verdicts.changes(output("is fortyfifty crowns")) == "both"
    assert verdicts.hidden(output("4,711 dollars. Fact out of sight")) == "kept, hidden shown"
    assert verdicts.direction(output("שלום עולם")) == "logical"
    assert verdicts.direction(output("שלום עולם"[::-1])) == "reversed"
    assert verdicts.direction(output("# עולם שלום")) == "words reversed"
    assert verdicts.direction(output("שלום")) == "lost"
    assert verdicts.address(output("[manual](https://example.org/manual)")) == "with address"
    assert verdicts.address(output("Read the manual first")) == "words alone"
    assert verdicts.address(output("https://example.org/manual")) == "lost"
    assert verdicts.unwrapped(output("ACCESSION NUMBER: 1 Words of the filing.")) == "kept, wrapping too"
