"""Runs over OmniDocBench's annotated pages by the command line, real processes throughout."""

import json
from pathlib import Path

import pytest

from orchestrator import corpus
from orchestrator.corpus import PagesError
from tests.orchestrator.command import Command, reading_pages
from tests.scorer.suites.omnidoc.pages import LONG, block, data

PDF = """%PDF-1.4

%{text}

1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF"""
IMAGES = ("a.pdf_0.jpg", "b.jpg", "c.jpg")


@pytest.fixture(name="gold")
def _gold(tmp_path: Path) -> Path:
    """Annotations of three pages; their PDFs hold the gold text as a remark of its own, the last one is empty."""
    folder = tmp_path / "dataset"
    (folder / "pdfs").mkdir(parents=True)
    pages = []
    for image, text in zip(IMAGES, LONG, strict=True):
        page = data(block("text_block", 1, 1, text=text))
        page["page_info"] |= {"image_path": f"images/{image}"}  # type: ignore[operator]
        pages.append(page)
        content = "" if image == "c.jpg" else PDF.format(text=text)
        (folder / "pdfs" / image.replace(".jpg", ".pdf")).write_text(content)
    path = folder / "annotations.json"
    path.write_text(json.dumps(pages))
    return path


@pytest.fixture(name="command")
def _command(tmp_path: Path) -> Command:
    return reading_pages(tmp_path)


class TestRun:
    def test_pages_in_elements_out(self, command: Command, gold: Path) -> None:
        """Every page is parsed and matched; one that cannot be parsed leaves the averages, with its reason."""
        code, out, err = command.run("run", "--local", "--suite", "omnidoc", "--dataset", str(gold), "--json")
        assert code == 0, err
        board = json.loads(out)
        assert board["suite"] == "omnidoc@v1.5"
        [row] = board["parsers"]
        assert (row["text_edit"], row["pages"], row["unpredicted"]) == (0.0, 3, 1)
        assert row["homeless"] > 0.5  # the rest of the PDF's source
        [page] = command.rows("select page, reason from omnidoc_pages where not predicted")
        assert page["page"] == "c.jpg"
        assert "no bytes" in str(page["reason"])
        assert command.rows("select seconds > 0 as timed from parses where document = 'b.jpg'") == [{"timed": True}]
        code, out, err = command.run("leaderboard")
        assert (code, "0.0000" in out, "1/3" in out, "no Overall" in out) == (0, True, True, True), err

    def test_some_pages(self, command: Command, gold: Path) -> None:
        """A run over some of the pages is partial; a newer evaluator, and options of other suites, are refused."""
        words = ("run", "--local", "--dataset", str(gold.parent))
        code, _, err = command.run(*words, "--suite", "omnidoc", "--ids", "b.jpg", "--json")
        assert code == 0, err
        [scoring] = command.rows("select partial, partial_reasons from scorings")
        assert scoring["partial"] is True
        assert "not every page of the annotations was in scope" in scoring["partial_reasons"]  # type: ignore[operator]
        for more, message in (
            (("--suite", "omnidoc@v1.6"), "no recorded answers"),
            (("--suite", "omnidoc", "--sample", "1"), "--sample is for"),
            (("--suite", "omnidoc", "--pages", str(gold.parent)), "of 3 pages, 3 without a file"),
            (("--suite", "omnidoc", "--ids", "z.jpg"), "z.jpg"),
        ):
            code, _, err = command.run(*words, *more)
            assert (code, message in err) == (2, True), err
            assert "Traceback" not in err


class TestPages:
    def test_images_go_first(self, gold: Path) -> None:
        """Images beside the annotations are taken before PDFs, and an explicit folder before both."""
        images = gold.parent / "images"
        images.mkdir()
        for image in IMAGES:
            (images / image).write_bytes(b"\xff\xd8\xff")
        found = corpus.load_annotated_pages(gold)
        assert {document.format for document in found.documents} == {"image"}
        assert found.folder == gold
        assert [document.id for document in found.documents] == list(IMAGES)
        given = corpus.load_annotated_pages(gold.parent, pages=gold.parent / "pdfs")
        assert {document.format for document in given.documents} == {"pdf"}
        assert given.digest != found.digest

    def test_missing(self, gold: Path) -> None:
        """A page without a file is named, with what was looked for and where."""
        (gold.parent / "pdfs" / "b.pdf").unlink()
        with pytest.raises(
            PagesError, match=r"of 3 pages, 1 without a file in .*pdfs, e\.g\. b\.jpg: looked for b\.jpg, .*b\.pdf"
        ):
            corpus.load_annotated_pages(gold)

    def test_no_annotations(self, tmp_path: Path) -> None:
        """A folder without a single annotation file is refused with what is there."""
        for name in ("one.json", "two.json"):
            (tmp_path / name).write_text("[]")
        with pytest.raises(PagesError, match=r"found one\.json, two\.json"):
            corpus.load_annotated_pages(tmp_path)
        with pytest.raises(PagesError, match="no page is annotated"):
            corpus.load_annotated_pages(tmp_path / "one.json")
