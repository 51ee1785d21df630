"""A program: print number, width and height of each page of a PDF as it is shown, in points, as JSON."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pypdfium2


def sizes(path: Path) -> Iterator[tuple[int, float, float]]:
    """Yield the sizes of the pages that PDFium can read: turned as the page is, cropped to what is seen of it."""
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:
        return
    for index in range(len(document)):
        try:
            width, height = document.get_page_size(index)
        except pypdfium2.PdfiumError:
            continue
        yield index + 1, width, height


if __name__ == "__main__":
    print(json.dumps(list(sizes(Path(sys.argv[1])))))
