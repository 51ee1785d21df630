"""The character sets by which `fold` unifies typography, from Unicode's own names and ranges.

Source: OmniParseBench 1.0.0rc1, comparison form.
"""

import unicodedata
from collections.abc import Iterable, Iterator

from scorer.suites.omniparse.view import CHECKED, UNCHECKED

SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
BULLETS = "•‣◦▪▶∙●"
LEADERS = "._-=*·…–—"
DOUBLE_QUOTES = ("″", "‴", "‘‘", "’’", "``", "''")
"""What stands for one double quote before anything is normalised."""

ACUTE = "´"
# NFKD writes a spacing accent as a space and its combining mark, except these two, which are letters to Unicode.
COMBINING = {accent: unicodedata.normalize("NFKD", accent)[-1] for accent in "´¨˜˚¸˘˙˝"} | {
    "ˆ": unicodedata.lookup("COMBINING CIRCUMFLEX ACCENT"),
    "ˇ": unicodedata.lookup("COMBINING CARON"),
}
"""Spacing accents and the combining mark of each."""

UNCHANGED = (
    "¡-§©«¬®°±¶·»¿-ıĴ-ľŁ-ňŊ-žΆΈ-ΊΌΎ-ΡΣ-ώЀ-҂Ҋ-ԯ"  # Latin, Greek and Cyrillic letters, signs
    "\u0621-\u063a\u0641-\u064a\u05d0-\u05ea"  # Arabic and Hebrew letters
    "ぁ-ゖァ-ヺ\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"  # kana, ideographs, Hangul syllables
    "–—‘’“”•€→←☐☑☒★"
)
"""Ranges of characters, as in a set of a pattern, that normalising leaves as they are, whatever stands around them."""

_PRIVATE_USE = range(0xE000, 0xF900)
# Format characters that are printed, as signs before a number: Arabic, Syriac and Kaithi.
_PRINTED_FORMAT = frozenset(
    map(chr, (*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD))
)


def is_hidden(character: str) -> bool:
    """Tell whether a character prints nothing that is compared: private use, or a format control."""
    if ord(character) in _PRIVATE_USE:
        return True
    return unicodedata.category(character) == "Cf" and character not in _PRINTED_FORMAT


# Arrows by Unicode name, "{}" being the direction: a style in which the name exists for it counts as that arrow.
_DIRECTIONS = {"RIGHTWARDS": "→", "LEFTWARDS": "←", "UPWARDS": "↑", "DOWNWARDS": "↓"}
_STYLES = (
    *("{} DOUBLE ARROW", "{} DASHED ARROW", "{} WHITE ARROW", "{} BLACK ARROW", "{} BLACK CIRCLED WHITE ARROW"),
    *("{} TWO HEADED ARROW", "{} PAIRED ARROWS", "{} ARROW FROM BAR"),
    *("{} TRIANGLE-HEADED ARROW", "{} TRIANGLE-HEADED DASHED ARROW", "{} TRIANGLE-HEADED ARROW TO BAR"),
)
_LEVEL_STYLES = (
    *("{} TRIPLE ARROW", "{} SQUIGGLE ARROW", "{} OPEN-HEADED ARROW", "{} ARROW TO BAR", "DOWNWARDS ARROW WITH TIP {}"),
    *("{} ARROW WITH TAIL", "{} ARROW WITH HOOK", "{} ARROW WITH LOOP"),
    *("{} HARPOON WITH BARB UPWARDS", "{} HARPOON WITH BARB DOWNWARDS"),
    *("LONG {} ARROW", "LONG {} DOUBLE ARROW", "LONG {} ARROW FROM BAR", "LONG {} DOUBLE ARROW FROM BAR"),
)
_UPRIGHT_STYLES = (
    *("{} ARROW WITH DOUBLE STROKE", "{} HARPOON WITH BARB RIGHTWARDS", "{} HARPOON WITH BARB LEFTWARDS"),
)
_SINGLE_ARROWS = {
    "RIGHTWARDS WHITE ARROW FROM WALL": "→",
    "BLACK CURVED DOWNWARDS AND RIGHTWARDS ARROW": "→",
    "UPWARDS WHITE ARROW FROM BAR": "↑",
}
_DINGBAT_ARROWS = range(0x2794, 0x27BF)  # every arrow among them points right, some up or down as well


def _arrows() -> Iterator[tuple[str, str]]:
    for direction, arrow in _DIRECTIONS.items():
        own = _LEVEL_STYLES if arrow in "→←" else _UPRIGHT_STYLES
        for style in (*_STYLES, *own):
            yield unicodedata.lookup(style.format(direction)), arrow
    for name, arrow in _SINGLE_ARROWS.items():
        yield unicodedata.lookup(name), arrow
    for character in map(chr, _DINGBAT_ARROWS):
        if "ARROW" in unicodedata.name(character):
            yield character, "→"


def _each(characters: Iterable[str], meant: str) -> dict[str, str]:
    return dict.fromkeys(characters, meant)


BOXES = _each("☑☒■▣✓✔✗✘", CHECKED) | _each("☐□◻◼❏▢⬜", UNCHECKED)
"""Ticked and empty boxes, however drawn."""

_DASHES = (*map(chr, range(0x2010, 0x2016)), unicodedata.lookup("MINUS SIGN"))
# NFKC has been applied, so the spaces, the full-width forms, the ellipsis and the spacing acute are gone already.
TYPOGRAPHY = {
    **dict(_arrows()),
    **_each(_DASHES, "-"),
    **_each("‘’‚‛ʼ`′", "'"),
    **_each("“”„‟«»", '"'),
    **_each("⁄", "/"),
    **_each("。", "."),
    **_each("、", ","),
}
"""What is replaced one for one after normalising; no character that is put in is itself replaced."""
