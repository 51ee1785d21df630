"""A program: print number, width and height of each page of a PDF as it is shown, in points, as JSON."""

import ctypes
import json
import sys
from collections.abc import Iterator
from pathlib import Path

# The rest of pypdfium2 takes longer to load than most files to be read.
import pypdfium2_raw as pdfium


def sizes(path: Path) -> Iterator[tuple[int, float, float]]:
    """Yield the sizes of the pages that PDFium can read: turned as the page is, cropped to what is seen of it."""
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadDocument(bytes(path), None)
    if not document:
        return
    size = pdfium.FS_SIZEF()
    for index in range(pdfium.FPDF_GetPageCount(document)):
        if pdfium.FPDF_GetPageSizeByIndexF(document, index, ctypes.byref(size)):
            yield index + 1, size.width, size.height


if __name__ == "__main__":
    print(json.dumps(list(sizes(Path(sys.argv[1])))))
