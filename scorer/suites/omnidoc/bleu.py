"""BLEU of a set of samples, gold as reference and prediction as candidate.

Source: Papineni et al. 2002, with the tokenisation of mteval-v13a; OmniDocBench v1.5 computes the same with the two
sides swapped, which this does not repeat.
"""

import html
import math
import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

__all__ = ["bleu"]

_ORDER = 4
_DIGITS = frozenset(string.digits)
_POINTS = frozenset(".,")
_MARKS = frozenset(string.punctuation) - _POINTS - frozenset("-'")
_ENTITIES = ("&quot;", "&amp;", "&lt;", "&gt;")
"""In the order in which they are read: an escaped `&lt;` is read twice."""


def bleu(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Return corpus BLEU-4 in 0..1, without smoothing."""
    pairs = [(_tokens(reference), _tokens(candidate)) for reference, candidate in zip(gold, predicted, strict=True)]
    logarithms = 0.0
    for order in range(1, _ORDER + 1):
        found = sum((_ngrams(candidate, order) & _ngrams(reference, order)).total() for reference, candidate in pairs)
        if not found:
            return 0.0
        logarithms += math.log(found / sum(max(len(candidate) - order + 1, 0) for _, candidate in pairs))
    reference_length, candidate_length = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
    brevity = min(0.0, 1 - reference_length / candidate_length)
    return math.exp(logarithms / _ORDER + brevity)


def _tokens(text: str) -> list[str]:
    """Cut a text as mteval-v13a does.

    Every ASCII punctuation mark is a token but the apostrophe, the hyphen (one behind a digit is), and the period and
    comma (those without a digit on either side are).
    """
    line = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity in _ENTITIES:
        line = line.replace(entity, html.unescape(entity))
    line = "".join(f" {character} " if character in _MARKS else character for character in f" {line} ")
    line = _rewritten(line, lambda a, b: f"{a} {b} " if a not in _DIGITS and b in _POINTS else None)
    line = _rewritten(line, lambda a, b: f" {a} {b}" if a in _POINTS and b not in _DIGITS else None)
    return _rewritten(line, lambda a, b: f"{a} {b} " if a in _DIGITS and b == "-" else None).split()


def _rewritten(line: str, rule: Callable[[str, str], str | None]) -> str:
    """Rewrite neighbours by a rule, from the left; a character takes part in one pair at most."""

    def pieces() -> Iterator[str]:
        at = 0
        while at < len(line):
            pair = rule(line[at], line[at + 1]) if at + 1 < len(line) else None
            yield line[at] if pair is None else pair
            at += 1 if pair is None else 2

    return "".join(pieces())


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))
