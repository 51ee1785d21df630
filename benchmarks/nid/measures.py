"""The measurements, each run in a process of its own."""

import os
import resource
import time
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from benchmarks.nid.texts import edited, text
from scorer.conformance import bizdoc, report
from scorer.suites.bizdoc.faithfulness import similarity
from scorer.suites.bizdoc.text import normalise


def pair(characters: int, share: float) -> dict[str, Any]:
    """Compare a text with a copy of which this share of the characters was edited."""
    gold = text(characters, seed=1)
    pred = edited(gold, share, seed=2)
    started = time.perf_counter()
    found = similarity(gold, pred)
    return {
        "characters": characters,
        "nid": found.lower,
        "bounded": found.bounded,
        "seconds": time.perf_counter() - started,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def plain(characters: int, share: float) -> dict[str, Any]:
    """Compare a pair by the plain computation and by ours."""
    gold = text(characters, seed=1)
    pred = edited(gold, share, seed=2)
    started = time.perf_counter()
    expected = fuzz.ratio(gold, pred) / 100
    between = time.perf_counter()
    ours = similarity(gold, pred).lower
    seconds = time.perf_counter() - between
    return {
        "characters": characters,
        "plain_seconds": between - started,
        "seconds": seconds,
        "ratio": (between - started) / seconds,
        "difference": abs(expected - ours),
    }


def marks() -> dict[str, Any]:
    """Normalise 60,000 characters of stars that pair with nothing."""
    stars = "*a *a " * 10_000
    started = time.perf_counter()
    normalise(stars)
    return {"characters": len(stars), "seconds": time.perf_counter() - started}


def recorded(oracles: str, corpus: str) -> dict[str, Any]:
    """Score one parser's recorded outputs on every axis but retrieval, reading and preparing the gold too."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    started = time.perf_counter()
    outcome = report(bizdoc.verify(Path(oracles) / "bizdocbench/real/markitdown", corpus=Path(corpus) / "real"))
    return {
        "documents": outcome.passed + outcome.failed,
        "different_from_recorded": outcome.failed,
        "seconds": time.perf_counter() - started,
    }
