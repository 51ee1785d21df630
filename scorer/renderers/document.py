r"""Many formulas as one XeLaTeX document: each on its own page, in its own file, between two lines of the log.

The page is the reference's: 12pt article, landscape, A5 (A4 beyond 600 tokens, A3 beyond 1300), displaymath, xeCJK.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Outcome", "document", "outcomes", "paper"]

_PACKAGES = ("amsmath", "amssymb", "upgreek", "xcolor", "xeCJK")
_CJK_FAMILIES = ("main", "sans", "mono")

_FORMULA = r"""\clearpage\typeout{formula NUMBER page \the\value{page} level \the\currentgrouplevel}%
\begingroup
\begin{displaymath}
\input{fNUMBER.tex}
\end{displaymath}
\endgroup
\typeout{finished NUMBER level \the\currentgrouplevel}%
"""

_STARTED = re.compile(r"^formula (\d+) page (\d+) level (\d+)$", re.MULTILINE)
_FINISHED = re.compile(r"^finished (\d+) level (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a formula fared: the index of its page in the PDF, and whether TeX was left as it was found."""

    page: int
    clean: bool


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


def outcomes(log: str) -> tuple[dict[int, Outcome], int | None]:
    """Read the log: the outcome of each formula that was finished, and the one at which TeX stopped, if any."""
    finished = {int(number): int(level) for number, level in _FINISHED.findall(log)}
    found: dict[int, Outcome] = {}
    stopped = None
    for number, page, level in ((int(n), int(p), int(g)) for n, p, g in _STARTED.findall(log)):
        if number in finished:
            found[number] = Outcome(page - 1, clean=finished[number] == level == 1)
        else:
            stopped = number
    return found, stopped
