"""MinerU: two majors with two interfaces, each called as its own documentation shows a new user."""

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from services.mineru import version_3, version_4
from services.runtime.form import Collected, Parsed


class Adapter:
    """Headings, tables, blocks and pages are the tool's own."""

    def __init__(self, setting: str) -> None:
        if version("mineru").startswith("3."):
            self._parse: Callable[[Path], Parsed] = version_3.reader()
            self._collect = version_3.collect
        else:
            self._parse = version_4.reader(setting or "standard")
            self._collect = version_4.collect

    def parse(self, path: Path, format: str) -> Parsed:
        """Parse one document."""
        return self._parse(path)

    def collect(self, parsed: Parsed) -> Collected:
        """Read the tool's structured content."""
        return self._collect(parsed)
