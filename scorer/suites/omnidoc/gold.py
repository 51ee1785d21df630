"""A gold page, read from the annotation file's JSON with every fault named, and the blocks that are matched.

Source: OmniDocBench v1.5, annotation format and end-to-end dataset. Named quirks: IGNORE_FLAG, CHAIN_OF_TRUNCATIONS.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypeGuard, TypeVar

from scorer.suites.omnidoc.categories import FORMULA, TABLE, TEXT
from scorer.suites.omnidoc.pieces import Position

__all__ = ["GoldBlock", "GoldError", "GoldPage", "read_page", "read_pages", "selected"]


T = TypeVar("T")


class GoldError(ValueError):
    """An annotation that does not fit: the message names page, field, what was found and expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldBlock:
    """An annotated block: category, content by form, place in the reading order, attributes and outline."""

    id: object
    category: str
    order: Position = None
    text: str | None = None
    latex: str | None = None
    html: str | None = None
    attribute: Mapping[str, object] = field(default_factory=dict)
    polygon: tuple[float, ...] = ()
    spans: tuple["GoldBlock", ...] = ()
    predicted: Mapping[str, object] = field(default_factory=dict)

    def content(self, key: str) -> str:
        """Return the text, latex or html that matching needs; raises `GoldError` when the block has none."""
        value = {"text": self.text, "latex": self.latex, "html": self.html}[key]
        if value is None:
            raise GoldError(f"block {self.id} ({self.category}): expected the field {key!r}, found none")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldPage:
    """A page: the image's file name, attributes, size in pixels, blocks, and the pairs of ids that were cut apart.

    `digest` is of the page as the file has it: pages of two files with one digest have the same gold.
    """

    image: str
    attributes: Mapping[str, object]
    width: float
    height: float
    blocks: tuple[GoldBlock, ...]
    truncated: tuple[tuple[object, object], ...]
    digest: str = ""

    def text_and_formulas(self) -> list[GoldBlock]:
        """List what is matched as text or formula, truncated blocks joined, in reading order (none counts as 0)."""
        return _sorted(
            [block for category in (*TEXT, FORMULA) for block in self._joined() if block.category == category]
        )

    def tables(self) -> list[GoldBlock]:
        """List the tables in reading order."""
        return _sorted([block for block in self._joined() if block.category == TABLE])

    def _joined(self) -> list[GoldBlock]:
        """Join blocks cut in two: text in reading order, the rest from the first, attributes lost.

        The reference appends both ids of each relation to the group, so that a chain of three repeats its middle.
        """
        groups: list[list[object]] = []
        for source, target in self.truncated:
            homes = [group for group in groups if source in group or target in group]
            for group in homes:
                group += [source, target]
            if not homes:
                groups.append([source, target])
        cut = {identifier for group in groups for identifier in group}
        by_id = {block.id: block for block in self.blocks if block.id in cut}
        blocks = [block for block in self.blocks if block.id not in cut]
        for group in groups:
            missing = [identifier for identifier in group if identifier not in by_id]
            if missing:
                raise GoldError(f"extra.relation names block {missing[0]}, which layout_dets has not")
            parts = _sorted([by_id[identifier] for identifier in group])
            text = "".join(part.content("text") for part in parts)
            blocks.append(GoldBlock(id=parts[0].id, category=parts[0].category, order=parts[0].order, text=text))
        return blocks


def _sorted(blocks: list[GoldBlock]) -> list[GoldBlock]:
    return sorted(blocks, key=lambda block: block.order or 0)


def read_pages(data: object) -> list[GoldPage]:
    """Read the annotation file's list of pages; raises `GoldError`."""
    if not isinstance(data, list):
        raise GoldError(f"expected a list of pages, found {type(data).__name__}")
    pages = [read_page(page, number) for number, page in enumerate(data)]
    first: dict[str, int] = {}
    for number, page in enumerate(pages):
        if first.setdefault(page.image, number) != number:
            raise GoldError(
                f"pages {first[page.image]} and {number} both have the image {page.image}: predictions are found by "
                "its name, so each page needs one of its own"
            )
    return pages


def read_page(data: object, number: int = 0) -> GoldPage:
    """Read one page; `number` is its place in the file, for messages."""
    info = _Fields(data, f"page {number}").object("page_info")
    image = PurePosixPath(info.text("image_path").replace("\\", "/")).name
    place = f"page {number} ({image})"
    page = _Fields(data, place)
    blocks = [_block(item, f"{place}, layout_dets[{index}]") for index, item in enumerate(page.list("layout_dets"))]
    relations = [
        _Fields(item, f"{place}, extra.relation[{index}]")
        for index, item in enumerate(page.object("extra").list("relation", default=[]))
    ]
    return GoldPage(
        image=image,
        attributes=info.mapping("page_attribute"),
        width=info.number("width"),
        height=info.number("height"),
        blocks=tuple(blocks),
        truncated=tuple(
            (relation.identifier("source_anno_id"), relation.identifier("target_anno_id"))
            for relation in relations
            if relation.value("relation_type") == "truncated"
        ),
        digest=hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest(),
    )


def selected(pages: Sequence[GoldPage], filters: Mapping[str, object]) -> list[GoldPage]:
    """Keep the pages whose attributes have every value asked for; raises `GoldError` for an attribute a page lacks."""
    kept = []
    for page in pages:
        unknown = [name for name in filters if name not in page.attributes]
        if unknown:
            known = ", ".join(page.attributes)
            raise GoldError(f"page {page.image}: the filter asks for {unknown[0]!r}, page_attribute has {known}")
        if all(page.attributes[name] == value for name, value in filters.items()):
            kept.append(page)
    return kept


_BLOCK_FIELDS = {"text", "latex", "html", "category_type", "order", "anno_id", "attribute", "poly", "line_with_spans"}


def _block(data: object, place: str) -> GoldBlock:
    item = _Fields(data, place)
    order = item.data.get("order")
    if order is not None and not _is_number(order):
        raise GoldError(f"{place}: order must be a number or null, found {order!r:.80}")
    polygon = item.list("poly", default=[])
    if len(polygon) not in (0, _CORNERS) or not all(map(_is_number, polygon)):
        raise GoldError(f"{place}: poly must be {_CORNERS} numbers, two a corner, found {polygon!r:.80}")
    return GoldBlock(
        id=None if item.data.get("anno_id") is None else item.identifier("anno_id"),
        category=item.text("category_type"),
        order=order,
        text=item.optional_text("text"),
        latex=item.optional_text("latex"),
        html=item.optional_text("html"),
        attribute=item.mapping("attribute", default={}),
        polygon=tuple(float(value) for value in polygon if _is_number(value)),
        spans=tuple(
            _block(span, f"{place}, line_with_spans[{index}]")
            for index, span in enumerate(item.list("line_with_spans", default=[]))
        ),
        predicted={key: value for key, value in item.data.items() if key not in _BLOCK_FIELDS},
    )


def _is_number(value: object) -> TypeGuard[int | float]:
    """Tell whether a value is a number that can be counted with; Python reads NaN in JSON, and takes true for 1."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < _LARGEST
    return isinstance(value, float) and math.isfinite(value)


_CORNERS = 8
"""Numbers of an outline; the format has no other."""
_LARGEST = 2**53
"""Beyond it a whole number is no float."""
_KINDS: Mapping[type[object], str] = {str: "text", list: "a list", dict: "an object"}


class _Fields:
    """An object of the file and where it stands: reads fields, naming the place of whatever does not fit."""

    def __init__(self, data: object, place: str) -> None:
        if not isinstance(data, dict):
            raise GoldError(f"{place}: expected an object, found {type(data).__name__}")
        self.data: dict[str, object] = data
        self._place = place

    def value(self, name: str, default: object = ...) -> object:
        found = self.data.get(name, default)
        if found is None:
            found = default
        if found is ...:
            kept = "null in it" if name in self.data else ", ".join(self.data) or "no field"
            raise GoldError(f"{self._place}: expected the field {name!r}, found {kept}")
        return found

    def _typed(self, name: str, kind: type[T], default: object = ...) -> T:
        found = self.value(name, default)
        if not isinstance(found, kind):
            raise GoldError(f"{self._place}: {name} must be {_KINDS[kind]}, found {found!r:.80}")
        return found

    def text(self, name: str) -> str:
        return self._typed(name, str)

    def optional_text(self, name: str) -> str | None:
        """Return a text; a number, which tools write for text of digits alone, as one."""
        found = self.data.get(name)
        if found is not None and not isinstance(found, str) and not _is_number(found):
            raise GoldError(f"{self._place}: {name} must be text, found {found!r:.80}")
        return None if found is None else str(found)

    def identifier(self, name: str) -> str | int | float:
        found = self.value(name)
        if not isinstance(found, str | int | float):
            raise GoldError(f"{self._place}: {name} must be a number or text, found {found!r:.80}")
        return found

    def number(self, name: str) -> float:
        found = self.value(name)
        if not _is_number(found):
            raise GoldError(f"{self._place}: {name} must be a number, found {found!r:.80}")
        return float(found)

    def list(self, name: str, default: object = ...) -> list[object]:
        return self._typed(name, list, default)

    def mapping(self, name: str, default: object = ...) -> Mapping[str, object]:
        return self._typed(name, dict, default)

    def object(self, name: str) -> "_Fields":
        return _Fields(self.value(name), f"{self._place}, {name}")
