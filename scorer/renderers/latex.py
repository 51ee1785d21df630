"""Formulas drawn with XeLaTeX: many a process, each isolated, every rendering kept by the digest of its causes."""

import hashlib
import json
import os
import re
import resource
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scorer.renderers.document import document, outcomes, paper, why_nothing
from scorer.renderers.environment import Environment, RendererError, check_environment
from scorer.renderers.raster import draw, rendering
from scorer.suites.omnidoc.cdm import CdmScore, Coloured, Rendering, TokenBox, colour, score_pair
from scorer.suites.omnidoc.cdm.canonical import LatexError
from services.runtime import ownership

__all__ = ["FormulaRenderer", "RendererError"]

_BATCH = 32  # formulas a process: enough that its start is small change, few enough to share among cores
_FORMAT = 3  # of a kept rendering, raised when the drawing of a formula changes
_PROBE = (r"\frac { x } { 2 } + 中", 5)  # a formula and the tokens it must show
_PROCESSOR_SECONDS = 20  # a formula that makes TeX run on for ever ends here; none that ends on its own comes near
_OUTPUT_BYTES = 1 << 28
_REFUSED = re.compile(
    r"\\(?:input|include\w*|openin|openout|read|write|immediate|special|XeTeX\w+|verb\w*)(?![a-zA-Z])"
)
_STATEFUL = re.compile(
    r"\\(?:\w*def|let|futurelet|global|csname|catcode|makeat\w+|if\w*|else|fi|loop|(?:re)?new\w+|provide\w+|set\w+|"
    r"addto\w+|step\w+|end\s*\{document\}|bye|endinput|shipout|clearpage|newpage)(?![a-zA-Z])"
)


@dataclass(frozen=True, slots=True)
class _Job:
    number: int
    coloured: Coloured


class FormulaRenderer:
    """Renders formulas and scores pairs of them; call it with pairs of gold and predicted LaTeX.

    The environment is checked, and a probe drawn, when the object is made: raises `RendererError` naming what is
    missing. Formulas that were drawn before with the same programs come from `cache`. The answer depends neither on
    the cache, nor on `workers`, nor on what is drawn together.
    """

    def __init__(self, *, cache: Path | None = None, workers: int = 1) -> None:
        self._environment = check_environment()
        self._cache = cache
        self._workers = workers
        probe = self.render([_PROBE[0]])[0]
        if probe.error is not None or len(probe.boxes) != _PROBE[1]:
            raise RendererError(
                f"the probe formula {_PROBE[0]!r} drew {len(probe.boxes)} of {_PROBE[1]} tokens "
                f"({probe.error or 'no error'}) with {self.environment.version}: check its packages and fonts"
            )

    @property
    def environment(self) -> Environment:
        """The programs and the font that draw."""
        return self._environment

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[CdmScore]:
        """Score pairs of gold and predicted LaTeX."""
        drawn = self.render([side for pair in pairs for side in pair])
        return [score_pair(gold, predicted) for gold, predicted in zip(drawn[::2], drawn[1::2], strict=True)]

    def render(self, formulas: Sequence[str]) -> list[Rendering]:
        """Draw formulas; one that cannot be drawn comes back with its error."""
        found: dict[str, Rendering] = {}
        jobs: list[_Job] = []
        texts: list[str] = []
        for latex in dict.fromkeys(formulas):
            kept = self._kept(latex)
            if kept is not None:
                found[latex] = kept
                continue
            if refused := _REFUSED.search(latex):
                found[latex] = Rendering(0, 0, (), f"{refused[0]} reaches outside of a formula and is not run")
                continue
            try:
                jobs.append(_Job(len(jobs), colour(latex)))
                texts.append(latex)
            except LatexError as fault:
                found[latex] = Rendering(0, 0, (), str(fault))
        for job, drawn in zip(jobs, self._draw_all(jobs), strict=True):
            found[texts[job.number]] = drawn
            self._keep(texts[job.number], drawn)
        return [found[latex] for latex in formulas]

    def _draw_all(self, jobs: list[_Job]) -> list[Rendering]:
        """Draw in batches of one paper size; a formula that can change TeX for others has a process of its own."""
        by_paper: dict[int, list[_Job]] = {}
        batches: list[tuple[list[_Job], int]] = []
        for job in jobs:
            sheet = paper(len(job.coloured.tokens))
            if _STATEFUL.search(job.coloured.latex):
                batches.append(([job], sheet))
            else:
                by_paper.setdefault(sheet, []).append(job)
        size = min(_BATCH, max(1, -(-len(jobs) // self._workers)))
        batches += [
            (group[start : start + size], sheet)
            for sheet, group in sorted(by_paper.items())
            for start in range(0, len(group), size)
        ]
        with ThreadPoolExecutor(self._workers) as pool:
            drawn = pool.map(lambda batch: self._draw_batch(*batch), batches)
            renderings = {number: result for batch in drawn for number, result in batch.items()}
        return [renderings[job.number] for job in jobs]

    def _draw_batch(self, batch: list[_Job], sheet: int) -> dict[int, Rendering]:
        """Draw formulas in one process; the one that upsets TeX is drawn apart, and those behind it once more."""
        done: dict[int, Rendering] = {}
        left = batch
        while left:
            drawn, upset, why = self._run(left, sheet)
            done |= drawn
            again = [job for job in left if job.number not in done]
            if again and len(left) == 1:
                done[again[0].number] = Rendering(0, 0, (), why[again[0].number])
            elif again:
                apart = [job for job in again if job.number == upset] or again[:1]
                done |= self._draw_batch(apart, sheet)
            left = [job for job in again if job.number not in done]
        return done

    def _run(self, batch: list[_Job], sheet: int) -> tuple[dict[int, Rendering], int | None, dict[int, str]]:
        """Run XeLaTeX once; return what can be trusted, the formula that upset it, if any, and why each has no page."""
        with ownership.temporary() as folder:
            for job in batch:
                (folder / f"f{job.number}.tex").write_text(job.coloured.latex, encoding="utf-8")
            numbers = [job.number for job in batch]
            text = document(numbers, paper_size=sheet, cjk_font=self._environment.cjk_font)
            (folder / "all.tex").write_text(text, encoding="utf-8")
            self._xelatex(folder)
            log, pdf = folder / "all.log", folder / "all.pdf"
            found = outcomes(log.read_text("utf-8", "replace")) if log.is_file() else {}
            why = {number: why_nothing(found.get(number), sheet) for number in numbers}
            upset = next((number for number in numbers if number not in found or not found[number].clean), None)
            if not pdf.is_file():
                return {}, upset, why
            wanted: dict[int, _Job] = {}
            for job in batch:
                if job.number == upset and len(batch) > 1:
                    break
                wanted[(found[job.number].page if job.number in found else None) or 0] = job
            drawn: dict[int, Rendering] = {}
            for page, image in enumerate(draw(self._environment.ghostscript, pdf)):
                if page in wanted:
                    job = wanted[page]
                    drawn[job.number] = rendering(image, job.coloured.tokens, blank=why[job.number])
            return drawn, upset, why

    def _xelatex(self, folder: Path) -> None:
        """Run XeLaTeX on `all.tex`: no shell, no files from elsewhere, and not for ever."""
        command = [self._environment.xelatex, "-no-shell-escape", "-interaction=nonstopmode", "all.tex"]
        variables = {
            **os.environ,
            "openin_any": "p",
            "openout_any": "p",
            "max_print_line": "1000",
            "TEXMFVAR": str(folder),
        }
        with subprocess.Popen(
            command,
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (_PROCESSOR_SECONDS, _PROCESSOR_SECONDS))
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_OUTPUT_BYTES, _OUTPUT_BYTES))

    def _path(self, latex: str) -> Path | None:
        if self._cache is None:
            return None
        parts = (str(_FORMAT), self._environment.version, self._environment.cjk_font)
        digest = hashlib.sha256("\0".join((*parts, latex)).encode("utf-8", "surrogatepass")).hexdigest()
        return self._cache / digest[:2] / f"{digest}.json"

    def _kept(self, latex: str) -> Rendering | None:
        path = self._path(latex)
        if path is None or not path.is_file():
            return None
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            boxes = tuple(TokenBox(token, (x0, y0, x1, y1)) for token, (x0, y0, x1, y1) in data["boxes"])
            return Rendering(data["width"], data["height"], boxes, data["error"])
        except (OSError, ValueError, KeyError, TypeError):  # a damaged file is drawn again
            return None

    def _keep(self, latex: str, drawn: Rendering) -> None:
        path = self._path(latex)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        data = {
            "width": drawn.width,
            "height": drawn.height,
            "boxes": [[box.token, list(box.box)] for box in drawn.boxes],
            "error": drawn.error,
        }
        with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False, encoding="utf-8") as file:
            json.dump(data, file)
        Path(file.name).replace(path)
