"""Tests derived from annotated blocks, and the dataset built from them."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from scorer.omniparse import read_dataset
from scorer.omniparse.building import BuildError, build_dataset
from scorer.omniparse.from_blocks import derive
from scorer.suites.omnidoc.gold import read_page
from scorer.suites.omniparse.content import Text
from scorer.suites.omniparse.present import Present

TABLE = (
    "<table><tr><th>Item</th><th>North</th><th>South</th></tr>"
    "<tr><th>Orders</th><td>2,100</td><td>1,515</td></tr><tr><th>Returns</th><td>120</td><td>120</td></tr></table>"
)


def block(category: str, order: int | None, box: tuple[int, int, int, int], **content: Any) -> dict[str, Any]:
    """Return an annotated block, its box in pixels of a page of 1000 x 1000."""
    x0, y0, x1, y1 = box
    poly = [x0, y0, x1, y0, x1, y1, x0, y1]
    return {"category_type": category, "order": order, "anno_id": order, "poly": poly, "ignore": False, **content}


def page(*blocks: dict[str, Any], image: str = "report.pdf_3.jpg") -> dict[str, Any]:
    """Return an annotated page."""
    attributes = {"data_source": "book", "language": "english", "layout": "double_column", "special_issue": ["None"]}
    info = {"image_path": image, "width": 1000, "height": 1000, "page_attribute": attributes}
    return {"layout_dets": list(blocks), "page_info": info, "extra": {"relation": []}}


def made_of(*blocks: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the derived tests of a type."""
    return [test for test in derive(read_page(page(*blocks))).tests if test["test_type"] == kind]


TITLE = block("title", 1, (100, 100, 500, 150), text="# Annual report of orders")
LONG = block("text_block", 2, (100, 200, 500, 400), text="Orders rose in the north and fell in the south. " * 5)
SHORT = block("text_block", 3, (100, 420, 500, 440), text="Nothing")


class TestRule:
    def test_present_is_a_blocks_beginning(self) -> None:
        """Without its mark, up to 100 characters cut between words, an edit for 20; what is too short gives none."""
        [title, long] = made_of(TITLE, LONG, SHORT, kind="present")
        assert title["args"]["content"] == {"text": "Annual report of orders", "max_diffs": 1}
        text = long["args"]["content"]["text"]
        assert (text, long["args"]["content"]["max_diffs"]) == (
            "Orders rose in the north and fell in the south. Orders rose in the north and fell in the south.",
            4,
        )
        assert title["tags"] == ["heading", "eng", "Latn", "multi_column"]

    def test_a_beginning_ends_at_a_formula_and_leaves_out_written_tabs(self) -> None:
        """Only what can be compared as text is looked up; a command of LaTeX is no tab."""
        one = block("text_block", 1, (0, 0, 10, 10), text=r"\t - First things first, then $x^2$ and more")
        other = block("text_block", 2, (0, 20, 10, 30), text=r"a plain \times in the text")
        found = [test["args"]["content"]["text"] for test in made_of(one, other, kind="present")]
        assert found == ["First things first, then", r"a plain \times in the text"]

    def test_equations_are_looked_up_as_latex(self) -> None:
        """Without the marks around it; LaTeX that does not render is dropped and counted."""
        good = block("equation_isolated", 1, (0, 0, 10, 10), latex=r"\[ E = mc^2 \]")
        bad = block("equation_isolated", 2, (0, 20, 10, 30), latex=r"$$\nosuchcommand{$$")
        derived = derive(read_page(page(good, bad)))
        contents = [test["args"]["content"] for test in derived.tests if test["test_type"] == "present"]
        assert contents == [{"latex": "E = mc^2"}]
        assert derived.dropped == {"present": 1}

    def test_order_is_of_blocks_that_follow_each_other(self) -> None:
        """Running text alone, each text once on the page; both share the smaller number of edits."""
        caption = block("figure_caption", 4, (0, 500, 10, 510), text="A caption between the two")
        last = block("text_block", 5, (100, 600, 500, 650), text="The outlook is stable this year")
        found = made_of(TITLE, LONG, SHORT, caption, last, kind="order")
        assert [(test["args"]["before"]["text"][:6], test["args"]["after"]["text"][:6]) for test in found] == [
            ("Annual", "Orders"),
        ]
        assert found[0]["args"]["before"]["max_diffs"] == found[0]["args"]["after"]["max_diffs"] == 1

    def test_table_cells_with_their_neighbours(self) -> None:
        """Cells whose text stands once in the table, with left, up and the heading of the column."""
        found = made_of(block("table", 1, (100, 100, 900, 300), html=TABLE), kind="table_cell")
        assert [test["args"]["cell"]["text"] for test in found] == ["2,100", "1,515"]
        assert {role: arg["text"] for role, arg in found[1]["args"].items()} == {
            "cell": "1,515",
            "left": "2,100",
            "up": "South",
            "top_heading": "South",
        }

    def test_layout_is_category_and_box(self) -> None:
        """A category with a label, its box in 0..1; one without a label gives none."""
        figure = block("figure", None, (0, 500, 500, 1000))
        strange = block("abandon", None, (600, 0, 700, 100), text="scribbled in the margin")
        found = made_of(TITLE, figure, strange, kind="layout_kind")
        assert [(test["settings"]["kind"], test["args"]["content"]["place"]) for test in found] == [
            ("heading", [[0.1, 0.1, 0.5, 0.15]]),
            ("figure", [[0.0, 0.5, 0.5, 1.0]]),
        ]

    def test_what_the_annotation_does_not_pass_is_dropped(self) -> None:
        """A figure half covered by a smaller block of another kind has no place of its own."""
        inside = block("text_block", 1, (100, 100, 800, 900), text="text that fills a figure")
        figure = block("figure", None, (100, 100, 900, 900))
        derived = derive(read_page(page(inside, figure)))
        assert [t["settings"]["kind"] for t in derived.tests if t["test_type"] == "layout_kind"] == ["text"]
        assert derived.dropped == {"layout_kind": 1}

    def test_an_ignored_block_gives_nothing(self) -> None:
        """As the annotation asks."""
        assert derive(read_page(page(TITLE | {"ignore": True}))).tests == ()


@pytest.fixture(name="images")
def _images(tmp_path: Path) -> Path:
    """A folder with one page image."""
    folder = tmp_path / "images"
    folder.mkdir()
    Image.new("CMYK", (40, 40)).save(folder / "report.pdf_3.jpg")
    Image.new("L", (40, 40)).save(folder / "Report.pdf_3.png")
    return folder


def written(folder: Path, *pages: dict[str, Any]) -> Path:
    """Write an annotation."""
    path = folder / "pages.json"
    path.write_text(json.dumps(list(pages)))
    return path


class TestDataset:
    def test_it_is_read_as_any_dataset(self, tmp_path: Path, images: Path) -> None:
        """Manifest, gold and images fit each other; pages that give no test are left out and named."""
        Image.new("L", (4, 4)).save(images / "empty.png")
        annotation = written(tmp_path, page(TITLE, LONG), page(image="somewhere/empty.png"))
        built = build_dataset(annotation, images, tmp_path / "made")
        dataset = read_dataset(tmp_path / "made")
        [found] = dataset.pages
        assert (found.page_id, found.document, found.suite) == ("report.pdf_3", "report", "book")
        assert sum(map(len, dataset.all_tests().values())) == built.tests.total() == 5
        assert (built.pages, built.without_tests) == (1, ("empty",))
        with Image.open(found.doc_path) as image:
            assert (image.format, image.size, image.mode) == ("PNG", (40, 40), "RGB")

    def test_blocks_without_an_outline_are_counted(self, tmp_path: Path, images: Path) -> None:
        """None, null, none of its numbers, or without area: no layout test, every other one; a category without a label
        has no layout test to lose."""
        bare = {key: value for key, value in TITLE.items() if key != "poly"}
        lacking = [LONG | {"poly": None}, bare, SHORT | {"poly": []}, SHORT | {"poly": [5] * 8}]
        stranger = block("abandon", None, (0, 0, 9, 9)) | {"poly": None}
        annotation = written(tmp_path, page(block("figure", None, (0, 500, 500, 1000)), stranger, *lacking))
        built = build_dataset(annotation, images, tmp_path / "made")
        assert (built.tests["layout_kind"], built.tests["present"]) == (1, 2)
        assert built.without_outline == (
            "report.pdf_3, block 2 (text_block)",
            "report.pdf_3, block 1 (title)",
            *["report.pdf_3, block 3 (text_block)"] * 2,
        )

    def test_text_that_utf_8_cannot_hold(self, tmp_path: Path, images: Path) -> None:
        """Half of a surrogate pair in an annotated text is looked up as it is."""
        annotation = written(tmp_path, page(block("title", 1, (0, 0, 9, 9), text="A title with \ud800 in it")))
        build_dataset(annotation, images, tmp_path / "made")
        [tests] = read_dataset(tmp_path / "made").all_tests().values()
        assert tests[0].params == Present(Text("A title with \ud800 in it", 1))

    def test_what_cannot_be_built_is_named(self, tmp_path: Path, images: Path) -> None:
        """No file, no JSON, another form, no page, no image, two of one name, no test, no picture, a folder in use."""
        target = tmp_path / "made"
        with pytest.raises(BuildError, match="cannot be read"):
            build_dataset(tmp_path / "none.json", images, target)
        path = tmp_path / "pages.json"
        for text, message in (("{", "isn't JSON"), ("{}", "expected a list of pages"), ("[]", "holds no pages")):
            path.write_text(text)
            with pytest.raises(BuildError, match=message):
                build_dataset(path, images, target)
        for pages, message in (
            ([page(TITLE, image="other.jpg")], r"lacks 1 of 1 page image, e\.g\. other\.jpg"),
            ([page(TITLE), page(TITLE, image="Report.pdf_3.png")], "must differ in name"),
            ([page()], "gives no test"),
        ):
            with pytest.raises(BuildError, match=message):
                build_dataset(written(tmp_path, *pages), images, target)
        assert not target.exists()
        (images / "report.pdf_3.jpg").write_bytes(b"no picture")
        with pytest.raises(BuildError, match="is no image that can be read"):
            build_dataset(written(tmp_path, page(TITLE)), images, target)
        assert not (target / "manifest.parquet").exists()
        with pytest.raises(BuildError, match="not an empty folder"):
            build_dataset(written(tmp_path, page(TITLE)), images, target)
