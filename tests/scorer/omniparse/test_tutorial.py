from pathlib import Path

import pytest
from reportlab.pdfgen import canvas

from scorer.omniparse import hand_built_page, read_dataset, read_published
from scorer.omniparse.tutorial import Claim, check_claims, count_tests, tutorial
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


class TestSteps:
    def test_without_data_only_the_page_is_shown(self) -> None:
        """Every other step says what it lacks."""
        steps = list(tutorial())
        assert steps[0].skipped is None
        assert all(step.skipped for step in steps[1:])

    def test_with_everything_at_hand(self, tmp_path: Path) -> None:
        """A dataset, published verdicts, predictions and a PDF: no step is skipped."""
        folder = dataset(tmp_path / "d")
        (folder / "pages").mkdir()
        for name in ("a-0", "a-1", "a-2", "b-0"):
            page = canvas.Canvas(str(folder / "pages" / f"{name}.pdf"))
            page.drawString(72, 700, f"page {name}")
            page.save()
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
        assert "the card's figures, to one decimal: 0 differ" in steps["The leaderboard, rebuilt"].lines
        assert "text: 75.0 % of 4 tests" in steps["Bring your own parser"].lines
        (mine, stranger) = steps["Our verdicts against the published ones"].lines
        assert mine.startswith("me: 1 of 3 verdicts the same")
        assert stranger == "stranger: has no published verdicts"

    @pytest.mark.parametrize("given", ["dataset", "results"])
    def test_data_that_cannot_be_read_is_said(self, tmp_path: Path, given: str) -> None:
        """A path that is not there is a reason, not a crash."""
        steps = list(tutorial(**{given: tmp_path / "none"}))  # type: ignore[arg-type]
        assert any("none" in (step.skipped or "") for step in steps)
