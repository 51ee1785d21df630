"""Marker, called as its documentation shows a new user: ``PdfConverter(artifact_dict=create_model_dict())``.

Its models run in servers of its own, which it starts as children and which live as long as the worker.
"""

from pathlib import Path

from marker.converters.pdf import PdfConverter
from marker.models import create_model_dict
from marker.renderers.json import JSONRenderer
from surya.inference.backends import spawn

from services.marker import pages, waiting
from services.runtime.form import Collected, Parsed


class Adapter:
    """Headings, tables, blocks and pages are the tool's own, from its JSON form of the same document."""

    def __init__(self, setting: str) -> None:
        waiting.end_with_the_server(spawn)
        self._converter = PdfConverter(artifact_dict=create_model_dict())

    def parse(self, path: Path, format: str) -> Parsed:
        """Convert one document; the two steps are those of calling the converter."""
        document = self._converter.build_document(str(path))
        rendered = self._converter.resolve_dependencies(self._converter.renderer)(document)
        return Parsed(rendered.markdown, "markdown", document)

    def collect(self, parsed: Parsed) -> Collected:
        """Render the document once more, as JSON."""
        return pages.read(self._converter.resolve_dependencies(JSONRenderer)(parsed.native).children)
