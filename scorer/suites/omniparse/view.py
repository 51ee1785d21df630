"""What a reader sees in a page's HTML: a chain of rewrites from markup to text.

Source: OmniParseBench 1.0.0rc1, page view. The order of the rewrites is part of the method.
"""

import html
import re
from collections.abc import Callable, Iterator

from scorer.suites.omniparse.spans import Span, Spans, between, elements, replaced

CHECKED, UNCHECKED = "☒", "☐"

_LONGEST_SIGN = len("unchecked")

_BLOCKS = (
    *("table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"),
    *("ul", "ol", "li", "dl", "dt", "dd"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "blockquote", "br", "hr"),
    *("div", "section", "article", "aside", "header", "footer", "nav", "figure", "figcaption", "img"),
    *("form", "label", "select", "option", "textarea"),
)
_UNSEEN = ("script", "style", "head", "title")
# In matching without case these stand for i, s and k, which `str.lower` does not know.
_LOOKALIKES = {"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"}


def _tags(*names: str, start: str = "<") -> re.Pattern[str]:
    return re.compile(rf"{start}(?:{'|'.join(names)})\b[^<>]*>", re.I)


_MATH = between(r"<math\b[^<>]*>", "</math>")
_ANNOTATION = _tags("annotation")
_TEX = re.compile(r"""encoding=["']application/x-tex["']""", re.I)
_ANNOTATION_END = re.compile("</annotation>", re.I)
_BRACKET = re.compile("[<>]")
_ANY_TAG = re.compile("<[^<>]+>")

_LIST_TAG = _tags("ol", "ul", "li", start="</?")
_LIST_START = re.compile(r"""\bstart=["']?(\d{1,4000})""", re.I)  # more digits are no int
_INPUT_TAG = _tags("input")
_BOX_TYPE = re.compile(r"""\btype=["']?(?:checkbox|radio)""", re.I)
_CHECKED_WORD = re.compile(r"\bchecked\b", re.I)
_BOX_TAG = re.compile(r"<(?P<negation>un)?checked\s*/?>", re.I)

_COMMENTS = between("<!--", "-->")
_DOCTYPES = between("<!doctype", ">")
_UNSEEN_ELEMENTS = elements(*_UNSEEN)
_SUPERSCRIPT_TAG = _tags("sup")
_BLOCK_TAG = _tags(*_BLOCKS, start="</?")
# A tag starts with a letter and holds no stray bracket, so "P < 0.05" and "<name@host>" stay text.
_OTHER_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")


def text_view(markup: str, *, alt: bool = True) -> str:
    """Return the text of a page's HTML; without `alt`, image descriptions are left out ("seen")."""
    if "<" not in markup and "![" not in markup:
        return html.unescape(markup)
    text = markup
    openings = _openings(text)
    if "<math" in openings:
        text = _MATH.rewrite(text, _formula)
        openings = _openings(text)  # what was unescaped can be a tag
    if len(openings) > _SHORT or _ANY_SIGN.search(openings):
        for signs, rewrite in _STEPS[alt]:
            if any(sign in openings for sign in signs):
                text = rewrite(text)
    return html.unescape(_OTHER_TAG.sub("", _BLOCK_TAG.sub(" ", text)))


def _openings(text: str) -> str:
    """Return how everything that "<" opens begins, in lower case, and whether an image of markdown is there."""
    begins = [piece[:_LONGEST_SIGN] for piece in _lowered(text).split("<")]
    begins[0] = "![" if "![" in text else ""
    return "<".join(begins)


def _lowered(text: str) -> str:
    if not text.isascii():
        for character, letter in _LOOKALIKES.items():
            text = text.replace(character, letter)
    return text.lower()


def _formula(math: Span) -> str:
    body = math.body.strip()
    tex = _tex(body)
    if tex is None and "<" in body:
        return f" {html.unescape(_ANY_TAG.sub('', body))} "
    if tex is not None:
        body = html.unescape(tex)
    return f" $${body}$$ " if "block" in math.opening else f"${body}$"


def _tex(mathml: str) -> str | None:
    """Return the LaTeX that MathML carries as an annotation."""
    for annotation in _ANNOTATION.finditer(mathml):
        if _TEX.search(annotation[0]):
            end = _ANNOTATION_END.search(mathml, annotation.end())
            return mathml[annotation.end() : end.start()].strip() if end else None
    return None


def _numbered(text: str) -> str:
    """Write before each item of an ordered list the number a browser draws for it."""
    parts: list[str] = []
    done = 0
    following: list[int | None] = []  # of each open list, the number of its next item; None where items have none
    for tag in _LIST_TAG.finditer(text):
        inside = tag[0].lower()
        if inside.startswith(("</ol", "</ul")):
            del following[-1:]
        elif inside.startswith("<ul"):
            following.append(None)
        elif inside.startswith("<ol"):
            start = _LIST_START.search(tag[0])
            following.append(int(start[1]) if start else 1)
        elif not inside.startswith("</") and following and (number := following[-1]) is not None:
            parts += [text[done : tag.end()], f"{number}. "]
            done = tag.end()
            following[-1] = number + 1
    return "".join([*parts, text[done:]])


def _boxes(text: str) -> str:
    def box(tag: re.Match[str]) -> str:
        if not _BOX_TYPE.search(tag[0]):
            return tag[0]
        return f" {CHECKED if _CHECKED_WORD.search(tag[0]) else UNCHECKED} "

    return _INPUT_TAG.sub(box, text)


def _box_tags(text: str) -> str:
    return _BOX_TAG.sub(lambda tag: f" {UNCHECKED if tag['negation'] else CHECKED} ", text)


class _Valued:
    """Tags of one name that give an attribute in quotes, as spans whose body is its value.

    The value may hold angle brackets, so the tag is the one that closes first after it. Of several such
    attributes the first counts, or the last.
    """

    def __init__(self, tag: str, attribute: str, *, last: bool = False) -> None:
        self._tag = re.compile(rf"<{tag}\b", re.I)
        self._attribute = re.compile(rf"\b{attribute}=([\"'])", re.I)
        self._last = last

    def find(self, text: str) -> Iterator[Span]:
        """Yield the tags of a text."""
        at = 0
        while (opened := self._tag.search(text, at)) is not None:
            span = self._span(text, opened)
            at = opened.end() if span is None else span.end
            if span is not None:
                yield span

    def _span(self, text: str, opened: re.Match[str]) -> Span | None:
        bracket = _BRACKET.search(text, opened.end())
        until = bracket.start() if bracket else len(text)
        written = list(self._attribute.finditer(text, opened.end(), until))
        for attribute in reversed(written) if self._last else written:
            quoted = text.find(attribute[1], attribute.end())
            if quoted < 0:
                continue
            closed = bracket if quoted < until else _BRACKET.search(text, quoted)
            if closed is not None and closed[0] == ">":
                return Span(opened.start(), closed.end(), opened[0], text[attribute.end() : quoted])
        return None


_VALUED_INPUTS = _Valued("input", "value")
_DESCRIBED_IMAGES = _Valued("img", "alt", last=True)


def _markdown_images(text: str) -> Iterator[Span]:
    """Yield each `![description](address)`; the body is the description."""
    at = text.find("![")
    bracket = parenthesis = 0
    while at >= 0:
        if bracket < at + 2:
            bracket = text.find("]", at + 2)
        if bracket < 0:
            return
        if text.startswith("](", bracket):
            if parenthesis < bracket + 2:
                parenthesis = text.find(")", bracket + 2)
            if parenthesis < 0:
                return
            yield Span(at, parenthesis + 1, "![", text[at + 2 : bracket])
            at = text.find("![", parenthesis + 1)
        else:
            at = text.find("![", at + 2)


def _spaced(span: Span) -> str:
    return f" {span.body} "


def _space(_: Span) -> str:
    return " "


def _blanked(spans: Spans) -> Callable[[str], str]:
    return lambda text: spans.rewrite(text, _space)


def _steps(*, alt: bool) -> tuple[tuple[tuple[str, ...], Callable[[str], str]], ...]:
    """Return the rewrites after that of formulas, each with the signs of which a text must hold one to need it."""
    described = _spaced if alt else _space
    return (
        (("<ol",), _numbered),
        (("<input",), _boxes),
        (("<checked", "<unchecked"), _box_tags),
        (("<input",), lambda text: replaced(text, _VALUED_INPUTS.find(text), _spaced)),
        (("<img",), lambda text: replaced(text, _DESCRIBED_IMAGES.find(text), described)),
        (("![",), lambda text: replaced(text, _markdown_images(text), described)),
        (("<!--",), _blanked(_COMMENTS)),
        (("<!doctype",), _blanked(_DOCTYPES)),
        (tuple(f"<{name}" for name in _UNSEEN), _blanked(_UNSEEN_ELEMENTS)),
        (("<sup",), lambda text: _SUPERSCRIPT_TAG.sub(" ", text)),
    )


_STEPS = {alt: _steps(alt=alt) for alt in (True, False)}
_ANY_SIGN = re.compile("|".join(re.escape(sign) for signs, _ in _STEPS[True] for sign in signs))
_SHORT = 300
"""Up to so many characters of openings, as a cell has, a look for any sign at all is quicker than one for each."""
