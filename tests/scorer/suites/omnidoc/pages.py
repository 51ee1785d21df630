"""Small gold pages for tests."""

from collections.abc import Iterator

from scorer.suites.omnidoc.gold import GoldPage, read_page

LONG = (
    "The quick brown fox jumps over the lazy dog near the river bank",
    "Pack my box with five dozen liquor jugs before the evening train",
    "Sphinx of black quartz judge my vow while zebras hum along nicely",
)


def block(category: str, order: int | None, identifier: int, **content: object) -> dict[str, object]:
    """Return an annotated block."""
    return {
        "category_type": category,
        "poly": [0, 0, 9, 0, 9, 9, 0, 9],
        "order": order,
        "anno_id": identifier,
        **content,
    }


def page(*blocks: dict[str, object], relations: list[dict[str, object]] | None = None) -> GoldPage:
    """Return a page of blocks."""
    return read_page(data(*blocks, relations=relations))


def data(*blocks: dict[str, object], relations: list[dict[str, object]] | None = None) -> dict[str, object]:
    """Return a page as the annotation file has it."""
    return {
        "layout_dets": list(blocks),
        "page_info": {
            "image_path": "images/small.jpg",
            "width": 100,
            "height": 100,
            "page_attribute": {"language": "english", "special_issue": ["None"]},
        },
        "extra": {"relation": relations or []},
    }


WRONG: tuple[object, ...] = (None, True, 7, -1.5, float("nan"), 10**400, "", "word", [], [[]], [None], {}, {"a": [1]})
"""What may stand in a file in the place of anything."""


def spoiled(value: object, wrong: object) -> Iterator[object]:
    """Yield copies of a value, each with one thing in it, at any depth, put wrong."""
    yield wrong
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ({**value, key: changed} for changed in spoiled(item, wrong))
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from ([*value[:place], changed, *value[place + 1 :]] for changed in spoiled(item, wrong))
