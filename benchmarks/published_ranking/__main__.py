"""Lay a run beside a published ranking: ``python -m benchmarks.published_ranking PUBLISHED.json PARSER ...``.

PUBLISHED.json has ``columns`` (names of figures), ``rows`` (by tool, its figures in that order) and ``versions`` (by
tool); each PARSER is one of the run that stands for the published tool of its name. Prints the figures of both, then
each pair of parsers that the run orders the other way round than the publication, by composite and by axis: the gap
with its paired interval, whether it is beyond doubt (Holm's correction over all pairs of the headline), and the
documents without which the order is the published one.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from scorer.report import compare
from scorer.scoring import certainty
from scorer.scoring.score import SUITE, VERSION
from scorer.stats import Pair, Sums, bootstrap, pairs, undone_without
from scorer.store.database import FILE, Database
from scorer.suites.bizdoc.kpis import AXES
from scorer.suites.bizdoc.sums import COMPOSITE, headline, sums

HEADLINES = (COMPOSITE, *AXES)
_NAMED = 6
"""Documents named of those that undo an inversion; the rest is counted."""

_NEWEST = "select max(run_id) as run_id from scorings where suite = ?"
_MEASURED = """
select parser, any_value(l.pages_per_second) as pages_per_second,
    max(d.peak_memory_bytes) / 1048576.0 as peak_mib, median(d.peak_memory_bytes) / 1048576.0 as median_mib
from leaderboard l join document_parses d using (run_id, parser)
where l.run_id = ? and l.suite = ? and d.status = 'ok' group by parser
"""


@dataclass(frozen=True, slots=True)
class Published:
    """A published ranking: figures by tool and headline, and the versions that were measured."""

    figures: Mapping[str, Mapping[str, float]]
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Inversion:
    """A pair that the publication orders the other way round; ``pair.first`` is ahead in the run.

    ``undone_without`` are documents without which it is not; empty when none were found.
    """

    headline: str
    pair: Pair
    undone_without: tuple[str, ...]


def read(path: Path) -> Published:
    """Read a published ranking."""
    found = json.loads(path.read_text(encoding="utf-8"))
    figures = {tool: dict(zip(found["columns"], row, strict=True)) for tool, row in found["rows"].items()}
    return Published(figures, found["versions"])


def inversions(
    gathered: Sums, published: Mapping[str, Mapping[str, float]], tools: Mapping[str, str]
) -> list[Inversion]:
    """Return the pairs ordered the other way round, by headline in the order of ``HEADLINES``.

    Args:
        gathered: of the parsers, by KPI.
        published: figures by tool and headline.
        tools: the published tool that each parser stands for.
    """
    found = []
    for name in HEADLINES:
        part = headline(gathered, name)
        if not part.components:
            continue
        known = {(pair.first, pair.second): pair for pair in pairs(bootstrap(part))}
        for first, second in combinations(part.systems, 2):
            pair = known[first, second].higher_first()
            theirs = published[tools[pair.first]][name] - published[tools[pair.second]][name]
            if pair.gap > 0 > theirs:
                found.append(Inversion(name, pair, undone_without(part, pair.first, pair.second)))
    return found


def main() -> int:
    """Print the figures beside the published ones, then what is the other way round."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("published", type=Path, help="the published ranking")
    parser.add_argument("parsers", nargs="+", metavar="PARSER", help="name@version:setting, as the run has them")
    parser.add_argument("--results", type=Path, default=Path("results"), help="the folder of the store")
    parser.add_argument("--run", default="", help="the run's id; the newest scored one without")
    options = parser.parse_args()
    published = read(options.published)
    tools = {key: key.partition("@")[0] for key in options.parsers}
    if strange := [key for key, tool in tools.items() if tool not in published.figures]:
        parser.error(f"not published: {', '.join(strange)}; published are {', '.join(published.figures)}")
    database = Database(options.results / FILE, read_only=True)
    try:
        suite = f"{SUITE}@{VERSION}"
        if not (run_id := options.run or database.rows(_NEWEST, [suite])[0]["run_id"]):
            parser.error(f"no run in {options.results} was scored")
        run = compare.read(database, run_id, suite)
        if missing := [key for key in tools if key not in run.figures]:
            parser.error(f"run {run_id} has no scored {', '.join(missing)}; it has {', '.join(run.figures)}")
        measured = {row["parser"]: row for row in database.rows(_MEASURED, [run_id, suite])}
    finally:
        database.close()
    rows = {key: certainty.rows(run.given, key, run.figures[key]) for key in tools}
    gathered = sums(rows, weights=run.weights)
    print("\n".join(table(gathered, published, tools, measured)))
    print("\n".join(told(inversions(gathered, published.figures, tools))))
    return 0


def table(
    gathered: Sums, published: Published, tools: Mapping[str, str], measured: Mapping[str, Mapping[str, float]]
) -> Iterator[str]:
    """Yield a table of every parser's headlines, each ours / published, and of its speed and memory."""
    columns = ["parser", "published version", *HEADLINES, "pages/s", "peak MiB", "median MiB"]
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    ours = {name: headline(gathered, name).headlines() for name in HEADLINES}
    for place, system in sorted(enumerate(gathered.systems), key=lambda found: -ours[COMPOSITE][found[0]]):
        theirs, here = published.figures[tools[system]], measured[system]
        cells = [f"{ours[name][place]:.4f} / {theirs[name]:.4f}" for name in HEADLINES]
        speed = f"{here['pages_per_second']:.2f} / {theirs['pages_per_sec_aggregate']:.2f}"
        memory = [f"{here['peak_mib']:.0f}", f"{here['median_mib']:.0f}"]
        yield f"| {' | '.join([system, published.versions[tools[system]], *cells, speed, *memory])} |"


def told(found: Sequence[Inversion]) -> Iterator[str]:
    """Yield a line for each inversion."""
    for inversion in found:
        pair, low, high = inversion.pair, inversion.pair.interval.lower, inversion.pair.interval.upper
        without = inversion.undone_without
        named = ", ".join(without[:_NAMED]) + (f" and {len(without) - _NAMED} more" if len(without) > _NAMED else "")
        rests = f"the published order without {named}" if without else "no documents found that undo it"
        yield (
            f"{inversion.headline}: {pair.first} before {pair.second} by {pair.gap:.4f} [{low:.4f}, {high:.4f}], "
            f"{'beyond doubt' if pair.differs else 'not distinguishable'}; {rests}"
        )
    yield f"{len(found)} pairs are the other way round than published"


if __name__ == "__main__":
    sys.exit(main())
