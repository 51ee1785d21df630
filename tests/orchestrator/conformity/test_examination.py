"""An examination finds each vice, at the points it belongs to and at no other."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from orchestrator import local, scaffolding
from orchestrator.conformity import POINTS, Subject, Verdict, documents, examine, limits
from tests.services import served

SLOW = """
import time


class Slow(Adapter):
    def parse(self, path: Path, format: str) -> Parsed:
        size = path.stat().st_size
        held = b"x" * (100 << 20 if size > 1 << 20 else 0)
        time.sleep(size / (3 << 20))
        return super().parse(path, format) if held is not None else None


Adapter = Slow
"""
"""A third of a second a MiB and 100 MiB for a large one, so that there is something to interrupt and to limit."""

VICES = {
    "none": set(),
    "not_serving": {"health"},
    "no_digest": {"describe"},
    "unsteady_description": {"describe"},
    "no_probes": {"warmup"},
    "unknown_lines": {"form"},
    "slow_to_let_go": set(),  # a run takes each document's chunks, so this is never before the next one's Started
    "works_before_started": {"marks"},
    "works_after_finished": {"marks"},
    "finished_late": {"marks"},
    "no_peak": {"figures"},
    "differs_each_time": {"repeatable"},
    "chunks_anything": {"chunks"},
    "silent_chunks": {"chunks"},
    "reads_outside_files": {"paths"},
    "undeclared_is_an_error": {"undeclared"},
    "takes_any_deadline": {"requests"},
    "refuses_empty": {"empty"},
    "refuses_noise": {"garbage"},
    "keeps_one_part": {"large_document"},
    "wide_slices": {"large_output"},
    "queues": {"one_at_a_time"},
    "stays_busy_when_left": {"given_up"},
    "deadline_ignored": {"deadline"},
    "timeouts_are_errors": {"deadline"},
    "memory_ignored": {"memory"},
    "no_reasons": {"statuses"},
    "empty_is_ok": {"empty", "statuses"},
    "unloads_once": {"unload"},
}


@pytest.fixture(name="parser", scope="module")
def _parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new parser's folder, made slow."""
    services = tmp_path_factory.mktemp("services")
    scaffolding.make("tardy", services)
    folder = services / "tardy"
    adapter = folder / "adapter.py"
    adapter.write_text(adapter.read_text() + SLOW)
    return folder


@contextlib.contextmanager
def serving(vice: str, parser: Path, folder: Path) -> Iterator[Subject]:
    served.adopt_orphans()
    socket = folder / "s"
    documents_folder = folder / "documents"
    documents_folder.mkdir()
    command = [sys.executable, "-m", "tests.orchestrator.conformity.bad_server", vice, "--parser", str(parser)]
    command += ["--version", scaffolding.VERSION, "--python", sys.executable, "--documents", str(documents_folder)]
    process = subprocess.Popen(
        [*command, "--listen", f"unix:{socket}"],
        cwd=local.ROOT,
        env={**os.environ, "PYTHONPATH": f"{local.ROOT}:{local.ROOT / 'proto'}"},
    )
    try:
        with grpc.insecure_channel(f"unix:{socket}") as channel:
            grpc.channel_ready_future(channel).result(timeout=60)
        with contextlib.closing(Subject(f"unix:{socket}", folder, shared=True)) as subject:
            yield subject
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0


@pytest.fixture(name="small", autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large is 2 MiB here: the messages are of full size, only fewer."""
    monkeypatch.setattr(documents, "LARGE_BYTES", 2 << 20)


class TestVices:
    @pytest.mark.parametrize("vice", VICES)
    def test_each_is_found_where_it_belongs_and_nowhere_else(self, vice: str, parser: Path, tmp_path: Path) -> None:
        """A service without vice holds at every point that can be shown."""
        with serving(vice, parser, tmp_path) as subject:
            findings = {finding.point: finding for finding in examine(subject)}
        assert list(findings) == [point.name for point in POINTS]
        failing = {name for name, finding in findings.items() if finding.verdict is Verdict.FAILS}
        assert failing == VICES[vice], {name: findings[name].words for name in failing ^ VICES[vice]}
        unproven = {name for name, finding in findings.items() if finding.verdict is Verdict.UNPROVEN}
        if vice == "none":
            assert unproven == {"unprivileged", "shutdown"}
        assert all(findings[name].words for name in failing | unproven)

    def test_a_parser_too_slow_for_all_of_a_long_document_is_not_made_to_read_it(
        self, parser: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The point is unproven, with what a part of the text took; the limits are shown by that part."""
        monkeypatch.setattr(documents, "LARGE_BYTES", 30 << 20)
        monkeypatch.setattr(limits, "_LONGEST_SECONDS", 1.0)
        with serving("none", parser, tmp_path) as subject:
            findings = {finding.point: finding for finding in examine(subject)}
        assert {name for name, finding in findings.items() if finding.verdict is Verdict.FAILS} == set()
        [words] = findings["large_output"].words
        assert findings["large_output"].verdict is Verdict.UNPROVEN
        assert "sixteen times as much text would take more than 1 s" in words
        assert {findings[name].verdict for name in ("given_up", "deadline", "memory")} == {Verdict.HOLDS}

    def test_a_parser_that_is_not_ready_is_examined_no_further(self, parser: Path, tmp_path: Path) -> None:
        """The rest is unproven, never taken to hold."""
        with serving("never_ready", parser, tmp_path) as subject:
            findings = {finding.point: finding for finding in examine(subject)}
        assert findings["warmup"].verdict is Verdict.FAILS
        assert "the weights are not there" in findings["warmup"].words[0]
        rest = [finding for name, finding in findings.items() if name not in ("health", "describe", "warmup")]
        assert {finding.verdict for finding in rest} == {Verdict.UNPROVEN}

    def test_a_service_that_answers_no_probe_is_examined_no_further(self, parser: Path, tmp_path: Path) -> None:
        """Each further question would take its whole deadline."""
        with serving("never_answers", parser, tmp_path) as subject:
            findings = {finding.point: finding for finding in examine(subject)}
        assert "nothing came" in findings["formats"].words[0]
        assert {name for name, finding in findings.items() if finding.verdict is Verdict.HOLDS} == {
            "health",
            "describe",
            "warmup",
        }

    def test_nothing_answers(self, tmp_path: Path) -> None:
        """The opening fails, with the words of the call."""
        with contextlib.closing(Subject("127.0.0.1:1", tmp_path)) as subject:
            findings = list(examine(subject))
        assert [finding.verdict for finding in findings[:3]] == [Verdict.FAILS] * 3
        assert all("UNAVAILABLE" in finding.words[0] for finding in findings[:3])
