"""Simulate coverage of the 95 % intervals: ``python -m benchmarks.coverage``.

Draws corpora of 9, 19, 77 and 2,343 documents from populations whose headline is known and counts how often each
interval holds it. Three populations: scores of one axis that crowd towards 1 (a beta distribution, skewed as parser
scores are); the mean of three axes of which each document has some, correlated within a document; yes/no tests in
documents of very different length, three families, a document's tests passing or failing together. Prints one line
for each population, size and interval: the share that hold the truth, and the mean width.
"""

import argparse
import math
import sys
from collections.abc import Callable

import numpy as np

from scorer.stats import FEW_DOCUMENTS, Interval, Sums, bootstrap
from scorer.stats.items import Floats

SIZES = (9, 19, 77, 2_343)


def skewed_axis(generator: np.random.Generator, documents: int) -> Sums:
    """One axis, scores beta(4, 1): truth 0.8."""
    return _sums(generator.beta(4, 1, (documents, 1)), np.ones((documents, 1)))


def three_axes(generator: np.random.Generator, documents: int) -> Sums:
    """Three axes sharing a document's difficulty, a third of the documents with one axis each less: truth 0.6."""
    difficulty = generator.uniform(-0.2, 0.2, (documents, 1))
    values = np.array([0.5, 0.6, 0.7]) + difficulty + generator.uniform(-0.2, 0.2, (documents, 3)) * 0.5
    present = np.ones((documents, 3))
    present[np.arange(documents), np.arange(documents) % 6 % 3] = (np.arange(documents) % 6 >= 3).astype(float)
    return _sums(np.clip(values, 0, 1) * present, present)


def tests_in_documents(generator: np.random.Generator, documents: int) -> Sums:
    """Three families, 1 to 20 tests a document and family, pass rate beta(3, 2) a document: truth 0.6."""
    rate = generator.beta(3, 2, (documents, 1))
    count = generator.integers(1, 21, (documents, 3))
    return _sums(generator.binomial(count, np.broadcast_to(rate, count.shape)).astype(float), count.astype(float))


POPULATIONS: dict[str, tuple[Callable[[np.random.Generator, int], Sums], float]] = {
    "skewed axis": (skewed_axis, 0.8),
    "three axes": (three_axes, 0.6),
    "tests in documents": (tests_in_documents, 0.6),
}


def _sums(total: Floats, count: Floats) -> Sums:
    documents, components = total.shape
    names = tuple(f"c{k}" for k in range(components))
    weights = np.ones(components)
    return Sums(("system",), tuple(map(str, range(documents))), names, total[None], count[None], weights)


def main() -> int:
    """Run every simulation and print its line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=1_000, help="corpora drawn for each line")
    parser.add_argument("--resamples", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| population | documents | interval | holds the truth | standard error | mean width |")
    print("|---|---|---|---|---|---|")
    for name, (population, truth) in POPULATIONS.items():
        for documents in SIZES:
            generator = np.random.default_rng((options.seed, documents))
            held: dict[str, list[bool]] = {}
            widths: dict[str, list[float]] = {}
            for corpus in range(options.corpora):
                made = bootstrap(population(generator, documents), resamples=options.resamples, seed=corpus)
                intervals: dict[str, Interval] = {"percentile": made.percentile()[0]}
                if documents < FEW_DOCUMENTS:
                    intervals |= {"BCa": made.bca()[0], "studentised": made.studentised()[0]}
                for kind, interval in intervals.items():
                    held.setdefault(kind, []).append(interval.lower <= truth <= interval.upper)
                    widths.setdefault(kind, []).append(interval.upper - interval.lower)
            for kind, hits in held.items():
                share = sum(hits) / len(hits)
                error = math.sqrt(share * (1 - share) / len(hits))
                width = sum(widths[kind]) / len(widths[kind])
                print(f"| {name} | {documents:,} | {kind} | {share:.1%} | {error:.1%} | {width:.4f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
