"""Inline emphasis and code marks, taken off in time linear in the line.

A regular expression for paired marks tries every opener against the whole rest of the line, which on a line of unpaired
marks is quadratic. Here an opener pairs with the first closer after it, and closers are only ever looked for forwards.

Source: BizDocBench, Faithfulness; decision R17.
"""

import re

_CODE_RUN = re.compile(r"(?<![\\`])`+")
_DOUBLE_STAR = (re.compile(r"(?<!\\)\*\*(?=\S)"), re.compile(r"(?<=[^\s\\])\*\*"))
_DOUBLE_UNDERSCORE = (re.compile(r"(?<![\w\\])__(?=\S)"), re.compile(r"(?<=[^\s\\])__(?!\w)"))
_STAR = (re.compile(r"(?<![\\*])\*(?=[^\s*])"), re.compile(r"(?<=[^\s\\*])\*(?!\*)"))
_UNDERSCORE = (re.compile(r"(?<![\w\\])_(?=\S)"), re.compile(r"(?<=[^\s\\])_(?!\w)"))


def without_inline_marks(line: str) -> str:
    """Return one line without its paired marks: code first, then double and single stars and underscores."""
    if "`" in line:
        line = _without_code_marks(line)
    if "*" in line:
        line = _without_pairs(line, *_DOUBLE_STAR)
    if "_" in line:
        line = _without_pairs(line, *_DOUBLE_UNDERSCORE)
    if "*" in line:
        line = _without_pairs(line, *_STAR)
    if "_" in line:
        line = _without_pairs(line, *_UNDERSCORE)
    return line


def _without_pairs(line: str, opener: re.Pattern[str], closer: re.Pattern[str]) -> str:
    """Drop every opener with the first closer that leaves at least one character between them."""
    pieces: list[str] = []
    done = 0
    opened = opener.search(line)
    while opened:
        closed = closer.search(line, opened.end() + 1)
        # No closer ahead of this opener means none ahead of any later one.
        if not closed:
            break
        pieces += (line[done : opened.start()], line[opened.end() : closed.start()])
        done = closed.end()
        opened = opener.search(line, done)
    pieces.append(line[done:])
    return "".join(pieces)


def _without_code_marks(line: str) -> str:
    """Drop every run of backticks with the next run of the same length, when what is between them is not blank."""
    runs = [found.span() for found in _CODE_RUN.finditer(line)]
    following: list[int | None] = [None] * len(runs)
    latest: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        following[index] = latest.get(length)
        latest[length] = index
    pieces: list[str] = []
    done = index = 0
    while index < len(runs):
        start, end = runs[index]
        partner = following[index]
        if partner is not None and not line[end : runs[partner][0]].strip():
            partner = following[partner]
        if partner is None:
            index += 1
            continue
        pieces += (line[done:start], line[end : runs[partner][0]])
        done = runs[partner][1]
        index = partner + 1
    pieces.append(line[done:])
    return "".join(pieces)
