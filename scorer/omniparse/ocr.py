"""The tutorial's OCR: page images read by the command `tesseract`, graded like anybody's predictions.

It gives text without structure, one paragraph a line, so its blocks are to be declared unsupported. PDF pages are
drawn at 300 dots an inch first.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from scorer.omniparse.dataset import DatasetPage
from scorer.omniparse.files import write_json
from scorer.omniparse.parsed import paragraphs

COMMAND = "tesseract"
REMEDY = f"the command {COMMAND} is not there: on Debian, apt-get install tesseract-ocr"
SECONDS = 120
"""A page may take; beyond, its tests fail."""

_DOTS_PER_INCH = 300
_POINTS_PER_INCH = 72


def installed() -> bool:
    """Say whether the command is there."""
    return shutil.which(COMMAND) is not None


def version() -> str:
    """Return what the command says it is, with the languages it reads here by default."""
    answer = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True)
    return (answer.stdout or answer.stderr).splitlines()[0]


def predict_ocr(pages: Iterable[DatasetPage], folder: Path) -> int:
    """Write a prediction for every page whose file is at hand; return how many.

    A page that the command fails on, or takes too long over, gets a prediction without html, whose tests fail.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for page in pages:
        if not page.doc_path.is_file():
            continue
        with tempfile.TemporaryDirectory(prefix="docassay-") as scratch:
            text = _read(page.doc_path, Path(scratch))
        outputs = {} if text is None else {"html": paragraphs(text)}
        write_json(folder / f"{page.page_id}.json", outputs)
        written += 1
    return written


def _read(path: Path, scratch: Path) -> str | None:
    image = _drawn(path, scratch) if path.suffix == ".pdf" else path
    if image is None:
        return None
    try:
        answer = subprocess.run(
            [COMMAND, str(image), "stdout"],
            capture_output=True,
            timeout=SECONDS,
            check=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # its threads slow it down on one page
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return answer.stdout.decode("utf-8", "replace")


def _drawn(path: Path, scratch: Path) -> Path | None:
    """Draw a PDF's first page as a portable graymap; None when it cannot be opened."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:
        return None
    try:
        drawn = document[0].render(scale=_DOTS_PER_INCH / _POINTS_PER_INCH, grayscale=True).to_numpy()
    finally:
        document.close()
    height, width = drawn.shape[:2]
    target = scratch / "page.pgm"
    target.write_bytes(f"P5 {width} {height} 255\n".encode() + drawn.tobytes())
    return target
