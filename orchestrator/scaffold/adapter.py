"""Calls the tool. This one reads HTML with the standard library, so that the folder works before a tool is in it.

Replace what is inside ``parse`` by a call of your tool, and ``collect`` by a reading of what it reports.
"""

from html.parser import HTMLParser
from pathlib import Path

from services.runtime import markdown
from services.runtime.form import Collected, Parsed

_BLOCKS = frozenset(("p", "li", "tr", "caption", "h1", "h2", "h3", "h4", "h5", "h6", "title"))
_SILENT = frozenset(("script", "style", "title"))


class Adapter:
    """Made once a worker, outside the timed region: load models here."""

    def __init__(self, setting: str) -> None:
        self._setting = setting

    def parse(self, path: Path, format: str) -> Parsed:
        """Make the tool's own text of one document: this is what is timed."""
        reader = _Reader()
        reader.feed(path.read_text(encoding="utf-8", errors="replace"))
        reader.close()
        return Parsed(reader.text(), "markdown")

    def collect(self, parsed: Parsed) -> Collected:
        """Read the structure out of the tool's result, untimed. A tool that reports headings hands those over."""
        return Collected(headings=markdown.headings(parsed.text), tables=markdown.tables(parsed.text))


class _Reader(HTMLParser):
    """Gathers the text of a page, a block a paragraph, headings marked as in markdown."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a block, or something that is not shown."""
        if tag in _SILENT:
            self._silent += 1
        elif tag in _BLOCKS:
            self._pieces.append("\n\n" + ("#" * int(tag[1]) + " " if tag[0] == "h" else ""))
        elif tag in ("td", "th"):
            self._pieces.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """End what is not shown."""
        if tag in _SILENT and self._silent:
            self._silent -= 1

    def handle_data(self, data: str) -> None:
        """Keep what is shown."""
        if not self._silent:
            self._pieces.append(data)

    def text(self) -> str:
        """Return the text so far."""
        return "".join(self._pieces).strip()
