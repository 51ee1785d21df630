"""Tesseract's adapter against programs that end as Tesseract does, and against Tesseract."""

import shutil
import tempfile
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from services.runtime.form import RequirementMissing
from services.tesseract import adapter


@pytest.fixture(autouse=True)
def drawn_pages_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runtime empties the adapter's folder for temporary files; here this takes its place."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def program(folder: Path, script: str) -> None:
    """Put a program in Tesseract's place: a shell script."""
    path = folder / "tesseract"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo Page 1 >&2; echo Image too large >&2; echo Error. >&2; exit 1", "Image too large; Error."),
        ("echo Error. >&2; exit 1", "Error."),
        ("exit 4", "exit code 4"),
    ],
)
def test_what_went_wrong_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str) -> None:
    """The last line alone says no more than that something did."""
    program(tmp_path, script)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(adapter.TesseractFailed) as caught:
        adapter._run("page.pgm", "stdout")
    assert str(caught.value) == words


class TestScripts:
    def test_a_page_with_too_little_text_is_read_as_latin(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """That is all that it stands for."""
        program(tmp_path, "echo Too few characters. Skipping this page >&2; echo Error during processing. >&2; exit 1")
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        assert adapter._script(tmp_path / "page.png") == ""

    @pytest.mark.parametrize(
        "script", ["echo Error opening data file osd.traineddata >&2; exit 1", "kill -SEGV $$", "exit 3"]
    )
    def test_a_detection_that_fails_is_no_latin_page(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
    ) -> None:
        """No page is read with a model that nobody chose."""
        program(tmp_path, script)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        with pytest.raises(adapter.TesseractFailed):
            adapter._script(tmp_path / "page.png")

    @pytest.mark.parametrize("absent", ["osd", "Thai"])
    def test_all_models_must_be_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absent: str) -> None:
        """Also the one that tells the scripts apart."""
        names = [name for name in ("osd", *adapter.SCRIPTS) if name != absent]
        program(tmp_path, f"echo 'List of languages:'; printf 'script/%s\\n' {' '.join(names)}")
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        with pytest.raises(RequirementMissing, match=f"models of {absent} are missing"):
            adapter.Adapter("scripts")


def with_tesseract(setting: str) -> adapter.Adapter:
    """Return an adapter that calls the program, or skip."""
    if shutil.which("tesseract") is None:
        pytest.skip("Tesseract is not on this machine")
    try:
        return adapter.Adapter(setting)
    except RequirementMissing as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("setting", ["", "scripts"])
@pytest.mark.parametrize("words", [("First",), ("First", "Second", "Third")])
class TestPages:
    def test_of_an_image(self, tmp_path: Path, setting: str, words: tuple[str, ...]) -> None:
        """Every page of an image file is read and counted."""
        reader = with_tesseract(setting)
        path = tmp_path / "pages.tiff"
        first, *others = map(drawn, words)
        first.save(path, save_all=True, append_images=others, dpi=(300, 300))
        parsed = reader.parse(path, "image")
        assert [word for word in ("First", "Second", "Third") if word in parsed.text] == list(words)
        assert reader.collect(parsed).pages == len(words)

    def test_of_a_pdf(self, tmp_path: Path, setting: str, words: tuple[str, ...]) -> None:
        """So they are of a PDF, and one without words counts, too."""
        reader = with_tesseract(setting)
        path = tmp_path / "pages.pdf"
        first, *others = map(drawn, (*words, ""))
        first.save(path, save_all=True, append_images=others, resolution=300)
        parsed = reader.parse(path, "pdf")
        assert [word for word in ("First", "Second", "Third") if word in parsed.text] == list(words)
        assert reader.collect(parsed).pages == len(words) + 1


def drawn(word: str) -> Image.Image:
    """Draw a page with a sentence that holds the word; an empty page for none."""
    page = Image.new("L", (1200, 400), 255)
    if word:
        ImageDraw.Draw(page).text((60, 120), f"{word} page of this file", font=ImageFont.load_default(90), fill=0)
    return page
