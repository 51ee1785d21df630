"""Every named quirk of the reference, shown on a page small enough to follow."""

import inspect
from pathlib import Path

import pytest

from scorer.suites.omnidoc import quirks
from scorer.suites.omnidoc.cdm import colour
from scorer.suites.omnidoc.evaluation import evaluate, score_page
from scorer.suites.omnidoc.match import quick_match
from scorer.suites.omnidoc.normalise import normalise_formula, normalise_text
from scorer.suites.omnidoc.page import match_markdown, match_page
from scorer.suites.omnidoc.pipe_tables import pipe_tables_to_html
from scorer.suites.omnidoc.result_files import recognition_files, sample_record
from scorer.suites.omnidoc.sample import Sample
from scorer.suites.omnidoc.split import split
from scorer.suites.omnidoc.table import teds
from tests.scorer.suites.omnidoc.pages import LONG, block, page

_TABLE = "<table><tr><td>a</td><td>b</td></tr></table>"


class TestQuirks:
    def test_closing_fences(self) -> None:
        """A code block is text, fence and language included."""
        assert [piece.content for piece in split("```python\nx = 1\n```")] == ["```python", "x = 1"]

    def test_tabular_slice(self) -> None:
        """The character behind a tabular goes with it."""
        [table, text] = split(r"\begin{tabular}{l}a\end{tabular}Xb")
        assert table.content.endswith("X")
        assert text.content == "b"

    def test_dollar_amounts(self) -> None:
        """Two amounts make a formula, and stay text."""
        kinds = [(piece.kind, piece.fine) for piece in split("from $5 to $7")]
        assert sorted(kinds) == [("equation_isolated", "equation_inline"), ("text_all", "text_block")]

    def test_positions_without_separators(self) -> None:
        """The third paragraph starts where the first two end, blank lines uncounted."""
        assert [piece.start for piece in split("aa\n\nbb\n\ncc")] == [0, 2, 4]

    def test_rule_like_rows(self) -> None:
        """A cell with a colon disappears."""
        html = pipe_tables_to_html("| a | b: c |\n|---|---|\n| 1 | 2 |\n")
        assert ">a</td>" in html
        assert "b: c" not in html

    def test_line_before_pipes(self) -> None:
        """A caption right above a pipe table is lost, one with a blank line between is not."""
        rows = "| a |\n|---|\n| 1 |\n"
        assert [piece.kind for piece in split(f"Caption\n{rows}")] == ["html_table"]
        assert next(piece.content for piece in split(f"Caption\n\n{rows}")) == "Caption"

    def test_slash_t(self) -> None:
        """A slash before a t or an n goes with it."""
        assert normalise_text("/tnt/name") == "ntame"

    def test_deleted_words(self) -> None:
        r"""What is left of `\leftarrow` is an arrow."""
        assert normalise_formula(r"\leftarrow") == "arrow"

    def test_ignore_flag(self) -> None:
        """A block marked to be ignored is scored."""
        found = match_page(page(block("text_block", 1, 0, text=LONG[0], ignore=True)), "other")
        assert len(found.text) == 1

    def test_chain_of_truncations(self) -> None:
        """The middle of three parts stands twice."""
        parts = [block("text_block", at + 1, at, text=text) for at, text in enumerate(("aa", "bb", "cc"))]
        relations: list[dict[str, object]] = [
            {"relation_type": "truncated", "source_anno_id": at, "target_anno_id": at + 1} for at in (0, 1)
        ]
        [joined] = page(*parts, relations=relations).text_and_formulas()
        assert joined.text == "aabbbbcc"

    def test_extra_tables(self) -> None:
        """A table too many becomes text, and costs nothing."""
        gold = page(block("table", 1, 0, html=_TABLE), block("text_block", 2, 1, text=LONG[0]))
        found = score_page(match_page(gold, f"{LONG[0]}\n\n{_TABLE}\n\n<table><tr><td>zzz</td></tr></table>"))
        assert [row.metric["TEDS"] for row in found.tables] == [1.0]
        assert [row.metric["Edit_dist"] for row in found.text] == [0.0]

    def test_first_prediction(self) -> None:
        """The row of the first table has neither category nor position."""
        [row] = match_page(page(block("table", 1, 0, html=_TABLE)), f"text\n\n{_TABLE}").tables
        assert (row.piece_category, row.piece_position) == ("", None)

    def test_latex_tables(self) -> None:
        """A LaTeX table scores 0, however right it is."""
        gold = page(block("table", 1, 0, html=_TABLE, latex=r"\begin{tabular}{ll}a & b\end{tabular}"))
        [row] = score_page(match_page(gold, r"\begin{tabular}{ll}a & b\end{tabular}")).tables
        assert row.metric["TEDS"] == 0.0
        assert sample_record(row)["pred_idx"] == ""

    def test_free_hallucinations(self) -> None:
        """Invented text leaves the score at its best, and is reported as homeless."""
        gold = page(block("text_block", 1, 0, text=LONG[0]), block("text_block", 2, 1, text=LONG[1]))
        found = score_page(match_page(gold, "\n\n".join((*LONG[:2], "Nobody ever wrote this sentence in the page"))))
        evaluation = evaluate([found], {})
        assert evaluation.text_block.edit.page_average == 0.0
        [stray] = found.homeless
        assert stray.text == "Nobody ever wrote this sentence in the page"
        assert stray.characters == len(normalise_text(stray.text))
        assert evaluation.homeless == pytest.approx(stray.characters / found.predicted)

    def test_formula_read_as_text(self) -> None:
        """A formula that was read as text counts as text."""
        gold = page(block("text_block", 1, 0, text=LONG[0]), block("equation_isolated", 2, 1, latex="$$a = b + c$$"))
        evaluation = evaluate([score_page(match_page(gold, f"{LONG[0]}\n\na = b + c"))], {})
        assert len(evaluation.display_formula.samples) == 0
        assert [sample.edits for sample in evaluation.text_block.samples] == [0, 0]

    def test_raw_gold_formulas(self) -> None:
        """From markdown to markdown, a formula is not even at distance 0 from itself."""
        markdown = "text\n\n$$ A = B $$\n\nmore"
        [row] = score_page(match_markdown("x.jpg", markdown, markdown)).formulas
        assert row.metric["Edit_dist"] > 0

    def test_shifted_positions(self) -> None:
        """Behind a block that normalises to nothing, positions are those of the block before."""
        gold = page(*(block("text_block", at + 1, at, text=text) for at, text in enumerate(("—", LONG[0], LONG[1]))))
        found = match_page(gold, "\n\n".join(LONG[:2]))
        assert [row.gold_position for row in found.text] == [(1,), (2,)]

    def test_set_order(self) -> None:
        """Leftovers 8 and 9 of ten come before 6 and 7, as in a Python set."""
        gold = [character * 20 for character in "abcdef"] + ["0123", "4567", "89xy", "zwvu"]
        pieces = [character * 20 for character in "abcdef"] + ["!!!!"]
        [pair] = [pair for pair in quick_match(gold, [False] * 10, pieces).pairs if pair.pieces == (6,)]
        assert pair.gold == (next(iter(set(range(10)) - set(range(6)))),)

    def test_piece_in_two_rows(self) -> None:
        """Two pieces joined for one block, and the first of them the home of another block, too."""
        rows = quick_match(["a", "aaaa"], [False, False], ["aa", "aa"]).pairs
        assert sorted((pair.gold, pair.pieces) for pair in rows) == [((0,), (0,)), ((1,), (0, 1))]

    def test_vanishing_pieces(self) -> None:
        """A piece that only repeats gold found before is in no row."""
        head = "abcdefghijklmnopqrstuvwxyz"
        gold = ["0123456789" * 3, head]
        pieces = ["ZYXWVU" + head + head[::-1] * 3, "TSRQPO" + head + head[::-1] * 3]
        rows = quick_match(gold, [False, False], pieces).pairs
        used = [index for pair in rows if pair.gold for index in pair.pieces]
        assert len(used) < 2

    def test_malformed_table(self) -> None:
        """A span that is no number scores 0 and keeps its error."""
        score = teds("<html><body><table><tr><td colspan='x'>a</td></tr></table></body></html>", "<table></table>")
        assert score.teds == 0.0
        bad = teds(*["<html><body><table><tr><td colspan='x'>a</td></tr></table></body></html>"] * 2)
        assert (bad.teds, bad.error is not None) == (0.0, True)

    def test_tags_in_cells(self) -> None:
        """Of six elements one wrong cell in its row costs five, and still five of 202 with 200 breaks in the cell."""
        gold = page(
            block("table", 1, 0, html="<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>")
        )
        found = [
            score_page(match_page(gold, f"<table><tr><td>wrong{breaks}</td></tr></table>")).tables[0].metric
            for breaks in ("", "<br>" * 200)
        ]
        assert [metric["TEDS"] for metric in found] == [pytest.approx(1 - 5 / 6), pytest.approx(1 - 5 / 202)]
        # the structure alone: a row and three cells are missing
        assert found[1]["TEDS_structure_only"] == pytest.approx(1 - 4 / 202)

    def test_missing_pages(self) -> None:
        """A page without a prediction changes no average, and is listed."""
        scored = score_page(match_page(page(block("text_block", 1, 0, text=LONG[0])), LONG[0]))
        evaluation = evaluate([scored], {}, unpredicted=["other.jpg"])
        assert evaluation.text_block.edit.page_average == 0.0
        assert evaluation.unpredicted == ("other.jpg",)

    def test_uncoloured_tail(self) -> None:
        """What stands last under a root stays black behind a fraction, and is no token."""
        assert colour(r"\sqrt{a+c}").tokens == (r"\sqrt", "a", "+", "c")
        assert colour(r"\sqrt{\frac{a}{b}+c}").tokens == (r"\sqrt", r"\frac", "a", "b", "+")

    def test_last_formula_kept(self) -> None:
        """The CDM file of a recognition run has a page's last formula."""
        from scorer.suites.omnidoc.evaluation import score_element

        samples = [
            Sample(image="x.jpg", gold="a", predicted="a", norm_gold="a", norm_predicted="a", metric={"CDM": value})
            for value in (0.25, 0.75)
        ]
        files = recognition_files(score_element(samples, {}), ["CDM"])
        assert files["per_sample_CDM.json"] == {"x.jpg_0": 0.75}


class TestList:
    def test_each_is_tested(self) -> None:
        """Every quirk has a test of its name, and no test a quirk that is not listed."""
        names = {name.removeprefix("test_").upper() for name, _ in inspect.getmembers(TestQuirks) if "test_" in name}
        assert names == {quirk.name for quirk in quirks.QUIRKS}

    def test_each_has_one_place(self) -> None:
        """Every quirk is named in the docstring of the one module that carries it."""
        folder = Path(quirks.__file__).parent
        texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py")) if path.stem != "quirks"]
        for quirk in quirks.QUIRKS:
            assert sum(quirk.name in text for text in texts) >= 1, quirk.name

    def test_each_is_documented(self) -> None:
        """The page for users says of every quirk what it does to a score."""
        text = (Path(__file__).parents[4] / "docs" / "method" / "omnidoc.md").read_text(encoding="utf-8")
        for quirk in quirks.QUIRKS:
            assert f"**{quirk.name}**: {quirk.rule}; {quirk.effect}." in text
