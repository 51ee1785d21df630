import json
import os
import shutil
from pathlib import Path

import pytest
from reportlab.pdfgen import canvas

from scorer.omniparse import DatasetError, PublishedError, hand_built_page, read_dataset, read_published
from scorer.omniparse.claims import Claim, ClaimError, check_claims, read_card, read_claims
from scorer.omniparse.ocr import predict_ocr
from scorer.omniparse.tutorial import count_tests, tutorial
from scorer.stats import bootstrap
from scorer.suites.omniparse import GoldError
from tests.orchestrator.cli.shell import docassay
from tests.scorer.omniparse.made import dataset, predictions, small_rows, written


class TestHandBuiltPage:
    def test_thirteen_tests_pass(self) -> None:
        """The page as it stands passes all of its thirteen tests."""
        assert [v.result for v in hand_built_page.verdicts()] == ["pass"] * 13

    def test_nine_changes_flip_one_each_and_three_controls_none(self) -> None:
        """Each change fails exactly the test it should."""
        made = hand_built_page.changes()
        assert [flipped.as_expected for flipped in made] == [True] * 12
        assert sum(len(flipped.flipped) for flipped in made) == 9
        assert len({flipped.flipped for flipped in made if flipped.flipped}) == 9

    def test_declared_unsupported(self) -> None:
        """The two layout tests leave the score."""
        results = [v.result for v in hand_built_page.verdicts(unsupported=("blocks",))]
        assert results.count("unsupported") == 2


class TestCounts:
    def test_of_a_dataset(self, tmp_path: Path) -> None:
        """Nine tests by type, family and tag; a language is no tag."""
        counts = count_tests(read_dataset(dataset(tmp_path / "d")))
        assert counts["type"] == {"present": 4, "table_cell": 4, "layout_kind": 1}
        assert counts["family"] == {"text": 4, "tables": 4, "layout": 1}
        assert (counts["tag"], counts["language"], counts["script"]) == ({"table": 4}, {"eng": 4}, {})


class TestClaims:
    def test_held_not_held_and_not_checkable(self, tmp_path: Path) -> None:
        """A claim is checked against the verdicts, or said not to be checkable."""
        published = read_published(written(small_rows(), tmp_path / "results.parquet"))
        claims = [
            Claim("two systems were graded", lambda found: len(found.items.systems) == 2),
            Claim("every test passes", lambda found: bool((found.items.values == 1).all())),
            Claim("it is fast", lambda _: None),
        ]
        assert [claim.status for claim in check_claims(published, claims)] == ["held", "did not hold", "not checkable"]

    def test_from_a_file(self, tmp_path: Path) -> None:
        """What leads, is ahead, is a figure, and what no verdict tells: a passes 1 of 2 text tests and no table."""
        rows = [row | {"result": "pass" if row["system"] == "a" else "fail"} for row in small_rows()]
        published = read_published(written(rows, tmp_path / "results.parquet"))
        path = tmp_path / "claims.json"
        said = [
            {"text": "a leads", "leads": {"system": "a", "figure": "headline"}},
            {"text": "b is ahead", "ahead": {"system": "b", "of": "a", "figure": "tables"}},
            {"text": "a has 100", "is": {"system": "a", "figure": "text", "per_cent": 100}},
            {"text": "a has no layout", "is": {"system": "a", "figure": "layout", "per_cent": 0}},
            {"text": "c leads", "leads": {"system": "c", "figure": "pooled"}},
            {"text": "it is open"},
        ]
        path.write_text(json.dumps(said))
        assert [claim.status for claim in check_claims(published, read_claims(path))] == [
            *("held", "did not hold", "held"),
            *("not checkable", "not checkable", "not checkable"),
        ]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{", "isn't JSON"),
            ("{}", "expected a list"),
            ('["x"]', "claim 1 is .*expected an object with a text"),
            ('[{"text": "x", "beats": {}}]', "claim 1 has beats, expected one of leads"),
            ('[{"text": "x"}, {"text": "x", "leads": {"system": "a"}}]', "claim 2: leads is"),
            ('[{"text": "x", "leads": {"system": "a", "figure": "speed"}}]', "the figure one of headline"),
            (
                '[{"text": "x", "leads": {"system": ["a"], "figure": "text"}}]',
                r'system of leads is \["a"\], expected a st',
            ),
            (
                '[{"text": "x", "is": {"system": "a", "figure": "text", "per_cent": "81"}}]',
                "per_cent of is is .81., exp",
            ),
            *(
                (
                    f'[{{"text": "x", "is": {{"system": "a", "figure": "text", "per_cent": {value}}}}}]',
                    f"per_cent of is is {value}, expected a number from 0 to 100",
                )
                for value in ("NaN", "Infinity", "true", "100.1", "-1", 10**40)
            ),
        ],
    )
    def test_a_bad_file_is_named(self, tmp_path: Path, text: str, message: str) -> None:
        """The file, the claim and what was expected."""
        path = tmp_path / "claims.json"
        path.write_text(text)
        with pytest.raises(ClaimError, match=message) as caught:
            read_claims(path)
        assert "claims.json" in str(caught.value)

    def test_a_bad_card_is_named(self, tmp_path: Path) -> None:
        """No file, no object, an unknown figure, a text for a number."""
        path = tmp_path / "card.json"
        with pytest.raises(ClaimError, match="cannot be read"):
            read_card(path)
        for text, message in (
            ("[]", "expected an object of systems"),
            ('{"a": 1}', "a is 1"),
            ('{"a": {"speed": 1}}', "expected one of headline"),
            ('{"a": {"text": "81"}}', "in per cent"),
            ('{"a": {"text": NaN}}', "a has text NaN, expected"),
            ("{}", "holds no figures"),
            ('{"a": {}, "b": {}}', "holds no figures"),
        ):
            path.write_text(text)
            with pytest.raises(ClaimError, match=message):
                read_card(path)
        path.write_text('{"a": {"headline": null, "text": 81.25}}')
        assert read_card(path) == {"a": {"headline": None, "text": 81.25}}


class TestOcr:
    def test_what_the_command_prints_is_graded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A command that prints `page a-0` for a page's image passes that page's text test; one that fails, fails."""
        folder = dataset(tmp_path / "d")
        _draw(folder, "a-0", "a-1")
        _command(tmp_path, monkeypatch, 'case "$1" in --version) echo tesseract 9;; *) echo "page a-0 & <b>";; esac')
        step = {step.title: step for step in tutorial(dataset=folder, work=tmp_path / "w", sample=0)}[OCR]
        assert step.skipped is None
        assert step.lines[0].startswith("tesseract 9 on 2 pages")
        assert step.lines[1] == "text: 25.0 % of 4 tests"
        assert json.loads((tmp_path / "w/tesseract/a-0.json").read_text()) == {
            "html": "<p>page a-0 &amp; &lt;b&gt;</p>\n"
        }

    def test_a_page_it_fails_on_fails_its_tests(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The prediction is there, without html."""
        folder = dataset(tmp_path / "d")
        _draw(folder, "a-0")
        _command(tmp_path, monkeypatch, "exit 1")
        assert predict_ocr(read_dataset(folder).pages, tmp_path / "w") == 1
        assert json.loads((tmp_path / "w/a-0.json").read_text()) == {}

    def test_without_the_command_the_step_says_how_to_get_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And the next step goes on."""
        monkeypatch.setenv("PATH", str(tmp_path))
        steps = {step.title: step for step in tutorial(dataset=dataset(tmp_path / "d"), work=tmp_path / "w")}
        assert "apt-get install tesseract-ocr" in (steps[OCR].skipped or "")
        assert steps["Bring your own parser"].skipped == "the dataset holds no PDF pages"

    def test_the_real_one_reads_a_drawn_page(self, tmp_path: Path) -> None:
        """Large print, read without a mistake."""
        if shutil.which("tesseract") is None:
            pytest.skip("tesseract is not installed")
        folder = dataset(tmp_path / "d")
        _draw(folder, "a-0")
        predict_ocr(read_dataset(folder).pages, tmp_path / "w")
        assert "page a-0" in json.loads((tmp_path / "w/a-0.json").read_text())["html"]


OCR = "Tesseract on a sample of pages"


def _draw(folder: Path, *pages: str) -> None:
    (folder / "pages").mkdir(exist_ok=True)
    for name in pages:
        page = canvas.Canvas(str(folder / "pages" / f"{name}.pdf"))
        page.setFont("Helvetica", 30)
        page.drawString(72, 700, f"page {name}")
        page.save()


def _command(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    path = folder / "bin" / "tesseract"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}{os.environ['PATH']}")


class TestSteps:
    def test_without_data_only_the_page_is_shown(self, tmp_path: Path) -> None:
        """Every other step says what it lacks."""
        steps = list(tutorial(work=tmp_path))
        assert steps[0].skipped is None
        assert all(step.skipped for step in steps[1:])

    def test_with_everything_at_hand(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A dataset, published verdicts, predictions and a PDF: no step is skipped."""
        _command(tmp_path, monkeypatch, "echo page")
        folder = dataset(tmp_path / "d")
        _draw(folder, "a-0", "a-1", "a-2", "b-0")
        (folder / "pages" / "a-2.pdf").write_bytes(b"no PDF")
        rows = [
            row | {"test_id": test, "test_type": kind, "document": "document-0", "system": system}
            for system in ("me", "you")
            for row, test, kind in zip(
                small_rows()[:3],
                ("a-0_text", "a-0_cell", "a-1_text"),
                ("present", "table_cell", "present"),
                strict=True,
            )
        ]
        steps = {
            step.title: step
            for step in tutorial(
                dataset=folder,
                results=written(rows, tmp_path / "results.parquet"),
                predictions={"me": predictions(tmp_path / "p"), "stranger": tmp_path / "p"},
                card={"me": {"headline": 25.0}},
                work=tmp_path / "work",
                resamples=50,
            )
        }
        assert [step.title for step in steps.values() if step.skipped] == []
        assert "the card's figures, to one decimal: 0 of 1 figure differ" in steps["The leaderboard, rebuilt"].lines
        assert "text: 75.0 % of 4 tests" in steps["Bring your own parser"].lines
        (mine, stranger) = steps["Our verdicts against the published ones"].lines
        assert mine.startswith("me: 1 of 3 verdicts the same")
        assert stranger == "stranger: has no published verdicts"

    def test_what_is_given_and_cannot_be_used_is_an_error_before_any_step(self, tmp_path: Path) -> None:
        """A dataset, its gold, published verdicts, predictions for another dataset."""
        folder = dataset(tmp_path / "d")
        (tmp_path / "p").mkdir()
        for given, error, message in (
            ({"dataset": tmp_path / "none"}, DatasetError, "no dataset folder"),
            ({"results": tmp_path / "none"}, PublishedError, "none does not exist"),
            ({"dataset": folder, "predictions": {"me": tmp_path / "p"}}, DatasetError, "holds 0 files"),
        ):
            with pytest.raises(error, match=message):
                tutorial(work=tmp_path, **given)  # type: ignore[arg-type]
        (folder / "gold" / "a-0.json").write_text("{}")
        with pytest.raises(GoldError, match="a-0"):
            tutorial(work=tmp_path, dataset=folder)

    @pytest.mark.parametrize("option", ["--published", "--dataset"])
    def test_the_command_says_it_once_and_ends_with_2(self, tmp_path: Path, option: str) -> None:
        """Nothing of the tutorial is shown."""
        (tmp_path / "broken").write_text("no Parquet")
        done = docassay("tutorial", "omniparse", option, tmp_path / "broken")
        assert (done.returncode, done.stdout, done.stderr.count("broken")) == (2, "", 1)

    def test_a_step_with_nothing_to_show_says_why(self, tmp_path: Path) -> None:
        """One system; two of which one leads everywhere; one derivation."""
        alone = [row for row in small_rows() if row["system"] == "a"]
        of_one = _steps(written(alone, tmp_path / "one.parquet"), tmp_path)
        assert of_one[SLICES] == ("a is the only system: nobody else can lead",)
        assert of_one[DIFFERENCES] == ("a is the only system: there is no other to compare its differences with",)
        rows = [row | {"result": "pass" if row["system"] == "a" else "fail"} for row in small_rows()]
        of_two = _steps(written(rows, tmp_path / "two.parquet"), tmp_path)
        # eng, derivation:authored, part:s, kind:present and kind:table_cell
        assert of_two[SLICES] == ("a, the first overall, leads each of the 5 slices alone",)
        assert of_two[DIFFERENCES] == ("every test has the derivation:authored: there is no rest to compare it with",)
        rows[0]["derivation"] = rows[3]["derivation"] = "text_layer"
        two = _steps(written(rows, tmp_path / "three.parquet"), tmp_path)[DIFFERENCES][-2:]
        assert [line.partition(": it, or the rest, rests on a single document")[0] for line in two] == [
            "derivation:text_layer",
            "derivation:authored",
        ]

    def test_nobody_leads_where_nothing_is_scored(self, tmp_path: Path) -> None:
        """Nor differs; where each system lacks a family, slices have leaders and the whole has none."""
        rows = [row | {"result": "unsupported"} for row in small_rows()]
        rows[0]["derivation"] = rows[3]["derivation"] = "text_layer"
        steps = _steps(written(rows, tmp_path / "none.parquet"), tmp_path)
        no_headline = "no system has a headline, so nobody is first overall: in every family it needs a scored test"
        assert steps[SLICES] == (no_headline, "no test is scored, so nobody leads a slice")
        assert steps[DIFFERENCES] == ("no test is scored, so there is nothing to compare",)
        assert steps[CERTAINTY] == tuple(f"{name}: none (a family has no scored test)" for name in "ab")
        rows = [
            row | ({"result": "unsupported"} if (row["system"] == "a") == (row["test_id"] == "t1") else {})
            for row in small_rows()
        ]
        said, *parts = _steps(written(rows, tmp_path / "no_headline.parquet"), tmp_path)[SLICES]
        assert said == no_headline
        assert "kind:present (2 tests, 1 document): a 50.0 % (few documents)" in parts
        assert "kind:table_cell (1 test, 1 document): b 0.0 % (few documents)" in parts

    def test_a_shared_first_place_and_a_tie_name_three_and_count_the_rest(self, tmp_path: Path) -> None:
        """Six systems, all alike; then one that is first by another test, and whose own lead is not shown."""
        rows = [row | {"system": f"s{number}"} for number in range(6) for row in small_rows()[:3]]
        alike = _steps(written(rows, tmp_path / "alike.parquet"), tmp_path)[SLICES]
        assert alike == ("s0, s1, s2 and 3 more are first overall together, and so in each of the 5 slices",)
        other = {"t0": "fail", "t1": "pass"}
        rows += [row | {"system": "s6", "result": other.get(row["test_id"], "fail")} for row in small_rows()[:3]]
        parts = _steps(written(rows, tmp_path / "other.parquet"), tmp_path)[SLICES]
        assert "kind:present (2 tests, 1 document): s0, s1, s2 and 3 more 50.0 % (tie, few documents)" in parts
        assert not any(part.startswith("kind:table_cell") for part in parts)

    def test_a_difference_stands_with_its_interval_and_its_placebo(self, tmp_path: Path) -> None:
        """Of two systems one fails every test of a derivation; the step says what was computed, and how."""
        rows = [
            row
            | {"document": f"d{number}", "test_id": f"{number}-{row['test_id']}", "result": "pass"}
            | ({"derivation": "text_layer"} if row["test_id"] == "t0" else {})
            | ({"result": "fail"} if (row["system"], row["test_id"]) == ("b", "t0") else {})
            for number in range(12)
            for row in small_rows()
        ]
        effect, placebo, *found = _steps(written(rows, tmp_path / "results.parquet"), tmp_path)[DIFFERENCES]
        assert "95 % interval (1000 resamples of the documents, seed 7)" in effect
        assert placebo.startswith("placebo: the same between two random halves of the rest's documents")
        plus, minus = "+100.0 [+100.0, +100.0]", "-100.0 [-100.0, -100.0]"
        nothing = "placebo +0.0 [+0.0, +0.0]"
        assert found == [
            f"derivation:text_layer: a {plus}, {nothing}; b {minus}, {nothing}",
            f"derivation:authored: a {minus}, {nothing}; b {plus}, {nothing}",
        ]

    def test_a_card_with_a_stranger_and_a_null(self, tmp_path: Path) -> None:
        """No figure is none, and a system that the verdicts do not know is called so."""
        steps = {
            step.title: step.lines
            for step in tutorial(
                results=written(small_rows(), tmp_path / "results.parquet"),
                card={"a": {"headline": None, "layout": 3.0, "text": 50.0}, "c": {"text": 1.0}},
                work=tmp_path,
                resamples=50,
            )
        }
        assert steps["The leaderboard, rebuilt"][2:] == (
            "the card's figures, to one decimal: 2 of 3 figures differ",
            "a, headline: published none, rebuilt 25.0",
            "a, layout: published 3.0, rebuilt none",
            "c: unknown, the card alone has it; the verdicts are of a, b",
        )

    def test_json_is_a_document_a_line(self) -> None:
        """One a step, as --help says."""
        lines = docassay("tutorial", "omniparse", "--json").stdout.splitlines()
        assert [set(json.loads(line)) for line in lines] == [{"step", "lines", "skipped"}] * 10
        said = " ".join(docassay("tutorial", "omniparse", "--help", environment={"COLUMNS": "300"}).stdout.split())
        assert "Print one JSON document a step instead, a line each." in said

    def test_a_system_that_lacks_tests_is_marked_beside_its_figures(self, tmp_path: Path) -> None:
        """How many, and the first of them; a test declared unsupported is not lacking."""
        rows = small_rows()[:-1]
        rows[0]["result"] = "unsupported"
        steps = _steps(written(rows, tmp_path / "results.parquet"), tmp_path)
        warning, *entries = steps["The leaderboard, rebuilt"]
        assert warning.startswith("warning: 1 of 2 systems has no verdict on tests that others have")
        marked = [
            line for line in (*entries, *steps["How sure the leaderboard is"]) if "without 1 test, e.g. t2" in line
        ]
        assert [line.partition(":")[0].removeprefix("1. ") for line in marked] == ["b", "b"]

    def test_of_one_document_no_interval_is_claimed(self, tmp_path: Path) -> None:
        """A point would look sure; of several documents, few, the interval is the studentised one."""
        rows = small_rows()
        none, first, _ = _steps(written(rows, tmp_path / "one.parquet"), tmp_path)[CERTAINTY]
        assert none == "no intervals: a family rests on a single document, which says nothing of others"
        assert first == "1. a: 25.0 %, behind the leader by 0.0 %, leads 50.0 % of resamples"
        several = [
            row
            | {"document": f"d{number}", "test_id": f"{number}-{row['test_id']}"}
            | ({"result": "pass"} if number == 2 else {})
            for number in range(4)
            for row in rows
        ]
        path = written(several, tmp_path / "several.parquet")
        few, first, _ = _steps(path, tmp_path)[CERTAINTY]
        assert few == "4 documents are few: the headlines' intervals are studentised"
        [ends, _] = bootstrap(read_published(path).items.sums(), resamples=50).studentised()
        assert first.startswith(f"1. a: 43.8 % [{100 * ends.lower:.1f} %, {100 * ends.upper:.1f} %], behind")


CERTAINTY, SLICES, DIFFERENCES = "How sure the leaderboard is", "Where others lead", "Differences between derivations"


def _steps(results: Path, work: Path) -> dict[str, tuple[str, ...]]:
    return {step.title: step.lines for step in tutorial(results=results, work=work, resamples=50)}
