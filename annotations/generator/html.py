"""A source as one HTML page: semantic tags, a page header and footer, footnotes at the end."""

import html
from collections.abc import Sequence

from annotations.generator import inline, model
from annotations.generator.model import Source
from annotations.generator.rendition import HeadingPiece, Piece, Rendition, TablePiece, TextPiece

_STYLE = """\
body { font-family: Georgia, serif; max-width: 52rem; margin: 2rem auto; line-height: 1.5; color: #1a202c; }
body > header, body > footer { color: #4a5568; font-size: 0.85rem; border-top: 1px solid #8a99ad; padding: 0.4rem 0; }
h1, h2, h3, h4 { font-family: Helvetica, Arial, sans-serif; color: #1f3a5f; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; margin: 1rem 0; }
caption { text-align: left; font-weight: bold; }
th, td { border: 1px solid #8a99ad; padding: 0.2rem 0.4rem; vertical-align: middle; }
th { background: #e8edf3; }
.columns { column-count: 2; column-gap: 2rem; }
.card { border: 1px solid #8a99ad; background: #e8edf3; padding: 0.4rem 0.8rem; margin: 0.5rem 0; }
dt { font-weight: bold; }"""

_LIST_TYPES = {"decimal": "1", "letter": "a", "roman": "i"}


class _Writer:
    """The lines of a page's body, and their pieces."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.numbers = model.note_numbers(source)
        self.lines: list[str] = []
        self.pieces: list[Piece] = []

    def markup(self, text: str) -> str:
        parts = []
        for run in inline.runs(text):
            if run.note:
                number = self.numbers[run.note]
                parts.append(f'<sup><a href="#note{number}" id="ref{number}" role="doc-noteref">{number}</a></sup>')
            else:
                escaped = html.escape(run.text, quote=False)
                parts.append(f"<strong>{escaped}</strong>" if run.bold else escaped)
        return "".join(parts)

    def element(self, tag: str, text: str) -> None:
        self.lines.append(f"<{tag}>{self.markup(text)}</{tag.split()[0]}>")
        self.pieces.append(TextPiece(inline.plain(text, self.numbers)))

    def heading(self, heading: model.Heading) -> None:
        self.lines.append(f"<h{heading.level}>{html.escape(heading.text, quote=False)}</h{heading.level}>")
        self.pieces.append(HeadingPiece(heading.text, heading.level))

    def item_list(self, items: model.ItemList, nesting: str = "") -> None:
        ordered = items.kind != "bullet"
        self.lines.append(f'<ol type="{_LIST_TYPES[items.kind]}">' if ordered else "<ul>")
        for at, item in enumerate(items.items):
            self.lines.append(f"<li>{self.markup(item.text)}")
            label = model.label(items.kind, at)
            self.pieces.append(TextPiece(f"{nesting}{label} {inline.plain(item.text, self.numbers)}"))
            if item.nested:
                self.item_list(item.nested, nesting + "  ")
            self.lines[-1] += "</li>"
        self.lines.append("</ol>" if ordered else "</ul>")

    def table(self, table: model.Table) -> None:
        self.lines += ["<table>", f"<caption>{self.markup(table.caption)}</caption>", "<thead>"]
        self.pieces.append(TextPiece(inline.plain(table.caption, self.numbers)))
        self.rows(table.header, header=True)
        self.lines += ["</thead>", "<tbody>"]
        self.rows(table.body, header=False)
        self.lines += ["</tbody>", "</table>"]
        self.pieces.append(TablePiece(table.id, table.header, table.body))

    def rows(self, rows: Sequence[model.Row], *, header: bool) -> None:
        for row in rows:
            cells = []
            for cell in row:
                attributes = ""
                if header:
                    attributes += ' scope="colgroup"' if cell.cols > 1 else ' scope="col"'
                if cell.rows > 1:
                    attributes += f' rowspan="{cell.rows}"'
                if cell.cols > 1:
                    attributes += f' colspan="{cell.cols}"'
                tag = "th" if header else "td"
                cells.append(f"<{tag}{attributes}>{self.markup(cell.text)}</{tag}>")
            self.lines.append(f"<tr>{''.join(cells)}</tr>")

    def block(self, block: model.Block) -> None:
        match block:
            case model.Heading():
                self.heading(block)
            case model.Paragraph():
                self.element("p", block.text)
            case model.ItemList():
                self.item_list(block)
            case model.Definitions():
                self.lines.append("<dl>")
                for term, text in block.entries:
                    self.lines.append(f"<dt>{self.markup(term)}</dt>\n<dd>{self.markup(text)}</dd>")
                    self.pieces.append(TextPiece(f"{term} {inline.plain(text, self.numbers)}"))
                self.lines.append("</dl>")
            case model.Cards():
                for label, text in block.entries:
                    self.lines.append(
                        f'<div class="card"><p><strong>{self.markup(label)}</strong><br>{self.markup(text)}</p></div>'
                    )
                    self.pieces.append(TextPiece(f"{label}\n{inline.plain(text, self.numbers)}"))
            case model.Table():
                self.table(block)
            case model.Columns():
                self.lines.append('<div class="columns">')
                self.blocks(block.blocks)
                self.lines.append("</div>")
            case model.Landscape():
                self.blocks(block.blocks)

    def blocks(self, blocks: Sequence[model.Block]) -> None:
        for block in blocks:
            self.block(block)

    def notes(self) -> None:
        self.lines.append('<section role="doc-endnotes">')
        for note, number in self.numbers.items():
            text = self.source.notes[note]
            self.lines.append(
                f'<p id="note{number}"><a href="#ref{number}" role="doc-backlink">{number}</a> {self.markup(text)}</p>'
            )
            self.pieces.append(TextPiece(f"{number} {inline.plain(text, self.numbers)}"))
        self.lines.append("</section>")


def render(source: Source) -> Rendition:
    """The page, and its pieces in order."""
    writer = _Writer(source)
    furniture = source.furniture
    writer.lines.append("<header>")
    writer.element("p", f"{furniture.left} {furniture.right}")
    writer.lines += ["</header>", "<main>"]
    writer.heading(model.Heading(1, source.title))
    for line in source.lead:
        writer.element('p class="lead"', line)
    writer.blocks(source.blocks)
    if writer.numbers:
        writer.notes()
    writer.lines += ["</main>", "<footer>"]
    writer.element("p", furniture.footer)
    writer.lines.append("</footer>")
    head = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(source.title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
    )
    page = head + "\n".join(writer.lines) + "\n</body>\n</html>\n"
    return Rendition("html", page.encode(), tuple(writer.pieces), None)
