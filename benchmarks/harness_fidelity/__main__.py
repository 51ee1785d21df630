"""Compare the local service with a bare script: ``python -m benchmarks.harness_fidelity --corpus DIR``.

Both arms are one warm process each, in the same environment, on the same CPUs. Every document is parsed by one arm and
at once by the other, the first arm alternating, so that drift of the machine falls on both. Reported for each parser:
whether the text's digest is the same, the median of the paired ratios of parse seconds (service over bare), and the
median ratio of peak memory. Exit code 1 when a bar is missed.
"""

import argparse
import hashlib
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docassay.v1 import parser_pb2 as pb
from orchestrator import client, environments, local
from services.runtime import descriptor, tree
from services.runtime.supervisor import Supervisor
from services.runtime.watch import POLL_SECONDS

PARSERS = ("markitdown@0.1.9", "opendataloader@2.5.16", "docslicer@0.2.5")
RATIO_BAR = (0.98, 1.02)
MEMORY_BAR = 0.05
_MEMORY = 8 << 30
_SECONDS = 600.0
_LARGEST_BYTES = 600_000


@dataclass(frozen=True, slots=True)
class Measured:
    """One parse of one arm."""

    seconds: float
    digest: str | None
    peak_bytes: int


class Bare:
    """The bare script. Its time is taken with nobody watching; its memory in a pass of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def parse(self, path: Path) -> Measured:
        """Let the script parse one document."""
        assert self._process.stdin and self._process.stdout
        print(path, file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        return Measured(answer["seconds"], answer["digest"], 0)

    def peak(self, path: Path) -> int:
        """Return the peak memory in bytes of parsing one document, the tree read from outside."""
        pid, peak, done = self._process.pid, [0], threading.Event()

        def watch() -> None:
            while not done.wait(POLL_SECONDS):
                resident = tree.usage([pid, *tree.descendants(pid)]).resident
                peak[0] = max(peak[0], resident)

        tree.reset_peak(pid)
        watcher = threading.Thread(target=watch)
        watcher.start()
        self.parse(path)
        done.set()
        watcher.join()
        return max(peak[0], tree.peak(pid))


class Service:
    """The local service, timed by the caller's clock."""

    def __init__(self, parser: client.ParserClient) -> None:
        self._parser = parser

    def parse(self, path: Path) -> Measured:
        """Parse one document over gRPC."""
        header = pb.ParseHeader(
            document_id=path.stem,
            format=path.suffix[1:],
            deadline_seconds=_SECONDS,
            memory_bytes=_MEMORY,
            path=path.name,
        )
        with tempfile.TemporaryFile() as sink:
            answer = self._parser.parse(header, None, sink, timeout=2 * _SECONDS)
            sink.seek(0)
            pieces = [item["text"] for item in map(json.loads, sink) if item["kind"] == "text"]
        parsed = bool(answer.done.parse_id)
        if parsed:  # as a run does; the service lets go of the document afterwards
            self._parser.chunk(answer.done.parse_id, io.BytesIO(), timeout=_SECONDS)
        digest = hashlib.sha256("".join(pieces).encode()).hexdigest() if parsed else None
        return Measured(answer.marks.seconds or 0.0, digest, answer.done.peak_memory_bytes)


@contextmanager
def arms(selector: str, documents: Path, scratch: Path) -> Iterator[tuple[Bare, Service]]:
    """Start both arms of one parser."""
    name, version = selector.split("@")
    folder = local.SERVICES / name
    started = local.launch_parser(
        folder=folder, version=version, setting="", documents=documents, scratch=scratch, socket=scratch / f"{name}.s"
    )
    local.wait(started)
    parser = client.ParserClient(started.address)
    parser.warmup(seconds=_SECONDS, memory_bytes=_MEMORY, timeout=2 * _SECONDS)
    lock = descriptor.read(folder).lock(version)
    python = environments.python_of(lock, python=sys.executable, label=f"{name}-{version}")
    home = scratch / f"{name}-home"
    home.mkdir()
    environment = Supervisor(
        python=python, adapter=folder, setting="", environment=descriptor.read(folder).environment, scratch=scratch
    ).environment(home, home)
    process = subprocess.Popen(
        [python, "-I", Path(__file__).with_name("bare.py"), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
        cwd=home,
    )
    try:
        yield Bare(process), Service(parser)
    finally:
        assert process.stdin and process.stdout
        process.stdin.close()
        process.wait()
        process.stdout.close()
        parser.shutdown()
        parser.close()
        started.process.wait()


def main() -> int:
    """Measure and report; 0 when every bar is held."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--corpus", type=Path, default=_corpus(), help="a corpus in docassay's layout")
    arguments.add_argument("--documents", type=int, default=20, help="how many documents a parser gets")
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--parsers", nargs="+", default=PARSERS)
    options = arguments.parse_args()
    if options.corpus is None:
        arguments.error("name a corpus with --corpus, or set DOCASSAY_CORPUS")
    print(json.dumps({"cpus": sorted(os.sched_getaffinity(0))}))
    results = []
    for name in options.parsers:
        results.append(_measure(name, options.corpus, options.documents, options.repeats))
        print(json.dumps(results[-1]), flush=True)
    return 0 if all(result["held"] for result in results) else 1


def _corpus() -> Path | None:
    named = os.environ.get("DOCASSAY_CORPUS")
    return Path(named) / "real" if named else None


def _choose(corpus: Path, formats: tuple[str, ...], count: int) -> list[Path]:
    """Take documents evenly over the sizes of each format, the largest left out so that repeats take minutes.

    A format with few documents leaves its share to those with more.
    """
    entries = json.loads((corpus / "documents.json").read_text())["documents"]
    of_format = [
        sorted(
            (
                corpus / entry["path"]
                for entry in entries
                if entry["format"] == format and entry["bytes"] <= _LARGEST_BYTES
            ),
            key=lambda path: path.stat().st_size,
        )
        for format in formats
    ]
    chosen: list[Path] = []
    for index, paths in enumerate(sorted(of_format, key=len)):
        share = min(len(paths), (count - len(chosen)) // (len(of_format) - index))
        chosen += [paths[at * len(paths) // share] for at in range(share)]
    return chosen


def _measure(selector: str, corpus: Path, count: int, repeats: int) -> dict[str, object]:
    formats = descriptor.read(local.SERVICES / selector.split("@")[0]).formats
    paths = _choose(corpus, formats, count)
    ratios: list[float] = []
    memory: list[float] = []
    digests: dict[str, tuple[set[str | None], set[str | None]]] = {path.name: (set(), set()) for path in paths}
    with (
        tempfile.TemporaryDirectory(prefix="fidelity-") as scratch,
        arms(selector, corpus / "documents", Path(scratch)) as (bare, service),
    ):
        for path in paths:  # once unmeasured, so that both arms have imported all they will
            bare.parse(path)
            service.parse(path)
        for repeat in range(repeats):
            for index, path in enumerate(paths):
                if (repeat + index) % 2 == 0:
                    a, b = bare.parse(path), service.parse(path)
                else:
                    b, a = service.parse(path), bare.parse(path)
                ratios.append(b.seconds / a.seconds)
                digests[path.name][0].add(a.digest)
                digests[path.name][1].add(b.digest)
            print(f"{selector}: repeat {repeat + 1} of {repeats}", file=sys.stderr, flush=True)
        memory.extend(service.parse(path).peak_bytes / bare.peak(path) for path in paths)
    # A tool that gives one file several outputs by itself cannot be held to one here.
    unstable = sorted(name for name, (a, _) in digests.items() if len(a) > 1)
    differing = sorted(name for name, (a, b) in digests.items() if a != b and name not in unstable)
    ratio, peak = statistics.median(ratios), statistics.median(memory)
    return {
        "parser": selector,
        "documents": len(paths),
        "pairs": len(ratios),
        "differing_outputs": differing,
        "unstable_in_the_bare_script": unstable,
        "seconds_ratio_median": round(ratio, 4),
        "seconds_ratio_quartiles": [round(value, 4) for value in statistics.quantiles(ratios, n=4)],
        "peak_memory_ratio_median": round(peak, 4),
        "peak_memory_ratio_range": [round(min(memory), 4), round(max(memory), 4)],
        "held": not differing and RATIO_BAR[0] <= ratio <= RATIO_BAR[1] and abs(peak - 1) <= MEMORY_BAR,
    }


if __name__ == "__main__":
    sys.exit(main())
