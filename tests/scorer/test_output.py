"""Reading what third parties wrote."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer import output
from scorer.output import read_chunks, read_output, read_page
from scorer.suites.bizdoc import Chunk, Heading, Row, Table
from services.runtime import form


def _lines(*items: Any) -> io.BytesIO:
    return io.BytesIO(b"".join(json.dumps(item).encode() + b"\n" for item in items))


def _table(*cells: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "table", "rows": [{"header": True, "cells": list(cells)}]}


class TestForm:
    def test_what_the_runtime_writes_is_read_whole(self) -> None:
        """Long text in pieces, headings with parents, tables."""
        text = "x" * form.TEXT_PIECE + "end é"
        collected = form.Collected(
            pages=3,
            headings=[form.Heading("A", 1, "ROOT"), form.Heading("B", 2, 0), form.Heading("C")],
            tables=[form.Table((form.Row(True, (form.Cell("a", 0, 0), form.Cell("b", 0, 1))),))],
        )
        lines = form.output_lines(form.Parsed(text, "markdown"), collected, form.Repair())
        read = read_output(io.BytesIO(b"".join(lines)))
        assert read.document.text == text
        assert read.document.headings == (Heading("A", 1, "ROOT"), Heading("B", 2, 0), Heading("C"))
        assert read.document.tables == (Table((Row(True, ("a", "b")),)),)
        assert (read.bounded, read.warnings) == (False, ())

    def test_chunks_keep_their_headings_apart(self) -> None:
        """None and a list."""
        lines = form.chunk_lines([form.Chunk("t", ("A", "B")), form.Chunk("u")], form.Repair())
        assert read_chunks(io.BytesIO(b"".join(lines))).chunks == (Chunk("t", ("A", "B")), Chunk("u"))

    def test_a_merged_cell_stands_once_at_its_top_left(self) -> None:
        """Covered positions are empty, in its row and below (R41)."""
        rows = [
            {"header": True, "cells": [{"text": "wide", "row": 0, "col": 0, "colspan": 2, "rowspan": 2}]},
            {"header": False, "cells": [{"text": "right", "row": 1, "col": 2}]},
        ]
        [table] = read_output(_lines({"kind": "table", "rows": rows})).document.tables
        assert table == Table((Row(True, ("wide", "")), Row(False, ("", "", "right"))))


class TestTolerance:
    @pytest.mark.parametrize(
        ("line", "words"),
        [
            (b"{not json", "line 2: no JSON"),
            (b"\xff\xfe", "line 2: no JSON"),
            (b"[" * 100_000, "line 2: no JSON"),
            (b"[1, 2]", "line 2: found [1, 2]"),
            (b'{"kind": 3}', "expected an object with a kind"),
            (b'{"kind": "text", "text": 5}', "line 2: text of a text is 5"),
            (b'{"kind": "heading", "text": "h", "level": -1}', "level of heading 0 is -1"),
            (b'{"kind": "heading", "text": "h", "level": true}', "level of heading 0 is True"),
            (b'{"kind": "heading", "text": "h", "parent": 0}', "parent of heading 0 is 0"),
            (b'{"kind": "heading", "text": "h", "parent": 7}', "parent of heading 0 is 7"),
            (b'{"kind": "heading", "text": "h", "parent": "x"}', "parent of heading 0 is 'x'"),
            (b'{"kind": "table", "rows": 1}', "rows of a table is 1"),
            (b'{"kind": "table", "rows": [1]}', "a row is 1"),
            (b'{"kind": "table", "rows": [{"cells": [1]}]}', "a cell is 1"),
            (b'{"kind": "table", "rows": [{"cells": [{"text": "x", "col": -1}]}]}', "col of a cell is -1"),
            (b'{"kind": "table", "rows": [{"cells": [{"text": "x", "col": 999999999999}]}]}', "col of a cell"),
            (b'{"kind": "table", "rows": [{"cells": [{"text": "x", "colspan": 1e99}]}]}', "colspan of a cell"),
        ],
    )
    def test_a_line_that_cannot_be_used_is_a_warning_with_its_number(self, line: bytes, words: str) -> None:
        """The lines around it count."""
        good = json.dumps({"kind": "text", "text": "ok"}).encode()
        read = read_output(io.BytesIO(good + b"\n" + line + b"\n" + good + b"\n"))
        assert read.document.text == "okok"
        assert any(words in warning for warning in read.warnings)

    def test_a_heading_without_text_keeps_its_place(self) -> None:
        """Others name their parents by index."""
        read = read_output(
            _lines({"kind": "heading", "text": None}, {"kind": "heading", "text": "b", "level": 2, "parent": 0})
        )
        assert read.document.headings == (Heading(""), Heading("b", 2, 0))

    def test_unknown_kinds_are_passed_over(self) -> None:
        """Blocks are other suites' business; newer forms may have more."""
        read = read_output(_lines({"kind": "block", "page": 1}, {"kind": "new"}, {"kind": "meta", "pages": "x"}))
        assert read.warnings == ()

    def test_what_cannot_be_stored_is_replaced(self) -> None:
        """A lone surrogate and a NUL come through JSON escapes."""
        read = read_output(io.BytesIO(b'{"kind": "text", "text": "a\\ud800b\\u0000c"}\n'))
        assert read.document.text == "a\ufffdb\ufffdc"

    def test_many_warnings_are_counted(self) -> None:
        """A broken service does not fill the store."""
        read = read_output(io.BytesIO(b"{\n" * 1000))
        assert len(read.warnings) == 21
        assert read.warnings[-1] == "and 980 more like these"

    def test_bad_chunk_headings_are_left_out(self) -> None:
        """The text counts."""
        read = read_chunks(
            _lines({"kind": "chunk", "text": "t", "heading": [1]}, {"kind": "chunk", "text": "u", "heading": "H"})
        )
        assert read.chunks == (Chunk("t"), Chunk("u", ("H",)))
        assert len(read.warnings) == 1

    @settings(max_examples=60)
    @given(
        st.lists(
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                lambda inner: (
                    st.lists(inner, max_size=4)
                    | st.dictionaries(
                        st.sampled_from(
                            ["kind", "text", "rows", "cells", "level", "parent", "heading", "col", "colspan"]
                        ),
                        inner | st.sampled_from(["text", "heading", "table", "chunk", "ROOT"]),
                        max_size=6,
                    )
                ),
                max_leaves=12,
            ),
            max_size=5,
        )
    )
    def test_nothing_crashes_the_reader(self, items: list[Any]) -> None:
        """Whatever JSON a third party sends."""
        read_output(_lines(*items))
        read_chunks(_lines(*items))


class TestBounds:
    def test_text_beyond_the_limit_is_cut_and_marked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Read that much, and say so."""
        monkeypatch.setattr(output, "MOST_CHARACTERS", 10)
        read = read_output(_lines({"kind": "text", "text": "x" * 7}, {"kind": "text", "text": "y" * 7}))
        assert read.document.text == "x" * 7 + "y" * 3
        assert read.bounded
        assert any("longer than 10 characters" in warning for warning in read.warnings)

    def test_a_table_without_end_is_cut_and_marked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A span of ten thousand columns is cheap to write and dear to hold."""
        monkeypatch.setattr(output, "MOST_CELLS", 50)
        read = read_output(_lines(*[_table({"text": "x", "colspan": 20})] * 5))
        assert len(read.document.tables) == 2
        assert read.bounded

    def test_headings_without_end_are_cut_and_marked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """And a parent that was cut away is none."""
        monkeypatch.setattr(output, "MOST_HEADINGS", 2)
        read = read_output(_lines(*[{"kind": "heading", "text": "h", "parent": 3}] * 5))
        assert read.document.headings == (Heading("h"), Heading("h"))
        assert read.bounded

    def test_a_line_without_end_is_left_out_and_the_next_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Memory is bounded by the limit, not by the line."""
        monkeypatch.setattr(output, "_MOST_LINE_BYTES", 100)
        read = read_output(_lines({"kind": "text", "text": "x" * 1000}, {"kind": "text", "text": "after"}))
        assert read.document.text == "after"
        assert read.bounded


class TestPage:
    def test_text_format_and_blocks(self) -> None:
        """As the runtime writes them."""
        blocks = [form.Block(1, "table", (0.1, 0.2, 0.3, 0.4))]
        lines = form.output_lines(form.Parsed("<p>x</p>", "html"), form.Collected(blocks=blocks), form.Repair())
        read = read_page(io.BytesIO(b"".join(lines)))
        assert (read.text, read.text_format, read.warnings) == ("<p>x</p>", "html", ())
        assert read.blocks == (("table", [0.1, 0.2, 0.3, 0.4]),)

    def test_what_cannot_be_used_is_a_warning(self) -> None:
        """An unknown text format, a block of another page."""
        read = read_page(
            _lines({"kind": "meta", "text_format": "docx"}, {"kind": "block", "page": 2, "label": "text", "box": []})
        )
        assert (read.text_format, read.blocks, len(read.warnings)) == ("markdown", (), 2)
        assert "line 2" in read.warnings[1]

    def test_what_is_too_long_is_cut_and_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Text and blocks are read up to a limit."""
        monkeypatch.setattr(output, "MOST_CHARACTERS", 5)
        monkeypatch.setattr(output, "MOST_BLOCKS", 1)
        block = {"kind": "block", "page": 1, "label": "text", "box": [0, 0, 1, 1]}
        read = read_page(_lines({"kind": "text", "text": "abcdefgh"}, block, block))
        assert (read.text, len(read.blocks), read.bounded) == ("abcde", 1, True)
