"""MarkItDown: markdown only, as ``MarkItDown().convert(path).markdown`` gives it to a new user."""

from pathlib import Path

from markitdown import MarkItDown

from services.runtime import markdown
from services.runtime.form import Collected, Parsed


class Adapter:
    """MarkItDown reports no structure, so headings and tables are read from its markdown."""

    def __init__(self, setting: str) -> None:
        self._converter = MarkItDown()

    def parse(self, path: Path, format: str) -> Parsed:
        """Convert one document."""
        return Parsed(self._converter.convert(path).markdown, "markdown")

    def collect(self, parsed: Parsed) -> Collected:
        """Read headings and tables from the markdown."""
        return Collected(headings=markdown.headings(parsed.text), tables=markdown.tables(parsed.text))
