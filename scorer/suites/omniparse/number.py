"""Numbers digit for digit: strict on digits, decimal point, sign and percent, lenient on thousands separators.

Source: OmniParseBench 1.0.0rc1, number args.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer.suites.omniparse.content import Mark

if TYPE_CHECKING:
    from scorer.suites.omniparse.page import Page

_CURRENCIES = "$€£¥"
_MINUS_SIGNS = "-−–"
_POINTS = ".,"
_NARROW_SPACE = "\u202f"
_GROUP_MARKS = f"{_POINTS}{_NARROW_SPACE} "
_GROUP = 3
_UNIFIED = {"\u00a0": " ", _NARROW_SPACE: " ", "−": "-", "–": "-", "—": "-"}

_POINT = f"[{_POINTS}]"
_CURRENCY = f"[{_CURRENCIES}]"
_MARK = re.compile(f"[{_GROUP_MARKS}]")
# A number does not start within another; a minus is a sign only where it joins nothing to the number.
_NUMBER_STARTS = rf"(?<!\d)(?<!\d{_POINT})"
_SIGN = rf"(?<!\w)-(?=\d|{_CURRENCY})"
_LEAD = rf"(?:(?P<sign>{_SIGN})|\(\s?)?(?:{_CURRENCY}\s?)?"
_TAIL = r"(?P<percent>\s?%)?\)?(?!\d)"
_LONGEST_LEAD = 4  # a sign or a bracket with a space, a currency with a space


@dataclass(frozen=True, slots=True)
class Digits:
    """A parsed number: digits with "." as the decimal point, its sign, whether a percent sign follows.

    `written` is the number's body as it was given, separators included.
    """

    core: str
    negative: bool
    percent: bool
    written: str

    @property
    def lead(self) -> str:
        """The digits before the first place for a thousands separator."""
        whole = self.core.partition(".")[0]
        return whole[: len(whole) % _GROUP or _GROUP]


def parse_number(token: str) -> Digits | None:
    """Return the number a token writes, or None when it writes none or its separators can be read two ways."""
    body = token.strip()
    if body[-1:] and body[-1] in ".,;:":
        body = body[:-1]
    body = body.removeprefix("(").removesuffix(")")
    percent = body.endswith("%")
    body = body.removesuffix("%")
    negative = body.startswith(tuple(_MINUS_SIGNS))
    body = body[negative:]
    if body.startswith(tuple(_CURRENCIES)):
        body = body[1:]
    core = _core(body) if _is_grouped(body) else None
    return None if core is None else Digits(core, negative, percent, body)


def _is_grouped(body: str) -> bool:
    """Tell whether a body is digits with at most decimals, or digits in groups of three with at most decimals."""
    groups = _MARK.split(body)
    if not all(map(str.isdecimal, groups)):
        return False
    marks = _MARK.findall(body)
    has_decimals = bool(marks) and marks[-1] in _POINTS
    if len(groups) == 1 or (len(groups) == 2 and has_decimals):
        return True
    first, *middle, last = groups
    return (
        len(first) <= _GROUP and all(len(group) == _GROUP for group in middle) and (has_decimals or len(last) == _GROUP)
    )


def _core(body: str) -> str | None:
    """Return the digits of a body with "." before its decimals; None where a separator can be read two ways."""
    compact = body.replace(" ", "").replace(_NARROW_SPACE, "")
    points = [character for character in compact if character in _POINTS]
    *wholes, last = compact.replace(",", ".").split(".")
    whole = "".join(wholes)
    if not points:
        return last
    if len(points) > 1:
        is_decimal = points[-1] not in points[:-1] or len(last) in (1, 2)
    elif len(last) == _GROUP and whole != "0":
        if points == ["."]:
            return None
        is_decimal = False
    elif points == [","] and len(last) < _GROUP:
        return None
    else:
        is_decimal = True
    return f"{whole}.{last}" if is_decimal else whole + last


def clean(folded: str) -> str:
    """Return a folded text with the spaces and dashes that numbers use unified."""
    for written, unified in _UNIFIED.items():
        folded = folded.replace(written, unified)
    return folded


def find_number(token: str, page: Page) -> Mark:
    """Tell whether a page shows the number with its sign and percent; currency is ignored."""
    number = parse_number(token)
    if number is None:
        raise ValueError(f"{token!r} is no number: the gold it comes from was not checked")
    shown = [(hit["sign"] is not None, hit["percent"] is not None) for hit in hits(number, page.numeric)]
    if not shown:
        return False, f"{token!r} not found digit-for-digit"
    if any(negative == number.negative and percent >= number.percent for negative, percent in shown):
        return True, ""
    signs = {negative for negative, _ in shown}
    faults = []
    if signs == {not number.negative}:
        faults.append("sign lost" if number.negative else "sign added")
    if number.percent and not any(percent for _, percent in shown):
        faults.append("percent lost")
    return False, f"{token!r} present but {' / '.join(faults) or 'sign or percent differs'}"


def hits(number: Digits, text: str) -> Iterator[re.Match[str]]:
    """Yield where a cleaned text shows a number, trying only places from which its first digits can be reached."""
    pattern = number_pattern(number.core, number.written)
    tried, at = 0, text.find(number.lead)
    while at >= 0:
        for start in range(max(tried, at - _LONGEST_LEAD), at + 1):
            tried = start + 1
            if hit := pattern.match(text, start):
                yield hit
                tried = hit.end()
                break
        at = text.find(number.lead, max(at + 1, tried))


@functools.lru_cache(maxsize=4096)
def number_pattern(core: str, written: str) -> re.Pattern[str]:
    """Return the pattern of a number in a cleaned text: its digits in any grouping, or as they are written."""
    whole, _, decimals = core.partition(".")
    first = len(whole) % _GROUP
    groups = [whole[:first]] * bool(first) + [whole[at : at + _GROUP] for at in range(first, len(whole), _GROUP)]
    digits = f"[{_GROUP_MARKS}]?".join(groups)
    if written != core:
        digits = f"(?:{digits}|{re.escape(written)})"
    ending = f"{_POINT}{decimals}" if decimals else rf"(?!{_POINT}\d)"
    return re.compile(_NUMBER_STARTS + _LEAD + digits + ending + _TAIL)
