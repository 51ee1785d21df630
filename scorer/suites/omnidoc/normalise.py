"""What two texts, formulas or tables are stripped of before they are compared (v1.5).

Source: OmniDocBench v1.5, data preprocessing. Named quirks: SLASH_T, DELETED_WORDS.
"""

import html
import re
import unicodedata
from collections.abc import Iterator

from scorer.suites.markup import Closed, MarkupError, Opened, Text, closed, escaped, opened, read
from scorer.suites.omnidoc.latex_text import latex_to_text
from scorer.suites.omnidoc.stretches import delimited, without

__all__ = ["clean", "normalise_formula", "normalise_table", "normalise_text", "to_unicode"]

_INLINE = (("$", "$"), (r"\(", r"\)"))
_ESCAPES = tuple(f"\\{character}" for character in "\\_&%^")
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)))
_DROPPED_LITERALS = ("\\t", "\\n", "\t", "\n", "/t", "/n")
_NOT_WORD = re.compile(r"[^\w\u4e00-\u9fff]")

_WITH_ARGUMENT = (r"\tag{", r"\hspace{", r"\begin{", r"\end{", r"\arraycolsep")
_FORMULA_WORDS = (
    *r"\mathbf \mathrm \mathnormal \mathit \mathbb \mathcal \mathscr \mathfrak \mathsf \mathtt \textbf \text".split(),
    *r"\boldmath \boldsymbol \operatorname \bm \symbfit \mathbfcal \symbf \scriptscriptstyle \notag".split(),
    *r"\setlength \coloneqq \space \thickspace \thinspace \medspace \nobreakspace \negmedspace".split(),
    *r"\quad \qquad \enspace \substackw".split(),
    *(" ", "$$", r"\left", r"\right", r"\displaystyle", r"\text"),
)
"""In the order in which the method deletes them: `\text` twice, for what the words between leave behind."""
_TABLE_BEGIN = re.compile(r"<table\b", re.IGNORECASE)
_TABLE_END = re.compile(r"</table>", re.IGNORECASE)
_STYLES = ("align", "class", "height", "style", "width")
_STYLING = re.compile(rf' (?:{"|".join(_STYLES)})=".*?"')
_INLINE_TAGS = ("sup", "sub", "span", "div", "p")


def normalise_text(text: str) -> str:
    """Reduce a text to its word characters, inline formulas as unicode."""
    return clean(to_unicode(text))


def clean(text: str) -> str:
    """Drop everything but word characters and CJK; case and underscores stay."""
    for literal in _DROPPED_LITERALS:
        text = text.replace(literal, "")
    return _NOT_WORD.sub("", text)


def to_unicode(text: str) -> str:
    """Write inline formulas with a backslash, `^` or `_` as unicode; leave the others with their dollars."""
    return "\n".join(_unicode_line(line) for line in text.split("\n"))


def _unicode_line(line: str) -> str:
    parts: list[str] = []
    done = 0
    for (opening, closing), start, end in delimited(line, _INLINE):
        parts += [line[done:start], _unicode_formula(line[start:end], len(opening), len(closing))]
        done = end
    return "".join([*parts, line[done:]])


def _unicode_formula(formula: str, before: int, behind: int) -> str:
    """Write a formula, its marks included, as unicode."""
    latex = _ESCAPE.sub("", formula[before:-behind])
    if not any(character in latex for character in "\\^_"):
        return formula
    if latex.endswith("\\"):
        latex += " "
    try:
        return latex_to_text(latex).strip()
    except Exception:
        return formula


def normalise_formula(latex: str) -> str:
    """Strip a formula of delimiters, environments, font and spacing commands; lower its case."""
    text = latex.strip().strip("$").strip("\n")
    inside = _bracketed(text)
    text = text if inside is None else inside
    for opening in _WITH_ARGUMENT:
        if opening in text:
            text = "\n".join(without(line, opening, "}") for line in text.split("\n"))
    text = text.strip(".")
    for word in _FORMULA_WORDS:
        text = text.replace(word, "")
    return text.lower()


def _bracketed(latex: str) -> str | None:
    r"""Return what is inside of the first `\[…\]` on one line; `\\]` closes nothing."""
    for line in latex.split("\n"):
        start = line.find(r"\[")
        end = line.find(r"\]", start + 3)
        while end > 0 and line[end - 1] == "\\":
            end = line.find(r"\]", end + 1)
        if min(start, end) >= 0:
            return line[start + 2 : end].strip()
    return None


def normalise_table(markup: str) -> str:
    """Rewrite an HTML table bare of heads, styles and inline wrappers; '' for a text that has none.

    Raises `MarkupError` for one that cannot be read.
    """
    if "<table" not in markup.replace(" ", ""):
        return ""
    try:
        text = html.unescape("".join(_bare(markup))).replace("\n", "")
    except ValueError as fault:  # a character by a number of thousands of digits
        raise MarkupError(str(fault)) from fault
    text = unicodedata.normalize("NFKC", text).strip()
    text = _STYLING.sub("", _inside_table(text)).replace("<tbody>", "").replace("</tbody>", "")
    text = re.sub(r"\s+", " ", text)
    text = f'<html><body><table border="1" >{text}</table></body></html>'
    for tag in _INLINE_TAGS:
        text = text.replace(f"<{tag}>", "").replace(f"</{tag}>", "")
    return without(text, "<colgroup>", "</colgroup>")


def _inside_table(markup: str) -> str:
    """Return what stands between the first table's begin tag and the last end tag of any, whatever the case."""
    begin = _TABLE_BEGIN.search(markup)
    start = markup.find(">", begin.end()) + 1 if begin else 0
    end = max((found.start() for found in _TABLE_END.finditer(markup)), default=-1)
    return markup[start:end] if 0 < start <= end else ""


def _bare(markup: str) -> Iterator[str]:
    """Write a page anew: head cells as cells, without heads and spans, formulas as their alternative text."""
    in_formula = 0  # how many elements are open there
    for event in read(markup):
        if in_formula:
            in_formula += isinstance(event, Opened) - isinstance(event, Closed)
        elif isinstance(event, Text):
            yield event.written
        elif isinstance(event, Opened) and event.name == "math":
            yield escaped(f"${event.attributes.get('alttext', '')}$")
            in_formula = 1
        elif event.name == "th":
            yield (opened("td", event.attributes) if isinstance(event, Opened) else closed("td")).written
        elif event.name not in ("thead", "span"):
            yield event.written
