"""Filings inside SGML: what is one, what is taken out of it, and what is left alone."""

from pathlib import Path

import pytest

from orchestrator.corpus import sgml

PAGE = b"<HTML><BODY>\n<P>Words of the filing.</P>\n<svg><text>\nin a drawing\n</text></svg>\n</BODY></HTML>\n"
DOCUMENT = b"<DOCUMENT>\n<TYPE>8-K\n<SEQUENCE>1\n<FILENAME>a.htm\n<DESCRIPTION>8-K\n<TEXT>\n%s</TEXT>\n</DOCUMENT>\n"
HEADER = b"<SEC-HEADER>0.hdr.sgml : 20250101\nACCESSION NUMBER: 0000000000-25-000001\n</SEC-HEADER>\n"


@pytest.mark.parametrize(
    "content",
    [
        DOCUMENT % PAGE,
        b"\xef\xbb\xbf" + DOCUMENT % PAGE,
        (DOCUMENT % PAGE).replace(b"\n", b"\r\n").replace(PAGE.replace(b"\n", b"\r\n"), PAGE),
        b"<SEC-DOCUMENT>0.txt : 20250101\n" + HEADER + DOCUMENT % PAGE + b"</SEC-DOCUMENT>\n",
        b"-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001\n\n<IMS-DOCUMENT>0.txt\n" + DOCUMENT % PAGE,
        DOCUMENT % (b"<XBRL>\n" + PAGE + b"</XBRL>\n"),
        DOCUMENT % PAGE + DOCUMENT.replace(b"8-K", b"EX-99") % b"<html>another</html>\n",
        (DOCUMENT % PAGE).removesuffix(b"</TEXT>\n</DOCUMENT>\n"),
    ],
    ids=["alone", "mark", "crlf", "submission", "old", "xbrl", "exhibits", "cut off"],
)
def test_the_page_comes_out_byte_by_byte(content: bytes, tmp_path: Path) -> None:
    """Nothing of the wrapping is left, nothing of the page is lost; of several documents the first is the filing."""
    path = tmp_path / "a.html"
    path.write_bytes(content)
    assert sgml.is_wrapped(path)
    assert sgml.unwrapped(content) == PAGE


@pytest.mark.parametrize(
    "content",
    [
        b"",
        PAGE,
        b"<html><pre>\n<DOCUMENT>\n<TYPE>8-K\n<TEXT>\n<html></html></TEXT></pre></html>",
        DOCUMENT % b"<PAGE>\nANNUAL REPORT\n<TABLE>\n<S> <C>\n1 2\n</TABLE>\n",
        b"<DOCUMENT>\n<TYPE>8-K\n",
        b"<DOCUMENT>\n<P>words</P>\n<TEXT>\n<html></html>\n</TEXT>\n</DOCUMENT>\n",
        b"<document><text>\n<html></html></text></document>",
    ],
    ids=["nothing", "page", "quoted", "plain text", "header alone", "no type", "xml"],
)
def test_what_is_no_filing_stays_as_it_is(content: bytes, tmp_path: Path) -> None:
    """A page, a text filing, or some other document of that name."""
    path = tmp_path / "a.html"
    path.write_bytes(content)
    assert not sgml.is_wrapped(path)
    with pytest.raises(ValueError, match="no HTML page"):
        sgml.unwrapped(content)


def test_many_beginnings_without_an_end(tmp_path: Path) -> None:
    """Only the first is looked at: a search from each of them to the end would never be over."""
    path = tmp_path / "a.html"
    path.write_bytes(b"<DOCUMENT>\n<TYPE>8-K\n" * 2_000_000)
    assert not sgml.is_wrapped(path)
