"""TEDS of two tables, by hand."""

import pytest

from scorer.suites.odl import score_document
from scorer.suites.omnidoc.table import teds

_CELLS = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
_ROWS = f"<table>{'<tr></tr>' * 6}</table>"


class TestBelowZero:
    def test_more_edits_than_elements(self) -> None:
        """Four cells to delete and four rows to insert are 8 edits over 6 elements; odl counts the table, too."""
        found = teds(*(f"<html><body>{table}</body></html>" for table in (_CELLS, _ROWS)))
        assert (found.teds, found.teds_structure_only) == pytest.approx((-1 / 3, -1 / 3), abs=1e-12)
        assert score_document(_CELLS, _ROWS).teds == pytest.approx(-1 / 7, abs=1e-12)
