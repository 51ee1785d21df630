"""Claims about published verdicts, and a published card, read from JSON files and checked against the verdicts.

A claim is `{"text": …}` with one of `"leads": {"system", "figure"}` (nobody is higher), `"ahead": {"system",
"of", "figure"}` and `"is": {"system", "figure", "per_cent"}` (to one decimal); without any, verdicts cannot tell. A
figure is `headline`, `pooled` or a family.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from scorer.omniparse.files import UnreadableError, read_json
from scorer.omniparse.leaderboard import FIGURES, is_published, leaderboard
from scorer.omniparse.published import Published

ClaimStatus = Literal["held", "did not hold", "not checkable"]

_KEYS = {"leads": ("system", "figure"), "ahead": ("system", "of", "figure"), "is": ("system", "figure", "per_cent")}

Card = Mapping[str, Mapping[str, float | None]]
"""A published leaderboard: system to figure to per cent, None where it has none."""


class ClaimError(ValueError):
    """A file of claims or a card that cannot be read; names the file, the place and what was found."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the published verdicts, and how to check it: None when the verdicts cannot tell."""

    text: str
    check: Callable[[Published], bool | None]


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim and what the verdicts say of it."""

    text: str
    status: ClaimStatus


def check_claims(published: Published, claims: Iterable[Claim]) -> list[CheckedClaim]:
    """Check each claim against the verdicts."""
    words: dict[bool | None, ClaimStatus] = {True: "held", False: "did not hold", None: "not checkable"}
    return [CheckedClaim(claim.text, words[claim.check(published)]) for claim in claims]


def read_claims(path: Path) -> list[Claim]:
    """Read a JSON list of claims.

    Raises:
        ClaimError: naming the place.
    """
    found = _read(path)
    if not isinstance(found, list):
        raise ClaimError(f"{path} holds {_shown(found)}, expected a list of claims")
    return [_claim(f"{path}, claim {number}", raw) for number, raw in enumerate(found, start=1)]


def read_card(path: Path) -> Card:
    """Read a JSON object of system to figure to per cent.

    Raises:
        ClaimError: naming the place.
    """
    found = _read(path)
    if not isinstance(found, dict):
        raise ClaimError(f"{path} holds {_shown(found)}, expected an object of systems")
    for system, figures in found.items():
        if not isinstance(figures, dict):
            raise ClaimError(f"{path}: {system} is {_shown(figures)}, expected an object of figures in per cent")
        for name, value in figures.items():
            if name not in FIGURES or not (value is None or _is_per_cent(value)):
                raise ClaimError(
                    f"{path}: {system} has {name} {_shown(value)}, expected one of {', '.join(FIGURES)} in per cent "
                    "(0 to 100), or null"
                )
    if not any(found.values()):
        raise ClaimError(
            f"{path} holds no figures, so nothing could be checked; expected systems with one of {', '.join(FIGURES)} "
            "in per cent"
        )
    return found


def _read(path: Path) -> Any:
    try:
        return read_json(path)
    except UnreadableError as error:
        raise ClaimError(f"{path} {error}") from None


def _claim(where: str, raw: Any) -> Claim:
    if not isinstance(raw, dict) or not isinstance(raw.get("text"), str):
        raise ClaimError(f"{where} is {_shown(raw)}, expected an object with a text")
    kinds = [kind for kind in raw if kind != "text"]
    if not kinds:
        return Claim(raw["text"], lambda _: None)
    kind = kinds[0]
    if len(kinds) > 1 or kind not in _KEYS:
        raise ClaimError(f"{where} has {', '.join(kinds)}, expected one of {', '.join(_KEYS)}")
    said = raw[kind]
    if not isinstance(said, dict) or set(said) != set(_KEYS[kind]) or said["figure"] not in FIGURES:
        keys = ", ".join(_KEYS[kind])
        raise ClaimError(f"{where}: {kind} is {_shown(said)}, expected {keys}, the figure one of {', '.join(FIGURES)}")
    for key, value in said.items():
        expected = "a number from 0 to 100" if key == "per_cent" else "a string"
        if not (_is_per_cent(value) if key == "per_cent" else isinstance(value, str)):
            raise ClaimError(f"{where}: {key} of {kind} is {_shown(value)}, expected {expected}")
    return Claim(raw["text"], lambda published: _holds(kind, said, published))


def _is_per_cent(value: Any) -> bool:
    """Tell a figure from what JSON or Python's reader of it also takes for a number: true, NaN, Infinity."""
    return type(value) in (int, float) and 0 <= value <= 100


def _holds(kind: str, said: Mapping[str, Any], published: Published) -> bool | None:
    figures = {entry.system: entry.figure(said["figure"]) for entry in leaderboard(published)}
    mine = figures.get(said["system"])
    if mine is None:
        return None
    match kind:
        case "leads":
            return all(mine >= other for other in figures.values() if other is not None)
        case "ahead":
            other = figures.get(said["of"])
            return None if other is None else mine > other
        case _:
            return is_published(mine, said["per_cent"])


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
