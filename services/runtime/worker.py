"""The process that holds the parser.

Runs in the parser's own environment as ``python -I worker.py``, with the standard library alone around the adapter.
It reads commands from one pipe and answers on another; both descriptors are kept from the parser's children, and the
parser's standard output and error are a file of the server's. The server may end it at any moment. Runs on Python 3.10
and newer.
"""

import ctypes
import gc
import importlib
import os
import signal
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, cast

_SERVICES = Path(__file__).resolve().parent.parent


def _open_services(*folders: Path) -> None:
    """Make ``services`` importable without putting this project's folder on the parser's import path."""
    package = sys.modules.setdefault("services", types.ModuleType("services"))
    package.__path__ = [str(_SERVICES), *map(str, folders)]


_open_services()

from services.runtime import chunker, form, frames, reasons  # noqa: E402  (the package is opened above)

_PR_SET_PDEATHSIG = 1


class NoText(Exception):
    """An adapter handed over something that is not text."""


class Adapter(Protocol):
    """What ``services/<parser>/adapter.py`` defines as its class ``Adapter``.

    Constructed with the setting's name (empty: the default). ``parse`` is timed and makes the tool's own text;
    ``collect`` reads the structure out of the tool's result and is not scored. The adapter of a tool that chunks also
    has ``chunk``, which takes what ``parse`` returned and gives an iterable of ``form.Chunk``; one whose weights are
    another server's has ``weights_digest``, as that server tells it.
    """

    def parse(self, path: Path, format: str) -> form.Parsed:
        """Parse one document; timed."""
        ...

    def collect(self, parsed: form.Parsed) -> form.Collected:
        """Read the structure; untimed."""
        ...


class Session:
    """The worker's side of the conversation with the server."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands = frames.Reader(commands)
        self._answers = answers
        self._adapter: Adapter | None = None
        self._parsed: form.Parsed | None = None
        self._process = os.getpid()
        self._start = _Surroundings()

    def run(self) -> None:
        """Answer commands until the pipe ends."""
        while (frame := self._commands.next()) is not None:
            command = frames.message(frame[1])
            match command["op"]:
                case "load":
                    self._load(Path(command["adapter"]), command["setting"])
                case "parse":
                    self._parse(Path(command["path"]), command["format"])
                case "chunk":
                    self._chunk()
                case "settle":
                    self._parsed = None
                    self._start.restore()
                    gc.collect()
                    self._say(op="settled")

    def _say(self, **message: Any) -> None:
        frames.write_message(self._answers, message)

    def _load(self, folder: Path, setting: str) -> None:
        begun = time.perf_counter()
        state, reason = "ready", ""
        try:
            _open_services(folder.parent)
            module = importlib.import_module(f"services.{folder.name}.adapter")
            self._adapter = cast(Adapter, module.Adapter(setting))
        except form.WeightsUnavailable as error:
            state, reason = "weights_unavailable", reasons.of(error, named=False)
        except form.RequirementMissing as error:
            state, reason = "requirement_missing", reasons.of(error, named=False)
        except BaseException as error:
            state, reason = "unhealthy", reasons.of(error)
        _only_here(self._process)
        self._start = _Surroundings()
        digest = getattr(self._adapter, "weights_digest", "")
        self._say(op="loaded", state=state, reason=reason, weights_digest=digest, seconds=time.perf_counter() - begun)

    def _parse(self, path: Path, format: str) -> None:
        assert self._adapter is not None, "the server loads before it parses"
        self._parsed = None
        status, reason, parsed = "ok", "", None
        self._say(op="started")
        begun = time.perf_counter()
        try:
            parsed = self._adapter.parse(path, format)
        except BaseException as error:
            seconds = time.perf_counter() - begun
            _only_here(self._process)
            status, reason = _failure(error)
        else:
            seconds = time.perf_counter() - begun
            _only_here(self._process)
        self._say(op="finished", seconds=seconds)
        repair, collect_seconds = form.Repair(), 0.0
        if status == "ok":
            begun = time.perf_counter()
            try:
                if not isinstance(parsed, form.Parsed) or not isinstance(parsed.text, str):
                    given = type(getattr(parsed, "text", parsed)).__name__
                    raise NoText(f"the tool returned {given} where its text was expected")
                self._send(form.output_lines(parsed, self._adapter.collect(parsed), repair))
            except NoText as error:
                status, reason = "error", reasons.of(error, named=False)
            except BaseException as error:
                _only_here(self._process)
                status, reason = _failure(error)
                reason = f"while reading the tool's result: {reason}"
            else:
                self._parsed = parsed
                if not parsed.text or parsed.text.isspace():
                    status, reason = "empty", "the tool returned no text"
            collect_seconds = time.perf_counter() - begun
        self._say(
            op="done",
            status=status,
            reason=reasons.of_document(reason, path),
            seconds=seconds,
            collect=collect_seconds,
            repaired=repair.count,
        )

    def _chunk(self) -> None:
        status, reason, repair = "ok", "", form.Repair()
        begun = time.perf_counter()
        if self._parsed is None:
            status, reason = "error", "no parsed document is held"
        else:
            native = getattr(self._adapter, "chunk", None)
            try:
                chunks = native(self._parsed) if native else chunker.chunk(self._parsed.text, self._parsed.text_format)
                self._send(form.chunk_lines(chunks, repair))
            except BaseException as error:
                _only_here(self._process)
                status, reason = _failure(error)
        self._say(
            op="chunked", status=status, reason=reason, seconds=time.perf_counter() - begun, repaired=repair.count
        )

    def _send(self, lines: Iterator[bytes]) -> None:
        """Send lines as output frames of at most a slice."""
        pending = bytearray()
        for line in lines:
            pending += line
            while len(pending) >= frames.SLICE:
                frames.write(self._answers, frames.Kind.OUTPUT, bytes(pending[: frames.SLICE]))
                del pending[: frames.SLICE]
        if pending:
            frames.write(self._answers, frames.Kind.OUTPUT, bytes(pending))


def _failure(error: BaseException) -> tuple[str, str]:
    """Return the status and reason that an exception of the tool stands for."""
    match error:
        case form.Unsupported():
            return "unsupported", reasons.of(error, named=False)
        case form.Encrypted():
            return "encrypted", reasons.of(error, named=False)
        case MemoryError():
            return "oom", "the parser ran out of memory"
        case _:
            return "error", reasons.of(error)


def _only_here(process: int) -> None:
    """End this process if it is a copy: a parser may fork and let the child return or raise out of its call."""
    if os.getpid() != process:
        os._exit(1)


class _Surroundings:
    """What a parser may change for the documents after it: folder, file mode mask, environment, standard streams."""

    def __init__(self) -> None:
        self._folder = os.environ.get("TMPDIR", "/")
        self._mask = os.umask(0o077)
        os.umask(self._mask)
        self._environment = dict(os.environ)
        self._streams = sys.stdin, sys.stdout, sys.stderr

    def restore(self) -> None:
        """Put everything back."""
        Path(self._folder).mkdir(parents=True, exist_ok=True)
        os.chdir(self._folder)
        os.umask(self._mask)
        if dict(os.environ) != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        sys.stdin, sys.stdout, sys.stderr = self._streams


def _prepare() -> None:
    """Be the first to go when memory runs out, and die with the server."""
    # Without permission (a locked-down container may refuse) the score stays as it is: only the order of death changes.
    try:
        Path("/proc/self/oom_score_adj").write_text("900")
    except OSError:
        pass
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def main() -> None:
    """Run the worker: ``worker.py COMMANDS ANSWERS`` with two inherited descriptors."""
    commands, answers = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(commands, False)
    os.set_inheritable(answers, False)
    _prepare()
    Session(commands, answers).run()


if __name__ == "__main__":
    main()
