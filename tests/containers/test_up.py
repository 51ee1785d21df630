"""docker compose up, as a person gives it: a whole run, its exit code, what it leaves, what it says of bad input."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestrator import local
from scorer.store import query
from tests.containers import engine
from tests.containers.engine import Compose, docker
from tests.orchestrator.cli import shell

pytestmark = pytest.mark.docker

SAMPLE = engine.ROOT / "annotations" / "sample"
TIMED = ("speed", "composite")
NEVER_UP = "docassay-never-up"


@pytest.fixture(scope="module", autouse=True)
def _images() -> None:
    engine.build()


def composed(folder: Path, *, project: str = "docassay-whole", corpus: Path = SAMPLE) -> Compose:
    """Return a compose project with an empty results folder."""
    results = folder / "results"
    results.mkdir(exist_ok=True)
    files = ("tests/containers/never-up.yaml",) if project == NEVER_UP else ()
    return Compose(project, corpus=corpus, results=results, files=files)


def record(compose: Compose) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((compose.results / "run.json").read_text())
    return content


# Of the class that uses it: every project has its own networks, and an engine gives out thirty.
@pytest.fixture(scope="class", name="whole")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Compose, subprocess.CompletedProcess[str]]]:
    """The sample corpus through the three parsers."""
    compose = composed(tmp_path_factory.mktemp("whole"))
    try:
        yield compose, compose("up", "--no-color", "--exit-code-from", "orchestrator", timeout=3600)
    finally:
        compose.down()


Whole = tuple[Compose, subprocess.CompletedProcess[str]]


class TestAWholeRun:
    def test_it_ends_with_the_run_s_exit_code(self, whole: Whole) -> None:
        """Both as compose's own and in the record."""
        compose, done = whole
        assert done.returncode == 0, done.stdout[-5000:]
        assert record(compose)["exit_code"] == 0
        assert compose.done("ps", "-q").split() == []

    def test_it_says_the_licences_and_the_leaderboard(self, whole: Whole) -> None:
        """Under which licence each parser is used stands before its first document."""
        shown = whole[1].stdout
        assert shown.index("markitdown@0.1.9: licence MIT") < shown.index("markitdown@0.1.9: 16 to do")
        assert "docslicer@0.2.5: licence AGPL-3.0-only (AGPL: whoever offers" in shown
        assert "composite" in shown

    def test_it_leaves_store_tables_and_record(self, whole: Whole) -> None:
        """An exclusive run in containers, by path: the documents are seen, never sent."""
        results = whole[0].results
        [run] = query.table(results, "select run_id, mode, exclusive from runs").to_pylist()
        assert (run["mode"], run["exclusive"]) == ("container", True)
        assert (results / "export" / run["run_id"] / "leaderboard.parquet").is_file()
        assert record(whole[0])["run_id"] == run["run_id"]
        transports = query.table(results, "select distinct transport from parsers").to_pylist()
        assert transports == [{"transport": "path"}]

    def test_the_results_answer_in_sql(self, whole: Whole) -> None:
        """With nothing running but the one container that asks."""
        shown = whole[0].done("run", "--rm", "sql", "select parser, count(*) from parses group by all")
        assert "markitdown@0.1.9" in shown

    def test_every_other_subcommand_takes_its_folders_from_compose(self, whole: Whole) -> None:
        """No path needs to be named."""
        compose = whole[0]
        assert "composite" in compose.done("run", "--rm", "--no-deps", "orchestrator", "leaderboard")
        assert "0 faults" in compose.done("run", "--rm", "--no-deps", "orchestrator", "corpus", "check", "/corpus")

    def test_a_local_run_gives_the_same_rows(self, whole: Whole, tmp_path: Path) -> None:
        """The same locks: the same statuses, output bytes, chunks and scores, timings aside."""
        subprocess.run(
            [
                *(
                    Path(sys.executable).with_name("docassay"),
                    "run",
                    "--local",
                    "--corpus",
                    SAMPLE,
                    "--results",
                    tmp_path,
                ),
                *("--parsers", "markitdown@0.1.9,docslicer@0.2.5,opendataloader@2.5.16"),
            ],
            cwd=engine.ROOT,
            check=True,
            capture_output=True,
        )
        for statement in (
            "select parser, document, status, reason, artifact, chunks_artifact from parses order by all",
            f"select parser, document, axis, kpi, value, reason from kpis where axis not in {TIMED} order by all",
        ):
            ours = query.table(whole[0].results, statement).to_pylist()
            theirs = query.table(tmp_path, statement).to_pylist()
            assert len(ours) >= 48
            assert [row for row in ours if row not in theirs] == []
            assert len(ours) == len(theirs)

    def test_it_can_be_scored_again_from_outside(self, whole: Whole) -> None:
        """The corpus has another path there: the message says which one is meant and how to name it."""
        results = ("--results", str(whole[0].results), "--axis", "tables")
        without = shell.docassay("score", *results)
        assert without.returncode == 2, without.stdout
        assert "/corpus is not here, where the corpus of run " in without.stderr
        assert "say with --corpus where it lies now" in without.stderr
        named = shell.docassay("score", *results, "--corpus", SAMPLE)
        assert named.returncode == 0, named.stderr
        assert "is not what it was" not in named.stderr


@pytest.fixture(scope="class", name="project")
def _project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One project for all that ends before it parses: sixteen networks are not made and removed for each."""
    project = "docassay-up"
    yield project
    composed(tmp_path_factory.mktemp("end"), project=project).down()


class TestWithoutARun:
    def test_sql_asks_a_live_scorer(self, tmp_path: Path, project: str) -> None:
        """While the scorer holds the store, no second process may open it."""
        compose = composed(tmp_path, project=project)
        compose.done("up", "-d", "scorer")
        for _ in range(100):
            if compose("exec", "scorer", "health").returncode == 0:
                break
        shown = compose.done("run", "--rm", "sql", "select 6 * 7 as answer")
        assert "42" in shown
        compose.done("rm", "--stop", "--force", "scorer")

    def test_a_corpus_with_faults_ends_with_2(self, tmp_path: Path, project: str) -> None:
        """Without --exit-code-from, compose ends too, and the exit code stands in the record with the reason."""
        corpus = tmp_path / "corpus"
        corpus.mkdir()
        compose = composed(tmp_path, project=project, corpus=corpus)
        done = compose("up", "--no-color", timeout=300)
        assert "documents.json" in done.stdout
        told = record(compose)
        assert (told["exit_code"], told["run_id"]) == (2, None)
        assert "documents.json" in told["error"]
        assert f"run --rm --no-deps -v {corpus}:/new orchestrator corpus init /new`" in told["error"]
        assert compose.done("ps", "-q").split() == []
        assert compose("up", "--exit-code-from", "orchestrator", timeout=300).returncode == 2

    def test_a_file_that_the_owner_may_not_read_is_a_fault_of_the_corpus(self, tmp_path: Path, project: str) -> None:
        """Named with its path and what to do; no traceback."""
        corpus = tmp_path / "corpus"
        shutil.copytree(SAMPLE, corpus)
        (corpus / "documents" / "deck_html.html").chmod(0)
        compose = composed(tmp_path, project=project, corpus=corpus)
        os.chown(compose.results, 12345, 12345)
        done = compose("run", "--rm", "--no-deps", "orchestrator", "corpus", "check", "/corpus")
        assert done.returncode == 2
        assert "deck_html.html" in done.stdout
        assert "permission" in done.stdout.lower()

    def test_a_corpus_that_is_not_there_is_no_empty_folder(self, tmp_path: Path, project: str) -> None:
        """The engine names the path, and makes nothing."""
        compose = composed(tmp_path, project=project, corpus=tmp_path / "mistyped")
        done = compose("up", "--exit-code-from", "orchestrator")
        assert done.returncode != 0
        assert str(tmp_path / "mistyped") in done.stdout
        assert not (tmp_path / "mistyped").exists()

    def test_results_that_cannot_be_written_are_named(self, tmp_path: Path, project: str) -> None:
        """Nothing is parsed for a folder that takes no results."""
        compose = composed(tmp_path, project=project)
        compose.results.chmod(0o555)
        os.chown(compose.results, 12345, 12345)
        done = compose("up", "--no-color", "--exit-code-from", "orchestrator", timeout=300)
        assert done.returncode != 0
        told = f"results folder /results ({compose.results} on the host) cannot be written"
        assert [line for line in done.stdout.splitlines() if "scorer" in line and told in line], done.stdout
        assert f"chmod u+w {compose.results}" in done.stdout

    def test_results_of_another_layout_end_the_run_with_1(self, tmp_path: Path, project: str) -> None:
        """The scorer's words are the record's: compose ends nothing before they were told."""
        compose = composed(tmp_path, project=project)
        store = compose.results / "docassay.duckdb"
        with duckdb.connect(str(store)) as connection:
            connection.execute("create table schema_version as select 999 as version")
        done = compose("up", "--no-color", "--exit-code-from", "orchestrator", timeout=300)
        assert done.returncode == 1, done.stdout
        told = record(compose)
        assert told["exit_code"] == 1
        assert f"/results/{store.name} ({store} on the host) has table layout 999" in told["error"]

    def test_a_parser_s_places_to_write_are_those_that_are_named(self, tmp_path: Path, project: str) -> None:
        """Scratch, and what an engine gives every container; semaphores between processes are to be had."""
        code = (
            "import multiprocessing, os; places = [line.split()[1] for line in open('/proc/mounts')]; "
            "print([place for place in places if os.path.isdir(place) and os.access(place, os.W_OK)"
            " and not place.startswith('/proc')], multiprocessing.get_context('spawn').Lock().acquire())"
        )
        compose = composed(tmp_path, project=project)
        python = ("--entrypoint", "/opt/runtime/bin/python", "markitdown", "-c", code)
        shown = compose.done("run", "--rm", "--no-deps", *python).splitlines()[-1]
        assert shown == "['/dev/mqueue', '/dev/shm', '/tmp'] True"


def test_parsers_that_do_not_come_up_are_named_and_the_others_run(tmp_path: Path) -> None:
    """Which ones, after how long, why, and their last words or where they are; they have no rows and are listed so.

    Those that nobody can end are named at the end, with the command that stops them.
    """
    compose = composed(tmp_path, project=NEVER_UP)
    try:
        done = compose("run", "--rm", "orchestrator", "parse", "--limit", "1", timeout=300)
        assert done.returncode == 0, done.stdout[-3000:]
        rows = query.table(compose.results, "select name, state, reason from parsers").to_pylist()
        reasons = {row["name"]: row["reason"] for row in rows if row["state"] == "unhealthy"}
        assert reasons.keys() == {"docslicer", "opendataloader", "odd", "unknown"}
        assert "(its server does not start)" in reasons["unknown"]
        _, _, words = reasons.pop("unknown").partition("its last words: ")
        assert words.startswith("exit code 1 at once: markitdown 0.1.9 has no setting 'unknown'")
        assert "docslicer at docslicer:50051 was not healthy after 60 s" in reasons["docslicer"]
        assert "(no container of that name is running)" in reasons["opendataloader"]
        assert "does not speak the contract" in reasons["odd"]
        for name, reason in reasons.items():
            assert f"docker compose logs --tail 20 {name}" in reason
        assert "cannot go on" in compose.done("logs", "--tail", "20", "opendataloader")
        running = compose.done("ps", "--services", "--status", "running").split()
        assert sorted(running) == ["docslicer", "odd"]
        for name in running:
            assert f"{name} does not end: stop it with: docker compose stop {name}" in done.stdout
    finally:
        compose.down()


def test_images_are_as_small_as_promised() -> None:
    """600 MB each; 700 with a JRE."""
    for name, megabytes in (("markitdown", 600), ("docslicer", 600), ("opendataloader", 700), ("intake", 600)):
        size = int(docker("image", "inspect", "-f", "{{.Size}}", engine.image(name)).stdout)
        assert size <= megabytes * 10**6, f"{name}: {size}"


def test_images_keep_no_compiler_and_no_cache() -> None:
    """What built them stays behind, and nobody in them is root."""
    for name in ("markitdown", "docslicer", "opendataloader", "intake"):
        look = "command -v gcc cc make pip pip3; find /root/.cache /var/lib/apt/lists /var/cache/apt -type f; id -u"
        shown = docker("run", "--rm", "--entrypoint", "sh", engine.image(name), "-c", f"{look} 2>/dev/null").stdout
        assert shown.split() == ["65532"], name


def test_an_image_says_what_is_in_it() -> None:
    """Name, version, licence and the lock's digest, as labels."""
    labels = json.loads(docker("image", "inspect", "-f", "{{json .Config.Labels}}", engine.image("docslicer")).stdout)
    assert labels["org.opencontainers.image.title"] == "docslicer"
    assert labels["org.opencontainers.image.version"] == "0.2.5"
    assert labels["org.opencontainers.image.licenses"] == "AGPL-3.0-only"
    assert (local.SERVICES / "docslicer" / "0.2.5.lock").is_file()
    assert len(labels["docassay.lock-digest"]) == 64
