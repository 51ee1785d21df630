"""What the adapters of both majors read out of the tool's forms of a document."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orchestrator import local
from services.mineru import version_3, version_4
from services.runtime import descriptor
from services.runtime.form import Block, Collected, Parsed
from tests.services.collecting import answer

SCRIPT = Path(__file__).with_name("mineru_continued.py")
TABLE = "<table><tbody><tr><td></td><td>1996</td></tr><tr><td>Austria</td><td>59</td></tr></tbody></table>"


def collect(
    *kept: dict[str, Any], bodies: tuple[str, ...] = (), rendered: tuple[dict[str, Any], ...] = ()
) -> Collected:
    """Collect a document of one page with these blocks as they are kept, and as they are rendered."""
    return version_4.read(
        [{"page_idx": 0, "blocks": list(rendered)}], [{"blocks": list(kept)}], [(1, one) for one in bodies]
    )


def table(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "table", "bbox": [0.1, 0.2, 0.9, 0.5], "content": list(parts)}


class TestTierWithoutModels:
    def test_it_has_none_whatever_is_there(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """A page that wants models is told as such, with the settings that have them."""
        missing = FileNotFoundError("Model repo MinerU-4_models_onnx is not ready under somewhere")
        read = reader("flash", missing, monkeypatch, tmp_path)
        assert os.environ["MINERU_MODEL_BASE_DIR"] == f"{tmp_path}/no-models"
        with pytest.raises(version_4.NoTextLayer, match=r"no usable text layer.*\(docassay weights mineru:basic"):
            read(tmp_path / "scan.pdf")

    @pytest.mark.parametrize(
        ("tier", "error"),
        [
            ("flash", FileNotFoundError("[Errno 2] No such file or directory: 'scan.pdf'")),
            ("basic", FileNotFoundError("Model repo MinerU-4_models_onnx is not ready under somewhere")),
        ],
    )
    def test_other_errors_are_their_own(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tier: str, error: FileNotFoundError
    ) -> None:
        """A tier with models keeps the folder it was given, and what the tool says."""
        read = reader(tier, error, monkeypatch, tmp_path)
        assert (os.environ["MINERU_MODEL_BASE_DIR"] == "weights") == (tier == "basic")
        with pytest.raises(FileNotFoundError) as caught:
            read(tmp_path / "scan.pdf")
        assert caught.value is error


def reader(tier: str, error: Exception, monkeypatch: pytest.MonkeyPatch, folder: Path) -> Callable[[Path], Parsed]:
    """Return a tier's reader; the tool is one that raises."""

    def parse(path: Path, tier: str) -> None:
        raise error

    tool = ModuleType("mineru.parser")
    tool.parse = parse  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mineru", ModuleType("mineru"))
    monkeypatch.setitem(sys.modules, "mineru.parser", tool)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("MINERU_MODEL_BASE_DIR", "weights")
    return version_4.reader(tier)


class TestTables:
    def test_one_without_merged_cells(self) -> None:
        """Rendered it is a pipe table; it is kept as HTML, in which it has no header row."""
        pipes = "|  | 1996 |\n| --- | --- |\n| Austria | 59 |"
        [found] = collect(bodies=(TABLE,), rendered=({**table(), "content": pipes},)).tables
        assert [[cell.text for cell in row.cells] for row in found.rows] == [["", "1996"], ["Austria", "59"]]
        assert [row.header for row in found.rows] == [False, False]
        assert (found.page, found.source) == (1, "reported")

    def test_one_that_is_no_grid(self) -> None:
        """What the tool could not read as cells it keeps as text: a block, and no table."""
        body = "  System   Dev\n  Human    86.3"
        found = collect(table({"type": "table_body", "content": body}), bodies=(body,))
        assert found.tables == []
        assert [block.label for block in found.blocks] == ["table"]

    def test_an_empty_one_on_the_page_after_an_empty_page(self) -> None:
        """The tool leaves out what is empty: a page's blocks, a body's content."""
        pages: list[dict[str, Any]] = [{"page_idx": 0}, {"page_idx": 1, "blocks": [table({"type": "table_body"})]}]
        found = version_4.read([], pages, [(2, "")])
        assert (found.pages, found.tables, [block.page for block in found.blocks]) == (2, [], [2])

    def test_one_that_goes_on_over_a_pages_end_is_one(self, tmp_path: Path) -> None:
        """As the tool's markdown shows it: on the page where it begins, without the repeated head of its second part.

        The part on the page after it is a region there all the same, and a table that does not go on is one of its own.
        """
        [version] = [one for one in descriptor.read(local.SERVICES / "mineru").versions if one.startswith("4.")]
        found = answer("mineru", version, SCRIPT, HOME=str(tmp_path))
        rows = [["Name", "1996"], ["Austria", "59"], ["Belgium", "61"], ["Croatia", "70"]]
        alone = [["a", "b"], ["c", "d"]]
        pipes = [[word.strip() for word in line.strip("|").split("|")] for line in found["text"].splitlines() if line]
        assert [row for row in pipes if set("".join(row)) != {"-"}] == rows + alone
        assert found["tables"] == [[1, rows], [3, alone]]
        assert found["blocks"] == [[1, "table"], [2, "table"], [3, "table"]]


class TestBlocks:
    def test_captions_and_footnotes_have_boxes_of_their_own(self) -> None:
        """They stand below what they belong to, whose body is no block beside it."""
        found = collect(
            table(
                {"type": "table_caption", "bbox": [0.1, 0.1, 0.9, 0.2], "content": []},
                {"type": "table_body", "bbox": [0.1, 0.2, 0.9, 0.5], "content": TABLE},
                {"type": "table_footnote", "bbox": [0.1, 0.5, 0.9, 0.6], "content": []},
            ),
            {"type": "image", "content": [{"type": "image_body"}, {"type": "image_caption", "content": []}]},
            {"type": "code", "bbox": [0, 0, 1, 1], "content": [{"type": "code_footnote", "bbox": [0, 0.9, 1, 1]}]},
        )
        assert [(block.label, block.box) for block in found.blocks] == [
            ("table", (0.1, 0.2, 0.9, 0.5)),
            ("caption", (0.1, 0.1, 0.9, 0.2)),
            ("footnote", (0.1, 0.5, 0.9, 0.6)),
            ("code", (0, 0, 1, 1)),
            ("footnote", (0, 0.9, 1, 1)),
        ]

    def test_the_text_of_a_block_is_no_part_of_it(self) -> None:
        """Lines and links have no boxes, and the items of a list are the list's."""
        texts = [{"type": "text", "content": "a"}, {"type": "hyperlink", "content": "b"}]
        found = collect(
            {"type": "text", "bbox": [0, 0, 1, 0.1], "content": texts},
            {"type": "list", "bbox": [0, 0.1, 1, 0.2], "content": [{"type": "list", "content": texts}]},
        )
        assert [block.label for block in found.blocks] == ["text", "list"]


def test_headings_are_the_titles_as_they_are_rendered() -> None:
    """Their marks are gone; a title without text is none."""
    found = collect(
        rendered=(
            {"type": "doc_title", "content": "**A** title", "level": 1},
            {"type": "paragraph_title", "content": "", "level": 2},
            {"type": "text", "content": "words"},
        )
    )
    assert [(heading.text, heading.level, heading.page) for heading in found.headings] == [("A title", 1, 1)]


class TestVersion3:
    """Its forms as its source writes them: boxes in points, from the top left of a page of 400 by 800 of them."""

    def test_blocks_are_those_that_the_content_list_is_made_of(self, tmp_path: Path) -> None:
        """Captions and footnotes lie beside what they belong to; a list is one, though the content list says text."""
        grid = {
            "type": "table",
            "bbox": [100, 200, 300, 400],
            "blocks": [
                {"type": "table_body", "bbox": [100, 200, 300, 400]},
                {"type": "table_caption", "bbox": [100, 160, 300, 200]},
                {"type": "table_footnote", "bbox": [100, 80, 300, 120], "cross_page": True},
            ],
        }
        rest = {
            "type": "table",
            "bbox": [100, 0, 300, 80],
            "blocks": [
                {"type": "table_body", "bbox": [100, 0, 300, 80]},
                {"type": "table_footnote", "bbox": [100, 80, 300, 120]},
            ],
        }
        first = [
            {"type": "title", "bbox": [0, 0, 400, 80], "level": 1},
            {"type": "title", "bbox": [0, 80, 400, 160], "level": 0},
            grid,
            {"type": "list", "bbox": [0, 400, 400, 480], "blocks": [{"type": "text", "bbox": [0, 400, 400, 440]}]},
            {"type": "ref_text", "bbox": [0, 480, 400, 560]},
        ]
        footer = {"type": "page_number", "bbox": [0, 720, 400, 800]}
        pages = [
            {"page_size": [400, 800], "para_blocks": first, "discarded_blocks": [footer]},
            {"page_size": [400, 800], "para_blocks": [rest], "discarded_blocks": []},
        ]
        assert self.collected(tmp_path, pages=pages).blocks == [
            Block(1, "heading", (0.0, 0.0, 1.0, 0.1)),
            Block(1, "text", (0.0, 0.1, 1.0, 0.2)),
            Block(1, "table", (0.25, 0.25, 0.75, 0.5)),
            Block(1, "caption", (0.25, 0.2, 0.75, 0.25)),
            Block(1, "list", (0.0, 0.5, 1.0, 0.6)),
            Block(1, "list", (0.0, 0.6, 1.0, 0.7)),
            Block(1, "page_furniture", (0.0, 0.9, 1.0, 1.0)),
            Block(2, "table", (0.25, 0.0, 0.75, 0.1)),
            Block(2, "footnote", (0.25, 0.1, 0.75, 0.15)),
        ]

    def test_titles_and_tables_are_those_of_the_content_list(self, tmp_path: Path) -> None:
        """Nothing is left there of a table's second part: its rows are the first one's.

        Office formats have no boxes.
        """
        items = [
            {"type": "text", "text": "**A** title", "text_level": 1, "page_idx": 0},
            {"type": "table", "table_body": TABLE, "page_idx": 0},
            {"type": "table", "page_idx": 1},
        ]
        pages = [{"para_blocks": [{"type": "title"}, {"type": "table", "blocks": []}], "discarded_blocks": []}] * 2
        found = self.collected(tmp_path, items=items, pages=pages)
        assert [(heading.text, heading.level, heading.page) for heading in found.headings] == [("A title", 1, 1)]
        assert [(one.page, len(one.rows)) for one in found.tables] == [(1, 2)]
        assert (found.pages, found.blocks) == (2, [])

    @staticmethod
    def collected(folder: Path, *, pages: list[dict[str, Any]], items: Sequence[dict[str, Any]] = ()) -> Collected:
        (folder / "document_content_list.json").write_text(json.dumps(items))
        (folder / "document_middle.json").write_text(json.dumps({"pdf_info": pages}))
        return version_3.collect(Parsed("", "markdown", folder))
