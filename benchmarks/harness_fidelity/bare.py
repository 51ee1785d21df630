"""The other arm: a parser called as its users call it, with nothing of docassay around it.

Runs as ``python -I bare.py NAME`` in the parser's own environment. Reads paths on standard input, one a line, and
answers each with one JSON line: seconds and the text's digest. Written apart from the adapters on purpose.
"""

import gc
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def markitdown() -> Callable[[str], str]:
    """Return MarkItDown's call."""
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda path: converter.convert(path).markdown


def opendataloader() -> Callable[[str], str]:
    """Return OpenDataLoader's call."""
    from opendataloader_pdf import convert

    def parse(path: str) -> str:
        folder = tempfile.mkdtemp()
        convert(path, output_dir=folder, format="json,markdown", quiet=True, image_output="off")
        return Path(folder, Path(path).stem + ".md").read_text(encoding="utf-8")

    return parse


def docslicer() -> Callable[[str], str]:
    """Return DocSlicer's call, without its chunker."""
    from docslicer import parse_document

    def parse(path: str) -> str:
        options = {"use_browser": False} if path.endswith(".html") else {}
        text: str = parse_document(path, chunking=False, **options).export_to_markdown()
        return text

    return parse


def main() -> None:
    """Answer paths until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    parse = {"markitdown": markitdown, "opendataloader": opendataloader, "docslicer": docslicer}[sys.argv[1]]()
    for line in sys.stdin:
        path = line.rstrip("\n")
        begun = time.perf_counter()
        try:
            text = parse(path)
        except Exception:
            text = None
        seconds = time.perf_counter() - begun
        digest = None if text is None else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        text = None
        gc.collect()  # after the call, as the service does: before it, it would warm the caches for this arm alone
        print(json.dumps({"seconds": seconds, "digest": digest}), file=answers, flush=True)


if __name__ == "__main__":
    main()
