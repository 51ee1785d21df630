"""Table cells: their text form, the number they are when they are one, and when two of them agree.

Source: BizDocBench, Tables; decisions R18 to R21.
"""

import re
import unicodedata
from dataclasses import dataclass

from rapidfuzz import fuzz

SIMILARITY = 0.90
"""Texts agree from this similarity (``fuzz.ratio`` / 100) on."""

_SHIFT = {"k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9}
_SIGN = "[-+−–]"
_AMOUNT = (
    r"(?P<whole{0}>[0-9]{{1,3}}(?:,[0-9]{{3}})+|[0-9]{{1,3}}(?: [0-9]{{3}})+|[0-9]+|(?=\.))(?:\.(?P<part{0}>[0-9]+))?"
    r"(?: ?(?P<suffix{0}>bn|b|mn|m|k))?"
)
_PLAIN = re.compile(
    rf"(?P<sign>{_SIGN})?(?P<before>\$ ?)?(?P<inner>{_SIGN})?{_AMOUNT.format('')}(?: ?%)?(?P<after> ?\$)?"
)
_BRACKETED = re.compile(
    rf"(?P<before>\$ ?)?\( ?(?P<open>\$ ?)?{_AMOUNT.format('')}(?P<percent> ?%)?(?P<close> ?\$)? ?\)(?P<outer> ?%)?"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell ready to compare.

    Attributes:
        text: NFKC, whitespace collapsed, case folded.
        number: its exact value as a plain decimal string, None when the cell is text.
    """

    text: str
    number: str | None

    @property
    def normalised(self) -> str:
        """The form in which cells are counted: the number, or else the text."""
        return self.text if self.number is None else self.number


def prepare(cell: str) -> Cell:
    """Return the cell's text form and number."""
    text = " ".join(unicodedata.normalize("NFKC", cell).split()).casefold()
    return Cell(text, _number(text))


def agree(gold: Cell, tool: Cell) -> bool:
    """Return whether a tool's cell says what the gold's does: equal as numbers when both are, else alike as texts.

    Two unequal numbers never agree, however alike their digits. An empty gold cell agrees with an empty one only.
    """
    if gold.number is not None and tool.number is not None:
        return gold.number == tool.number
    if gold.text == tool.text:
        return True
    if not gold.text or not tool.text:
        return False
    return bool(fuzz.ratio(gold.text, tool.text, score_cutoff=100 * SIMILARITY - 0.01) / 100 >= SIMILARITY)


def contains(gold: Cell, tool: Cell) -> bool:
    """Return whether a tool's header cell holds the gold's text: agrees with it, or has it as a part.

    Two numbers only when equal, else 1 would be a part of 2021.
    """
    if gold.number is not None and tool.number is not None:
        return gold.number == tool.number
    return gold.text in tool.text or agree(gold, tool)


def _number(text: str) -> str | None:
    if not any("0" <= character <= "9" for character in text):
        return None
    # Every currency sign counts alike, so one of them stands for all.
    text = "".join("$" if unicodedata.category(character) == "Sc" else character for character in text)
    plain = _PLAIN.fullmatch(text)
    if plain:
        if (plain["sign"] and plain["inner"]) or (plain["before"] and plain["after"]):
            return None
        return _value(plain, negative=(plain["sign"] or plain["inner"] or "+") != "+")
    bracketed = _BRACKETED.fullmatch(text)
    if bracketed:
        signs = sum(bool(bracketed[group]) for group in ("before", "open", "close"))
        if signs > 1 or (bracketed["percent"] and bracketed["outer"]):
            return None
        return _value(bracketed, negative=True)
    return None


def _value(found: re.Match[str], *, negative: bool) -> str | None:
    """Return the exact value as text: no float, and no limit on the digits."""
    whole = found["whole"].replace(",", "").replace(" ", "")
    part = found["part"] or ""
    if not whole and not part:
        return None
    shift = _SHIFT[found["suffix"]] if found["suffix"] else 0
    part = part.ljust(shift, "0")
    whole, part = (whole + part[:shift]).lstrip("0") or "0", part[shift:].rstrip("0")
    value = f"{whole}.{part}" if part else whole
    return f"-{value}" if negative and value != "0" else value
