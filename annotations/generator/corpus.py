"""The sample corpus as files, in the layout that ``docs/corpus.md`` describes."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from annotations.generator import docx, gold, html, model, pdf, pptx
from annotations.generator.rendition import Format, Rendition
from annotations.generator.sources import SOURCES

RENDERERS: dict[Format, Callable[[model.Source], Rendition]] = {
    "docx": docx.render,
    "html": html.render,
    "pdf": pdf.render,
    "pptx": pptx.render,
}

_NAME, _VERSION = "sample", "1"


def write(output: Path) -> None:
    """Write manifest, documents and gold below ``output``.

    Raises:
        FileExistsError: when ``output`` holds anything, so that no stale file stays beside the new ones.
    """
    if output.exists() and any(output.iterdir()):
        raise FileExistsError(f"{output}: holds files already; name a new folder, or empty this one")
    documents = []
    for source in SOURCES:
        numbers = model.note_numbers(source)
        for format, render in RENDERERS.items():
            identity = f"{source.name}_{format}"
            rendition = render(source)
            path = f"documents/{identity}.{format}"
            _put(output / path, rendition.content)
            annotations = output / "annotations"
            content = gold.content(rendition.pieces, numbers)
            _put(annotations / "content" / f"{identity}.content.md", content.encode())
            for axis, ending, values in (
                ("hierarchy", "headings", gold.headings(rendition.pieces)),
                ("tables", "tables", gold.tables(rendition.pieces, numbers)),
                ("qa", "questions", gold.questions(source, rendition, numbers)),
            ):
                name = f"{identity}.{'qa' if axis == 'qa' else ending}.json"
                _put(annotations / axis / name, _json({"document": identity, ending: values}))
            documents.append(
                {
                    "id": identity,
                    "domain": source.domain,
                    "format": format,
                    "pages": rendition.pages,
                    "path": path,
                    "sha256": hashlib.sha256(rendition.content).hexdigest(),
                    "bytes": len(rendition.content),
                    "origin": "written for docassay",
                    "licence": "Apache-2.0",
                    "annotations": ["hierarchy", "content", "tables", "qa"],
                }
            )
    documents.sort(key=lambda document: str(document["id"]))
    _put(output / "documents.json", _json({"name": _NAME, "version": _VERSION, "documents": documents}))


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
