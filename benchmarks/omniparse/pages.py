"""Seeded pages with tests: ordinary ones, mutated ones, and ones made to be slow."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

_WORDS = re.findall(
    r"\S+",
    "the quarterly revenue of this company rose by twelve percent while costs in northern regions fell and "
    "café naïve Straße déjà-vu introduction method results discussion appendix figure table margin notes "
    "effi- cient develop-ment co-operation P < 0.05 & n = 40 “quoted” ‘single’ it´s 1,240¹ ½ ﬁ → ⇒ ☑ ☐ [x] [1] • ★ "
    "$U$ $c_{\\text{MC}}$ $5.00 $2 . 5$ \\(x^2\\) 漢字 العربية 。，（） …… ---- ____ Ωμέγα "
    "zero\u200bwidth soft\u00adhyphen",
)
# A dollar between words opens a formula that goes on to the next one, and KaTeX then decides how fast anything is.
_ORDINARY_WORDS = [word for word in _WORDS if "$" not in word and word not in ("<", "&")]
_LATEX = (
    r"E=mc^2",
    r"\frac{a}{b}",
    r"\alpha_{1} + \beta",
    r"x \leq y",
    r"\sum_{i=1}^n i^2",
    r"\hat{y}",
    r"\mathbb{R}^n",
    r"\rho_{AB}, \sigma",
    r"5 \pm 2",
)
_NUMBERS = ("1,240.00", "-4.8%", "12,345", "3.50", "(39%)", "$1,240", "0.123", "7", "1 240")
_KINDS = ("heading", "text", "table", "list", "caption", "footnote", "figure")
_RELATIONS = ("up", "down", "left", "right", "top_heading", "left_heading")


def ordinary(count: int, *, seed: int, tests: int = 6, words: int = 850) -> Iterator[dict[str, Any]]:
    """Yield pages of about 7 kB, each with `tests` tests, of which a third pass."""
    rng = random.Random(seed)
    for index in range(count):
        yield _page(rng, f"page-{index}", tests, words, _ORDINARY_WORDS)


def mutated(count: int, *, seed: int) -> Iterator[dict[str, Any]]:
    """Yield small pages whose HTML is cut, doubled and shuffled at random, with tests of the page before that."""
    rng = random.Random(seed)
    for index in range(count):
        page = _page(rng, f"mutated-{index}", 8, rng.choice((20, 60, 150)), _WORDS)
        html = page["prediction"]["html"]
        for _ in range(rng.randint(1, 6)):
            start, length = rng.randrange(len(html)), rng.randint(1, 30)
            piece = html[start : start + length]
            at = rng.randrange(len(html))
            html = rng.choice(
                (
                    html[:start] + html[start + length :],
                    html[:at] + piece + html[at:],
                    html[:at]
                    + rng.choice(("<", ">", "$", "&amp;", "<table>", "</td>", "<!--", "<b", "\n", "[", "``"))
                    + html[at:],
                )
            )
            html = html or "x"
        page["prediction"]["html"] = html
        yield page


def looping_present() -> dict[str, Any]:
    """Return 900 kB of looping text with a test that is not there."""
    return _one(
        "looping-present", _looping(), _test("present", {"content": _text("nothing of the kind stands here at all", 2)})
    )


def looping_order() -> dict[str, Any]:
    """Return 900 kB of looping text with an order test whose texts nearly match everywhere."""
    before, after = _text("the lazy dog sat in the sun", 2), _text("a quick brown fox ran on", 2)
    return _one("looping-order", _looping(), _test("order", {"before": before, "after": after}))


def huge_spans() -> dict[str, Any]:
    """Return a table of three cells of a thousand rows and columns each."""
    cells = "".join(f"<td rowspan=1000 colspan=1000>cell {name}</td>" for name in "abc")
    args = {"cell": _text("cell b", 0), "left": _text("cell a", 0), "right": _text("cell c", 0)}
    return _one("huge-spans", f"<table><tr>{cells}</tr></table>", _test("table_cell", args))


def _looping() -> str:
    return "<p>" + "the lazy dog sat in the sum while a quick brown fix ran on, " * 15_000 + "</p>"


def _one(page_id: str, html: str, test: dict[str, Any]) -> dict[str, Any]:
    return {"page_id": page_id, "tests": [test | {"id": page_id}], "prediction": {"html": html}}


def _page(rng: random.Random, page_id: str, count: int, words: int, vocabulary: list[str]) -> dict[str, Any]:
    paragraphs = []
    left = words
    while left > 0:
        length = min(left, rng.randint(5, 60))
        paragraphs.append(" ".join(rng.choice(vocabulary) for _ in range(length)))
        left -= length
    parts = [f"<{tag}>{text}</{tag}>" for text in paragraphs for tag in [rng.choice(("p", "h2", "div", "li", "sup"))]]
    tables = [_table(rng) for _ in range(rng.randint(1, 3))]
    parts += [html for html, _ in tables]
    parts += [f"<p>${rng.choice(_LATEX)}$ and {rng.choice(_NUMBERS)}</p>" for _ in range(4)]
    parts += ['<img alt="a logo">', "<input type=checkbox checked>", "<ol start=3><li>x</li><li>y</li></ol>"]
    rng.shuffle(parts)
    blocks = [
        {"label": rng.choice(_KINDS), "bbox": sorted_box(rng), "text": rng.choice(paragraphs)[:40]} for _ in range(6)
    ]
    tests = [_random_test(rng, paragraphs, [grid for _, grid in tables], blocks) for _ in range(count)]
    return {
        "page_id": page_id,
        "tests": [test | {"id": f"{page_id}_{index}"} for index, test in enumerate(tests)],
        "prediction": {"html": "\n".join(parts), "blocks": blocks},
    }


def sorted_box(rng: random.Random) -> list[float]:
    """Return a box within the page."""
    x0, x1 = sorted(round(rng.random(), 3) for _ in range(2))
    y0, y1 = sorted(round(rng.random(), 3) for _ in range(2))
    return [x0, y0, min(1.0, x1 + 0.001), min(1.0, y1 + 0.001)]


def _table(rng: random.Random) -> tuple[str, list[list[str]]]:
    rows, columns = rng.randint(2, 8), rng.randint(2, 6)
    grid = [[rng.choice((*_NUMBERS, *_WORDS[:40], "")) for _ in range(columns)] for _ in range(rows)]
    html = []
    for r, row in enumerate(grid):
        cells = []
        for cell in row:
            tag = "th" if r == 0 or rng.random() < 0.1 else "td"
            span = rng.choice(
                ("", "", "", "", ' colspan="2"', ' rowspan="2"', ' rowspan="0"', ' rowspan="3" colspan="2"')
            )
            inner = cell.replace("<", "&lt;") + rng.choice(("", "", "<br>second line", " <b>bold</b>"))
            cells.append(f"<{tag}{span}>{inner}</{tag}>")
        line = f"<tr>{''.join(cells)}</tr>"
        html.append(f"<thead>{line}</thead>" if r == 0 and rng.random() < 0.5 else line)
    return f"<table>{''.join(html)}</table>", grid


def _random_test(
    rng: random.Random, paragraphs: list[str], grids: list[list[list[str]]], blocks: list[dict[str, Any]]
) -> dict[str, Any]:
    kind = rng.choice(
        ("present", "present", "number", "latex", "order", "repeat", "table_cell", "table_cell", "layout")
    )
    match kind:
        case "present":
            return _test("present", {"content": _near(rng, _snippet(rng, paragraphs))})
        case "number":
            return _test("present", {"content": {"number": rng.choice(_NUMBERS[:7])}})
        case "latex":
            return _test("present", {"content": {"latex": rng.choice(_LATEX)}})
        case "order":
            diffs = rng.choice((0, 1, 2))
            before, after = (_text("xxx " + _snippet(rng, paragraphs), diffs) for _ in range(2))
            before["text"], after["text"] = before["text"][4:] + " end", after["text"][4:]
            return _test("order", {"before": before, "after": after})
        case "repeat":
            return _test(
                "repeat", {"content": _text(rng.choice(_WORDS[:20]), 0)}, {"expected_count": rng.randint(1, 9)}
            )
        case "layout":
            block = rng.choice(blocks)
            content = _text("line", 0) | {"place": [block["bbox"]]}
            return _test("layout_kind", {"content": content}, {"kind": rng.choice((block["label"], "text"))})
    return _table_test(rng, rng.choice(grids))


def _table_test(rng: random.Random, grid: list[list[str]]) -> dict[str, Any]:
    r, c = rng.randrange(len(grid)), rng.randrange(len(grid[0]))
    diffs = rng.choice((0, 0, 0, 1))

    def text(cell: str) -> dict[str, Any]:
        return _text(cell if len(cell) > 2 else "revenue", diffs)

    args: dict[str, Any] = {"cell": text(grid[r][c])}
    for relation in rng.sample(_RELATIONS, rng.randint(0, 3)):
        row, column = (
            {"up": (r - 1, c), "down": (r + 1, c), "left": (r, c - 1), "right": (r, c + 1), "top_heading": (0, c)}
        ).get(relation, (r, 0))
        args[relation] = text(grid[row % len(grid)][column % len(grid[0])])
    if rng.random() < 0.3:
        args["headings"] = [text(grid[0][c])]
    if rng.random() < 0.3:
        args["row_groups"] = [text(grid[r][0])]
    if rng.random() < 0.2:
        args["section"] = text(grid[max(0, r - 1)][0])
    return _test("table_cell", args)


def _snippet(rng: random.Random, paragraphs: list[str]) -> str:
    words = rng.choice(paragraphs).split()
    start = rng.randrange(len(words))
    return "the " + " ".join(words[start : start + rng.choice((2, 4, 8, 20))]) + " end"


def _near(rng: random.Random, text: str) -> dict[str, Any]:
    """A text with one letter changed, now and then, and edits allowed, now and then; else as it stands."""
    text = text[4:-4] if rng.random() < 0.6 and len(text) > 12 else text
    at = rng.randrange(len(text))
    if rng.random() < 0.4:
        text = text[:at] + rng.choice("xyz") + text[at + 1 :]
    return _text(text, rng.choice((0, 0, 1, 2)) if len(text) > 8 else 0)


def _text(text: str, diffs: int) -> dict[str, Any]:
    return {"text": text, "max_diffs": diffs}


def _test(test_type: str, args: dict[str, Any], settings: dict[str, Any] | None = None) -> dict[str, Any]:
    output = "blocks" if test_type == "layout_kind" else "html"
    test = {"test_type": test_type, "output_type": output, "derivation": "authored", "tags": []}
    return test | {"args": args, "settings": settings or {}}


def written(pages: list[dict[str, Any]]) -> str:
    """Return pages as JSON lines, the form in which both implementations read them."""
    return "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in pages)
