"""How long the statistics of published verdicts take: the leaderboard, its bootstrap, a difference-in-differences.

    python -m benchmarks.omniparse.leaderboard results.parquet

Prints processor seconds, the quickest of five, and the peak memory of the process. `tests.scorer.omniparse.made`
makes a file of the published one's shape and size.
"""

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path

from scorer.omniparse import leaderboard, read_published
from scorer.stats import bootstrap, differences, standings

ROUNDS = 5


def main() -> None:
    """Measure every step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    path = parser.parse_args().results
    published = read_published(path)
    items = published.items
    shape = f"{len(items.systems)} systems, {len(items.documents):,} documents, {items.values.shape[1]:,} tests"
    print(f"{items.values.size:,} verdicts: {shape}")
    sums = items.sums()
    chosen = next(tests for name, tests in published.attributes().items() if name.startswith("derivation:"))
    _report("read the file and rebuild the leaderboard", lambda: leaderboard(read_published(path)))
    _report("2,000 resamples of every headline", lambda: bootstrap(sums))
    _report("the same, with standings", lambda: standings(bootstrap(sums)))
    _report("difference-in-differences, 1,000 resamples", lambda: differences(items, chosen))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def _report(name: str, step: Callable[[], object]) -> None:
    seconds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        step()
        seconds.append(time.process_time() - started)
    print(f"{name}: {min(seconds):.2f} s")


if __name__ == "__main__":
    main()
