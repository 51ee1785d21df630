"""Inline markdown as the text a reader sees. One pass over the text, then one over its marks: linear, never raising."""

import html
import re
import string
from dataclasses import dataclass, field

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:[ \t]\"[^\"]*\")?\)")
LINES = frozenset(
    "address article aside blockquote br caption center dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hr li main menu nav ol p pre section summary table tbody td tfoot th thead tr "
    "ul".split()
)
"""HTML elements that stand on lines, or in cells, of their own: what they stand between are two words."""

_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*)?/?>")
_PUNCTUATION = frozenset(string.punctuation)
_SPECIAL = re.compile(r"[\\`<*_]")
_MARKED = re.compile(r"[\\`<*_\[&]")

_WINDOW = 2_000
"""Code points in which a code span or a comment must close."""


def plain(text: str, *, links: bool) -> str:
    """Return markdown without marks, tags, escapes and entities, spaces collapsed; a line break in HTML is a space.

    Args:
        text: one line of markdown.
        links: whether links and images become their text; otherwise they stay as they are.
    """
    if not _MARKED.search(text):
        return " ".join(text.split())
    if links:
        text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))  # twice: a link may hold an image
    bare = _Scanner(text).run()
    try:
        bare = html.unescape(bare)
    except ValueError:  # a character reference with thousands of digits is none
        pass
    return " ".join(bare.split())


@dataclass(slots=True)
class _Run:
    """A run of one emphasis mark; ``left`` of its characters have found no partner."""

    mark: str
    left: int
    opens: bool
    closes: bool


@dataclass(slots=True)
class _Scanner:
    text: str
    out: list[str | _Run] = field(default_factory=list)

    def run(self) -> str:
        """Return the text without its inline marks."""
        at = 0
        while found := _SPECIAL.search(self.text, at):
            self.out.append(self.text[at : found.start()])
            at = self._special(found.start())
        self.out.append(self.text[at:])
        _pair([piece for piece in self.out if isinstance(piece, _Run)])
        return "".join(piece if isinstance(piece, str) else piece.mark * piece.left for piece in self.out)

    def _special(self, at: int) -> int:
        """Take what begins here and return where it ends."""
        mark = self.text[at]
        if mark == "\\":
            escaped = self.text[at + 1 : at + 2]
            self.out.append(escaped if escaped in _PUNCTUATION else mark + escaped)
            return at + 1 + len(escaped)
        if mark == "<":
            return self._tag(at)
        end = at
        while self.text.startswith(mark, end):
            end += 1
        if mark == "`":
            return self._code(at, end)
        self.out.append(self._emphasis(mark, at, end))
        return end

    def _tag(self, at: int) -> int:
        if self.text.startswith("<!--", at) and (end := self._find("-->", at + 4)) >= 0:
            return end + 3
        if found := _TAG.match(self.text, at):
            if found[1].lower() in LINES:
                self.out.append(" ")
            return found.end()
        self.out.append("<")
        return at + 1

    def _code(self, at: int, end: int) -> int:
        """Take a code span: everything up to an equally long run of backticks, as it is."""
        fence = self.text[at:end]
        closing = self._find(fence, end)
        if closing < 0 or self.text.startswith("`", closing + len(fence)):
            self.out.append(fence)
            return end
        self.out.append(self.text[end:closing])
        return closing + len(fence)

    def _find(self, what: str, start: int) -> int:
        """Look for something further on, in a window: a text full of openings must not be searched whole for each."""
        return self.text.find(what, start, start + _WINDOW)

    def _emphasis(self, mark: str, at: int, end: int) -> _Run:
        before = self.text[at - 1] if at else " "
        after = self.text[end] if end < len(self.text) else " "
        # Flanking, as CommonMark has it: a mark opens before text and closes after text.
        opens = not after.isspace() and (after not in _PUNCTUATION or before.isspace() or before in _PUNCTUATION)
        closes = not before.isspace() and (before not in _PUNCTUATION or after.isspace() or after in _PUNCTUATION)
        if mark == "_":  # never inside a word
            opens, closes = opens and not before.isalnum(), closes and not after.isalnum()
        return _Run(mark, end - at, opens, closes)


def _pair(runs: list[_Run]) -> None:
    """Take away the marks that enclose something: each closing run with the nearest opening ones of its kind."""
    open_runs: dict[str, list[_Run]] = {"*": [], "_": []}
    for run in runs:
        waiting = open_runs[run.mark]
        while run.closes and run.left and waiting:
            used = min(run.left, waiting[-1].left)
            run.left -= used
            waiting[-1].left -= used
            if not waiting[-1].left:
                waiting.pop()
        if run.opens and run.left:
            waiting.append(run)
