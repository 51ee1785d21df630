"""Memory of orchestrator and scorer while a parser returns 200 MB of text: ``python -m benchmarks.streaming_memory``.

Runs the command line over one document whose parser (the tests' faulty one) returns 200 MB, with gold for its content,
so that it is stored and scored. The process trees of orchestrator and scorer are read every 20 ms, the parser's service
left out. Prints the peaks in MiB as JSON.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from orchestrator import corpus, local
from services.runtime import tree

_TEXT = "fault: large\n<html></html>"


def main() -> None:
    """Parse, then score, each with its own peak."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        services, documents, results = folder / "services", folder / "corpus", folder / "results"
        services.mkdir()
        (services / "large_text").symlink_to(local.ROOT / "tests" / "services" / "faulty_parser")
        (services / "intake").symlink_to(local.SERVICES / "intake")
        (documents / "annotations" / "content").mkdir(parents=True)
        (documents / "large.html").write_text(_TEXT)
        (documents / "annotations" / "content" / "large.content.md").write_text("x" * 1000)
        corpus.init(documents)
        drive = [sys.executable, "-m", "tests.orchestrator.drive", str(services)]
        parse = _peaks([*drive, "parse", "--local", "--corpus", str(documents), "--results", str(results)])
        score = _peaks([*drive, "score", "--axis", "faithfulness", "--jobs", "1", "--results", str(results)])
        print(json.dumps({"parse": parse, "score": score}))


def _peaks(command: list[str]) -> dict[str, int]:
    """Return the highest resident memory of orchestrator, scorer, and both at once."""
    process = subprocess.Popen(command, cwd=local.ROOT, stdout=subprocess.DEVNULL)
    peaks = {"orchestrator": 0, "scorer": 0, "together": 0}
    while process.poll() is None:
        scorers = [pid for pid in tree.children(process.pid) if _is_scorer(pid)]
        own = tree.usage([process.pid]).resident
        scorer = tree.usage([each for pid in scorers for each in (pid, *tree.descendants(pid))]).resident
        for name, value in (("orchestrator", own), ("scorer", scorer), ("together", own + scorer)):
            peaks[name] = max(peaks[name], value >> 20)
        time.sleep(0.02)
    if process.returncode:
        raise SystemExit(f"{' '.join(command[3:5])} ended with {process.returncode}")
    return peaks


def _is_scorer(pid: int) -> bool:
    try:
        return b"scorer" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
