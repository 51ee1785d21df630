import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from scorer.omniparse import DatasetError, RunError, grade_predictions, read_dataset, read_run, verdict_rows, write_run
from scorer.omniparse.files import write_json_lines
from scorer.omniparse.grading import read_outputs
from scorer.omniparse.runs import check_runs_folder
from scorer.suites.omniparse import RC1, V1_0_0, GoldError
from tests.scorer.omniparse.made import dataset, predictions


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A dataset."""
    return dataset(tmp_path / "dataset")


class TestDataset:
    def test_pages_and_other_columns(self, made: Path) -> None:
        """Pages in order, a missing part named other, extra columns kept."""
        read = read_dataset(made)
        assert [page.page_id for page in read.pages] == ["a-0", "a-1", "a-2", "b-0"]
        assert read.pages[3].suite == "other"
        assert read.pages[0].extra == {"language": "eng"}
        assert sum(map(len, read.all_tests().values())) == 9

    @pytest.mark.parametrize(
        ("column", "value", "message"),
        [
            ("page_id", "../a", "one path component"),
            ("page_id", "A-1", "more than once, case aside"),
            ("doc_path", "/etc/a.pdf", "inside the dataset"),
            ("doc_path", "pages/a.docx", "must be a .pdf or .png"),
            ("gt_path", "gold/other.json", "named a-0.json"),
            ("outputs", ["markdown"], "distinct output types"),
            ("document", " ", "non-empty strings"),
        ],
    )
    def test_a_bad_row_is_named(self, made: Path, column: str, value: object, message: str) -> None:
        """The file, the page and the rule."""
        rows = pq.read_table(made / "manifest.parquet").to_pylist()
        rows[0][column] = value
        if message.startswith("more"):
            rows[0]["gt_path"] = "gold/A-1.json"
        pq.write_table(pq.read_table(made / "manifest.parquet").from_pylist(rows), made / "manifest.parquet")
        with pytest.raises(DatasetError, match=message) as caught:
            read_dataset(made)
        assert "manifest.parquet" in str(caught.value)

    def test_gold_out_of_step_with_the_manifest_is_named(self, made: Path) -> None:
        """Tests that read an output the page is not asked for, no tests, no file and one id twice are refused."""
        page = read_dataset(made).pages[0]
        good = page.gt_path.read_text()
        page.gt_path.write_text((made / "gold/b-0.json").read_text())
        with pytest.raises(GoldError, match="its tests read"):
            page.tests()
        page.gt_path.write_text('{"tests": []}')
        with pytest.raises(GoldError, match="has no tests"):
            page.tests()
        page.gt_path.write_text(good.replace("a-0_cell", "a-1_cell"))
        with pytest.raises(GoldError, match=r"used more than once.*a-1_cell"):
            read_dataset(made).all_tests()
        page.gt_path.write_text(good.replace("a-0_cell", "\\ud800"))
        with pytest.raises(GoldError, match=r"test '\\ud800': its id holds half of a surrogate pair"):
            page.tests()
        page.gt_path.write_text("[" * 100_000)
        with pytest.raises(GoldError, match="nested too deeply"):
            page.tests()
        page.gt_path.unlink()
        with pytest.raises(GoldError, match="cannot be read"):
            page.tests()

    def test_no_dataset_is_refused(self, tmp_path: Path) -> None:
        """A folder that is not there, one without manifest, and a mistyped address."""
        for given, message in (
            (tmp_path / "none", "no dataset folder"),
            (tmp_path, "has no manifest"),
            ("hf://datasets/only", "names no dataset"),
        ):
            with pytest.raises(DatasetError, match=message):
                read_dataset(given)


class TestGrading:
    @pytest.mark.parametrize("version", [RC1, V1_0_0])
    @pytest.mark.parametrize("newer", [False, True])
    def test_both_shapes_in_both_versions(self, made: Path, tmp_path: Path, version: object, newer: bool) -> None:
        """Eight of nine tests pass, whichever shape the predictions have."""
        graded = grade_predictions(read_dataset(made), predictions(tmp_path / "p", newer=newer), version=version)  # type: ignore[arg-type]
        results = {line["test_id"]: line["result"] for line in graded.lines()}
        assert [test for test, result in results.items() if result != "pass"] == ["a-1_cell"]
        assert graded.summary()["headline"] == pytest.approx((1 + 3 / 4 + 1) / 3)

    def test_a_missing_page_fails_in_rc1_and_is_not_covered_in_1_0_0(self, made: Path, tmp_path: Path) -> None:
        """rc1 counts its tests as failed; 1.0.0 scores the other pages and multiplies by coverage."""
        given = predictions(tmp_path / "p", without=("a-2",))
        rc1 = grade_predictions(read_dataset(made), given)
        assert rc1.summary()["families"]["text"]["score"] == 3 / 4
        newer = grade_predictions(read_dataset(made), given, version=V1_0_0)
        assert newer.summary()["families"]["text"] == {"score": 1.0, "tests": 3, "documents": 2}
        run = write_run(tmp_path / "run", newer, provider="me", dataset="d", manifest="m", predictions=given)
        assert (run["coverage"], run["headline"]) == (0.75, pytest.approx(0.75 * newer.summary()["headline"]))

    def test_unsupported_blocks_leave_no_headline(self, made: Path, tmp_path: Path) -> None:
        """The layout test is unsupported, so the family has no score."""
        graded = grade_predictions(read_dataset(made), predictions(tmp_path / "p"), unsupported=["blocks"])
        assert graded.summary()["headline"] is None
        assert not any(page.failed for page in graded.pages)

    def test_a_sample_is_the_references(self, made: Path, tmp_path: Path) -> None:
        """Two pages: one of each part in turn."""
        graded = grade_predictions(read_dataset(made), predictions(tmp_path / "p"), sample=2)
        assert [page.page.page_id for page in graded.pages] == ["a-0", "b-0"]

    def test_what_could_not_be_used_is_said(self, made: Path, tmp_path: Path) -> None:
        """Stray files, unreadable predictions and malformed outputs are remarks, with an example."""
        given = predictions(tmp_path / "p")
        (given / "stray.json").write_text("{}")
        (given / "a-0.json").write_text("{")
        (given / "a-1.json").write_text("[" * 100_000)
        (given / "a-2.json").write_text('{"html": 3}')
        remarks = grade_predictions(read_dataset(made), given).remarks
        for words in (
            "stray.json",
            "no prediction that can be read for 2 pages, e.g.: a-0.json isn't JSON: ",
            "malformed output on 1 page, e.g. a-2",
        ):
            assert any(words in remark for remark in remarks)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (None, "there is no a-0.json"),
            ("", "a-0.json isn't JSON: "),
            ('{"html": "x"', "a-0.json isn't JSON: "),
            ("null", "a-0.json must hold an object with html and blocks, found null"),
            ('["html"]', 'a-0.json must hold an object with html and blocks, found ["html"]'),
            ('{"pages": []}', "a-0.json: pages must be a list of one page, found 0 of them"),
            ('{"pages": [{}, {}]}', "a-0.json: pages must be a list of one page, found 2 of them"),
            ('{"pages": {}}', "a-0.json: pages must be a list of one page, found dict"),
            ('{"html": 3, "blocks": []}', "malformed html output: "),
        ],
    )
    def test_each_page_says_why_it_failed(self, made: Path, tmp_path: Path, text: str | None, words: str) -> None:
        """A file that is there is not called missing, and no test's own reason stands for the page's."""
        given = predictions(tmp_path / "p")
        (given / "a-0.json").unlink()
        if text is not None:
            (given / "a-0.json").write_text(text)
        [page] = [page for page in grade_predictions(read_dataset(made), given).pages if page.page.page_id == "a-0"]
        assert page.reason.startswith(words)

    @pytest.mark.parametrize(
        ("text", "words"),
        [('{"html": "x"}', "no blocks output"), ('{"html": "x", "blocks": {}}', "malformed blocks output: ")],
    )
    def test_a_page_with_tests_of_blocks_says_what_it_lacks(
        self, made: Path, tmp_path: Path, text: str, words: str
    ) -> None:
        """Its other tests fail for reasons of their own, which are not the page's."""
        given = predictions(tmp_path / "p")
        (given / "b-0.json").write_text(text)
        [page] = [page for page in grade_predictions(read_dataset(made), given).pages if page.page.page_id == "b-0"]
        assert page.reason.startswith(words)

    def test_a_stray_file_whose_name_is_no_text_is_named_in_text(self, made: Path, tmp_path: Path) -> None:
        """The remark can be stored and sent."""
        given = predictions(tmp_path / "p")
        (given / os.fsdecode(b"caf\xe9.json")).write_text("{}")
        [remark] = grade_predictions(read_dataset(made), given).remarks
        assert b"udce9.json" in remark.encode()

    def test_outputs_of_both_shapes(self, tmp_path: Path) -> None:
        """Whatever has neither shape has no outputs."""
        for text, outputs in (
            ('{"html": "x"}', {"html": "x"}),
            ('\ufeff{"pages": [{"html": "x"}]}', {"html": "x"}),
            ('{"pages": [{}, {}]}', None),
            ('["html"]', None),
        ):
            (tmp_path / "p.json").write_text(text, encoding="utf-8")
            assert read_outputs(tmp_path / "p.json") == outputs

    def test_a_folder_for_another_dataset_is_refused(self, made: Path, tmp_path: Path) -> None:
        """No file named for a page is a slip, not a score of 0."""
        (tmp_path / "p").mkdir()
        (tmp_path / "p" / "x.json").write_text("{}")
        with pytest.raises(DatasetError, match="holds 1 file, and none is named"):
            grade_predictions(read_dataset(made), tmp_path / "p")


class TestRuns:
    @pytest.mark.parametrize("version", [RC1, V1_0_0])
    def test_a_run_is_read_as_it_was_written(self, made: Path, tmp_path: Path, version: object) -> None:
        """Lines and results survive, in the version's own layout."""
        given = predictions(tmp_path / "p", newer=version is RC1)
        graded = grade_predictions(read_dataset(made), given, version=version)  # type: ignore[arg-type]
        write_run(tmp_path / "run", graded, provider="me", dataset="d", manifest="m", predictions=given)
        read = read_run(tmp_path / "run")
        assert read.version is version
        assert read.results() == {line["test_id"]: line["result"] for line in graded.lines()}
        assert not list((tmp_path / "run").rglob("*.partial"))
        again = grade_predictions(read_dataset(made), tmp_path / "run" / "predictions", version=version)  # type: ignore[arg-type]
        assert list(again.lines()) == list(graded.lines())
        stored = json.loads((tmp_path / "run" / "predictions" / "a-0.json").read_text())
        assert set(stored) == ({"html", "blocks"} if version is RC1 else {"pages"})

    def test_a_page_answered_with_nothing_readable_is_counted_failed(self, made: Path, tmp_path: Path) -> None:
        """rc1's summary counts failed pages by part."""
        given = predictions(tmp_path / "p", without=("a-2",))
        graded = grade_predictions(read_dataset(made), given)
        summary = write_run(tmp_path / "run", graded, provider="me", dataset="d", manifest="m", predictions=given)
        assert not (tmp_path / "run" / "predictions" / "a-2.json").exists()
        assert summary["per_suite"]["a"]["failed"] == summary["failed"] == 1
        assert summary["pages"] == 4

    @pytest.mark.parametrize("version", [RC1, V1_0_0])
    def test_half_of_a_surrogate_pair_is_written_as_it_was_read(
        self, made: Path, tmp_path: Path, version: object
    ) -> None:
        """JSON escapes it and UTF-8 has none: in the text, in a block and beside characters of two halves."""
        given = predictions(tmp_path / "p")
        html = "page a-0 \\ud800\\ud83d\\ude00 \\\\ud800 \\udc00"
        (given / "a-0.json").write_text(f'{{"html": "{html}"}}')
        bad = '[{"label": "\\udfff", "bbox": [0, 0, 1, 1]}]'
        (given / "b-0.json").write_text(f'{{"html": "", "blocks": {bad}}}')
        graded = grade_predictions(read_dataset(made), given, version=version)  # type: ignore[arg-type]
        write_run(tmp_path / "run", graded, provider="me", dataset="d", manifest="m", predictions=given)
        for name in ("a-0", "b-0"):
            before, after = (read_outputs(at / f"{name}.json") for at in (given, tmp_path / "run" / "predictions"))
            assert before is not None
            assert after == {"blocks": None} | dict(before)
        assert read_run(tmp_path / "run").lines == tuple(
            {"run": "run", "provider": "me", "scorer": "docassay omniparse@rc1"} | line if version is RC1 else line
            for line in graded.lines()
        )

    def test_a_prediction_of_an_earlier_grading_does_not_stay(self, made: Path, tmp_path: Path) -> None:
        """The run folder holds what its scores are of; graded in place, the predictions are left alone."""
        for without in ((), ("a-2",)):
            given = predictions(tmp_path / f"p{len(without)}", without=without)
            graded = grade_predictions(read_dataset(made), given)
            write_run(tmp_path / "run", graded, provider="me", dataset="d", manifest="m", predictions=given)
        held = tmp_path / "run" / "predictions"
        assert sorted(path.stem for path in held.iterdir()) == ["a-0", "a-1", "b-0"]
        (held / "a-2.json").write_text("{")
        graded = grade_predictions(read_dataset(made), held)
        write_run(tmp_path / "run", graded, provider="me", dataset="d", manifest="m", predictions=held)
        assert (held / "a-2.json").read_text() == "{"

    def test_a_line_ends_where_its_file_ends_it(self, made: Path, tmp_path: Path) -> None:
        """A line separator of Unicode within a text is none."""
        given = predictions(tmp_path / "p")
        graded = grade_predictions(read_dataset(made), given)
        write_run(tmp_path / "run", graded, provider="me", dataset="d", manifest="m", predictions=given)
        lines = [line | {"test_id": f"{line['test_id']}\u2028"} for line in read_run(tmp_path / "run").lines]
        write_json_lines(tmp_path / "run" / "scores.jsonl", lines)
        assert read_run(tmp_path / "run").lines == tuple(lines)

    def test_where_no_run_folder_can_be_written(self, tmp_path: Path) -> None:
        """Said before anything is graded."""
        (tmp_path / "file").write_text("")
        with pytest.raises(RunError, match=r"no run folder can be written in .*file: File exists; name another folder"):
            check_runs_folder(tmp_path / "file")
        check_runs_folder(tmp_path / "a" / "b")
        assert list((tmp_path / "a" / "b").iterdir()) == []

    def test_a_broken_run_names_file_and_line(self, tmp_path: Path) -> None:
        """No run, no JSON, no score line."""
        with pytest.raises(RunError, match="no graded run"):
            read_run(tmp_path)
        line = {
            **dict.fromkeys(("page_id", "suite", "document", "test_id", "why"), "x"),
            "test_type": "present",
            "output_type": "html",
            "derivation": "authored",
            "tags": [],
            "result": "pass",
        }
        for text, message in (
            ("{", "line 2 isn't JSON"),
            ("[" * 100_000, "nested too deeply"),
            ("{}", "line 2: no score line: it lacks page_id"),
            ("[]", r"line 2: found \[\], expected an object"),
            (line | {"page_id": 3}, "line 2: page_id: found 3, expected a string"),
            (line | {"tags": "eng"}, 'tags: found "eng", expected a list of strings'),
            (line | {"result": ["pass"]}, r'result: found \["pass"\], expected a string'),
            (line | {"result": "passed"}, 'result: found "passed", expected one of pass, fail, unsupported'),
            (line | {"test_type": "absent"}, 'test_type: found "absent", expected one of present'),
            (line | {"derivation": "guessed"}, 'derivation: found "guessed", expected one of text_layer'),
            (line | {"output_type": "blocks"}, 'output_type: found "blocks", expected html'),
        ):
            written = text if isinstance(text, str) else json.dumps(text)
            (tmp_path / "scores.jsonl").write_text(f"\n{written}\n")
            with pytest.raises(RunError, match=message) as caught:
                read_run(tmp_path)
            assert str(caught.value).startswith(f"{tmp_path / 'scores.jsonl'}, line 2")
        (tmp_path / "scores.jsonl").write_text("")
        for name, text, message in (
            ("summary.json", None, "cannot be read: No such file"),
            ("summary.json", "[]", r"holds \[\], expected an object"),
            ("settings.json", "{", "isn't JSON"),
            ("settings.json", '{"unsupported": "blocks"}', 'found "blocks", expected a list of html, blocks'),
        ):
            if text is not None:
                (tmp_path / name).write_text(text)
            with pytest.raises(RunError, match=f"{name}.*{message}"):
                read_run(tmp_path)
        (tmp_path / "scores.jsonl").write_bytes(b"\n\xff")
        with pytest.raises(RunError, match=r"scores\.jsonl is not UTF-8 at byte 1"):
            read_run(tmp_path)


class TestRows:
    def test_rows_have_the_tables_columns(self, made: Path, tmp_path: Path) -> None:
        """Every verdict is a row with its tags; unsupported is null."""
        graded = grade_predictions(read_dataset(made), predictions(tmp_path / "p"), unsupported=["blocks"])
        found = verdict_rows(graded.lines(), run_id="r", suite="omniparse@rc1", parser="me@1")
        rows = {row["test"]: row for row in found}
        assert len(rows) == 9
        assert rows["b-0_kind"]["passed"] is None
        assert rows["a-1_cell"]["passed"] is False
        assert rows["a-1_cell"]["tags"] == ["table", "part:a", "derivation:authored"]
        assert rows["a-0_text"] == {
            "run_id": "r",
            "suite": "omniparse@rc1",
            "parser": "me@1",
            "document": "a-0",
            "source": "document-0",
            "test": "a-0_text",
            "family": "text",
            "kind": "present",
            "passed": True,
            "why": "",
            "tags": ["eng", "part:a", "derivation:authored"],
        }
