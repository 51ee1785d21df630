"""One document through a real parser, over gRPC, into rows that SQL reads: the whole of docassay, once."""

import json
import subprocess
import sys
from pathlib import Path

from orchestrator import local


def docassay(*arguments: object) -> str:
    command = [sys.executable, "-c", "from orchestrator.cli import main; main()", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=local.ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_document_from_a_file_to_a_leaderboard_and_sql(tmp_path: Path) -> None:
    """A page of the sample corpus parsed by markitdown has a rank, KPIs, and a partial run's mark."""
    shown = docassay(
        *("run", "--local", "--parsers", "markitdown@0.1.9", "--ids", "contract_html", "--results", tmp_path, "--json")
    )
    board = json.loads(shown)
    [row] = board["parsers"]
    assert row["parser"] == "markitdown@0.1.9"
    assert row["rank"] == 1
    assert board["partial"] is True
    told = docassay(
        *("sql", "--results", tmp_path, "--json"),
        "select kpi, value from kpis where kpi in ('heading_recall', 'nid', 'recall@8000') and document is not null",
    )
    values = {row["kpi"]: row["value"] for row in map(json.loads, told.splitlines())}
    # Its HTML headings are h1 to h4 elements, which MarkItDown turns into # lines one for one.
    assert values["heading_recall"] == 1.0
    assert 0.9 < values["nid"] <= 1.0
    assert 0.0 <= values["recall@8000"] <= 1.0
