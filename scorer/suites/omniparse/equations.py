"""Equations compared by what they render to, never by how their LaTeX is written.

`symbols` flattens KaTeX's MathML into a sequence of characters and structure marks; `find_equation` looks
for one sequence, unbroken, in the sequences of a page's math spans laid end to end.

Source: OmniParseBench 1.0.0rc1, latex args.
"""

import functools
import html
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scorer.suites.omniparse.content import Mark
from scorer.suites.omniparse.katex import katex
from scorer.suites.omniparse.spans import Closing, Spans

_NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"

# Symbols that are one: each character above in the form below it.
_ONE_FORM = str.maketrans(
    "⩽⩾∶∥∣\\′♯−⋅·∗⋆…ϵϑϕ",
    "≤≥:‖|∖'#-..**⋯εθφ",
) | {ord("≔"): ":=", ord("≕"): "=:"}
# Function application, invisible times, separator and plus; zero width space.
_INVISIBLE = frozenset("\u2061\u2062\u2063\u2064\u200b")
_KEPT_FONTS = ("double-struck", "script", "fraktur")

# Elements in which no symbol is seen, and elements that hold the symbols.
_SILENT = frozenset({"mspace", "mphantom", "annotation", "annotation-xml", "none", "mprescripts"})
_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms"})
# How elements with parts are laid out: structure marks, and the parts by their place among the children.
_Layout = tuple[str | int, ...]
_BELOW: _Layout = (0, "_(", 1, ")")
_ABOVE: _Layout = (0, "^(", 1, ")")
_BOTH: _Layout = (0, "_(", 1, ")", "^(", 2, ")")
_LAYOUTS: dict[str, _Layout] = {
    **dict.fromkeys(("msub", "munder"), _BELOW),
    **dict.fromkeys(("msup", "mover"), _ABOVE),
    **dict.fromkeys(("msubsup", "munderover"), _BOTH),
    "mfrac": ("frac(", 0, ",", 1, ")"),
    "mroot": ("root(", 1, ")(", 0, ")"),
}
_BINOMIAL: _Layout = ("binom(", 0, ",", 1, ")")
_ACCENT: _Layout = ("accent(", 1, ")(", 0, ")")
_NO_THICKNESS = ("0", "0px", "0em")

_CLOSINGS = {
    "$$": Closing(r"\$\$", 1),
    r"\[": Closing(r"\\\]", 1),
    r"\(": Closing(r"\\\)", 1),
    "$": Closing(r"\$"),
}
_MATH_END = Closing("</math>")
_TAG = re.compile("<[^<>]+>")


def _is_math(opened: re.Match[str], end: int) -> bool:
    """Refuse what single dollars enclose by chance: escaped, next to another, across lines, spaced at an edge."""
    if opened[0] != "$":
        return True
    before, body = opened.string[max(0, opened.start() - 1) : opened.start()], opened.string[opened.end() : end]
    return before not in ("\\", "$") and "\n" not in body and body != "" and body == body.strip()


_MATH = Spans(r"\$\$?|\\[\[(]|<math\b[^<>]*>", lambda opening: _CLOSINGS.get(opening, _MATH_END), accepts=_is_math)

_NEGATION = "\u0338"
_BOUNDARY = "\ue000"
_FIRST_CODE, _CODES = 0xF0000, 0x20000  # the planes for private use
_PUNCTUATION = frozenset(",;.")


@dataclass(frozen=True, slots=True)
class PageMath:
    """A page's math: each symbol coded as one character, spans joined by a boundary, and the code."""

    coded: str
    symbols: int
    code: dict[str, str]


def page_math(markup: str) -> PageMath:
    """Read every math span of a page's raw HTML, attributes and comments included."""
    code: dict[str, str] = {}
    spans = [_span_symbols(body, display) for body, display in math_spans(markup)]
    coded = _BOUNDARY.join(_coded(span, code) for span in spans)
    return PageMath(coded, sum(map(len, spans)), code)


def find_equation(latex: str, math: PageMath) -> Mark:
    """Tell whether the equation is in the page's math; a span boundary may stand for its punctuation."""
    wanted = symbols(latex, display=True)
    if wanted is None:
        return False, "KaTeX cannot render the test's own LaTeX"
    if not wanted:
        return True, ""
    if not math.symbols:
        return False, "no math in the output"
    code = dict(math.code)
    pieces = []
    for symbol in wanted:
        character = _coded((symbol,), code)
        pieces.append(f"[{character}{_BOUNDARY}]" if symbol in _PUNCTUATION else character)
    if re.search(f"{_BOUNDARY}*".join(pieces), math.coded):
        return True, ""
    return False, f"equation not found ({len(wanted)} symbols; the output's math has {math.symbols})"


def math_spans(markup: str) -> list[tuple[str, bool]]:
    """Return each math span in order: its LaTeX, or its MathML within `<math>`, and whether it is display math."""
    found = []
    for span in _MATH.find(markup):
        body, display = span.body, span.opening in ("$$", r"\[")
        if not span.opening.startswith("<"):
            body = html.unescape(_TAG.sub(" ", body))
        else:
            body, display = body.strip(), "block" in span.opening
            body = f"<math>{body}</math>" if "<" in body else html.unescape(body)
        found.append((body, display))
    return found


@functools.lru_cache(maxsize=200_000)
def symbols(tex: str, *, display: bool) -> tuple[str, ...] | None:
    """Return what `tex` renders to as a flat sequence; None when KaTeX cannot parse it."""
    rendered = katex().mathml(tex, display=display)
    if rendered is None:
        return None
    end_tag = "</math>"  # KaTeX wraps the element in a span
    return _flatten(rendered[rendered.index("<math") : rendered.rindex(end_tag) + len(end_tag)])


def _span_symbols(body: str, display: bool) -> tuple[str, ...]:
    if body.startswith("<math>"):
        namespace = _NAMESPACE.strip("{}")
        return _flatten(body.replace("<math>", f'<math xmlns="{namespace}">', 1)) or ()
    return symbols(body, display=display) or ()


def _coded(sequence: Iterable[str], code: dict[str, str]) -> str:
    # A page with more symbols than there are codes gives all the rest the last one.
    return "".join(code.setdefault(symbol, chr(_FIRST_CODE + min(len(code), _CODES - 1))) for symbol in sequence)


def _flatten(mathml: str) -> tuple[str, ...] | None:
    try:
        walked = list(_walk(ET.fromstring(mathml)))
    except (ET.ParseError, ValueError, IndexError, RecursionError):
        # Not XML, or (MathML that a parser wrote itself) a fraction or script without its parts, or nested without end.
        return None
    flat: list[str] = []
    for symbol in walked:
        last = flat[-1] if flat else ""
        if last and (joined := _negated(last, symbol)):
            flat[-1] = joined
        elif last == "_(" and symbol == "|":
            flat[-1:] = [symbol, last]
        else:
            flat.append(symbol)
    return tuple(flat)


def _negated(first: str, second: str) -> str:
    """Return the one character that a relation and the stroke through it make, whichever comes first, or ""."""
    if _NEGATION not in (first, second):
        return ""
    relation = second if first == _NEGATION else first
    joined = unicodedata.normalize("NFC", relation + _NEGATION)
    return joined if len(joined) == 1 else ""


def _walk(element: ET.Element) -> Iterator[str]:
    """Yield the symbols and structure marks of an element."""
    name = element.tag.removeprefix(_NAMESPACE)
    if name in _SILENT:
        return
    # KaTeX can put an invisible operator among the children that are read by their place.
    parts = [child for child in element if not _is_invisible_operator(child)]
    if name == "semantics":
        parts = parts[:1]
    if name in _LEAVES and not parts:
        yield from _leaf(element)
    elif (layout := _layout(name, element)) is not None:
        for piece in layout:
            if isinstance(piece, str):
                yield piece
            else:
                yield from _walk(parts[piece])
    elif name == "mtable":
        for index, row in enumerate(parts):
            if index:
                yield r"\\"
            yield from _walk_all(row)
    elif name == "msqrt":
        yield "sqrt("
        yield from _walk_all(parts)
        yield ")"
    else:
        yield from _walk_all(parts)


def _walk_all(elements: Iterable[ET.Element]) -> Iterator[str]:
    for element in elements:
        yield from _walk(element)


def _layout(name: str, element: ET.Element) -> _Layout | None:
    if name == "mfrac" and element.get("linethickness") in _NO_THICKNESS:
        return _BINOMIAL
    if name == "mover" and element.get("accent") == "true":
        return _ACCENT
    return _LAYOUTS.get(name)


def _leaf(element: ET.Element) -> Iterator[str]:
    variant = (element.get("mathvariant") or "").removeprefix("bold-")
    prefix = f"{variant}:" if variant in _KEPT_FONTS else ""
    for character in (element.text or "").translate(_ONE_FORM):
        if not (character in _INVISIBLE or character.isspace()):
            yield prefix + character


def _is_invisible_operator(element: ET.Element) -> bool:
    """Tell whether an `<mo>` holds invisible characters alone; an empty one keeps a place and stays."""
    if element.tag.removeprefix(_NAMESPACE) != "mo" or len(element):
        return False
    shown = "".join((element.text or "").split())
    return shown != "" and _INVISIBLE.issuperset(shown)
