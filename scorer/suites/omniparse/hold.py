"""Step around spans that a rewrite must not touch: take them out, leave placeholders, put them back.

The placeholders are private-use characters, which folding drops from every text.
"""

import re
from collections.abc import Iterator

from scorer.suites.omniparse.spans import Span, replaced

_OPEN, _CLOSE = "\ue000", "\ue001"
_HELD = re.compile(_OPEN + r"(\d+)" + _CLOSE)


def hold(text: str, spans: Iterator[Span], held: list[str]) -> str:
    """Replace each span of a text by a placeholder and append what it held to `held`."""

    def take(span: Span) -> str:
        held.append(text[span.start : span.end])
        return f"{_OPEN}{len(held) - 1}{_CLOSE}"

    return replaced(text, spans, take)


def release(text: str, held: list[str]) -> str:
    """Put back what `hold` took out; a placeholder that it did not leave stays."""

    def put_back(match: re.Match[str]) -> str:
        index = int(match[1])
        return held[index] if index < len(held) else match[0]

    return _HELD.sub(put_back, text) if held else text
