"""NID, and NID-S without the tables: the Indel similarity of the two texts with whitespace collapsed.

Source: opendataloader-bench, reading-order evaluator. Markup and tags stay in, unlike the NID of bizdoc.
"""

import re

from rapidfuzz import fuzz

__all__ = ["nid"]

_BEGIN, _END = (re.compile(tag, re.IGNORECASE) for tag in ("<table", "</table>"))


def nid(gold: str, predicted: str) -> tuple[float, float] | tuple[None, None]:
    """Compare two texts whose pipe tables are HTML already; the pair is NID, NID-S, or None twice for an empty gold."""
    collapsed = _collapse(gold)
    if not collapsed:
        return None, None
    whole = fuzz.ratio(collapsed, _collapse(predicted)) / 100.0
    stripped = fuzz.ratio(_collapse(_without_tables(gold)), _collapse(_without_tables(predicted))) / 100.0
    return whole, stripped


def _without_tables(text: str) -> str:
    """Put a space in the place of each table, from a begin tag to the nearest end tag."""
    parts: list[str] = []
    done = 0
    while begin := _BEGIN.search(text, done):
        closed = text.find(">", begin.end())
        end = _END.search(text, closed) if closed >= 0 else None
        if end is None:
            break
        parts += [text[done : begin.start()], " "]
        done = end.end()
    return "".join([*parts, text[done:]])


def _collapse(text: str) -> str:
    return " ".join(text.split())
