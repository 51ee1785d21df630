"""Which rows of the record changed: of a parser that was recorded, or of a new version beside the one before it."""

from collections.abc import Iterator, Mapping

from packaging.version import Version

from benchmarks.probes.record import Record

_NONE: Mapping[str, str] = {}


def rows(before: Record, after: Record) -> Iterator[str]:
    """Yield a line a row that differs; what a new version does as the one before it did is no change.

    Args:
        before: the record that is there.
        after: the one that is to be written.
    """
    for key, new in after.items():
        compared = key if key in before else _predecessor(key, before)
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


def _predecessor(key: str, before: Record) -> str:
    """Return the recorded version to lay a new one beside: the newest older one, kept or not; empty for none."""
    name, version, setting = _of(key)
    older = {_of(other)[1]: other for other in before if (name, setting) == _of(other)[::2] and _of(other)[1] < version}
    return older[max(older)] if older else ""


def _of(key: str) -> tuple[str, Version, str]:
    """Return name, version and setting of ``name@version:setting``."""
    name, _, rest = key.partition("@")
    version, _, setting = rest.partition(":")
    return name, Version(version), setting
