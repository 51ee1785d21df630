"""What two texts, formulas or tables are stripped of before they are compared (v1.5).

Source: OmniDocBench v1.5, data preprocessing. Named quirks: SLASH_T, DELETED_WORDS.
"""

import html
import re
import unicodedata
from functools import lru_cache

from bs4 import BeautifulSoup
from pylatexenc.latex2text import LatexNodes2Text

from scorer.suites.omnidoc.stretches import without

__all__ = ["clean", "latex_to_text", "normalise_formula", "normalise_table", "normalise_text", "to_unicode"]

_INLINE = re.compile(r"\$(.*?)\$|\\\((.*?)\\\)")
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
_WHOLE_TABLE = re.compile(r"<table\b[^>]*>(.*)</table>", re.DOTALL | re.IGNORECASE)
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

    def rewrite(match: re.Match[str]) -> str:
        formula = _ESCAPE.sub("", match[1] if match[1] is not None else match[2])
        if not any(character in formula for character in "\\^_"):
            return match[0]
        if formula.endswith("\\"):
            formula += " "
        try:
            return latex_to_text(formula).strip()
        except Exception:
            return match[0]

    return _INLINE.sub(rewrite, text)


@lru_cache(maxsize=4096)
def latex_to_text(latex: str) -> str:
    """Convert LaTeX as pylatexenc does, whose releases 2.11 and 3.0a30 agree on all recorded cases."""
    return str(LatexNodes2Text().latex_to_text(latex))


def normalise_formula(latex: str) -> str:
    """Strip a formula of delimiters, environments, font and spacing commands; lower its case."""
    text = latex.strip().strip("$").strip("\n")
    inside = _bracketed(text)
    text = text if inside is None else inside
    for opening in _WITH_ARGUMENT:
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
    """Rewrite an HTML table bare of heads, styles and inline wrappers; '' for a text that has none."""
    if "<table" not in markup.replace(" ", ""):
        return ""
    soup = BeautifulSoup(markup, "html.parser")
    for cell in soup.find_all("th"):
        cell.name = "td"
    for head in soup.find_all("thead"):
        head.unwrap()
    for formula in soup.find_all("math"):
        formula.replace_with(f"${formula.get('alttext', '')}$")
    for span in soup.find_all("span"):
        span.unwrap()
    text = unicodedata.normalize("NFKC", html.unescape(str(soup)).replace("\n", "")).strip()
    text = "".join(_WHOLE_TABLE.findall(text))
    text = _STYLING.sub("", text).replace("<tbody>", "").replace("</tbody>", "")
    text = re.sub(r"\s+", " ", text)
    text = f'<html><body><table border="1" >{text}</table></body></html>'
    for tag in _INLINE_TAGS:
        text = text.replace(f"<{tag}>", "").replace(f"</{tag}>", "")
    return without(text, "<colgroup>", "</colgroup>")
