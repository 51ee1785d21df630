from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scorer.omniparse import Published, PublishedError, card_differences, leaderboard, read_published
from scorer.omniparse.leaderboard import is_published
from scorer.stats import bootstrap, differences, standings
from tests.scorer.omniparse.made import FAMILY_TESTS, SYSTEMS, passed_of, published_table, small_rows, written


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Verdicts of the published shape and size."""
    path = tmp_path_factory.mktemp("published") / "results.parquet"
    table = published_table()
    assert table.num_rows == 439_776
    pq.write_table(table, path)
    return read_published(path)


def _families(system: int) -> dict[str, float | None]:
    """A system's family scores, from how the verdicts were made."""
    families = {"text": ("present", "order", "repeat"), "tables": ("table_cell",), "layout": ("layout_kind",)}
    scores: dict[str, float | None] = {}
    for family, kinds in families.items():
        passed = [passed_of(system, kind) for kind in kinds]
        count = sum(FAMILY_TESTS[kind] for kind in kinds)
        scores[family] = None if None in passed else sum(n or 0 for n in passed) / count
    return scores


class TestLeaderboard:
    def test_headline_families_and_pooled_rate_are_the_known_ones(self, published: Published) -> None:
        """Every figure of all 27 systems follows from how many tests each was made to pass."""
        entries = {entry.system: entry for entry in leaderboard(published)}
        assert len(entries) == SYSTEMS
        for system in range(SYSTEMS):
            entry, families = entries[f"system-{system:02d}"], _families(system)
            assert entry.families == pytest.approx(families)
            known = [score for score in families.values() if score is not None]
            assert entry.headline == (pytest.approx(sum(known) / 3) if len(known) == 3 else None)
            passed = sum(passed_of(system, kind) or 0 for kind in FAMILY_TESTS)
            scored = sum(count for kind, count in FAMILY_TESTS.items() if passed_of(system, kind) is not None)
            assert (entry.pooled, entry.scored) == (pytest.approx(passed / scored), scored)

    def test_order(self, published: Published) -> None:
        """The best first; the three without a headline last, whatever their pooled rate."""
        names = [entry.system for entry in leaderboard(published)]
        assert names[0] == "system-00"
        assert names[-3:] == ["system-08", "system-17", "system-26"]

    def test_a_card_is_checked_to_one_decimal(self, published: Published) -> None:
        """A figure that rounds to the card's is no difference; one a tenth off, a score for none and a stranger are."""
        entries = leaderboard(published)
        card: dict[str, dict[str, float | None]] = {
            entry.system: {"headline": None if entry.headline is None else round(100 * entry.headline, 1)}
            for entry in entries
        }
        assert card_differences(entries, card) == []
        card["system-00"]["headline"] = 100 * (entries[0].headline or 0) + 0.1
        card["system-08"] = {"layout": 50.0}
        card["stranger"] = {"headline": 1.0}
        found = {(d.system, d.figure): d.rebuilt for d in card_differences(entries, card)}
        assert set(found) == {("system-00", "headline"), ("system-08", "layout"), ("stranger", "headline")}
        assert found["stranger", "headline"] is None

    def test_a_card_may_have_the_pooled_rate(self, published: Published) -> None:
        """It is compared like any figure."""
        entries = leaderboard(published)
        pooled = round(100 * (entries[0].pooled or 0), 1)
        assert card_differences(entries, {"system-00": {"pooled": pooled}}) == []
        [difference] = card_differences(entries, {"system-00": {"pooled": pooled - 0.1}})
        assert difference.rebuilt == pooled

    @pytest.mark.parametrize(
        ("score", "published", "same"),
        [
            (0.8125, 81.2, True),  # half way: up, or to the even digit
            (0.8125, 81.3, True),
            (0.8125, 81.1, False),
            (0.8125, 81.4, False),
            (0.81249, 81.2, True),
            (0.81249, 81.3, False),
            (0.81251, 81.2, False),
            (0.812, 81.24, True),  # a card of more decimals is cut to one
            (0.0, 0, True),
            (0.0, None, False),
            (None, 0.0, False),
            (None, None, True),
        ],
    )
    def test_one_decimal(self, score: float | None, published: float | None, same: bool) -> None:
        """By hand."""
        assert is_published(score, published) is same


class TestItems:
    def test_attributes_hold_tags_parts_derivations_and_kinds(self, published: Published) -> None:
        """Each attribute's size is known from how the verdicts were made."""
        assert int(published.attributes()["derivation:authored"].sum()) == 16_288 // 4
        assert int(published.attributes()["kind:table_cell"].sum()) == 5_000
        expected = sum(i % 5 == 0 or (i % 3 == 0 and i % 5 == 4) for i in range(16_288))
        assert int(published.attributes()["table"].sum()) == expected

    def test_the_bootstrap_ranks_them(self, published: Published) -> None:
        """The best system leads nearly every resample; a system without a headline has no rank."""
        made = standings(bootstrap(published.items.sums(), resamples=200))
        assert (made[0].system, made[0].rank) == ("system-00", 1)
        assert made[0].leads > 0.9
        assert made[-1].rank is None
        assert made[0].small_sample is None

    def test_a_planted_difference_in_differences_is_found(self, published: Published) -> None:
        """A system made to fail every authored test stands out there, and its placebo does not."""
        items = published.items
        values = items.values.copy()
        chosen = published.attributes()["derivation:authored"]
        values[0, chosen] = 0.0
        spoilt = type(items)(
            items.systems, items.documents, items.components, values, items.document, items.component, items.weights
        )
        found = differences(spoilt, chosen, resamples=200)
        assert found[0].stands_out
        assert found[0].effect < -0.5

    def test_results_of_a_system(self, published: Published) -> None:
        """A system's results by test; an unsupported test has none."""
        results = published.results("system-08")
        assert len(results) == 16_288 - 2_000
        with pytest.raises(KeyError, match="nobody"):
            published.results("nobody")


class TestRefused:
    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (lambda rows: rows.append(rows[1]), "row 6 (counted from 0): system 'a' has test 't1' twice"),
            (lambda rows: rows[4].update(result="passed"), "row 4 (counted from 0): unknown result 'passed'"),
            (lambda rows: rows[2].update(test_type="absent"), "row 2 (counted from 0): unknown test_type 'absent'"),
            (lambda rows: rows[3].update(document="other"), "row 3 (counted from 0): test 't0' has another document"),
            (lambda rows: rows[0].update(system=None), "row 0 (counted from 0): system is empty"),
            (lambda rows: rows[0].update(system=""), "row 0 (counted from 0): system is empty"),
            (lambda rows: rows[5].update(document=" "), "row 5 (counted from 0): document is empty"),
            (lambda rows: [row.pop("derivation") for row in rows], "lacks the columns ['derivation']"),
            (lambda rows: [row.update(result=1) for row in rows], "result must hold strings"),
            (lambda rows: [row.update(tags="eng") for row in rows], "tags must hold lists of strings, not string"),
            (lambda rows: [row.update(tags=[1]) for row in rows], "tags must hold lists of strings, not list"),
        ],
    )
    def test_a_bad_row_is_named(self, tmp_path: Path, spoil: Any, message: str) -> None:
        """File, row and what was found."""
        rows = [dict(row) for row in small_rows()]
        spoil(rows)
        with pytest.raises(PublishedError) as caught:
            read_published(written(rows, tmp_path / "results.parquet"))
        assert message in str(caught.value)
        assert "results.parquet" in str(caught.value)

    def test_what_is_no_parquet_file_is_refused(self, tmp_path: Path) -> None:
        """Text, nothing and no rows."""
        path = tmp_path / "results.parquet"
        path.write_text("no")
        with pytest.raises(PublishedError, match="no Parquet file"):
            read_published(path)
        with pytest.raises(PublishedError, match=r"missing\.parquet does not exist; give the file of published"):
            read_published(tmp_path / "missing.parquet")
        with pytest.raises(PublishedError, match="is a folder; give the file of published"):
            read_published(tmp_path)
        pq.write_table(pa.Table.from_pylist(small_rows()).slice(0, 0), path)
        with pytest.raises(PublishedError, match="no rows"):
            read_published(path)

    def test_an_absent_verdict_is_none_and_told_from_an_unsupported_one(self, tmp_path: Path) -> None:
        """A system without a row for a test has no score there, and its entry says of which tests that is so."""
        rows = small_rows()[:-1]
        rows[1]["result"] = "unsupported"
        read = read_published(written(rows, tmp_path / "results.parquet"))
        assert np.isnan(read.items.values[1]).tolist() == [False, False, True]
        assert (read.lacking("a"), read.lacking("b")) == ((), ("t2",))
        entries = {entry.system: entry for entry in leaderboard(read)}
        assert [(e.scored, e.unsupported, e.lacking) for e in (entries["a"], entries["b"])] == [
            (2, 1, ()),
            (2, 0, ("t2",)),
        ]

    def test_an_empty_tag_is_none(self, tmp_path: Path) -> None:
        """Neither one in a list nor a list that is empty itself."""
        rows = small_rows()
        rows[0]["tags"], rows[1]["tags"] = ["eng", None], None
        read = read_published(written(rows, tmp_path / "results.parquet"))
        assert read.attributes()["eng"].tolist() == [True, False, True]
