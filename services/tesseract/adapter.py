"""Tesseract: the program, called as its manual shows: ``tesseract IMAGE OUTPUT``. It reads images, so PDFs are drawn.

The default is its default: English, automatic page segmentation, plain text. The setting ``scripts`` takes for each
page the model of the script that its own detection finds, and gives the paragraphs as HTML. An image file may hold
several pages; ``scripts`` reads them all with the script of the first.
"""

import html
import subprocess
import tempfile
from pathlib import Path

from services.runtime.form import Collected, Parsed, RequirementMissing
from services.tesseract import pages

MODELS = {"Han": "HanS+HanT", "Korean": "Hangul", "Hiragana": "Japanese", "Katakana": "Japanese"}
"""The model of a script whose name is another; the others are named as their scripts."""

SCRIPTS = (
    "Arabic Armenian Bengali Canadian_Aboriginal Cherokee Cyrillic Devanagari Ethiopic Fraktur Georgian Greek Gujarati "
    "Gurmukhi HanS HanT Hangul Hebrew Japanese Kannada Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Syriac Tamil "
    "Telugu Thaana Thai Tibetan"
).split()
"""The models of the scripts that it can detect."""

DETECTION = "osd"
"""The model that tells a page's script."""

REMEDY = "install them (on Debian: apt-get install tesseract-ocr-osd 'tesseract-ocr-script-*')"

_BETWEEN_PAGES = "\f"

_TOO_LITTLE = "Too few characters"
"""What it says of a page with too little text to tell the script."""


class Adapter:
    """It reports no headings and tables, its blocks have no labels, and its text has no marks to derive any from."""

    def __init__(self, setting: str) -> None:
        self._scripts = setting == "scripts"
        if self._scripts:
            _check_models()

    def parse(self, path: Path, format: str) -> Parsed:
        """Recognise one document."""
        folder = Path(tempfile.mkdtemp(prefix="tesseract-"))
        images = pages.drawn(path, folder) if format == "pdf" else [path]
        if self._scripts:
            read = [_paragraphs(image) for image in images]
            return Parsed("\n".join(text for text, _ in read), "html", sum(count for _, count in read))
        if not images:
            return Parsed("", "plain", 0)
        # Of an image file in a list it would read the first page alone.
        text = _run(str(_listed(images, folder) if format == "pdf" else path), "stdout")
        return Parsed(text, "plain", text.count(_BETWEEN_PAGES) + 1)

    def collect(self, parsed: Parsed) -> Collected:
        """Count the pages."""
        return Collected(pages=parsed.native)


def _listed(images: list[Path], folder: Path) -> Path:
    """Return a file that lists images, to be read in one call."""
    listing = folder / "pages.txt"
    listing.write_text("".join(f"{image}\n" for image in images))
    return listing


def _paragraphs(image: Path) -> tuple[str, int]:
    """Recognise an image file with the model of its script; return its paragraphs as HTML, and the number of pages."""
    script = _script(image)
    model = MODELS.get(script, script if script in SCRIPTS else "Latin")
    paragraphs: dict[tuple[str, ...], dict[str, list[str]]] = {}
    count = 0
    for line in _run(str(image), "stdout", "-l", model, "tsv").rstrip("\n").split("\n")[1:]:
        level, page, block, paragraph, row, *_, text = line.split("\t")
        count += level == "1"
        if level == "5" and text.strip():
            lines = paragraphs.setdefault((page, block, paragraph), {})
            lines.setdefault(row, []).append(html.escape(text, quote=False))
    html_paragraphs = (
        f"<p>{'<br>'.join(' '.join(words) for words in lines.values())}</p>" for lines in paragraphs.values()
    )
    return "\n".join(html_paragraphs), count


def _script(image: Path) -> str:
    """Return the script that Tesseract detects; empty on a page with too little text to tell."""
    try:
        told = _run(str(image), "stdout", "--psm", "0")
    except TesseractFailed as error:
        if _TOO_LITTLE in str(error):
            return ""
        raise
    found = [line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("Script:")]
    return found[0] if found else ""


class TesseractFailed(Exception):
    """The program gave up; the message is its last words."""


def _run(*arguments: str) -> str:
    done = subprocess.run(["tesseract", *arguments], capture_output=True, check=False)
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        # Its last line says that something went wrong, the one before what.
        raise TesseractFailed("; ".join(words[-2:]) or f"exit code {done.returncode}")
    return done.stdout.decode("utf-8", errors="replace")


def _check_models() -> None:
    """Look for the models of all scripts and the one that tells them apart: no page may depend on which are there.

    Raises:
        RequirementMissing: some are absent.
    """
    there = {name.rpartition("/")[2] for name in _run("--list-langs").split()}
    missing = [name for name in (DETECTION, *SCRIPTS) if name not in there]
    if missing:
        raise RequirementMissing(f"Tesseract's models of {', '.join(missing)} are missing: {REMEDY}")
