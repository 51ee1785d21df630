"""Pipe tables of a predicted page, as HTML (v1.5).

Source: OmniDocBench v1.5, the markdown-table conversion: every stretch from a pipe to a pipe at a line's end is a
table of its own, and those that follow one another line on line are merged. Named quirks: RULE_LIKE_ROWS,
LINE_BEFORE_PIPES.
"""

from collections.abc import Iterator

from scorer.suites.omnidoc.stretches import without

__all__ = ["is_pipe_table_page", "pipe_tables_to_html"]


def is_pipe_table_page(text: str) -> bool:
    """Tell whether a page has the two stretches from which the reference looks for tables."""
    found = _between_pipes(text + "\n")
    return next(found, None) is not None and next(found, None) is not None


def pipe_tables_to_html(text: str) -> str:
    """Rewrite the page with its pipe tables as HTML tables."""
    text = text.replace("\r", "") + "\n"
    out: list[str] = []
    before = [""]
    done = 0
    for spans in _tables(text):
        before += text[done : spans[0][0]].split("\n")
        rows = without("\n".join(line for start, end in spans for line in _rows(text[start:end])), "<!--", "-->")
        out += [*before[:-2], f"\n\n<table>\n{rows}\n</table>\n\n"]
        before, done = [], spans[-1][1]
    rest = [*before, *text[done:].split("\n")]
    page = "\n".join([*out, *(rest if rest[-1] else rest[:-1])])
    return page.replace("<table>", '<table border="1" >').replace("<td>", '<td colspan="1" rowspan="1">')


def _between_pipes(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches from a pipe to the next pipe that ends a line, across line ends."""
    start = text.find("|")
    while start >= 0 and (close := text.find("|\n", start + 1)) >= 0:
        yield start, close + 2
        start = text.find("|", close + 2)


def _tables(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the stretches of each table: those that no line end keeps apart."""
    table: list[tuple[int, int]] = []
    for start, end in _between_pipes(text):
        if table and "\n" in text[table[-1][1] : start]:
            yield table
            table = []
        table.append((start, end))
    if table:
        yield table


def _rows(stretch: str) -> list[str]:
    """Write a stretch as rows, a line a tag or cell: all its lines but the second, which should be a rule."""
    first, *others = stretch.strip().split("\n")
    lines: list[str] = []
    for row in (first, *others[1:]):
        cells = [cell.strip() for cell in row.strip().split("|")[1:-1]]
        kept = [f"      <td>{cell}</td>" for cell in cells if "---" not in cell and ":" not in cell]
        lines += ["    <tr>", *kept, "    </tr>"]
    return lines if len(lines) > 2 else []
