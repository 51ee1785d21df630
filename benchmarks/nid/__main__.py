"""Measure what nid and the quality axes cost: ``python -m benchmarks.nid``.

Each pair of texts is compared in a process of its own, so that its peak memory is its own. The plain computation is
only run at a size where it takes seconds; its cost grows with the square of the length, whatever the texts say, and
that is how it is carried over to the large pair. Recorded outputs are scored when DOCASSAY_ORACLES and DOCASSAY_CORPUS
name where they lie. The bars are CPU seconds of one core. Exit code 1 when one is missed.
"""

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.nid import measures

BAR_SECONDS = 60.0
BAR_BYTES = 500_000_000
BAR_MARKS_SECONDS = 0.1
BAR_CORPUS_SECONDS = 30.0

_LARGE = 5_000_000
_MIDDLE = 1_000_000
_PLAIN = 500_000
_SHARES = {"0.986": 0.0185, "0.93": 0.094, "0.78": 0.31}
_LARGE_SHARE = 0.0265


def main() -> int:
    """Measure, print JSON, and return 1 when a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nid", description=__doc__)
    parser.add_argument("--without-large", action="store_true", help="leave the pair of 5 million characters out")
    arguments = parser.parse_args()

    found: dict[str, Any] = {"plain": _apart(measures.plain, _PLAIN, _LARGE_SHARE)}
    missed: list[str] = []
    found["middle"] = {name: _apart(measures.pair, _MIDDLE, share) for name, share in _SHARES.items()}
    if not arguments.without_large:
        large = found["large"] = _apart(measures.pair, _LARGE, _LARGE_SHARE)
        large["plain_cpu_seconds_expected"] = found["plain"]["plain"]["cpu_seconds"] * (_LARGE / _PLAIN) ** 2
        large["times_faster"] = large["plain_cpu_seconds_expected"] / large["cpu_seconds"]
        missed += ["large"] * (
            large["bounded"] or large["cpu_seconds"] > BAR_SECONDS or large["peak_bytes"] > BAR_BYTES
        )
    found["unpaired_marks"] = _apart(measures.marks)
    missed += ["unpaired_marks"] * (found["unpaired_marks"]["cpu_seconds"] > BAR_MARKS_SECONDS)
    oracles, corpus = os.environ.get("DOCASSAY_ORACLES"), os.environ.get("DOCASSAY_CORPUS")
    if oracles and corpus:
        found["recorded_outputs"] = _apart(measures.recorded, oracles, corpus)
        missed += ["recorded_outputs"] * (found["recorded_outputs"]["cpu_seconds"] > BAR_CORPUS_SECONDS)
    else:
        found["recorded_outputs"] = "skipped: DOCASSAY_ORACLES and DOCASSAY_CORPUS are not both set"
    found["missed"] = missed
    print(json.dumps(found, indent=1))
    return bool(missed)


def _apart(measure: Callable[..., dict[str, Any]], *arguments: object) -> dict[str, Any]:
    """Run a measurement in a fresh process and return what it found."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments)


if __name__ == "__main__":
    sys.exit(main())
