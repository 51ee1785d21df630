"""docling.rs: Docling's reading in Rust, called as its documentation shows a new user.

The default reads PDFs with its layout and table models; the setting ``text_layer`` takes their text layer alone.
Other formats are read the same way by both.
"""

from collections.abc import Iterator
from pathlib import Path

from docling_rs import DocumentConverter, PasswordRequiredError
from docling_rs.chunking import HierarchicalChunker

from services.forms import docling_document
from services.runtime.form import Chunk, Collected, Encrypted, Parsed


class Adapter:
    """Headings, tables, blocks, pages and chunks are the tool's own."""

    def __init__(self, setting: str) -> None:
        self._converter = DocumentConverter(text_layer_only=setting == "text_layer")

    def parse(self, path: Path, format: str) -> Parsed:
        """Convert one document."""
        try:
            document = self._converter.convert(str(path)).document
        except PasswordRequiredError:
            raise Encrypted("the document needs a password") from None
        return Parsed(document.export_to_markdown(), "markdown", document)

    def collect(self, parsed: Parsed) -> Collected:
        """Read the DoclingDocument."""
        return docling_document.collect(parsed.native)

    def chunk(self, parsed: Parsed) -> Iterator[Chunk]:
        """Yield the chunks of its structure; its other chunkers need a tokenizer of an embedder's."""
        for chunk in HierarchicalChunker().chunk(parsed.native):
            yield Chunk(chunk.text, tuple(chunk.meta.headings or ()) or None)
