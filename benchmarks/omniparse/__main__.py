"""Grade the same pages with this suite and with the published package, and compare.

    python -m benchmarks.omniparse --peer PYTHON

PYTHON is the interpreter of an environment with `omni-parse-bench==1.0.0rc1`. Exits 1 when a verdict differs.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.omniparse import pages
from scorer.suites.omniparse import RC1, GoldError, grade
from scorer.suites.omniparse.gold import parse_test


def ours(page: dict[str, Any]) -> dict[str, Any]:
    """Return one page's verdicts and seconds, in the shape of `peer.grade`."""
    tests, refused = [], {}
    for test in page["tests"]:
        try:
            tests.append(parse_test(page["page_id"], test))
        except GoldError as error:
            refused[test["id"]] = str(error)
    started = time.process_time()
    verdicts = {v.id: [v.result, v.why] for v in grade(tests, page["prediction"], version=RC1)}
    return {"verdicts": verdicts, "seconds": time.process_time() - started, "refused": refused}


def compare(name: str, made: list[dict[str, Any]], peer: Path) -> int:
    """Grade pages both ways, print seconds and ratio, and return the number of verdicts that differ."""
    script = Path(__file__).with_name("peer.py")
    answer = subprocess.run(
        [str(peer), str(script)], input=pages.written(made), capture_output=True, text=True, check=True
    )
    theirs = [json.loads(line) for line in answer.stdout.splitlines()]
    different = crashed = graded = 0
    seconds = {"peer": 0.0, "ours": 0.0}
    for page, their in zip(made, theirs, strict=True):
        mine = ours(page)
        if "crash" in their:
            crashed += 1
            continue
        seconds["peer"] += their["seconds"]
        seconds["ours"] += mine["seconds"]
        graded += len(their["verdicts"])
        for kind in ("verdicts", "refused"):
            for test, verdict in their[kind].items():
                if mine[kind].get(test) != verdict:
                    different += 1
                    print(f"  {page['page_id']} {test}: expected {verdict!r}, got {mine[kind].get(test)!r}")
    print(
        f"{name}: {len(made)} pages, {graded} verdicts, {different} differ, {crashed} crash the peer; "
        f"peer {seconds['peer']:.3f} s, ours {seconds['ours']:.3f} s, "
        f"ratio {seconds['peer'] / max(seconds['ours'], 1e-9):.1f}"
    )
    return different


def main() -> int:
    """Run every comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutated", type=int, default=300)
    parser.add_argument("--skip-adversarial", action="store_true")
    options = parser.parse_args()
    different = compare("ordinary", list(pages.ordinary(100, seed=options.seed)), options.peer)
    different += compare("mutated", list(pages.mutated(options.mutated, seed=options.seed)), options.peer)
    if not options.skip_adversarial:
        for page in (pages.looping_present(), pages.looping_order(), pages.huge_spans()):
            different += compare(page["page_id"], [page], options.peer)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
