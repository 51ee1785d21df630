"""LaTeX as text, against pylatexenc left alone."""

import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text

from scorer.suites.omnidoc import latex_text
from scorer.suites.omnidoc.latex_text import latex_to_text

_parts = st.sampled_from(
    (
        *(r"\alpha \frac \sqrt \mathbf \text \text* \left \right \hat \' \, \& \\ \verb \item \cite \input".split()),
        *(r"\begin{array} \end{array} \begin{matrix} \end{matrix} \begin \end \newcommand \( \) \[ \]".split()),
        *("{", "}", "[", "]", "(", ")", "<", ">", "$", "$$", "%", "&", "~", "#", "|", "*", "_", "^", "\\"),
        *("`", "``", "'", "''", "!", "?", "!`", "-", "--", "---", "a", "b1", "é", "中", "ab  cd", "="),
        *(" ", "  ", "\n", "\n\n", "\t"),
        *("_{1}", "^{a b}", "_{é-c}", "{x_{2}}", "_{}", "^{1-}", "\U000f0000"),
        *(r"\mathbb \section \textcolor \title \maketitle \ref \hspace \_ \^ \not \verb_ \footnote".split()),
    )
)


class TestLatexToText:
    @settings(max_examples=500)
    @given(st.lists(_parts, max_size=14).map("".join))
    def test_equal(self, latex: str) -> None:
        """Every text, whole or broken, comes out as the library's own converter writes it."""
        logging.disable()
        try:
            expected = str(LatexNodes2Text().latex_to_text(latex))
        except Exception as fault:
            with pytest.raises(type(fault)):
                latex_to_text(latex)
        else:
            assert latex_to_text(latex) == expected
        finally:
            logging.disable(logging.NOTSET)

    @settings(max_examples=300)
    @given(st.text("a_^{} 1-'", max_size=12))
    def test_simple(self, latex: str) -> None:
        """So does one of nothing but characters and groups, which is not parsed."""
        assert latex_to_text(latex) == str(LatexNodes2Text().latex_to_text(latex))

    def test_scripts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Formulas that differ in nothing but plain scripts are converted once."""
        converted: list[str] = []
        real = latex_text._converted
        monkeypatch.setattr(latex_text, "_converted", lambda latex: converted.append(latex) or real(latex))
        found = [latex_to_text(rf"\beta_{{{number}}} + \frac{{y}}{{b}}^{{{number} n}}") for number in range(100)]
        assert found == [f"β_{number} + y/b^{number} n" for number in range(100)]
        assert len(converted) == 1

    def test_long(self) -> None:
        """A formula of half a million characters is read run by run, not with a copy of all that came before."""
        latex = r"x_1 = (a - b) \alpha " * 25_000
        assert latex_to_text(latex).count("α") == 25_000
        assert latex_to_text("a{b}" * 100_000 + "%") == "ab" * 100_000
