"""Measure what the omnidoc and odl measures cost: ``python -m benchmarks.omnidoc``.

Prints JSON: for each piece of work the CPU seconds of this process and the programs it started, the bar, and the ratio
to the seconds recorded for the reference on the same input, or on input of the same size. The demo and the published
evaluations are read from the folder DOCASSAY_ORACLES names; without it, and without LaTeX, the work that needs them is
left out and said to be. Exit code 1 when a bar is missed.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from scorer.grading.omnidoc import grade_folder, load_pages, prediction_of
from scorer.renderers import FormulaRenderer, RendererError
from scorer.suites.odl import score_document
from scorer.suites.omnidoc.evaluation import evaluate, score_page
from scorer.suites.omnidoc.match import quick_match
from scorer.suites.omnidoc.page import match_page
from scorer.suites.teds import Node, edit_distance

_SEED = 20


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds taken, the bar, and how many times longer the reference took (None where it was not recorded)."""

    seconds: float
    bar: float
    times_faster: float | None


def main() -> int:
    """Measure, print JSON, and return 1 when a bar is missed."""
    argparse.ArgumentParser(prog="python -m benchmarks.omnidoc", description=__doc__).parse_args()
    found: dict[str, Measured | str] = {
        "TEDS 60 x 15": _measure(_tables(60, 15), bar=0.15, reference=66.5),
        "TEDS 200 x 20": _measure(_tables(200, 20), bar=2.5),
        "TEDS 500 x 20": _measure(_tables(500, 20), bar=15.0),
        "480 pieces against 40 blocks": _measure(_broken_page(), bar=0.5, reference=35.6),
    }
    oracles = os.environ.get("DOCASSAY_ORACLES")
    if oracles:
        found |= _recorded(Path(oracles))
    else:
        found["demo"] = "left out: DOCASSAY_ORACLES is not set"
    print(json.dumps({name: item if isinstance(item, str) else asdict(item) for name, item in found.items()}, indent=2))
    return int(any(isinstance(item, Measured) and item.seconds > item.bar for item in found.values()))


def _measure(work: Callable[[], object], *, bar: float, reference: float | None = None) -> Measured:
    start = _cpu_seconds()
    work()
    seconds = _cpu_seconds() - start
    return Measured(round(seconds, 4), bar, None if reference is None else round(reference / seconds, 1))


def _cpu_seconds() -> float:
    """Return what this process and those that it has seen end have used: unlike a clock, the same on a busy machine."""
    return sum(os.times()[:4])


def _tables(rows: int, columns: int) -> Callable[[], object]:
    source = random.Random(_SEED)

    def table() -> Node:
        return Node(
            "table",
            "",
            tuple(
                Node("tr", "", tuple(Node("td", "".join(source.choices("abcdef0123", k=6))) for _ in range(columns)))
                for _ in range(rows)
            ),
        )

    first, second = table(), table()
    return lambda: edit_distance(first, second)


def _broken_page() -> Callable[[], object]:
    source = random.Random(_SEED)
    words = ["".join(source.choices("etaoinshrdlu", k=source.randint(2, 9))) for _ in range(900)]
    lines = [["".join(source.choices(words, k=9)) for _ in range(12)] for _ in range(40)]
    gold = ["".join(block) for block in lines]
    pieces = ["".join(c if source.random() > 0.03 else "x" for c in line) for block in lines for line in block]
    return lambda: quick_match(gold, [False] * len(gold), pieces)


def _recorded(oracles: Path) -> dict[str, Measured | str]:
    demo = oracles / "omnidocbench" / "demo"
    gold, predicted = demo / "gt" / "OmniDocBench_demo.json", demo / "pred_md"
    pages = load_pages(gold)
    paths = [(page, prediction_of(page.image, predicted)) for page in pages]
    texts = [(page, path.read_text(encoding="utf-8")) for page, path in paths if path is not None]
    attributes = {page.image: page.attributes for page in pages}

    def demo_pages() -> object:
        return evaluate([score_page(match_page(page, text)) for page, text in texts], attributes)

    demo_pages()
    found: dict[str, Measured | str] = {"18 demo pages, warm": _measure(demo_pages, bar=0.7, reference=13.2)}
    bench = oracles / "opendataloader-bench"
    documents = sorted((bench / "ground-truth" / "markdown").glob("*.md"))
    engines = sorted(path for path in (bench / "prediction").iterdir() if path.is_dir())
    pairs = [
        (document.read_text(encoding="utf-8"), (engine / "markdown" / document.name).read_text(encoding="utf-8"))
        for engine in engines
        for document in documents
        if (engine / "markdown" / document.name).is_file()
    ]
    share = len(engines) / 7
    found[f"odl, {len(engines)} engines by {len(documents)} documents"] = _measure(
        lambda: [score_document(*pair) for pair in pairs], bar=8 * share, reference=233 * share
    )
    result = grade_folder(gold, predicted).files["display_formula_result.json"]
    formulas = [(row["gt"], row["pred"]) for row in result] if isinstance(result, list) else []
    return found | _cdm(formulas)


def _cdm(formulas: list[tuple[str, str]]) -> dict[str, Measured | str]:
    with tempfile.TemporaryDirectory() as cache:
        try:
            renderer = FormulaRenderer(cache=Path(cache), workers=2)
        except RendererError as fault:
            return {"CDM": f"left out: {fault}"}
        name = f"CDM of {len(formulas)} demo formulas"
        cold = _measure(lambda: renderer(formulas), bar=4.0, reference=91.0)
        kept = _measure(lambda: renderer(formulas), bar=0.3, reference=91.0)
    return {f"{name}, cold": cold, f"{name}, kept": kept}


if __name__ == "__main__":
    sys.exit(main())
