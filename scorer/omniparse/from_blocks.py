"""Tests derived from a page's block annotation, by one rule for all pages; a pure function.

The rule (docs/method/omniparse.md has it in words): every block with text gives a `present` test of its beginning,
every equation one of its LaTeX, every two blocks that follow each other in the reading order an `order` test, every
table up to `CELLS_A_TABLE` `table_cell` tests, every block with a known category and an outline a `layout_kind` test.
A test that the annotation itself does not pass is dropped: it would say something about the rule and nothing about a
parser.
"""

import html
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from scorer.suites.omnidoc.gold import GoldBlock, GoldPage
from scorer.suites.omniparse.cells import PageTable, page_tables
from scorer.suites.omniparse.fold import fold, without_spaces
from scorer.suites.omniparse.gold import GoldError, Test, parse_test
from scorer.suites.omniparse.grid import Cell
from scorer.suites.omniparse.neighbours import Direction, from_declared_span
from scorer.suites.omniparse.verdicts import grade
from scorer.suites.omniparse.versions import RC1

LABEL_OF = {
    "text_block": "text",
    "reference": "text",
    "title": "heading",
    "header": "page_furniture",
    "footer": "page_furniture",
    "page_number": "page_furniture",
    "figure_caption": "caption",
    "table_caption": "caption",
    "code_txt_caption": "caption",
    "code_algorithm_caption": "caption",
    "page_footnote": "footnote",
    "table_footnote": "footnote",
    "figure_footnote": "footnote",
    "equation_isolated": "equation",
    "code_txt": "code",
    "code_algorithm": "code",
    "table": "table",
    "figure": "figure",
}
"""Category of the annotation to label; a category that is not here has no label of its own."""

LONGEST_NEEDLE = 100
"""Characters of a block's beginning that are looked up."""
SHORTEST_NEEDLE = 10
"""Folded characters without spaces; a shorter one would stand anywhere."""
CHARACTERS_AN_EDIT = 20
"""One edit is allowed for each so many folded characters."""
CELLS_A_TABLE = 5

_LEADING_MARKS = re.compile(r"^(?:[-–—•·*#>]+ )+")
# Annotations hold tabs and line ends written out as two characters, which OmniDocBench's own comparison deletes.
_WRITTEN_OUT = re.compile(r"\\[tn](?![A-Za-z])")
_RUNNING = frozenset({"text_block", "title"})
_ROLES = {"heading": "heading", "caption": "caption", "footnote": "footnote", "code": "code", "figure": "figure"}
_LANGUAGES = {
    "english": ("eng", "Latn"),
    "simplified_chinese": ("zho", "Hans"),
    "traditional_chinese": ("zho", "Hant"),
    "en_ch_mixed": ("eng", "zho", "Latn", "Hans"),
}
_SEVERAL_COLUMNS = frozenset({"double_column", "three_column", "1andmore_column"})
_DIRECTIONS: tuple[tuple[str, Direction], ...] = (("left", "left"), ("up", "up"))


@dataclass(frozen=True, slots=True)
class Derived:
    """A page's tests as its gold file holds them, how many were dropped, by type, and which blocks have no outline."""

    page_id: str
    document: str
    suite: str
    tests: tuple[dict[str, Any], ...]
    dropped: Counter[str]
    without_outline: tuple[str, ...]

    @property
    def outputs(self) -> tuple[str, ...]:
        """The output types its tests read."""
        return tuple(sorted({test["output_type"] for test in self.tests}))


def derive(page: GoldPage) -> Derived:
    """Return the tests that a page's annotation gives."""
    page_id = PurePosixPath(page.image).stem
    blocks = [block for block in page.blocks if not block.predicted.get("ignore")]
    made = [
        {"id": f"{page_id}_{number:03d}_{test['test_type']}", **test}
        for number, test in enumerate(_tests(page, blocks))
    ]
    outputs = _own_outputs(page, blocks)
    kept, dropped = [], Counter[str]()
    for test in made:
        checked = _checked(page_id, test)
        if checked is not None and grade([checked], outputs, version=RC1)[0].result == "pass":
            kept.append(test)
        else:
            dropped[test["test_type"]] += 1
    source = page.attributes.get("data_source")
    return Derived(
        page_id=page_id,
        document=page_id.rpartition(".pdf_")[0] or page_id,
        suite=source if isinstance(source, str) else "other",
        tests=tuple(kept),
        dropped=dropped,
        without_outline=tuple(
            f"{page_id}, block {block.id} ({block.category})"
            for block in blocks
            if block.category in LABEL_OF and _box(block, page) is None
        ),
    )


def _checked(page_id: str, test: dict[str, Any]) -> Test | None:
    """Return a test as the suite reads it; None when its rules refuse it, as LaTeX that KaTeX does not render."""
    try:
        return parse_test(page_id, test)
    except GoldError:
        return None


def _tests(page: GoldPage, blocks: Sequence[GoldBlock]) -> Iterator[dict[str, Any]]:
    common = _page_tags(page)
    ordered = sorted((block for block in blocks if block.order is not None), key=lambda block: block.order or 0)
    for block in blocks:
        tags = [*_block_tags(block), *common]
        if needle := _needle(block):
            yield _test("present", {"content": _text(needle, _edits(needle))}, tags)
        if block.category == "equation_isolated" and block.latex:
            yield _test("present", {"content": {"latex": _bare(block.latex)}}, ["math", *common])
        if block.category == "table" and block.html:
            yield from (_test("table_cell", args, ["table", *common]) for args in _cells(block.html))
        if label := LABEL_OF.get(block.category):
            place = _box(block, page)
            if place is not None:
                content = _text(needle or label, 0) | {"place": [place]}
                yield _test("layout_kind", {"content": content}, tags, {"kind": label})
    squeezed = Counter(without_spaces(fold(_needle(block) or "")) for block in ordered)
    running = [
        block
        for block in ordered
        if block.category in _RUNNING and squeezed[without_spaces(fold(_needle(block) or ""))] == 1
    ]
    for before, after in itertools.pairwise(running):
        first, second = _needle(before), _needle(after)
        if first and second:
            edits = min(_edits(first), _edits(second))
            yield _test("order", {"before": _text(first, edits), "after": _text(second, edits)}, common)


def _test(
    test_type: str, args: dict[str, Any], tags: Sequence[str], settings: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "test_type": test_type,
        "output_type": "blocks" if test_type == "layout_kind" else "html",
        "derivation": "source_transcription",
        "tags": list(dict.fromkeys(tags)),
        "args": args,
        "settings": settings or {},
    }


def _text(text: str, edits: int) -> dict[str, Any]:
    return {"text": text, "max_diffs": edits}


def _edits(text: str) -> int:
    return len(fold(text)) // CHARACTERS_AN_EDIT


def _needle(block: GoldBlock) -> str | None:
    """Return a block's beginning up to its first formula, without bullet or heading marks, cut between words."""
    if block.category not in LABEL_OF or not block.text:
        return None
    plain = _WRITTEN_OUT.sub(" ", block.text.partition("$")[0].partition("\\(")[0])
    text = _LEADING_MARKS.sub("", " ".join(plain.split()))
    if len(text) > LONGEST_NEEDLE:
        words = text[: LONGEST_NEEDLE + 1].rpartition(" ")[0]
        text = words if len(words) > LONGEST_NEEDLE // 2 else text[:LONGEST_NEEDLE]
    return text if len(without_spaces(fold(text))) >= SHORTEST_NEEDLE else None


def _bare(latex: str) -> str:
    """Return LaTeX without the marks that set it apart."""
    text = latex.strip()
    for opening, closing in (("$$", "$$"), ("\\[", "\\]"), ("$", "$")):
        if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening) + len(closing):
            return text[len(opening) : -len(closing)].strip()
    return text


def _cells(table_html: str) -> Iterator[dict[str, Any]]:
    """Yield the args of cells evenly spaced over a table's body whose text stands in it once."""
    for table in page_tables(table_html, from_declared_span):
        forms = {cell: table.whole(cell) for cell in table.grid.text}
        counted = Counter(squeezed for _, squeezed in forms.values())
        body = [
            cell
            for cell, (_, squeezed) in forms.items()
            if cell not in table.grid.headings and squeezed and counted[squeezed] == 1 and _plain(table, cell)
        ]
        count = min(CELLS_A_TABLE, len(body))
        for cell in (body[index * len(body) // count] for index in range(count)):
            yield _cell_args(table, cell)


def _cell_args(table: PageTable, cell: Cell) -> dict[str, Any]:
    """Return a cell with what stands left of it, over it and at the head of its column, where that is text."""
    found: dict[str, str] = {"cell": table.grid.text[cell]}
    for role, direction in _DIRECTIONS:
        near = [other for other in table.neighbours(cell, direction) if not table.is_empty(other)]
        if len(near) == 1 and _plain(table, near[0]):
            found[role] = table.grid.text[near[0]]
    heads = [head for head in table.heading_cells(cell, "up") if head in table.grid.headings and _plain(table, head)]
    if heads:
        found["top_heading"] = table.grid.text[min(heads)]
    found = {role: " ".join(text.split()) for role, text in found.items()}
    # All texts of a test share their edits: as many as the shortest bears.
    edits = min(map(_edits, found.values()))
    return {role: _text(text, edits) for role, text in found.items()}


def _plain(table: PageTable, cell: Cell) -> bool:
    """Whether a cell's text can be compared as text: one line, no formula."""
    text = table.grid.text[cell]
    return "$" not in text and "\\" not in text and "\n" not in text.strip() and bool(fold(text))


def _box(block: GoldBlock, page: GoldPage) -> list[float] | None:
    """Return a block's outline as x0, y0, x1, y1 in 0..1; None without one, or without area."""
    xs, ys = block.polygon[0::2], block.polygon[1::2]
    if not xs or not ys or page.width <= 0 or page.height <= 0:
        return None
    box = [min(xs) / page.width, min(ys) / page.height, max(xs) / page.width, max(ys) / page.height]
    x0, y0, x1, y1 = (round(min(1.0, max(0.0, value)), 6) for value in box)
    return [x0, y0, x1, y1] if x0 < x1 and y0 < y1 else None


def _block_tags(block: GoldBlock) -> list[str]:
    label = LABEL_OF.get(block.category, "")
    tags = [_ROLES[label]] if label in _ROLES else []
    if label == "page_furniture":
        tags.append("header_footer")
    if label == "table":
        tags.append("table")
    if label == "equation":
        tags.append("math")
    if block.attribute.get("text_rotate", "normal") not in ("normal", "horizontal"):
        tags.append("rotated")
    return tags


def _page_tags(page: GoldPage) -> list[str]:
    attributes = page.attributes
    tags = list(_LANGUAGES.get(str(attributes.get("language")), ()))
    issues = attributes.get("special_issue")
    if isinstance(issues, list) and "fuzzy_scan" in issues:
        tags.append("degraded")
    if attributes.get("layout") in _SEVERAL_COLUMNS:
        tags.append("multi_column")
    if attributes.get("data_source") == "note":
        tags.append("handwriting")
    return tags


def _own_outputs(page: GoldPage, blocks: Sequence[GoldBlock]) -> dict[str, Any]:
    """Return what a parser that repeats the annotation would give."""
    ordered = sorted(blocks, key=lambda block: (block.order is None, block.order or 0))
    boxes = [(block, _box(block, page)) for block in blocks if block.category in LABEL_OF]
    return {
        "html": "\n".join(map(_html, ordered)),
        "blocks": [{"label": LABEL_OF[block.category], "bbox": box} for block, box in boxes if box is not None],
    }


def _html(block: GoldBlock) -> str:
    if block.category == "table" and block.html:
        return block.html
    if block.category == "equation_isolated" and block.latex:
        return f"<p>$${html.escape(_bare(block.latex))}$$</p>"
    return f"<p>{html.escape(block.text)}</p>" if block.text else ""
