"""From a PDF to the box of every colour, in one pass over a page's pixels.

Ghostscript draws, as for the reference: the method's last step is a seeded search with a threshold in pixels, and two
rasterisers that differ by one pixel in the place of a glyph can differ by 0.05 in a long formula's score.
"""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from scorer.suites.omnidoc.cdm import Rendering, TokenBox, colour_of

__all__ = ["draw", "rendering"]

_DPI = 200
_MARGIN = 8


def draw(ghostscript: str, pdf: Path) -> Iterator[NDArray[np.uint8]]:
    """Draw the pages at 200 dpi without smoothing, so that a pixel has the colour of one token; red, green, blue."""
    command = [
        *(ghostscript, "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=ppmraw", f"-r{_DPI}"),
        *("-dTextAlphaBits=1", "-dGraphicsAlphaBits=1", "-sOutputFile=%stdout", str(pdf)),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
    ) as process:
        stream = process.stdout
        while stream is not None and (fields := _header(stream)):
            width, height = fields
            data = stream.read(width * height * 3)
            if len(data) == width * height * 3:
                yield np.frombuffer(data, dtype=np.uint8).reshape(height, width, 3)


def _header(stream: IO[bytes]) -> tuple[int, int] | None:
    """Read a page's header: `P6`, remarks, width and height, the greatest value; None at the end."""
    if stream.readline().strip() != b"P6":
        return None
    numbers: list[int] = []
    while len(numbers) < 3:
        line = stream.readline()
        if not line:
            return None
        numbers += [] if line.startswith(b"#") else [int(field) for field in line.split()]
    return numbers[0], numbers[1]


def rendering(image: NDArray[np.uint8], tokens: Sequence[str], *, blank: str) -> Rendering:
    """Find the box of every token's colour in the page cut to its ink and a margin; tokens without a pixel go.

    `blank` is the error of a page without ink.
    """
    codes_of_pixels = (image.astype(np.uint32) * np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)).sum(axis=2)
    rows, columns = np.nonzero(codes_of_pixels != 0xFFFFFF)
    if len(rows) == 0:
        return Rendering(2 * _MARGIN, 2 * _MARGIN, (), blank)
    top, left = int(rows.min()) - _MARGIN, int(columns.min()) - _MARGIN
    width, height = int(columns.max()) + _MARGIN - left, int(rows.max()) + _MARGIN - top
    codes, which = np.unique(codes_of_pixels[rows, columns], return_inverse=True)
    lowest, highest = np.full((2, len(codes)), 1 << 30), np.full((2, len(codes)), -1)
    for axis, values in enumerate((columns, rows)):
        np.minimum.at(lowest[axis], which, values)
        np.maximum.at(highest[axis], which, values)
    place = {int(code): index for index, code in enumerate(codes)}
    boxes: list[TokenBox] = []
    for index, token in enumerate(tokens):
        red, green, blue = colour_of(index)
        found = place.get(red << 16 | green << 8 | blue)
        if found is not None:
            x0, y0 = (int(value) for value in lowest[:, found])
            x1, y1 = (int(value) for value in highest[:, found])
            boxes.append(TokenBox(token, (x0 - left - 1, y0 - top - 1, x1 - left + 1, y1 - top + 1)))
    return Rendering(width, height, tuple(boxes))
