"""The Coverage axis: the share of the documents in scope that a parser parsed.

Source: BizDocBench, Coverage; decisions R38, R40, R42 and R49.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

PARSED = "ok"
"""The one status that counts as parsed: not an error, an unsupported format, empty output or an assisted parse."""

ASSISTED = "assisted"
"""The status of a document that someone else fetched or preprocessed before the parser could read it."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares in 0..1, None for an empty scope; ``by_format`` lists only the formats in scope, by name."""

    coverage: float | None
    by_format: dict[str, float]
    assisted_rate: float | None


def coverage(formats: Mapping[str, str], status: Mapping[str, str]) -> Coverage:
    """Score a parser's statuses.

    Args:
        formats: the format of every document in scope, by id.
        status: the status of every document the parser has a row for, by id. A document without one is not parsed; one
            out of scope is ignored.
    """
    parsed = [document for document in formats if status.get(document) == PARSED]
    assisted = sum(status.get(document) == ASSISTED for document in formats)
    in_scope = Counter(formats.values())
    parsed_by_format = Counter(formats[document] for document in parsed)
    return Coverage(
        coverage=len(parsed) / len(formats) if formats else None,
        by_format={name: parsed_by_format[name] / in_scope[name] for name in sorted(in_scope)},
        assisted_rate=assisted / len(formats) if formats else None,
    )
