"""Which rows of the record changed: of a parser that was recorded, or of a new version beside the one before it."""

from collections.abc import Iterator, Mapping

from benchmarks.probes.record import Record

_NONE: Mapping[str, str] = {}


def rows(before: Record, after: Record) -> Iterator[str]:
    """Yield a line a row that differs; what a new version does as the one before it did is no change.

    Args:
        before: the record that is there.
        after: the one that is to be written, each parser's newest version first.
    """
    for key, new in after.items():
        compared = key if key in before else _predecessor(key, before, after)
        old = before.get(compared, _NONE)
        name = key if compared in ("", key) else f"{key} (before: {compared})"
        if key not in before and old == new:
            yield f"{name}: no row differs"
        for probe in sorted({*old, *new}):
            if old.get(probe) != new.get(probe):
                yield f"{name}: {probe}: {old.get(probe, 'nothing')} -> {new.get(probe, 'nothing')}"
    for key in before:
        if key not in after:
            yield f"{key}: no longer recorded"


def _predecessor(key: str, before: Record, after: Record) -> str:
    """Return the version to lay a new one beside: the next older one that is kept, else one that it replaces."""
    name, setting = _of(key)
    order = [*after, *(other for other in before if other not in after)]
    older = order[order.index(key) + 1 :]
    return next((other for other in older if other in before and _of(other) == (name, setting)), "")


def _of(key: str) -> tuple[str, str]:
    """Return name and setting of ``name@version:setting``."""
    name, _, rest = key.partition("@")
    return name, rest.partition(":")[2]
