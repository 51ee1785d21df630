r"""Many formulas as one XeLaTeX document: each on its own page, in its own file, between two lines of the log.

The page is the reference's: 12pt article, landscape, A5 (A4 beyond 600 tokens, A3 beyond 1300), displaymath, xeCJK.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

__all__ = ["Outcome", "document", "outcomes", "paper", "why_nothing"]

_PACKAGES = ("amsmath", "amssymb", "upgreek", "xcolor", "xeCJK")
_CJK_FAMILIES = ("main", "sans", "mono")
_SHOWN = 2  # of what TeX said of a formula

_FORMULA = r"""\clearpage\typeout{formula NUMBER page \the\value{page} level \the\currentgrouplevel}%
\begingroup
\begin{displaymath}
\input{fNUMBER.tex}
\end{displaymath}
\endgroup
\clearpage\typeout{finished NUMBER page \the\value{page} level \the\currentgrouplevel}%
"""

_STARTED = re.compile(r"^formula (\d+) page (\d+) level (\d+)$", re.MULTILINE)
_FINISHED = re.compile(r"^finished (\d+) page (\d+) level (\d+)$", re.MULTILINE)
_COMPLAINT = re.compile(r"^(?:! |Missing character: )(.*)$", re.MULTILINE)
_NOT_SHIPPED = "Huge page cannot be shipped out."  # the PDF lacks it, and the pages behind stand one to the front


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a formula fared.

    Attributes:
        page: the index of its first page in the PDF; None for one at which TeX stopped.
        pages: how many it takes; 0 where that is not known.
        clean: TeX was left as it was found.
        complaints: what TeX said of it, each once.
    """

    page: int | None
    pages: int
    clean: bool
    complaints: tuple[str, ...] = ()


def paper(tokens: int) -> int:
    """Return the A size of the page for a number of tokens."""
    return 3 if tokens > 1300 else 4 if tokens > 600 else 5


def document(numbers: Sequence[int], *, paper_size: int, cjk_font: str) -> str:
    """Write the document that sets the files `f<number>.tex`."""
    lines = [
        r"\documentclass[12pt]{article}",
        rf"\usepackage[a{paper_size}paper,landscape,scale=0.98]{{geometry}}",
        *(rf"\usepackage{{{package}}}" for package in _PACKAGES),
        *(rf"\setCJK{family}font{{{cjk_font}}}" for family in _CJK_FAMILIES),
        r"\xeCJKsetup{CJKmath=true}",
        r"\pagestyle{empty}",
        r"\let\textcolor\mathcolor",  # a formula's own colours leave its spacing as it is
        r"\begin{document}",
        *(_FORMULA.replace("NUMBER", str(number)) for number in numbers),
        r"\clearpage\end{document}",
    ]
    return "\n".join(lines)


def outcomes(log: str) -> dict[int, Outcome]:
    """Read the log: the outcome of each formula that was begun, in order; one at which TeX stopped is the last."""
    found: dict[int, Outcome] = {}
    begun = list(_STARTED.finditer(log))
    for start, following in zip_longest(begun, begun[1:]):
        section = log[start.end() : following.start() if following else len(log)]
        number, page, level = map(int, start.groups())
        complaints = tuple(dict.fromkeys(text.strip() for text in _COMPLAINT.findall(section)))
        finished = _FINISHED.search(section)
        if finished is None:
            found[number] = Outcome(None, 0, clean=False, complaints=complaints)
            continue
        clean = int(finished[3]) == level == 1 and _NOT_SHIPPED not in complaints
        found[number] = Outcome(page - 1, int(finished[2]) - page, clean, complaints)
    return found


def why_nothing(outcome: Outcome | None, paper_size: int) -> str:
    """Say why a formula has no picture: too large for its page, or what TeX said of it."""
    causes: list[str] = []
    if outcome is not None:
        if outcome.pages > 1:
            causes.append(f"it is too tall for its page, A{paper_size}: TeX moved it to another")
        if _NOT_SHIPPED in outcome.complaints:
            causes.append("it is larger than any page that TeX can make")
        if outcome.complaints:
            more = len(outcome.complaints) - _SHOWN
            said = "; ".join(outcome.complaints[:_SHOWN])
            causes.append(f"TeX says: {said}" + (f"; and {more} more" if more > 0 else ""))
    return "; ".join(["nothing was drawn", *causes])
