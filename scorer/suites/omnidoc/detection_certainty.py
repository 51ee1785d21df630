"""How sure the figures of a detection are: pages drawn anew, whole, and one left out at a time.

A mean average precision is no sum over pages, so its resamples are matched boxes counted anew (`Detected.figures`), and
the error that a paired test needs is the jackknife's. Source: Efron and Tibshirani, An Introduction to the Bootstrap
(1993), chapters 11 and 13.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from scorer.stats import DEFAULT_RESAMPLES, DEFAULT_SEED, Interval, Sums
from scorer.stats.linearisation import degrees_of_freedom, spread
from scorer.stats.resampling import annotation_strata, draws
from scorer.suites.omnidoc.detection import LEVELS, Detected

__all__ = ["Gap", "gaps", "intervals"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gap:
    """A figure of two detections of the same pages: second less first, its paired interval, and a two-sided p.

    None where the pages do not tell: a class rests on one page.
    """

    first: float
    second: float
    interval: Interval | None
    p: float


def intervals(
    detected: Detected, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED
) -> dict[str, Interval | None]:
    """Return every figure's 95 % interval; None where the pages say nothing of how it varies."""
    found: dict[str, Interval | None] = {}
    for part in _parts(detected):
        replicates = part.detected.figures(draws(part.strata, resamples=resamples, seed=seed))
        found |= {name: _ends(replicates[name]) if part.varies else None for name in part.figures}
    return found


def gaps(
    first: Detected, second: Detected, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED
) -> dict[str, Gap]:
    """Return every figure that both detections have, paired; they have the same pages, classes and gold."""
    pages = len(first.images)
    found = {}
    for parts in zip(_parts(first), _parts(second), strict=True):
        values, drawn, without = (
            [part.detected.figures(counts) for part in parts]
            for counts in (None, draws(parts[0].strata, resamples=resamples, seed=seed), 1.0 - np.eye(pages))
        )
        for name in parts[0].figures:
            before, after = (float(side[name][0]) for side in values)
            if not (np.isfinite(before) and np.isfinite(after)):
                continue
            known = parts[0].varies
            influence = (after - before - (without[1][name] - without[0][name])) * (pages - 1) / pages
            found[name] = Gap(
                before,
                after,
                _ends(drawn[1][name] - drawn[0][name]) if known else None,
                _p(after - before, influence, parts[0].strata) if known else 1.0,
            )
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """Figures that rest on the same classes: the detection of those, and how its pages are drawn.

    Pages are told apart by which of the classes they have gold of: drawn within, none is ever without gold. `varies`:
    no class rests on one page, and there are two pages to draw from.
    """

    detected: Detected
    figures: tuple[str, ...]

    @property
    def strata(self) -> NDArray[np.int64]:
        names = self.detected.classes.names()
        gold = np.array([[len(page) for page in self.detected.gold[name]] for name in names], dtype=np.float64).T[None]
        return annotation_strata(Sums(("gold",), self.detected.images, names, gold, gold, np.ones(len(names))))

    @property
    def varies(self) -> bool:
        pages = [sum(map(bool, self.detected.gold[name])) for name in self.detected.classes.names()]
        return 1 not in pages and any(pages) and bool((np.unique(self.strata, return_counts=True)[1] > 1).any())


def _parts(detected: Detected) -> list[_Part]:
    """Return every figure once: the means over all classes, those of a level, and each class alone."""
    names = detected.classes.names()
    of_class = {f"{name}_precision": (name,) for name in names}
    of_level = {level: members for level in LEVELS if (members := getattr(detected.classes, level))}
    means = tuple(name for name in detected.figures() if name not in of_class and name not in LEVELS)
    alone = [_Part(detected.only(members), (name,)) for name, members in (of_level | of_class).items()]
    return [_Part(detected, means), *alone]


def _ends(replicates: Floats) -> Interval | None:
    if not np.isfinite(replicates).all():
        return None
    lower, upper = np.quantile(replicates, (0.025, 0.975))
    return Interval(float(lower), float(upper))


def _p(gap: float, influence: Floats, strata: NDArray[np.int64]) -> float:
    """Return the two-sided p of a paired t-test on what each page adds to the gap."""
    error = float(spread(influence, strata))
    freedom = degrees_of_freedom(strata)
    if not np.isfinite(error) or freedom <= 0 or gap == 0:
        return 1.0
    if error <= 1e-12 * abs(gap):
        # of a page that is the only one of its kind nothing is known, and it may be all that differs
        sizes = np.bincount(strata)[strata]
        return 1.0 if bool((influence[sizes == 1] != 0).any()) else 0.0
    return float(2 * stdtr(freedom, -abs(gap) / error))
