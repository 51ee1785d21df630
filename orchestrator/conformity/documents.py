"""The documents of an examination, made from the built-in probes: plain, padded, long, and broken ones.

``padded`` is a probe with more than 64 MiB that carry no text: it shows that a large document arrives whole.
``lengthy`` has more than 64 MiB of text: it shows that a large output arrives whole, and keeps a parser busy; or a
sixteenth of that, for a parser that would take too long.
"""

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path

FORMATS = ("html", "docx", "pptx", "pdf", "image")
"""In the order in which they are chosen where one will do: cheapest first."""

SLICE_BYTES = 1 << 20
"""The most that one message of an output holds."""

LARGE_BYTES = 64 << 20
"""What a document and an output must exceed."""

TRIAL_SHARE = 16
"""A trial of a lengthy document has this part of its text."""

_PADDING_MORE = 1 << 20
_TEXT_MORE = 2 << 20

WORDS = ("quick", "brown", "paragraph", "recorded", "parcels", "weight", "medium", "1,204")
"""Found in the built-in probe of every format; a text with most of them is the probe's."""

_PROBES = Path(__file__).resolve().parents[2] / "services" / "runtime" / "probes"
_PARAGRAPH_BYTES = 1 << 16
_PAGE_BYTES = 60_000
_WORD_LETTERS = 30
"""Long ones: what a word costs is not what is examined."""

_SEED = 20_250_101


def plain(format: str) -> bytes:
    """Return the built-in probe of a format."""
    return (_PROBES / f"probe.{'png' if format == 'image' else format}").read_bytes()


def padded(format: str) -> bytes:
    """Return the probe with more than 64 MiB of padding that no reader shows."""
    return {"html": _padded_html, "docx": _padded_zip, "pptx": _padded_zip, "pdf": _padded_pdf, "image": _padded_png}[
        format
    ](plain(format))


def has_lengthy(format: str) -> bool:
    """Whether a document of a format can have 64 MiB of text; a page image cannot."""
    return format != "image"


def lengthy(format: str, *, trial: bool = False) -> bytes:
    """Return a document with more than 64 MiB of text, or with a trial's, of a format that can have it."""
    text = (LARGE_BYTES + _TEXT_MORE) // (TRIAL_SHARE if trial else 1)
    makers: dict[str, Callable[[], bytes]] = {
        "html": lambda: _lengthy_html(text),
        "docx": lambda: _lengthy_zip(
            "docx", "word/document.xml", b"</w:body>", b"<w:p><w:r><w:t>%s</w:t></w:r></w:p>", text
        ),
        "pptx": lambda: _lengthy_zip(
            "pptx", "ppt/slides/slide1.xml", b"</p:txBody>", b"<a:p><a:r><a:t>%s</a:t></a:r></a:p>", text
        ),
        "pdf": lambda: _lengthy_pdf(text),
    }
    return makers[format]()


def noise() -> bytes:
    """Return 64 KiB that are no document of any format, the same every time."""
    return random.Random(_SEED).randbytes(1 << 16)


def _paragraphs(left: int) -> Iterator[bytes]:
    """Yield paragraphs of plain words until there is so much text, in bytes."""
    words = random.Random(_SEED)
    vocabulary = ["".join(words.choices("bdfgklmnprstaeiou", k=_WORD_LETTERS)) for _ in range(997)]
    while left > 0:
        paragraph = " ".join(words.choices(vocabulary, k=_PARAGRAPH_BYTES // _WORD_LETTERS)).encode()
        left -= len(paragraph)
        yield paragraph


def _lengthy_html(text: int) -> bytes:
    head = b'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Long</title></head>'
    return b"%s<body>%s</body></html>" % (head, b"\n".join(b"<p>%s</p>" % each for each in _paragraphs(text)))


def _lengthy_zip(format: str, member: str, before: bytes, form: bytes, text: int) -> bytes:
    """Insert paragraphs into one part of the probe, before the first place where ``before`` stands."""
    source, target = zipfile.ZipFile(io.BytesIO(plain(format))), io.BytesIO()
    with source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == member:
                head, found, tail = content.partition(before)
                assert found, f"{member} of the {format} probe has no {before!r}"
                content = b"".join([head, *(form % paragraph for paragraph in _paragraphs(text)), found, tail])
            package.writestr(entry, content)
    return target.getvalue()


def _lengthy_pdf(text: int) -> bytes:
    """Return a PDF of many pages that share one content stream: the text of each counts, the file is small."""
    pages = text // _PAGE_BYTES + 1
    line = b"(%s) Tj T*\n" % b"plain words for every page of it "[:32].ljust(32)
    stream = b"BT /F1 2 Tf 2 TL 10 830 Td\n" + b"".join(repeat(line, _PAGE_BYTES // 32 + 1)) + b"ET\n"
    kids = b" ".join(b"%d 0 R" % (number + 5) for number in range(pages))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    objects += [
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> >>"
    ] * pages
    made, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    made += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    made += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(made)


def _padding() -> int:
    return LARGE_BYTES + _PADDING_MORE


def _padded_html(probe: bytes) -> bytes:
    """Put a comment in front of what is read, so that a document cut short has no text."""
    head, found, tail = probe.partition(b"<body>")
    assert found, "the html probe has no body"
    return b"%s%s<!--%s-->%s" % (head, found, b"padding\n" * (_padding() // 8), tail)


def _padded_zip(probe: bytes) -> bytes:
    """Add a part that nothing refers to; a package cut short has no directory."""
    target = io.BytesIO(probe)
    with zipfile.ZipFile(target, "a", zipfile.ZIP_STORED) as package:
        package.writestr(zipfile.ZipInfo("docProps/padding.bin"), bytes(_padding()))
    return target.getvalue()


def _padded_pdf(probe: bytes) -> bytes:
    """Append an update with an object that nothing refers to; a file cut short has no table of objects at its end."""
    before = int(probe.rpartition(b"startxref")[2].split()[0])
    trailer = (
        probe.rpartition(b"trailer")[2].rpartition(b"startxref")[0].strip().removeprefix(b"<<").removesuffix(b">>")
    )
    size = int(trailer.partition(b"/Size")[2].split()[0].rstrip(b">/"))
    number = b"%d" % size
    trailer = trailer.replace(b"/Size " + number, b"/Size %d" % (size + 1)) + b" /Prev %d" % before
    made = probe + (b"" if probe.endswith(b"\n") else b"\n")
    offset = len(made)
    made += b"%s 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (
        number,
        _padding(),
        b"padding\n" * (_padding() // 8),
    )
    start = len(made)
    made += b"xref\n%s 1\n%010d 00000 n \n" % (number, offset)
    return made + b"trailer\n<<%s>>\nstartxref\n%d\n%%%%EOF\n" % (trailer, start)


def _padded_png(probe: bytes) -> bytes:
    """Add a private chunk that every reader may skip, before the closing one."""
    content = b"paDd" + bytes(_padding())
    chunk = struct.pack(">I", _padding()) + content + struct.pack(">I", zlib.crc32(content))
    return probe[:-12] + chunk + probe[-12:]
