"""DOCX and PPTX: the package, the password, the slides, the text. Streamed within limits; nothing is expanded."""

import mmap
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from services.intake.findings import Findings, estimated_pages, kind

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_TYPES = "[Content_Types].xml"
_LARGEST_TYPES = 8 << 20
_LARGEST_PART = 256 << 20
_PIECE = 1 << 16

_DOCX = (
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.document.macroenabled.main+xml",
    "application/vnd.ms-word.template.macroenabledtemplate.main+xml",
)
_PPTX = (
    "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml",
    "application/vnd.openxmlformats-officedocument.presentationml.template.main+xml",
    "application/vnd.ms-powerpoint.presentation.macroenabled.main+xml",
    "application/vnd.ms-powerpoint.slideshow.macroenabled.main+xml",
    "application/vnd.ms-powerpoint.template.macroenabled.main+xml",
)
_SLIDE = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml"
_WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_FALLBACK = "http://schemas.openxmlformats.org/markup-compatibility/2006 Fallback"


class Unreadable(Exception):
    """A part cannot be read; the message says why."""


@dataclass(slots=True)
class _Package:
    """The content types of a package: parts by type (in lower case), and the defaults by extension."""

    parts: dict[str, list[str]] = field(default_factory=dict)
    defaults: set[str] = field(default_factory=set)

    def main(self, types: tuple[str, ...], usual: str) -> str | None:
        """Return the name of the main part if it has one of the given types."""
        for type in types:
            if type in self.parts:
                return self.parts[type][0]
        return usual if self.defaults.intersection(types) else None


def look_docx(path: Path) -> Findings:
    """Look at a Word file, macro-enabled and template variants and strict OOXML included."""
    return _look(path, "a DOCX", _DOCX, "word/document.xml", _word)


def look_pptx(path: Path) -> Findings:
    """Look at a PowerPoint file, its variants included."""
    return _look(path, "a PPTX", _PPTX, "ppt/presentation.xml", _slides)


def _look(
    path: Path,
    declared: str,
    types: tuple[str, ...],
    usual: str,
    count: Callable[[zipfile.ZipFile, str, _Package], Findings],
) -> Findings:
    with path.open("rb") as source:
        head = source.read(16)
    if head.startswith(_OLE):
        if _holds(path, _ENCRYPTED):
            return Findings.locked("the Office file is encrypted with a password")
        return Findings.failed(f"declared {declared}, but it is an Office 97-2003 file")
    if not head.startswith(b"PK"):
        return Findings.failed(f"declared {declared}, but it begins as {kind(head)}")
    try:
        with zipfile.ZipFile(path) as archive:
            if _TYPES not in archive.namelist():
                return Findings.failed(f"declared {declared}, but it is a zip archive without {_TYPES}")
            try:
                package = _content_types(archive)
            except Unreadable as error:
                package = _Package(defaults={types[0]} if usual in archive.namelist() else set())
                return _noted(count(archive, usual, package), f"{_TYPES}: {error}")
            main = package.main(types, usual)
            if main is None:
                return Findings.failed(f"declared {declared}, but no part of the package is one: {_mains(package)}")
            return count(archive, main, package)
    except zipfile.BadZipFile as error:
        return Findings(notes=(f"its zip archive cannot be read: {error}",))
    except _Locked:
        return Findings.locked("the zip archive is encrypted with a password")
    except Unreadable as error:
        return Findings(notes=(str(error),))


def _word(archive: zipfile.ZipFile, main: str, _: _Package) -> Findings:
    """Estimate pages from the characters of the body's text; deleted text and fallbacks of drawings are none."""
    characters, depth, inside = 0, 0, False
    text = {f"{space} t" for space in _WORD}

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal depth, inside
        depth += name == _FALLBACK
        inside = name in text and not depth

    def end(name: str) -> None:
        nonlocal depth, inside
        depth -= name == _FALLBACK
        inside = False

    def data(piece: str) -> None:
        nonlocal characters
        characters += len(piece) if inside else 0

    notes = []
    try:
        _read(archive, main, _LARGEST_PART, start=start, end=end, data=data)
    except Unreadable as error:
        if not characters:
            raise
        notes.append(str(error))
    if not characters:
        notes.append("it has no text")
    return Findings(pages=estimated_pages(characters), estimated=True, notes=tuple(notes))


def _slides(archive: zipfile.ZipFile, main: str, package: _Package) -> Findings:
    """Count the slides that the presentation lists, hidden ones included."""
    listed, inside = 0, False

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal listed, inside
        local = name.rpartition(" ")[2]
        inside = inside or local == "sldIdLst"
        listed += inside and local == "sldId"

    def end(name: str) -> None:
        nonlocal inside
        inside = inside and name.rpartition(" ")[2] != "sldIdLst"

    _read(archive, main, _LARGEST_PART, start=start, end=end)
    notes = []
    held = len(package.parts.get(_SLIDE, ()))
    if not listed:
        notes.append("it has no slides")
    if held != listed:
        notes.append(f"the presentation lists {listed} slides, the package holds {held}")
    return Findings(pages=listed, notes=tuple(notes))


class _Locked(Exception):
    """A part of the archive is encrypted."""


def _content_types(archive: zipfile.ZipFile) -> _Package:
    package = _Package()

    def start(name: str, attributes: dict[str, str]) -> None:
        type = attributes.get("ContentType", "").lower()
        local = name.rpartition(" ")[2]
        if local == "Override":
            package.parts.setdefault(type, []).append(attributes.get("PartName", "").lstrip("/"))
        elif local == "Default":
            package.defaults.add(type)

    _read(archive, _TYPES, _LARGEST_TYPES, start=start)
    return package


def _read(
    archive: zipfile.ZipFile,
    name: str,
    largest: int,
    *,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    data: Callable[[str], None] | None = None,
) -> None:
    """Stream one part through a parser that declares no entity and opens no other file.

    Raises:
        Unreadable: the part is missing, damaged, no XML, too large, or declares entities.
        _Locked: it is encrypted.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = data
    parser.EntityDeclHandler = _no_entity
    try:
        entry = archive.getinfo(name)
        if entry.flag_bits & 1:
            raise _Locked
        with archive.open(entry) as part:
            while piece := part.read(_PIECE):
                largest -= len(piece)
                if largest < 0:
                    raise Unreadable(f"{name} is larger than anything a document needs; it was not read to its end")
                parser.Parse(piece)
        parser.Parse(b"", True)
    except KeyError:
        raise Unreadable(f"the package has no part {name}") from None
    except expat.ExpatError as error:
        raise Unreadable(f"{name} is no well-formed XML: {error}") from error
    except (OSError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise Unreadable(f"{name} cannot be unpacked: {error}") from error


def _no_entity(*declaration: object) -> None:
    raise Unreadable(f"it declares the entity {declaration[0]!s}, which no Office file does")


def _noted(findings: Findings, note: str) -> Findings:
    return Findings(findings.status, findings.reason, findings.pages, findings.estimated, (note, *findings.notes))


def _mains(package: _Package) -> str:
    found = sorted(type for type in package.parts if type.endswith("main+xml"))
    return f"its main part is {found[0]}" if found else "it has no main part"


def _holds(path: Path, what: bytes) -> bool:
    with path.open("rb") as source, mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(what) >= 0
