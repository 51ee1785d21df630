"""The tutorial's hand-built page: thirteen tests, nine changes that each flip one, three that flip none.

After the founding tutorial of OmniParseBench (spec section 12); page and tests are this project's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scorer.suites.omniparse.gold import Test, parse_gold
from scorer.suites.omniparse.verdicts import Verdict, grade
from scorer.suites.omniparse.versions import RC1

HTML = """<h1>Annual Review</h1>
<p>Orders received: 3,615.50 EUR.</p>
<p>Margin moved by -2.7% over the year.</p>
<p>The bound $\\beta_{2} \\leq \\gamma$ holds.</p>
<p>The share is $\\frac{p}{q} + 1$ of all orders.</p>
<p>Opening remarks: what this review covers.</p>
<p>Figures are unaudited. All sums are in euros.</p>
<table><tr><th></th><th>North</th><th>South</th></tr>
<tr><th>Orders</th><td>2,100</td><td>1,515</td></tr>
<tr><th>Returns</th><td>120</td><td>98</td></tr></table>
<p>Closing remarks: the outlook is stable.</p>
<p>Figures are unaudited.</p>"""

BLOCKS = (
    {"label": "heading", "bbox": [0.1, 0.05, 0.6, 0.1], "text": "Annual Review"},
    {"label": "page_furniture", "bbox": [0.4, 0.95, 0.6, 0.98], "text": "Page 4"},
)


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the page: `old` becomes `new`, or they trade places; `flips` is the test it fails, if any."""

    name: str
    old: str
    new: str
    flips: str | None
    swap: bool = False

    def applied(self) -> str:
        """Return the page's HTML with the change."""
        if not self.swap:
            return HTML.replace(self.old, self.new)
        return HTML.replace(self.old, "\0").replace(self.new, self.old).replace("\0", self.new)


FLIPS = (
    Change("one letter of the heading", "Annual Review", "Annual Revue", "title"),
    Change("a label misread", "Orders received", "Order received", "label"),
    Change("one digit", "3,615.50", "3,815.50", "amount"),
    Change("the sign lost", "-2.7%", "2.7%", "sign"),
    Change("an index lost", "\\beta_{2}", "\\beta", "bound"),
    Change("a fraction upside down", "\\frac{p}{q}", "\\frac{q}{p}", "share"),
    Change(
        "the remarks swapped",
        "Opening remarks: what this review covers.",
        "Closing remarks: the outlook is stable.",
        "order",
        swap=True,
    ),
    Change("a footer repeated", "the outlook is stable.", "the outlook is stable. Figures are unaudited.", "repeat"),
    Change("a table heading lost", "<th>South</th>", "<th>West</th>", "cell_heading"),
)
CONTROLS = (
    Change("other case and spacing", "Orders received:", "ORDERS   RECEIVED :", None),
    Change("the same equation written otherwise", "\\leq", "\\le", None),
    Change("thousands set apart by a space", "3,615.50", "3 615.50", None),
)


@dataclass(frozen=True, slots=True)
class Flipped:
    """What a change did: the tests whose verdict is another than on the page as it stands."""

    change: Change
    flipped: tuple[str, ...]

    @property
    def as_expected(self) -> bool:
        """Whether exactly the expected test flipped, or none."""
        return self.flipped == (() if self.change.flips is None else (self.change.flips,))


def tests() -> tuple[Test, ...]:
    """Return the page's thirteen tests."""
    return parse_gold("hand-built", {"tests": [_test(*test) for test in _TESTS]})


def verdicts(html: str = HTML, *, unsupported: tuple[str, ...] = ()) -> list[Verdict]:
    """Grade the page, or a changed one."""
    return grade(tests(), {"html": html, "blocks": list(BLOCKS)}, version=RC1, unsupported=unsupported)


def changes() -> list[Flipped]:
    """Make every change in turn, and say what it flipped."""
    before = {verdict.id: verdict.result for verdict in verdicts()}
    made = []
    for change in (*FLIPS, *CONTROLS):
        after = verdicts(change.applied())
        made.append(Flipped(change, tuple(v.id for v in after if v.result != before[v.id])))
    return made


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"text": text, "max_diffs": 0, **more}


_TESTS: tuple[tuple[str, str, Mapping[str, Any], Mapping[str, Any]], ...] = (
    ("title", "present", {"content": _text("Annual Review")}, {}),
    ("label", "present", {"content": _text("Orders received")}, {}),
    ("amount", "present", {"content": {"number": "3,615.50"}}, {}),
    ("sign", "present", {"content": {"number": "-2.7%"}}, {}),
    ("bound", "present", {"content": {"latex": "\\beta_{2} \\leq \\gamma"}}, {}),
    ("share", "present", {"content": {"latex": "\\frac{p}{q} + 1"}}, {}),
    ("order", "order", {"before": _text("Opening remarks"), "after": _text("Closing remarks")}, {}),
    ("repeat", "repeat", {"content": _text("Figures are unaudited.")}, {"expected_count": 2}),
    ("cell", "table_cell", {"cell": _text("2,100"), "left_heading": _text("Orders")}, {}),
    ("cell_heading", "table_cell", {"cell": _text("1,515"), "top_heading": _text("South")}, {}),
    ("cell_neighbour", "table_cell", {"cell": _text("120"), "right": _text("98")}, {}),
    (
        "kind_heading",
        "layout_kind",
        {"content": _text("Annual Review", place=[[0.12, 0.06, 0.5, 0.09]])},
        {"kind": "heading"},
    ),
    (
        "kind_furniture",
        "layout_kind",
        {"content": _text("Page 4", place=[[0.45, 0.955, 0.55, 0.975]])},
        {"kind": "page_furniture"},
    ),
)


def _test(name: str, test_type: str, args: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "test_type": test_type,
        "output_type": "blocks" if test_type == "layout_kind" else "html",
        "derivation": "authored",
        "tags": [],
        "args": dict(args),
        "settings": dict(settings),
    }
