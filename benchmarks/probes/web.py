"""HTML files that hold one thing each."""

from benchmarks.probes.words import AFTER, BEFORE, PLAIN_TABLE


def page(body: str) -> bytes:
    """Return a page around a body."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>A page</title></head>'
        f"<body><p>{BEFORE}</p>{body}<p>{AFTER}</p></body></html>\n"
    ).encode()


def headings() -> bytes:
    """Three levels."""
    names = ("Alpha chapter", "Beta section", "Gamma part")
    return page(
        "".join(
            f"<h{level}>{text}</h{level}><p>Words below {text.lower()} that make a paragraph of their own.</p>"
            for level, text in enumerate(names, start=1)
        )
    )


def plain_table() -> bytes:
    """A table with nothing merged."""
    head, *body = PLAIN_TABLE
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in body)
    return page(
        f"<table><thead><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr></thead><tbody>{rows}</tbody></table>"
    )


def colspan() -> bytes:
    """A header cell over two columns."""
    return page(
        "<table><thead><tr><th rowspan=2>Region</th><th colspan=2>Sales</th></tr>"
        "<tr><th>Spring</th><th>Autumn</th></tr></thead><tbody><tr><td>North</td><td>11</td><td>12</td></tr>"
        "<tr><td>South</td><td>21</td><td>22</td></tr></tbody></table>"
    )


def rowspan() -> bytes:
    """A cell over two rows."""
    return page(
        "<table><thead><tr><th>Region</th><th>Season</th><th>Sales</th></tr></thead><tbody>"
        "<tr><td rowspan=2>North</td><td>Spring</td><td>11</td></tr><tr><td>Autumn</td><td>12</td></tr>"
        "<tr><td>South</td><td>Spring</td><td>21</td></tr></tbody></table>"
    )


def nested_list() -> bytes:
    """An item below an item."""
    return page("<ul><li>Outer one<ul><li>Inner one</li></ul></li><li>Outer two</li></ul>")


def footnote() -> bytes:
    """A raised number that leads to a note at the end of the page."""
    return page(
        '<p>A claim that needs a note.<sup><a href="#note1" id="ref1" role="doc-noteref">1</a></sup></p>'
        '<section role="doc-endnotes"><p id="note1"><a href="#ref1" role="doc-backlink">1</a> '
        "Words of the note at the foot.</p></section>"
    )


def right_to_left() -> bytes:
    """A Hebrew sentence."""
    return page('<p dir="rtl">שלום עולם</p>')


def link() -> bytes:
    """A word that leads somewhere."""
    return page('<p>Read the <a href="https://example.org/manual">manual</a> first.</p>')


def inline_xbrl() -> bytes:
    """A figure marked for machines, and a fact that is not to be shown."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" '
        'xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><head><title>A filing</title></head><body>'
        '<div style="display:none"><ix:header><ix:hidden><ix:nonNumeric name="dei:Hidden" contextRef="c">'
        "Fact out of sight</ix:nonNumeric></ix:hidden></ix:header></div>"
        f'<p>{BEFORE}</p><p>Revenue was <ix:nonFraction name="us-gaap:Revenues" contextRef="c" decimals="0">'
        f"4,711</ix:nonFraction> dollars.</p><p>{AFTER}</p></body></html>\n"
    ).encode()


def wrapped() -> bytes:
    """A filing as it is sent: a page inside SGML."""
    return (
        b"<SEC-DOCUMENT>0000000000-25-000001.txt : 20250101\n<SEC-HEADER>\nACCESSION NUMBER: 0000000000-25-000001\n"
        b"</SEC-HEADER>\n<DOCUMENT>\n<TYPE>8-K\n<SEQUENCE>1\n<FILENAME>a.htm\n<TEXT>\n"
        + page("<p>Words of the filing.</p>")
        + b"</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n"
    )
