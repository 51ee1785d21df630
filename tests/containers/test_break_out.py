"""A parser that tries to break out of its container, one attempt a document, in a real run under compose."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator import corpus
from scorer.store import query
from scorer.store.artifacts import Artifacts
from tests.containers import engine
from tests.containers.engine import Compose, docker

pytestmark = pytest.mark.docker

GOLD = "words-that-only-the-gold-has-7391"
OWNER = 12345
ORDINARY = "docassay-ordinary"
MEMORY = 1536 << 20
ROOT_FILES = (
    "/x",
    "/etc/x",
    "/usr/local/bin/x",
    "/docassay/x",
    "/docassay/services/burglar/adapter.py",
    "/opt/parser/x",
)


class Listener:
    """Somebody on the host who takes every connection, as a database or an engine's port would."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("0.0.0.0", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._take, daemon=True)
        self._thread.start()

    def _take(self) -> None:
        while True:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


class Attempts:
    """What became of every attempt: the row of its document, and what it got."""

    def __init__(self, results: Path) -> None:
        statement = "select document, status, reason, artifact from parses"
        self.rows = {row["document"].partition("-")[2]: row for row in query.table(results, statement).to_pylist()}
        self.results = results
        self._artifacts = Artifacts(results / "artifacts")

    def told(self, name: str) -> dict[str, Any]:
        """Return what an attempt said: ``got`` when it had success, ``stopped`` by which error when not."""
        row = self.rows[name]
        assert row["status"] == "ok", row
        with self._artifacts.open(row["artifact"]) as artifact:
            lines = artifact.read().splitlines()
        [text] = [item["text"] for item in map(json.loads, lines) if item["kind"] == "text"]
        answer: dict[str, Any] = json.loads(text)
        return answer


@pytest.fixture(scope="module", name="ordinary")
def _ordinary() -> Iterator[str]:
    """An ordinary network; gives the host's address in it."""
    engine.build()
    docker("network", "create", ORDINARY)
    try:
        yield docker("network", "inspect", ORDINARY, "-f", "{{(index .IPAM.Config 0).Gateway}}").stdout.strip()
    finally:
        docker("network", "rm", ORDINARY)


@pytest.fixture(scope="module", name="attempts")
def _attempts(ordinary: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attempts]:
    folder = tmp_path_factory.mktemp("burglary")
    results = folder / "results"
    results.mkdir()
    os.chown(results, OWNER, OWNER)
    documents = folder / "corpus"
    documents.mkdir()
    compose = Compose(
        "docassay-burglary",
        corpus=documents,
        results=results,
        files=("tests/containers/burglar/compose.yaml",),
        DOCASSAY_MEMORY=str(MEMORY),
    )
    docker(
        *("build", "-q", "-t", "docassay/burglar:1"),
        *("--build-arg", f"IMAGE={engine.image('markitdown')}", str(engine.ROOT / "tests/containers/burglar")),
    )
    listener = Listener()
    try:
        compose.done("up", "-d", "scorer", "intake", "markitdown", "burglar")
        write_corpus(documents, compose, ordinary, listener.port)
        compose.done("run", "--rm", "--no-deps", "orchestrator", "parse", "--parsers", "burglar", "--timeout", "15")
        yield Attempts(results)
    finally:
        listener.close()
        compose.down()


def write_corpus(folder: Path, compose: Compose, host: str, port: int) -> None:
    """One document an attempt, and after each of those that do harm one without fault."""
    gateway = compose.address("burglar").rpartition(".")[0] + ".1"
    attempts = {
        "scorer-by-name": "connect scorer 50051",
        "scorer-by-address": f"connect {compose.address('scorer')} 50051",
        "parser-by-name": "connect markitdown 50051",
        "parser-by-address": f"connect {compose.address('markitdown')} 50051",
        "gateway": f"connect {gateway} {port}",
        "host": f"connect {host} {port}",
        "outside-address": "connect 192.0.2.1 80",
        "outside-name": "resolve outside.example",
        "name-server": "ask_name_server 127.0.0.11",
        "gold": f"find {GOLD[::-1]}",
        "names": "documents",
        "write-root": f"write {' '.join(ROOT_FILES)}",
        "write-documents": "write /documents/x",
        "remount": "mount",
        "user-namespace": "new_user_namespace",
        "root": "become_root",
        "raw-socket": "raw_socket",
        "capability": "gain_capability",
        "privileges": "privileges",
        "fork-bomb": "fork_bomb",
        "fork-bomb-then": "others",
        "allocate": f"allocate {2 * MEMORY}",
        "allocate-then": "others",
        "fill-scratch": "fill_scratch",
        "fill-scratch-then": "others",
        "kill-server": "kill_server",
        "kill-server-then": "others",
        "stop-server": "stop_server",
        "stop-server-then": "others",
        "escape": "escape",
        "escape-then": "others",
        "terminate-server": "terminate_server",
        "terminate-server-then": "others",
        "terminate-first": "terminate_first",
        "terminate-first-then": "others",
        "call-shutdown": "call_shutdown",
        "call-shutdown-then": "others",
        "open-memory": "open_memory",
        "limit-server": "limit_server",
        "limit-server-then": "others",
        # Each as soon as the server is there again.
        **{f"kill-server-{number}": "kill_server" for number in range(4)},
        "kill-server-3-then": "others",
        "leave-files": "leave_files",
        "leave-files-strays": "strays",
        "leave-and-end": "leave_and_end",
        "leave-and-end-strays": "strays",
        "leave-and-kill": "leave_and_kill",
        "leave-and-kill-strays": "strays",
    }
    content = folder / "annotations" / "content"
    content.mkdir(parents=True)
    for index, (name, words) in enumerate(attempts.items()):  # the number keeps them in this order
        (folder / f"{index:02}-{name}.html").write_text(f"<html><body><p>{name}</p><p>try: {words}</p></body></html>")
        (content / f"{index:02}-{name}.content.md").write_text(f"# {GOLD}\n")
    corpus.init(folder)


def test_a_container_that_is_not_locked_down_reaches_the_host(ordinary: str) -> None:
    """The control: what the burglar fails at is possible here."""
    listener = Listener()
    try:
        program = f"import socket; socket.create_connection(('{ordinary}', {listener.port}), timeout=3)"
        docker(
            "run",
            "--rm",
            "--network",
            ORDINARY,
            "--entrypoint",
            "/opt/parser/bin/python",
            engine.image("markitdown"),
            "-c",
            program,
        )
    finally:
        listener.close()


class TestTheNetwork:
    @pytest.mark.parametrize(
        "name",
        [
            "scorer-by-name",
            "scorer-by-address",
            "parser-by-name",
            "parser-by-address",
            "gateway",
            "host",
            "outside-address",
        ],
    )
    def test_nobody_is_reached(self, attempts: Attempts, name: str) -> None:
        """Neither the scorer nor another parser nor the host nor anybody outside answers a parser."""
        assert "stopped" in attempts.told(name)

    def test_no_name_is_looked_up_outside(self, attempts: Attempts) -> None:
        """A name service would carry anything out, bit by bit."""
        assert "stopped" in attempts.told("outside-name")
        assert attempts.told("name-server").get("got", 0) == 0


class TestTheGold:
    def test_no_file_has_a_word_of_it(self, attempts: Attempts) -> None:
        """A parser that reads every file it can finds nothing of the gold."""
        assert attempts.told("gold") == {"got": []}

    def test_the_documents_names_tell_nothing(self, attempts: Attempts) -> None:
        """They are digests."""
        names = attempts.told("names")["got"]
        assert len(names) == len(attempts.rows) + 1
        assert all(name == "probe" or len(name.partition(".")[0]) == 32 for name in names)
        assert not any(document in name for name in names for document in attempts.rows)


class TestTheFiles:
    def test_the_root_cannot_be_written(self, attempts: Attempts) -> None:
        """Not even the parser's own code."""
        assert set(attempts.told("write-root")["got"].values()) == {"EROFS"}

    def test_the_documents_cannot_be_written(self, attempts: Attempts) -> None:
        """The next parser reads what this one read."""
        assert attempts.told("write-documents")["got"] == {"/documents/x": "EROFS"}


class TestPrivileges:
    @pytest.mark.parametrize("name", ["remount", "user-namespace", "root", "raw-socket", "capability"])
    def test_nothing_more_is_allowed(self, attempts: Attempts, name: str) -> None:
        """The kernel refuses what takes a capability, and every way to one."""
        assert attempts.told(name) == {"stopped": "EPERM"}

    def test_there_is_nothing_to_begin_with(self, attempts: Attempts) -> None:
        """No capability in any set, no way to new ones, not root, no program that runs as somebody else."""
        told = attempts.told("privileges")["got"]
        assert {told[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
        assert (told["NoNewPrivs"], told["Seccomp"], told["set_user_id"]) == ("1", "2", "")
        assert told["Uid"].split() == ["65532"] * 4


class TestTheLimits:
    def test_a_fork_bomb_ends_with_its_document(self, attempts: Attempts) -> None:
        """It fills its own container and nothing else, until its time is up or its many processes' memory is."""
        assert attempts.rows["fork-bomb"]["status"] in ("timeout", "oom")

    def test_memory_past_the_limit_is_refused_by_the_kernel(self, attempts: Attempts) -> None:
        """Also when it is taken in one step, faster than anybody looks."""
        row = attempts.rows["allocate"]
        assert row["status"] == "oom", row

    def test_a_parser_that_kills_its_server_costs_its_document(self, attempts: Attempts) -> None:
        """The service comes back."""
        row = attempts.rows["kill-server"]
        assert (row["status"], row["reason"][:20]) == ("crash", "the service was lost"), row

    def test_a_parser_that_stops_its_server_stops_it_for_seconds(self, attempts: Attempts) -> None:
        """The first process, which nothing in the container can stop, makes it go on; the document is answered."""
        assert attempts.told("stop-server") == {"got": "stopped it"}

    def test_scratch_space_ends(self, attempts: Attempts) -> None:
        """What a parser writes is bounded as its memory is."""
        assert attempts.told("fill-scratch") == {"stopped": "ENOSPC"}

    @pytest.mark.parametrize(
        "name",
        ["terminate-server", "limit-server", *(f"kill-server-{number}" for number in range(4)), "leave-and-kill"],
    )
    def test_a_server_that_the_parser_ended_comes_back(self, attempts: Attempts, name: str) -> None:
        """However it ended, and however soon again: the document is lost, the service and the run are not."""
        row = attempts.rows[name]
        assert (row["status"], row["reason"][:20]) == ("crash", "the service was lost"), row

    def test_nothing_inside_ends_the_container(self, attempts: Attempts) -> None:
        """Neither a signal to the first process nor the orchestrator's call."""
        assert attempts.told("terminate-first") == {"got": "signalled"}
        answer = attempts.told("call-shutdown")["got"]
        assert "grpc-status: 7" in answer and "ended from outside its container" in answer

    def test_no_memory_but_its_own_can_be_opened(self, attempts: Attempts) -> None:
        """The service and the first process run as the same user, and are closed to it."""
        assert attempts.told("open-memory") == {"got": {"first": "EACCES", "server": "EACCES"}}

    @pytest.mark.parametrize("name", ["leave-files", "leave-and-end", "leave-and-kill"])
    def test_no_file_or_memory_is_left(self, attempts: Attempts, name: str) -> None:
        """Not hidden, not in a folder that nobody may enter, not where it outlives every process."""
        assert attempts.told(f"{name}-strays") == {"got": []}

    @pytest.mark.parametrize(
        "name",
        [
            *("fork-bomb", "allocate", "fill-scratch", "kill-server", "stop-server", "escape", "terminate-server"),
            *("terminate-first", "call-shutdown", "limit-server", "kill-server-3"),
        ],
    )
    def test_the_next_document_is_answered_by_a_service_alone(self, attempts: Attempts, name: str) -> None:
        """The harm ends with its document: nothing that it started is left."""
        assert attempts.told(f"{name}-then") == {"got": []}


def test_the_results_belong_to_the_owner_of_their_folder(attempts: Attempts) -> None:
    """Neither root nor a user of the image leaves files that their reader may not remove."""
    assert {path.lstat().st_uid for path in attempts.results.rglob("*")} == {OWNER}
