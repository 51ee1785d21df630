"""Small gold pages for tests."""

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
