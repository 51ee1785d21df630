"""The Speed axis: pages per second on a logarithmic scale.

Source: BizDocBench, Speed; decisions R34 to R36 and R44 of docs/method/bizdoc.md.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FULL_SCORE_PAGES_PER_SECOND = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedParse:
    """One document of a parser: status word, format, pages (None: unknown) and parse seconds (None: not parsed)."""

    status: str
    format: str
    pages: int | None
    seconds: float | None

    def __post_init__(self) -> None:
        if self.status == "ok" and not (self.seconds is not None and math.isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"seconds of a parsed document must be finite and above 0, got {self.seconds}")
        if self.pages is not None and self.pages < 0:
            raise ValueError(f"pages must not be negative, got {self.pages}")


@dataclass(frozen=True, slots=True)
class Speed:
    """The score in 0..1, and pages per second: over all, mean of the documents' rates, and both for PDF alone."""

    speed: float
    pages_per_sec_aggregate: float | None
    pages_per_sec_mean: float | None
    pages_per_sec_aggregate_pdf: float | None
    pages_per_sec_mean_pdf: float | None


def speed(parses: Iterable[TimedParse]) -> Speed:
    """Score the documents a parser parsed; those it failed on, and those of unknown length, count nowhere."""
    counted = [parse for parse in parses if parse.status == "ok" and parse.pages is not None]
    aggregate, mean = _rates(counted)
    aggregate_pdf, mean_pdf = _rates([parse for parse in counted if parse.format == "pdf"])
    return Speed(score(aggregate), aggregate, mean, aggregate_pdf, mean_pdf)


def score(pages_per_second: float | None) -> float:
    """Return the axis score of a rate: 1 at 50 pages a second and beyond, 0 for none."""
    if pages_per_second is None:
        return 0.0
    return min(max(math.log10(1 + pages_per_second) / math.log10(1 + FULL_SCORE_PAGES_PER_SECOND), 0.0), 1.0)


def _rates(parses: Sequence[TimedParse]) -> tuple[float | None, float | None]:
    timed = [(parse.pages or 0, parse.seconds or 0.0) for parse in parses]
    if not timed:
        return None, None
    aggregate = math.fsum(pages for pages, _ in timed) / math.fsum(seconds for _, seconds in timed)
    return aggregate, math.fsum(pages / seconds for pages, seconds in timed) / len(timed)
