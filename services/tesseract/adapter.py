"""Tesseract: the program, called as its manual shows: ``tesseract IMAGE OUTPUT``. It reads images, so PDFs are drawn.

The default is its default: English, automatic page segmentation, plain text. The setting ``scripts`` takes for each
page the model of the script that its own detection finds, and gives the paragraphs as HTML.
"""

import html
import subprocess
import tempfile
from pathlib import Path

from services.runtime.form import Collected, Parsed, RequirementMissing
from services.tesseract import pages

MODELS = {"Han": "HanS+HanT", "Korean": "Hangul", "Japanese": "Japanese"}
"""The model of a script whose name is another; the others are named as their scripts."""

SCRIPTS = (
    "Arabic Armenian Bengali Canadian_Aboriginal Cherokee Cyrillic Devanagari Ethiopic Fraktur Georgian Greek Gujarati "
    "Gurmukhi HanS HanT Hangul Hebrew Japanese Kannada Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Syriac Tamil "
    "Telugu Thaana Thai Tibetan"
).split()
"""The models of the scripts that it can detect."""

REMEDY = "install them (on Debian: apt-get install 'tesseract-ocr-script-*')"


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
        if not self._scripts:
            return _plain(images, folder)
        return Parsed("\n".join(_paragraphs(image) for image in images), "html", len(images))

    def collect(self, parsed: Parsed) -> Collected:
        """Count the pages."""
        return Collected(pages=parsed.native)


def _plain(images: list[Path], folder: Path) -> Parsed:
    """Recognise all pages in one call, as a list of files; each page ends with a form feed."""
    listing = folder / "pages.txt"
    listing.write_text("".join(f"{image}\n" for image in images))
    text = _run(str(listing), "stdout") if images else ""
    return Parsed(text, "plain", text.count("\f"))


def _paragraphs(image: Path) -> str:
    """Recognise one page with the model of its script; return its paragraphs as HTML."""
    script = _script(image)
    model = MODELS.get(script, script if script in SCRIPTS else "Latin")
    paragraphs: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for line in _run(str(image), "stdout", "-l", model, "tsv").splitlines()[1:]:
        level, page, block, paragraph, row, *_, text = line.split("\t")
        if level == "5" and text.strip():
            lines = paragraphs.setdefault((page, block, paragraph), {})
            lines.setdefault(row, []).append(html.escape(text, quote=False))
    return "\n".join(
        f"<p>{'<br>'.join(' '.join(words) for words in lines.values())}</p>" for lines in paragraphs.values()
    )


def _script(image: Path) -> str:
    """Return the script that Tesseract detects; empty on a page with too little text to tell."""
    try:
        told = _run(str(image), "stdout", "--psm", "0")
    except TesseractFailed:
        return ""
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
    """Look for the models of all scripts: a page must not depend on which of them happen to be there.

    Raises:
        RequirementMissing: some are absent.
    """
    there = {name.rpartition("/")[2] for name in _run("--list-langs").split()}
    missing = [name for name in SCRIPTS if name not in there]
    if missing:
        raise RequirementMissing(f"Tesseract's models of {', '.join(missing)} are missing: {REMEDY}")
