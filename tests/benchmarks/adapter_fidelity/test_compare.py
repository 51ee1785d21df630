"""The comparison itself: it must see every difference it is there to find."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.adapter_fidelity.compare import differences, flat_rows


def cell(text: str, row: int, col: int, rowspan: int = 1, colspan: int = 1) -> dict[str, Any]:
    return {"text": text, "row": row, "col": col, "rowspan": rowspan, "colspan": colspan}


RECORDED = {
    "markdown": "# One\ntext",
    "headings": [{"text": "One", "level": 1, "parent": None}],
    "tables": [{"rows": [{"header": True, "cells": ["a", ""]}, {"header": False, "cells": ["b", "c"]}]}],
}
LINES = [
    {"kind": "meta", "text_format": "markdown", "pages": None},
    {"kind": "text", "text": "# One\n"},
    {"kind": "text", "text": "text"},
    {"kind": "heading", "text": "One", "level": 1, "parent": None, "page": 3},
    {
        "kind": "table",
        "rows": [
            {"header": True, "cells": [cell("a", 0, 0, colspan=2)]},
            {"header": False, "cells": [cell("b", 1, 0), cell("c", 1, 1)]},
        ],
    },
]


class TestDifferences:
    def test_same(self) -> None:
        """The same output in the common form has no difference; a page or a parent is not part of the record."""
        assert differences(RECORDED, LINES) == {}
        assert differences(None, None) == {}

    @pytest.mark.parametrize(
        ("index", "change", "where"),
        [
            (2, {"text": "other"}, "text"),
            (3, {"level": 2}, "headings"),
            (3, {"text": "Two"}, "headings"),
            (4, {"rows": []}, "tables"),
        ],
    )
    def test_each_difference(self, index: int, change: dict[str, Any], where: str) -> None:
        """A changed text, level or row is found in its place."""
        lines = [{**line, **change} if at == index else line for at, line in enumerate(LINES)]
        assert list(differences(RECORDED, lines)) == [where]

    def test_failed_on_one_side(self) -> None:
        """A parse that fails where the record has output, or the other way round, is a difference."""
        assert differences(None, LINES) == {"parsed": "recorded False, now True"}
        assert differences(RECORDED, None) == {"parsed": "recorded True, now False"}


class TestFlatRows:
    def test_spans(self) -> None:
        """Text once at the top left; every other covered position is empty, in rows and columns."""
        table = {
            "rows": [
                {"header": True, "cells": [cell("a", 0, 0, rowspan=2), cell("b", 0, 1, colspan=2)]},
                {"header": False, "cells": [cell("c", 1, 1), cell("d", 1, 2)]},
                {"header": False, "cells": []},
            ]
        }
        assert flat_rows(table) == [(True, ["a", "b", ""]), (False, ["", "c", "d"]), (False, [])]


@pytest.mark.parametrize("recorded", [0, 1])
def test_nothing_to_compare_is_no_success(tmp_path: Path, recorded: int) -> None:
    """A folder without records, or with none of a document that is small enough, is named."""
    (tmp_path / "documents.json").write_text(json.dumps({"documents": [{"id": "a", "bytes": 9}]}))
    folder = tmp_path / "markitdown"
    folder.mkdir()
    for number in range(recorded):
        (folder / f"{number}.json").write_text(json.dumps({"document": "a", "version": "0.1.9"}))
    words = [sys.executable, "-m", "benchmarks.adapter_fidelity", "--corpus", tmp_path, "--oracles", tmp_path]
    done = subprocess.run([*words, "--largest", "8"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        f"nothing to compare: {folder} has {recorded} recorded outputs (*.json), none of a document of" in done.stderr
    )
