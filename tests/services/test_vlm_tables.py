"""A vision model's tables, whichever way it draws them."""

import pytest

from services.vlm import tables

HTML = "<table><tr><th>a</th></tr><tr><td>b</td></tr></table>"
PIPES = "| c |\n|---|\n| d |"


def grids(text: str) -> list[list[list[str]]]:
    return [[[cell.text for cell in row.cells] for row in table.rows] for table in tables.tables(text, page=3)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (HTML, [[["a"], ["b"]]]),
        (PIPES, [[["c"], ["d"]]]),
        (f"Words.\n\n{PIPES}\n\n{HTML}\n\n{PIPES}\n", [[["c"], ["d"]], [["a"], ["b"]], [["c"], ["d"]]]),
        (f"{HTML}{HTML}", [[["a"], ["b"]], [["a"], ["b"]]]),
        (f"```html\n{HTML}\n```", [[["a"], ["b"]]]),
        (f"<TABLE border=1><tr><td>e</td></tr></TABLE >\n{PIPES}", [[["e"]], [["c"], ["d"]]]),
        ("<table><tr><td>x | y\n|---|\nz</td></tr></table>", [[["x | y |---| z"]]]),
        ("<table><tr><td>e", [[["e"]]]),
        (f"</table>\n{PIPES}", [[["c"], ["d"]]]),
        (f"A <tablespoon> of it.\n\n{PIPES}", [[["c"], ["d"]]]),
        ("Words alone, a | b.", []),
        (f"<!-- <table> -->\n\n{PIPES}\n\n`<table>` is a tag\n\n{PIPES}\n", [[["c"], ["d"]], [["c"], ["d"]]]),
        (f"The tag <table> is one.\n\n{PIPES}\n\n{HTML}\n\n{PIPES}", [[["c"], ["d"]], [["a"], ["b"]], [["c"], ["d"]]]),
    ],
)
def test_both_ways_in_the_pages_order(text: str, found: list[list[list[str]]]) -> None:
    """HTML, as it is asked for, and pipes; what lies inside an HTML table is that table's."""
    assert grids(text) == found


def test_a_table_in_a_cell_is_one_of_its_own() -> None:
    """It comes before the one around it, as everywhere, and what follows is still read."""
    text = f"<table><tr><td>e{HTML}</td></tr></table>\n{PIPES}"
    assert grids(text) == [[["a"], ["b"]], [["e a b"]], [["c"], ["d"]]]


def test_all_are_derived_and_on_the_page() -> None:
    """The model reports no structure: it is read out of its text."""
    assert [(table.page, table.source) for table in tables.tables(f"{HTML}\n\n{PIPES}", page=3)] == [
        (3, "derived"),
        (3, "derived"),
    ]
