"""The measurements, each run in a process of its own."""

import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from benchmarks.nid.texts import edited, text
from scorer.conformance import bizdoc, report
from scorer.suites.bizdoc.faithfulness import similarity
from scorer.suites.bizdoc.text import normalise


@dataclass(frozen=True, slots=True)
class Clock:
    """Where the wall clock and this process's CPU clock stood, in seconds."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> "Clock":
        """Read both."""
        return cls(time.perf_counter(), time.process_time())

    def since(self) -> dict[str, float]:
        """Return what has passed: on a busy machine only the CPU's seconds say what the work cost."""
        now = Clock.now()
        return {"seconds": now.wall - self.wall, "cpu_seconds": now.cpu - self.cpu}


def pair(characters: int, share: float) -> dict[str, Any]:
    """Compare a text with a copy of which this share of the characters was edited."""
    gold = text(characters, seed=1)
    pred = edited(gold, share, seed=2)
    clock = Clock.now()
    found = similarity(gold, pred)
    return {
        "characters": characters,
        "nid": found.lower,
        "bounded": found.bounded,
        **clock.since(),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def plain(characters: int, share: float) -> dict[str, Any]:
    """Compare a pair by the plain computation and by ours."""
    gold = text(characters, seed=1)
    pred = edited(gold, share, seed=2)
    clock = Clock.now()
    expected = fuzz.ratio(gold, pred) / 100
    by_plain = clock.since()
    clock = Clock.now()
    found = similarity(gold, pred).lower
    by_ours = clock.since()
    return {
        "characters": characters,
        "plain": by_plain,
        "ours": by_ours,
        "ratio": by_plain["cpu_seconds"] / by_ours["cpu_seconds"],
        "difference": abs(expected - found),
    }


def marks() -> dict[str, Any]:
    """Normalise 60,000 characters of stars that pair with nothing."""
    stars = "*a *a " * 10_000
    clock = Clock.now()
    normalise(stars)
    return {"characters": len(stars), **clock.since()}


def recorded(oracles: str, corpus: str) -> dict[str, Any]:
    """Score one parser's recorded outputs on every axis but retrieval, reading and preparing the gold too."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    clock = Clock.now()
    outcome = report(bizdoc.verify(Path(oracles) / "bizdocbench/real/markitdown", corpus=Path(corpus) / "real"))
    return {
        "documents": outcome.passed + outcome.failed,
        "different_from_recorded": outcome.failed,
        **clock.since(),
    }
