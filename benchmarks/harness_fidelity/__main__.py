"""Compare a parser's service with a bare script: ``python -m benchmarks.harness_fidelity --corpus DIR``.

Both arms are one warm process each, in the same environment, on the same CPUs: on this machine, or with
``--containers`` the service as compose locks it down and the script in an ordinary container of the same image. Every
document is parsed by one arm and at once by the other, the first arm alternating, so that drift of the machine falls on
both. Reported for each parser: whether the text's digest is the same, the median of the paired ratios of parse seconds
(service over bare), and the median ratio of peak memory. Exit code 1 when a bar is missed.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.harness_fidelity import container, here
from benchmarks.harness_fidelity.arms import Bare, Service
from orchestrator import local
from services.runtime import descriptor

Start = Callable[[str, Path, Path], AbstractContextManager[tuple[Bare, Service]]]

PARSERS = ("markitdown@0.1.9", "opendataloader@2.5.16", "docslicer@0.2.5")
RATIO_BAR = (0.98, 1.02)
MEMORY_BAR = 0.05
_LARGEST_BYTES = 600_000


def main() -> int:
    """Measure and report; 0 when every bar is held."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--corpus", type=Path, default=_corpus(), help="a corpus in docassay's layout")
    arguments.add_argument("--documents", type=int, default=20, help="how many documents a parser gets")
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--parsers", nargs="+", default=PARSERS)
    arguments.add_argument("--containers", action="store_true", help="compare in containers; the images must be there")
    options = arguments.parse_args()
    if options.corpus is None:
        arguments.error("name a corpus with --corpus, or set DOCASSAY_CORPUS")
    start = container.arms if options.containers else here.arms
    print(json.dumps({"cpus": sorted(os.sched_getaffinity(0)), "containers": options.containers}))
    results = []
    for name in options.parsers:
        results.append(_measure(name, start, options.corpus, options.documents, options.repeats))
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


def _measure(selector: str, start: Start, corpus: Path, count: int, repeats: int) -> dict[str, object]:
    formats = descriptor.read(local.SERVICES / selector.split("@")[0]).formats
    paths = _choose(corpus, formats, count)
    ratios: list[float] = []
    memory: list[float] = []
    digests: dict[str, tuple[set[str | None], set[str | None]]] = {path.name: (set(), set()) for path in paths}
    with (
        tempfile.TemporaryDirectory(prefix="fidelity-") as scratch,
        start(selector, corpus / "documents", Path(scratch)) as (bare, service),
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
