"""Several replicas behind one name: who they are, what each gets, and what happens when one dies."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from orchestrator import corpus, local, replicas
from orchestrator.plan import Task
from orchestrator.sharing import Share
from tests.orchestrator.command import Command
from tests.orchestrator.test_plan import document
from tests.orchestrator.test_run import below, until
from tests.services import served

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")


def found(*hosts: str) -> list[tuple[Any, ...]]:
    """What a resolver gives for a name, once a socket type as real ones do."""
    family = {True: socket.AF_INET6, False: socket.AF_INET}
    return [(family[":" in host], socket.SOCK_STREAM, 6, "", (host, 50051)) for host in hosts for _ in range(2)]


class TestAddresses:
    @pytest.mark.parametrize(
        ("hosts", "addresses"),
        [
            (("10.0.0.2",), ("parser:50051",)),
            (("10.0.0.2", "10.0.0.1"), ("10.0.0.1:50051", "10.0.0.2:50051")),
            (("10.0.0.1", "fe80::1"), ("parser:50051",)),
            (("10.0.0.1", "10.0.0.2", "fe80::1", "fe80::2"), ("10.0.0.1:50051", "10.0.0.2:50051")),
            (("fe80::2", "fe80::1"), ("[fe80::1]:50051", "[fe80::2]:50051")),
        ],
    )
    def test_every_address_of_one_family_is_a_replica(self, hosts: tuple[str, ...], addresses: tuple[str, ...]) -> None:
        """A machine with an address of each family is one replica, not two."""
        assert replicas.addresses("parser:50051", lambda *_, **__: found(*hosts)) == addresses
        assert replicas.resolved("parser:50051", lambda *_, **__: found(*hosts)) == addresses

    @pytest.mark.parametrize(
        ("text", "resolved"),
        [("unix:/tmp/s", ("unix:/tmp/s",)), ("parser", ("parser",)), ("nowhere.invalid:50051", ())],
    )
    def test_what_does_not_resolve_stays_as_it_is(self, text: str, resolved: tuple[str, ...]) -> None:
        """The call itself says what is wrong with it; whoever asks who is there is told that nobody is."""

        def refuse(*_: Any, **__: Any) -> list[tuple[Any, ...]]:
            raise socket.gaierror("unknown")

        assert replicas.addresses(text, refuse) == (text,)
        assert replicas.resolved(text, refuse) == resolved


TASKS = [Task(document(name), 1) for name in "abc"]


class TestShare:
    def test_a_task_that_was_given_back_comes_again_once(self) -> None:
        """The second loss is the document's own."""
        share = Share(TASKS, replicas=2)
        assert share.take() == TASKS[0]
        assert share.give_back(TASKS[0])
        assert share.take() == TASKS[0]
        assert not share.give_back(TASKS[0])

    def test_the_only_replica_gives_nothing_back(self) -> None:
        """There is nobody to try again."""
        share = Share(TASKS, replicas=1)
        share.take()
        assert not share.give_back(TASKS[0])

    def test_a_replica_with_nothing_left_waits_for_what_may_come_back(self) -> None:
        """The last document's replica may be lost when the others have nothing more to do."""
        share = Share(TASKS[:1], replicas=2)
        taken = share.take()
        got: list[Task | None] = []
        other = threading.Thread(target=lambda: got.append(share.take()))
        other.start()
        assert taken is not None
        assert share.give_back(taken)
        other.join(timeout=20)
        assert got == [taken]

    def test_all_waiting_replicas_leave_when_the_last_task_is_done(self) -> None:
        """Nothing may come back any more."""
        share = Share(TASKS[:1], replicas=2)
        share.take()
        got: list[Task | None] = []
        other = threading.Thread(target=lambda: got.append(share.take()))
        other.start()
        share.done()
        other.join(timeout=20)
        assert got == [None]
        assert share.finished

    def test_what_no_replica_was_left_to_take_is_named(self) -> None:
        """Such a document has been tried and is a crash; those never tried have no row."""
        share = Share(TASKS, replicas=2)
        share.take()
        share.take()
        assert share.give_back(TASKS[0])
        assert share.leave() == 1
        assert share.abandoned() == [TASKS[0]]


@pytest.fixture(name="servers")
def _servers(tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Three real servers of the faulty parser, one an address, on one port."""
    served.adopt_orphans()
    with socket.socket() as free:
        free.bind((HOSTS[0], 0))
        port = free.getsockname()[1]
    started = []
    for host in HOSTS:
        scratch = tmp_path / host
        scratch.mkdir()
        command = [sys.executable, "-m", "services.runtime.server", "--parser", str(served.FOLDER), "--version", "1"]
        command += ["--python", sys.executable, "--scratch", str(scratch), "--listen", f"{host}:{port}"]
        environment = {**os.environ, "PYTHONPATH": f"{local.ROOT}:{local.ROOT / 'proto'}"}
        started.append(subprocess.Popen(command, cwd=local.ROOT, env=environment, stderr=subprocess.DEVNULL))
    for host in HOSTS:
        with grpc.insecure_channel(f"{host}:{port}") as channel:
            grpc.channel_ready_future(channel).result(timeout=60)
    os.environ["DOCASSAY_TEST_REPLICAS"] = " ".join(HOSTS)
    os.environ["DOCASSAY_TEST_PORT"] = str(port)
    yield started
    del os.environ["DOCASSAY_TEST_REPLICAS"], os.environ["DOCASSAY_TEST_PORT"]
    for process in started:
        process.terminate()
    for process in started:
        process.wait(timeout=60)
    assert served.eventually(lambda: not below())


@pytest.fixture(name="command")
def _command(tmp_path: Path) -> Command:
    services = tmp_path / "services"
    services.mkdir()
    (services / "intake").symlink_to(local.SERVICES / "intake")
    return Command(services, tmp_path / "results")


def corpus_of(folder: Path, *texts: str) -> Path:
    folder.mkdir()
    for index, text in enumerate(texts):
        (folder / f"page{index}.html").write_text(f"{text}\n<html>{index}</html>")
    corpus.init(folder)
    return folder


def arguments(documents: Path) -> tuple[str, ...]:
    endpoint = f"faulty_parser=replicas.test:{os.environ['DOCASSAY_TEST_PORT']}"
    return ("parse", "--endpoint", endpoint, "--corpus", str(documents), "--timeout", "20", "--memory", "512MiB")


def flags_of(row: dict[str, object]) -> set[str]:
    """Take the flags out of a row, but for that of a machine which was busier at the end than at the beginning."""
    return set(row.pop("flags")) - {"drift"}  # type: ignore[call-overload]


class TestRun:
    def test_replicas_share_the_documents_and_the_run_says_so(
        self, command: Command, servers: list[subprocess.Popen[bytes]], tmp_path: Path
    ) -> None:
        """Each document has one row, three were worked on at a time, and the run is no exclusive one."""
        documents = corpus_of(tmp_path / "corpus", *["fault: slow"] * 9)
        code, _, err = command.run(*arguments(documents))
        assert code == 0, err
        assert "3 replicas" in err
        [row] = command.rows(
            "select count(*) as n, count(distinct document) as documents from parses where status='ok'"
        )
        assert row == {"n": 9, "documents": 9}
        [row] = command.rows("select exclusive, replicas, flags from runs join parsers using (run_id)")
        assert flags_of(row) == set()
        assert row == {"exclusive": False, "replicas": 3}
        # Three at once: while any document is worked on, two others of the nine are too, but for the ends.
        [row] = command.rows(
            "select count(*) as pairs from parses a join parses b on a.document < b.document"
            " and abs(epoch(a.started_at) - epoch(b.started_at)) < 1.5"
        )
        assert int(str(row["pairs"])) >= 9

    def test_a_replica_that_dies_costs_no_document(
        self, command: Command, servers: list[subprocess.Popen[bytes]], tmp_path: Path
    ) -> None:
        """Its document is parsed again by another, once, and the run says what was lost."""
        documents = corpus_of(tmp_path / "corpus", *["fault: slow"] * 8)
        process = command.start(*arguments(documents))
        until(lambda: len(list((command.results / "artifacts").glob("*/*.zst"))) >= 1, process)
        time.sleep(0.5)  # in the middle of the next document
        servers[1].send_signal(signal.SIGKILL)
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "another replica gets the document" in err
        assert f"lost the replica at {HOSTS[1]}" in err
        rows = command.rows("select document, status from parses order by document")
        assert [row["status"] for row in rows] == ["ok"] * 8
        assert len({row["document"] for row in rows}) == 8
        [row] = command.rows("select state, flags from parsers")
        assert flags_of(row) == {"replica_lost"}
        assert row == {"state": "ready"}

    def test_a_document_that_ends_services_ends_two_and_is_a_crash(
        self, command: Command, servers: list[subprocess.Popen[bytes]], tmp_path: Path
    ) -> None:
        """The third replica goes on with the others."""
        documents = corpus_of(tmp_path / "corpus", "fault: kill_server", *["good"] * 5)
        code, _, err = command.run(*arguments(documents))
        assert code == 0, err
        rows = command.rows("select document, status, reason from parses order by document")
        assert [row["status"] for row in rows] == ["crash", *["ok"] * 5]
        assert "the service was lost" in str(rows[0]["reason"])
        assert served.eventually(lambda: [server.poll() is None for server in servers].count(True) == 1)

    def test_when_all_are_lost_what_was_tried_is_a_crash_and_the_parser_is_flagged(
        self, command: Command, servers: list[subprocess.Popen[bytes]], tmp_path: Path
    ) -> None:
        """Two documents that end services leave none of three: both have a row, and nothing hangs."""
        documents = corpus_of(tmp_path / "corpus", *["fault: kill_server"] * 3)
        code, _, err = command.run(*arguments(documents))
        assert code == 1, err
        rows = command.rows("select status from parses")
        assert rows
        assert {row["status"] for row in rows} == {"crash"}
        [row] = command.rows("select state, reason, flags from parsers")
        assert row["state"] == "ready"
        assert "lost during the run" in str(row["reason"])
        assert flags_of(row) == {"lost", "replica_lost"}
