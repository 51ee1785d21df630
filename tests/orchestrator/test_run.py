"""Whole runs by the command line: a parser that fails as its documents say, real processes, real kills."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator import corpus, local
from tests.orchestrator.command import Command
from tests.services import served

FAULTS = ("hang", "segfault", "raise_long", "grow", "return_blank")
LIMITS = ("--timeout", "8", "--memory", "512MiB")


@pytest.fixture(name="services")
def _services(tmp_path: Path) -> Path:
    """A folder of services: the faulty parser and the real intake."""
    folder = tmp_path / "services"
    folder.mkdir()
    (folder / "faulty_parser").symlink_to(served.FOLDER)
    (folder / "intake").symlink_to(local.SERVICES / "intake")
    return folder


@pytest.fixture(name="documents")
def _documents(tmp_path: Path) -> Path:
    """A corpus of pages without fault."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for index in range(8):
        (folder / f"page{index}.html").write_text(f"<html><body><p>page number {index}</p></body></html>")
    corpus.init(folder)
    return folder


@pytest.fixture(name="command")
def _command(services: Path, tmp_path: Path) -> Command:
    return Command(services, tmp_path / "results")


def parse(documents: Path, *more: str) -> tuple[str, ...]:
    return ("parse", "--local", "--corpus", str(documents), *LIMITS, *more)


class TestRun:
    def test_every_failure_is_a_row_and_the_run_goes_on(self, command: Command, documents: Path) -> None:
        """A hang, a crash, an error, a greedy and a silent document cost one row each, with status and reason."""
        for name in FAULTS:
            (documents / f"{name}.html").write_text(f"fault: {name}\n<html></html>")
        corpus.init(documents, replace=True)
        code, _, err = command.run(*parse(documents))
        assert code == 0, err
        found = {row["document"]: row for row in command.rows("select document, status, reason from parses")}
        assert {name: found[name]["status"] for name in FAULTS} == {
            "hang": "timeout",
            "segfault": "crash",
            "raise_long": "error",
            "grow": "oom",
            "return_blank": "empty",
        }
        assert all(found[name]["reason"] for name in FAULTS)
        assert [found[f"page{index}"]["status"] for index in range(8)] == ["ok"] * 8

    def test_repeats_are_rows_of_their_own(self, command: Command, documents: Path) -> None:
        """Three repeats of eight documents are 24 rows."""
        code, _, err = command.run(*parse(documents, "--repeat", "3"))
        assert code == 0, err
        [row] = command.rows("select count(*) as n, count(distinct repeat) as repeats from parses")
        assert row == {"n": 24, "repeats": 3}

    def test_the_same_command_after_a_finished_run_is_a_new_run(self, command: Command, documents: Path) -> None:
        """A finished run is never added to."""
        for _ in range(2):
            assert command.run(*parse(documents))[0] == 0
        [row] = command.rows("select count(distinct run_id) as runs, count(*) as n from parses")
        assert row == {"runs": 2, "n": 16}

    def test_skip_fresh_takes_over_what_was_measured(self, command: Command, documents: Path) -> None:
        """The second run has all rows, and each says that the first run measured it."""
        assert command.run(*parse(documents))[0] == 0
        code, _, err = command.run(*parse(documents, "--skip-fresh"))
        assert code == 0, err
        rows = command.rows("select run_id, measured_run_id from parses order by run_id")
        assert len(rows) == 16
        assert {row["measured_run_id"] for row in rows} == {rows[0]["run_id"]}

    def test_a_filing_is_unwrapped_for_every_parser_and_counts_for_none(
        self, command: Command, documents: Path
    ) -> None:
        """The row says so, the run names the document, and a page that needed no help has none."""
        page = (documents / "page0.html").read_text()
        (documents / "filing.html").write_text(f"<DOCUMENT>\n<TYPE>8-K\n<TEXT>\n{page} filed\n</TEXT>\n</DOCUMENT>\n")
        corpus.init(documents, replace=True)
        code, _, err = command.run(*parse(documents))
        assert code == 0, err
        rows = command.rows("select document, assisted, status from parses where assisted <> 'none'")
        assert rows == [{"document": "filing", "assisted": "parse", "status": "ok"}]
        assert "1 document fetched from a source or taken out of SGML" in err
        assert command.run(*parse(documents, "--skip-fresh"))[0] == 0
        [row] = command.rows("select count(*) as n from parses where assisted = 'parse'")
        assert row == {"n": 2}

    def test_the_record_names_machine_code_and_parsers(self, command: Command, documents: Path) -> None:
        """run.json joins the store on the run's id."""
        assert command.run(*parse(documents, "--limit", "2"))[0] == 0
        record = json.loads((command.results / "run.json").read_text())
        [row] = command.rows("select run_id, scope is not null as partial from runs")
        assert (record["run_id"], record["partial"]) == (row["run_id"], row["partial"])
        assert record["partial"] is True
        assert record["parsers"]["faulty_parser@1"] == {"state": "ready", "reason": ""}
        assert {"machine", "commit", "dirty", "argv", "limits"} <= set(record)
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=local.ROOT, capture_output=True, text=True, check=True)
        assert record["commit"] == record["code"] == head.stdout.strip()

    def test_a_parser_that_does_not_load_is_named_and_has_no_rows(
        self, command: Command, documents: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is not ready, with its own words, and the run ends with exit code 1 as no parser was."""
        toml = command.services / "faulty_parser"
        broken = command.services / "broken_parser"
        broken.mkdir()
        for path in toml.iterdir():
            if path.is_file():
                (broken / path.name).write_bytes(path.read_bytes())
        (broken / "adapter.py").write_text("raise RuntimeError('the tool does not start')\n")
        code, _, err = command.run(*parse(documents, "--parsers", "broken_parser"))
        assert code == 1, err
        told = err[err.index("no parser was ready when the run ended:\n  broken_parser") :]
        assert ": unhealthy: " in told and "the tool does not start" in told
        [row] = command.rows("select state, reason from parsers")
        assert row["state"] == "unhealthy"
        assert "the tool does not start" in str(row["reason"])
        assert command.rows("select * from parses") == []

    @pytest.mark.parametrize("needs", ["", '[requires.a]\nprobe = ["no-such-program"]\nremedy = "make it"\n'])
    def test_a_licence_is_shown_once_whether_or_not_its_parser_is_ready(
        self, command: Command, documents: Path, needs: str
    ) -> None:
        """With what binds whoever uses it; one that is to be made ready is one that is to be shipped."""
        restricted = command.services / "restricted"
        restricted.mkdir()
        for path in (command.services / "faulty_parser").iterdir():
            if path.is_file():
                (restricted / path.name).write_bytes(path.read_bytes())
        toml = restricted / "parser.toml"
        lines = [line for line in toml.read_text().splitlines() if not line.startswith("licence")]
        toml.write_text("\n".join(['licence = "Custom"', 'licence_note = "ask its maker"', *lines, needs]))
        code, _, err = command.run(*parse(documents, "--parsers", "restricted", "--limit", "1"))
        assert code == bool(needs), err
        assert err.count("licence Custom (ask its maker)") == 1


def below() -> list[int]:
    """Every process below this one that has not ended."""
    return served.running(list(served.tree.descendants(os.getpid())))


def until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until a run has come so far."""
    end = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "the run did not come so far in two minutes"
        time.sleep(0.05)


@pytest.fixture(name="slow_documents")
def _slow_documents(documents: Path) -> Path:
    """A corpus whose documents take a moment each, so that a run can be ended in its middle."""
    for index in range(8):
        (documents / f"page{index}.html").write_text(f"fault: slow\n<html>{index}</html>")
    corpus.init(documents, replace=True)
    return documents


@pytest.fixture(name="orphans", autouse=True)
def _orphans() -> Iterator[None]:
    """Nothing a run started outlives its test."""
    served.adopt_orphans()
    before = set(below())
    yield
    assert served.eventually(lambda: set(below()) <= before)


class TestInterrupted:
    @pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_run_ended_in_its_middle_resumes_with_nothing_lost_or_doubled(
        self, command: Command, slow_documents: Path, how: signal.Signals
    ) -> None:
        """However it was ended: the rows that were there stay as they are, and the rest is added once."""
        others = set(below())
        process = command.start(*parse(slow_documents))
        until(command.has_stored, process)
        process.send_signal(how)
        _, err = process.communicate(timeout=60)
        if how != signal.SIGKILL:
            assert process.returncode == 130
            assert "the same command goes on from there" in err
        assert served.eventually(lambda: set(below()) <= others)
        before = command.rows("select document, started_at, artifact from parses order by document")
        assert 0 < len(before) < 8
        code, _, err = command.run(*parse(slow_documents))
        assert code == 0, err
        assert "resuming" in err
        after = command.rows("select document, started_at, artifact from parses order by document")
        assert len(after) == len({row["document"] for row in after}) == 8
        assert [row for row in after if row in before] == before
        assert len(command.rows("select * from runs where finished_at is not null")) == 1

    def test_a_closed_terminal_ends_a_run_like_ctrl_c(
        self, command: Command, slow_documents: Path, tmp_path: Path
    ) -> None:
        """Its windows gone, it has nowhere to write; it ends in order, and leaves no temporary file."""
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        arguments = [str(command.services), *parse(slow_documents), "--results", str(command.results)]
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(local.ROOT)
            os.environ["TMPDIR"] = str(temporary)
            os.execv(sys.executable, [sys.executable, "-m", "tests.orchestrator.drive", *arguments])
        while not command.has_stored():
            os.read(terminal, 1 << 16)
        os.close(terminal)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 130
        assert list(temporary.iterdir()) == []
        assert 0 < len(command.rows("select * from parses")) < 8

    def test_a_killed_run_leaves_no_temporary_files_for_long(
        self, command: Command, slow_documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The next run removes what is nobody's any more; neither is troubled by a long name of the folder."""
        temporary = tmp_path / ("temporary" * 12)
        temporary.mkdir()
        monkeypatch.setenv("TMPDIR", str(temporary))
        process = command.start(*parse(slow_documents))
        until(command.has_stored, process)
        process.kill()
        process.communicate()
        left = set(temporary.iterdir())
        assert left
        code, _, err = command.run(*parse(slow_documents))
        assert code == 0, err
        assert list(temporary.iterdir()) == []

    def test_a_run_that_ended_before_it_was_scored_is_scored_and_not_parsed_again(
        self, command: Command, documents: Path
    ) -> None:
        """However parsing and scoring came apart: what ``parse`` leaves is what a kill while scoring leaves."""
        code, _, err = command.run(*parse(documents))
        assert code == 0, err
        before = command.rows("select run_id, document, started_at from parses order by document")
        code, out, err = command.run("run", *parse(documents)[1:])
        assert code == 0, err
        assert "resuming" in err
        assert str(before[0]["run_id"]) in out
        assert command.rows("select run_id, document, started_at from parses order by document") == before
        assert len(command.rows("select * from scorings")) == 1


class TestRefused:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("--parsers", "nobody"), "unknown parser 'nobody'; known: faulty_parser@1"),
            (("--ids", "page0,nowhere"), "not in the manifest"),
            (("--timeout", "soon"), "is no time limit"),
            (("--memory", "lots"), "is no memory limit"),
            (("--run", "never"), "never"),
        ],
    )
    def test_what_cannot_be_is_said_before_anything_is_parsed(
        self, command: Command, documents: Path, arguments: tuple[str, ...], words: str
    ) -> None:
        """Exit code 2, one clear message, no rows."""
        code, _, err = command.run(*parse(documents, *arguments))
        assert code == 2, err
        assert words in err
        assert "Traceback" not in err

    def test_every_fault_of_a_corpus_is_listed_and_nothing_runs(self, command: Command, documents: Path) -> None:
        """A wrong digest, a missing file and an unknown format, all at once, by file and place."""
        manifest = json.loads((documents / "documents.json").read_text())
        manifest["documents"][0]["sha256"] = "0" * 64
        manifest["documents"][1]["path"] = "missing.html"
        manifest["documents"][2]["format"] = "odt"
        (documents / "documents.json").write_text(json.dumps(manifest))
        code, _, err = command.run(*parse(documents))
        assert code == 2
        assert "page0.html" in err
        assert "missing.html" in err
        assert "odt" in err
        assert not (command.results / "docassay.duckdb").exists()

    def test_a_results_folder_that_cannot_be_made_is_said_before_parsing(
        self, command: Command, documents: Path, tmp_path: Path
    ) -> None:
        """A file stands where the folder should be."""
        (tmp_path / "taken").write_text("")
        command.results = tmp_path / "taken" / "results"
        code, _, err = command.run(*parse(documents))
        assert code == 1
        assert "cannot be written" in err
        assert "--results" in err

    def test_a_second_run_in_one_folder_is_refused_while_the_first_goes_on(
        self, command: Command, slow_documents: Path
    ) -> None:
        """Two at once would disturb each other's clocks."""
        first = command.start(*parse(slow_documents))
        until(command.has_stored, first)
        code, _, err = command.run(*parse(slow_documents))
        assert code == 1
        assert "a run is going on" in err
        first.communicate(timeout=120)
        assert first.returncode == 0
        assert len(command.rows("select * from parses")) == 8

    def test_a_relative_results_folder_lies_where_the_user_stands(
        self, command: Command, documents: Path, tmp_path: Path
    ) -> None:
        """Not where the scorer runs."""
        arguments = [
            sys.executable,
            "-m",
            "tests.orchestrator.drive",
            command.services,
            *parse(documents, "--limit", "1"),
        ]
        done = subprocess.run(
            [*arguments, "--results", "mine"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(local.ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "mine" / "docassay.duckdb").is_file()

    def test_an_empty_list_of_names_does_not_mean_all(self, command: Command, documents: Path) -> None:
        """An unset variable of a shell must not start everything."""
        code, _, err = command.run(*parse(documents, "--ids", ""))
        assert code == 2
        assert "leave it out for all" in err
