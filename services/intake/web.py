"""HTML: is it text, and how much. Read by a scanner of its own: the estimate must not change with a library."""

import codecs
import html
import re
from pathlib import Path

from services.intake.findings import Findings, estimated_pages, kind

_HEAD = 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHARSET = re.compile(rb"(?:charset|encoding)\s{0,8}=\s{0,8}[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_OPENING = re.compile(r"<(?:(!--)|(script|style|template)(?=[\s/>])|(?=[a-z/!?]))", re.IGNORECASE)


def look(path: Path) -> Findings:
    """Look at an HTML file: XHTML, inline XBRL and filings wrapped in SGML are all HTML, in any encoding."""
    content = path.read_bytes()
    named = kind(content[:_HEAD].lstrip())
    if named not in ("nothing known", "a BMP image"):  # BM is how any text may begin; a bitmap fails below
        return Findings.failed(f"declared HTML, but it begins as {named}")
    text, note = _decode(content)
    if "\0" in text[:_HEAD]:
        return Findings.failed("declared HTML, but its beginning holds NUL characters: it is no text")
    notes = [note] if note else []
    if "\0" in text:
        notes.append(f"{text.count(chr(0))} NUL characters in its text")
    characters = source_characters(text)
    if not characters:
        notes.append("it has no text")
    return Findings(pages=estimated_pages(characters), estimated=True, notes=tuple(notes))


def source_characters(markup: str) -> int:
    """Count the characters of a page's text: no tags, comments, scripts or styles; white space collapsed."""
    count, at = 0, 0
    while at < len(markup):
        found = _OPENING.search(markup, at)
        end = found.start() if found else len(markup)
        words = _unescaped(markup[at:end]).split()
        count += sum(map(len, words)) + len(words)
        if found is None:
            break
        at = _after(markup, found)
    return count


def _after(markup: str, opening: "re.Match[str]") -> int:
    """Return where the tag, comment or script that opens here is over; what is never closed takes the rest."""
    at = opening.end()
    if opening[1]:
        closed = markup.find("-->", at)
        return closed + 3 if closed >= 0 else len(markup)
    if opening[2]:
        closing = re.compile(f"</{opening[2]}", re.IGNORECASE).search(markup, at)
        if closing is None:
            return len(markup)
        at = closing.end()
    closed = markup.find(">", at)
    return closed + 1 if closed >= 0 else len(markup)


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a character reference with thousands of digits is none
        return text


def _decode(content: bytes) -> tuple[str, str]:
    """Return the text and a note when it is not in the encoding it names."""
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content.decode(encoding, "replace"), ""
    if content[:2] in (b"<\0", b"\0<"):
        encoding = "utf-16-le" if content[:1] == b"<" else "utf-16-be"
        return content.decode(encoding, "replace"), "UTF-16 without a byte order mark"
    try:
        return content.decode("utf-8"), ""
    except UnicodeDecodeError:
        pass
    named = _CHARSET.search(content[: 4 * _HEAD])
    try:
        return content.decode(named[1].decode() if named else "cp1252"), ""
    except (LookupError, UnicodeDecodeError):
        what = f"its encoding {named[1].decode()}" if named else "UTF-8"
        return content.decode("cp1252", "replace"), f"not in {what}; read as Windows-1252"
