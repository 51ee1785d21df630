"""A dataset in OmniParseBench's layout, built from a block annotation and its page images.

The annotation is a JSON list of pages in OmniDocBench's form: `layout_dets` with category, outline, reading order and
text, LaTeX or HTML; `page_info` with the image's name, width and height.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from scorer.counting import counted
from scorer.omniparse.files import UnreadableError, read_json, write_json
from scorer.omniparse.from_blocks import Derived, derive
from scorer.suites.omnidoc.gold import GoldError, GoldPage, read_pages

_MANIFEST = pa.schema(
    [
        *((name, pa.string()) for name in ("page_id", "document", "suite", "doc_path", "gt_path")),
        ("outputs", pa.list_(pa.string())),
    ]
)


class BuildError(ValueError):
    """An annotation, an image or a folder that no dataset can be built from; names it and what to do."""


@dataclass(frozen=True, slots=True)
class Built:
    """What was built: the pages, their tests by type, the tests dropped by type, pages without any test, and blocks
    that have a label and no outline to look it up at."""

    folder: Path
    pages: int
    tests: Counter[str]
    dropped: Counter[str]
    without_tests: tuple[str, ...]
    without_outline: tuple[str, ...]


def build_dataset(annotation: Path, images: Path, folder: Path) -> Built:
    """Derive every page's tests and write the dataset; the manifest comes last, so there is none of half a dataset.

    Args:
        annotation: The JSON file of annotated pages.
        images: The folder of page images, named as the annotation names them.
        folder: Where the dataset is written; it must be empty, or not there.

    Raises:
        BuildError: the annotation breaks its form, an image is not there or is none, or the folder is in use.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BuildError(f"{folder} is not an empty folder; name another, so that nothing is mixed with what is there")
    pages = _annotated(annotation)
    if missing := [page.image for page in pages if not (images / page.image).is_file()]:
        raise BuildError(f"{images} lacks {len(missing)} of {counted(len(pages), 'page image')}, e.g. {missing[0]}")
    derived = [derive(page) for page in pages]
    _refuse_same_names(annotation, derived)
    tested = [(page, found) for page, found in zip(pages, derived, strict=True) if found.tests]
    if not tested:
        read = counted(len(pages), "page")
        raise BuildError(f"{annotation} gives no test: no block of its {read} has a text, table or outline")
    for name in ("gold", "pages"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for page, found in tested:
        _write_image(images / page.image, folder / "pages" / f"{found.page_id}.png")
        write_json(folder / "gold" / f"{found.page_id}.json", {"tests": found.tests}, indent=1)
    rows = [
        {
            "page_id": found.page_id,
            "document": found.document,
            "suite": found.suite,
            "doc_path": f"pages/{found.page_id}.png",
            "gt_path": f"gold/{found.page_id}.json",
            "outputs": list(found.outputs),
        }
        for _, found in tested
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=_MANIFEST), folder / "manifest.parquet")
    return Built(
        folder=folder,
        pages=len(tested),
        tests=Counter(test["test_type"] for _, found in tested for test in found.tests),
        dropped=sum((found.dropped for found in derived), Counter[str]()),
        without_tests=tuple(found.page_id for found in derived if not found.tests),
        without_outline=tuple(block for found in derived for block in found.without_outline),
    )


def _annotated(annotation: Path) -> list[GoldPage]:
    try:
        pages = read_pages(read_json(annotation))
    except UnreadableError as error:
        raise BuildError(f"{annotation} {error}") from None
    except GoldError as error:
        raise BuildError(f"{annotation}: {error}") from None
    if not pages:
        raise BuildError(f"{annotation} holds no pages")
    return pages


def _refuse_same_names(annotation: Path, derived: Sequence[Derived]) -> None:
    folded = Counter(found.page_id.casefold() for found in derived)
    if twice := [found.page_id for found in derived if folded[found.page_id.casefold()] > 1 or not found.page_id]:
        raise BuildError(f"{annotation}: page images must differ in name, ending and case aside, e.g. {twice[0]!r}")


def _write_image(source: Path, target: Path) -> None:
    """Write a page image as PNG, the layout's one format of images: the same pixels."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(source) as image:
            (image if image.mode in ("1", "L", "RGB") else image.convert("RGB")).save(target, format="PNG")
    except (UnidentifiedImageError, OSError) as error:
        raise BuildError(f"{source} is no image that can be read: {error}") from None
