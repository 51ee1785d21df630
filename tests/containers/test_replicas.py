"""docker compose up --scale: several containers of one parser share the documents, and one of them is killed."""

import json
import time
from pathlib import Path

import pytest

from scorer.store import query
from tests.containers import engine
from tests.containers.engine import Compose, docker

pytestmark = pytest.mark.docker

SAMPLE = engine.ROOT / "annotations" / "sample"
DOCUMENTS = 16 * 3


def test_a_container_that_is_killed_costs_no_document(tmp_path: Path) -> None:
    """Every document has its row, the run is no exclusive one, and it says what was lost."""
    engine.build()
    results = tmp_path / "results"
    results.mkdir()
    compose = Compose("docassay-replicas", corpus=SAMPLE, results=results, files=("tests/containers/replicas.yaml",))
    log = tmp_path / "log"
    try:
        with log.open("wb") as sink:
            # Not with --exit-code-from, which takes the end of any container for the end of the run.
            up = compose.start("up", "--no-color", "--scale", "markitdown=3", to=sink)
            while len(list((results / "artifacts").glob("*/*.zst"))) < 3:
                assert up.poll() is None, log.read_text()[-3000:]
                time.sleep(0.1)
            docker("kill", compose.done("ps", "-q", "markitdown").split()[0])
            assert up.wait(timeout=600) == 0, log.read_text()[-3000:]
    finally:
        compose.down()
    told = log.read_text()
    assert json.loads((results / "run.json").read_text())["exit_code"] == 0
    assert "3 replicas, a document each at a time" in told
    assert "lost the replica at" in told
    [row] = query.table(
        results, "select count(*) as n, count(*) filter (status = 'ok') as good from parses"
    ).to_pylist()
    assert row == {"n": DOCUMENTS, "good": DOCUMENTS}
    [row] = query.table(
        results, "select exclusive, replicas, state, flags from runs join parsers using (run_id)"
    ).to_pylist()
    # A busy machine may flag drift as well.
    assert "replica_lost" in row.pop("flags")
    assert row == {"exclusive": False, "replicas": 3, "state": "ready"}
    assert "no exclusive run: documents were parsed side by side (markitdown@0.1.9: 3 replicas)" in told
