"""Filings as a commission sends them: a page inside SGML, which a reader of HTML was not made for.

The page is taken out of it before any parser has the file, alike for all of them; the method counts such a document as
assisted. Source: BizDocBench, Coverage; the wrapping is that of the EDGAR system (PDS technical specification).
"""

import re
from pathlib import Path

_HEAD = 64
"""Bytes in which the wrapping shows."""

_OPENINGS = (b"-----BEGIN PRIVACY-ENHANCED MESSAGE-----", b"<SEC-DOCUMENT>", b"<IMS-DOCUMENT>", b"<DOCUMENT>")
_DOCUMENT = re.compile(rb"^(?:\xef\xbb\xbf)?<DOCUMENT>\s*^<TYPE>", re.MULTILINE)
_HEADER = 4096
"""Bytes that what stands before a document's text may take: a few lines, each a tag and a word."""

# In capitals, as they are always sent: a drawing in the page may end its words with </text>.
_TEXT = re.compile(rb"^<TEXT>[ \t]*\r?\n", re.MULTILINE)
_XBRL = re.compile(rb"\s*<XBRL>[ \t]*\r?\n")
_END = re.compile(rb"^</(?:XBRL|TEXT)>", re.MULTILINE)
_PAGE = re.compile(rb"<(?:!DOCTYPE\s+html|html|body)[\s>]", re.IGNORECASE)


def is_wrapped(path: Path) -> bool:
    """Return whether a file holds an HTML page inside SGML; plain text inside it is nothing that could be taken out."""
    with path.open("rb") as source:
        if not _opens(source.read(_HEAD)):
            return False
        source.seek(0)
        return _page(source.read()) is not None


def unwrapped(content: bytes) -> bytes:
    """Return the page inside; of a whole submission, that of its first document.

    Raises:
        ValueError: there is none.
    """
    page = _page(content) if _opens(content[:_HEAD]) else None
    if page is None:
        raise ValueError("no HTML page inside SGML")
    return page


def _opens(head: bytes) -> bool:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_OPENINGS)


def _page(content: bytes) -> bytes | None:
    first = _DOCUMENT.search(content)
    opened = first and _TEXT.search(content, first.end(), first.end() + _HEADER)
    if opened is None:
        return None
    begin = inner.end() if (inner := _XBRL.match(content, opened.end())) else opened.end()
    closed = _END.search(content, begin)
    page = content[begin : closed.start() if closed else len(content)]
    return page if _PAGE.search(page) else None
