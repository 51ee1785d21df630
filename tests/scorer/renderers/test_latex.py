"""Drawing formulas: one picture a formula, whatever else is drawn, and no silence about what fails."""

from pathlib import Path

import pytest

from scorer.renderers import FormulaRenderer, RendererError, environment
from scorer.renderers.document import Outcome, outcomes


@pytest.fixture(scope="module")
def renderer() -> FormulaRenderer:
    """Return a renderer, if this machine has what it needs."""
    try:
        return FormulaRenderer()
    except RendererError as fault:
        pytest.skip(str(fault))


class TestRender:
    def test_isolated(self, renderer: FormulaRenderer) -> None:
        """Formulas come out the same alone and among broken ones, and those that fail say so."""
        good = ["a+b", r"\frac{x}{2}", "中文 = x^2"]
        broken = [r"{{ x", r"\left( a", r"\begin{foo}x\end{foo}", r"\end{document}", r"\iffalse", ""]
        mixed = renderer.render([*broken[:3], good[0], *broken[3:], *good[1:]])
        assert [mixed[3], *mixed[-2:]] == renderer.render(good)
        assert [len(drawn.boxes) for drawn in renderer.render(good)] == [3, 3, 5]
        assert all(drawn.error or not drawn.boxes for drawn in (mixed[2], mixed[4], mixed[5], mixed[6]))

    def test_workers(self) -> None:
        """However many processes draw, and however the formulas fall to them, every formula comes out the same."""
        try:
            alone, together = FormulaRenderer(workers=1), FormulaRenderer(workers=3)
        except RendererError as fault:
            pytest.skip(str(fault))
        formulas = [rf"\frac{{x_{{{number}}}}}{{y}}" for number in range(20)] + ["面积 = a", r"\left( a", "{{ x"]
        assert alone.render(formulas) == together.render(formulas[::-1])[::-1]

    def test_scores(self, renderer: FormulaRenderer) -> None:
        """A formula matches itself in full; one that cannot be drawn scores 0 with its reason."""
        same, refused = renderer([("x^2+y", "x^2+y"), ("x", r"\input{secret}")])
        assert (same.recall, same.precision, same.f1, same.error) == (1.0, 1.0, 1.0, None)
        assert refused.f1 == 0.0
        assert refused.error is not None
        assert "is not run" in refused.error

    def test_too_large(self, renderer: FormulaRenderer) -> None:
        """A formula that fits on no page says so."""
        lines, cells = [f"a_{{{number}}} &= b" for number in range(60)], [" & ".join("a" * 12)] * 60
        tall, crowded = (
            rf"\begin{{{name}}} " + r" \\ ".join(rows) + rf" \end{{{name}}}"
            for name, rows in (("aligned", lines), ("matrix", cells))
        )
        drawn = renderer.render([tall, crowded])
        reasons = [one.error or "" for one in drawn]
        assert "too tall for its page, A5" in reasons[0]
        assert "too tall for its page, A4" in reasons[1]
        assert "Extra alignment tab" in reasons[1]

    def test_lost_page(self, renderer: FormulaRenderer) -> None:
        """A formula of which TeX can make no page leaves those behind it their own pictures."""
        longest, *others = ["+".join(f"x_{{{n}}}" for n in range(1000)), "+".join("m" * 700), "+".join("n" * 700)]
        lost, *drawn = renderer.render([longest, *others])
        assert "Dimension too large" in (lost.error or "")
        assert "larger than any page" in (lost.error or "")
        assert drawn == [renderer.render([other])[0] for other in others]
        assert {box.token for box in drawn[0].boxes} == {"m", "+"}

    def test_no_picture(self, renderer: FormulaRenderer) -> None:
        """A formula of which nothing is drawn says what TeX said of it."""
        broken, arabic, unknown = renderer.render([r"\frac{a}{b", r"\text{مرحبا}", r"\bye"])
        assert "File ended while scanning" in (broken.error or "")
        assert "There is no م" in (arabic.error or "")
        assert "Undefined control sequence" in (unknown.error or "")

    def test_kept(self, renderer: FormulaRenderer, tmp_path: Path) -> None:
        """What is kept is what was drawn, and a damaged file is drawn again."""
        first = FormulaRenderer(cache=tmp_path).render(["u+v"])
        files = sorted(tmp_path.rglob("*.json"))
        assert FormulaRenderer(cache=tmp_path).render(["u+v"]) == first == renderer.render(["u+v"])
        for file in files:
            file.write_text("{", encoding="utf-8")
        assert FormulaRenderer(cache=tmp_path).render(["u+v"]) == first


class TestEnvironment:
    def test_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without its programs the renderer does not start, and one command installs all of it.

        What only a missing program could look for is in that command, too: nobody installs, and is told of more.
        """
        monkeypatch.setattr(environment.shutil, "which", lambda _: None)
        with pytest.raises(RendererError, match=r"missing xelatex \(package texlive-xetex\)") as told:
            environment.check_environment()
        packages = set(str(told.value).partition("--no-install-recommends ")[2].split())
        assert packages == {
            *("fontconfig", "fonts-noto-cjk", "ghostscript", "lmodern", "texlive-binaries", "texlive-lang-chinese"),
            *("texlive-latex-base", "texlive-latex-extra", "texlive-latex-recommended", "texlive-xetex"),
        }


class TestLog:
    def test_stopped(self) -> None:
        """The log tells each formula's page, which of them upset TeX, and where it stopped."""
        log = (
            "formula 0 page 1 level 1\nfinished 0 page 2 level 1\nformula 1 page 2 level 1\n"
            "finished 1 page 4 level 3\nformula 2 page 4 level 1\n! Emergency stop.\n"
        )
        assert outcomes(log) == {
            0: Outcome(0, 1, clean=True),
            1: Outcome(1, 2, clean=False),
            2: Outcome(None, 0, clean=False, complaints=("Emergency stop.",)),
        }
