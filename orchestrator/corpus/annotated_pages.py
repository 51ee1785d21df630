"""Pages with annotated blocks, in OmniDocBench's layout, as a corpus: a page is a document, its blocks are its gold."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.corpus.layout import Corpus, Document
from scorer.counting import counted

if TYPE_CHECKING:
    from scorer.suites.omnidoc.gold import GoldPage

ANNOTATIONS = "OmniDocBench.json"
"""The public dataset's annotation file."""

_FOLDERS = ("images", "pdfs")
_IMAGES = (".jpg", ".jpeg", ".png")


class PagesError(Exception):
    """Pages or annotations are not where they were looked for; the message names the places."""


def load_annotated_pages(dataset: Path, *, pages: Path | None = None) -> Corpus:
    """Read annotated pages as a corpus whose folder is the annotation file: that is where the gold lies.

    Args:
        dataset: the annotation file, or a folder with `OmniDocBench.json` or a single JSON file in it.
        pages: the folder of page images or one-page PDFs; None: `images`, else `pdfs`, beside the annotation file or
            one level up.

    Raises:
        PagesError: there is no annotation file, or a page has no file.
        GradingError: an annotation does not fit.
    """
    # Imported here: a run of another suite need not wait for it.
    from scorer.grading.omnidoc import load_pages

    gold = annotation_file(dataset)
    read = load_pages(gold)
    if not read:
        raise PagesError(f"{gold}: no page is annotated in it")
    folders = [pages] if pages else [root / name for root in (gold.parent, gold.parent.parent) for name in _FOLDERS]
    folder, found = _best(folders, read)
    if missing := [page.image for page in read if page.image not in found]:
        example = ", ".join(_names(missing[0]))
        raise PagesError(
            f"{gold}: of {counted(len(read), 'page')}, {len(missing)} without a file in {folder}, e.g. {missing[0]}: "
            f"looked for {example}; put them there, or name the folder of images or PDFs with --pages"
        )
    gold_digest = hashlib.sha256(gold.read_bytes()).hexdigest()
    documents = tuple(_document(page, found[page.image]) for page in read)
    digest = hashlib.sha256("\n".join([gold_digest, *(f"{one.id} {one.sha256}" for one in documents)]).encode())
    return Corpus(gold.stem, "", gold, digest.hexdigest(), documents)


def annotation_file(dataset: Path) -> Path:
    """Return the annotation file of a dataset, absolute; raises `PagesError`."""
    if dataset.is_file():
        return dataset.resolve()
    named = dataset / ANNOTATIONS
    found = [named] if named.is_file() else sorted(dataset.glob("*.json"))
    if len(found) != 1:
        names = ", ".join(path.name for path in found[:3]) or "none"
        raise PagesError(
            f"{dataset}: expected an annotation file, or a folder with {ANNOTATIONS} or one JSON file; found {names}"
        )
    return found[0].resolve()


def _best(folders: list[Path], pages: list["GoldPage"]) -> tuple[Path, dict[str, Path]]:
    """Return the first folder that has every page's file, else the one that has most, and what it has."""
    searched = [(folder, _in(folder, pages)) for folder in folders]
    return max(searched, key=lambda item: len(item[1]))  # of equals the first


def _in(folder: Path, pages: list["GoldPage"]) -> dict[str, Path]:
    if not folder.is_dir():
        return {}
    listed = {path.name: path for path in folder.iterdir() if path.is_file()}
    found = {}
    for page in pages:
        name = next((name for name in _names(page.image) if name in listed), None)
        if name is not None:
            found[page.image] = listed[name]
    return found


def _names(image: str) -> tuple[str, ...]:
    """List what a page's file may be called: as its image, with another ending of an image, or as a PDF."""
    stem = Path(image).stem
    return (image, *(f"{stem}{ending}" for ending in _IMAGES), f"{stem}.pdf")


def _document(page: "GoldPage", path: Path) -> Document:
    try:
        source = path.read_bytes()
    except OSError as error:
        raise PagesError(f"page {page.image}: {path} cannot be read ({error.strerror}); mend that") from None
    return Document(
        id=page.image,
        domain=str(page.attributes.get("data_source", "unknown")),
        format="pdf" if path.suffix == ".pdf" else "image",
        pages=1,
        path=path.resolve(),
        sha256=hashlib.sha256(source).hexdigest(),
        bytes=len(source),
        annotations=("blocks",),
        gold_digest=page.digest,
    )
