"""Docling, called as its documentation shows a new user: ``DocumentConverter().convert(path)``.

The default reads PDFs with its standard pipeline and its models; the setting ``native`` with the pipeline that needs
none. Other formats are read the same way by both.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from docling.datamodel.base_models import InputFormat
from docling.document_converter import DocumentConverter

from services.forms import docling_document
from services.runtime.form import Chunk, Collected, Parsed


class Adapter:
    """Headings, tables, blocks, pages and chunks are the tool's own."""

    def __init__(self, setting: str) -> None:
        self._converter = _native() if setting == "native" else _standard()
        # Loading the models belongs to the load, not to the first document.
        self._converter.initialize_pipeline(InputFormat.PDF)

    def parse(self, path: Path, format: str) -> Parsed:
        """Convert one document."""
        document = self._converter.convert(path).document
        return Parsed(document.export_to_markdown(), "markdown", document)

    def collect(self, parsed: Parsed) -> Collected:
        """Read the DoclingDocument."""
        return docling_document.collect(parsed.native)

    def chunk(self, parsed: Parsed) -> Iterator[Chunk]:
        """Yield the chunks of its structure; its other chunker needs a tokenizer of an embedder's."""
        # Imported here, because it is no part of reading a document.
        from docling_core.transforms.chunker import HierarchicalChunker

        for chunk in HierarchicalChunker().chunk(parsed.native):
            yield Chunk(chunk.text, tuple(chunk.meta.headings or ()) or None)


def _native() -> DocumentConverter:
    from docling.document_converter import NativePdfFormatOption

    return DocumentConverter(format_options={InputFormat.PDF: NativePdfFormatOption()})


def _standard() -> DocumentConverter:
    from docling.datamodel.pipeline_options import PdfPipelineOptions
    from docling.document_converter import PdfFormatOption

    options = PdfPipelineOptions(artifacts_path=os.environ["DOCASSAY_WEIGHTS"])
    return DocumentConverter(format_options={InputFormat.PDF: PdfFormatOption(pipeline_options=options)})
