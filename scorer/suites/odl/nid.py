"""NID, and NID-S without the tables: the Indel similarity of the two texts with whitespace collapsed.

Source: opendataloader-bench, reading-order evaluator. Markup and tags stay in, unlike the NID of bizdoc.
"""

import re

from scorer.suites.odl.similarity import Similarity, of_texts

__all__ = ["nid"]

_BEGIN, _END = (re.compile(tag, re.IGNORECASE) for tag in ("<table", "</table>"))


def nid(gold: str, predicted: str) -> tuple[Similarity, Similarity] | None:
    """Compare two texts whose pipe tables are HTML already; the pair is NID, NID-S, or None for an empty gold."""
    collapsed = _collapse(gold)
    if not collapsed:
        return None
    stripped, predicted_stripped = _collapse(_without_tables(gold)), _collapse(_without_tables(predicted))
    alone = of_texts(stripped, predicted_stripped) if stripped or predicted_stripped else Similarity(1.0, 1.0)
    return of_texts(collapsed, _collapse(predicted)), alone


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
