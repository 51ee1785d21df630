"""The pages of a PDF as images, for a tool that reads images."""

from pathlib import Path

import pypdfium2

from services.runtime.form import Encrypted

DOTS_PER_INCH = 300
"""What Tesseract's manual asks for."""

_POINTS_PER_INCH = 72


def drawn(path: Path, folder: Path) -> list[Path]:
    """Draw every page in shades of grey.

    Raises:
        Encrypted: the PDF needs a password.
    """
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Encrypted("the document needs a password") from None
        raise
    images = []
    with document:
        for number in range(len(document)):
            bitmap = document[number].render(scale=DOTS_PER_INCH / _POINTS_PER_INCH, grayscale=True)
            image = folder / f"page-{number + 1:05}.pgm"
            with image.open("wb") as target:
                target.write(f"P5 {bitmap.width} {bitmap.height} 255\n".encode())
                for row in range(bitmap.height):
                    start = row * bitmap.stride
                    target.write(bytes(bitmap.buffer[start : start + bitmap.width]))
            images.append(image)
    return images
