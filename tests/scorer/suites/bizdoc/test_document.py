"""From one document's gold and output to its KPIs."""

import pytest

from scorer.suites.bizdoc import (
    Chunk,
    DocumentGold,
    DocumentOutput,
    GoldHeading,
    Heading,
    Kpi,
    Question,
    Row,
    Table,
    document,
    kpis,
)

TABLE = Table((Row(True, ("Item", "2023")), Row(False, ("Cash", "5"))))
GOLD = DocumentGold(
    headings=(GoldHeading("Report", 1, (GoldHeading("Outlook", 2),)),),
    content="Report\nOutlook\nCash rose.",
    tables=(TABLE,),
    questions=(Question("q", "Which?", None, ("Cash rose.",)),),
)
OUTPUT = DocumentOutput(
    text="# Report\n\n## Outlook\n\nCash **rose**.",
    headings=(Heading("Report", 1), Heading("Outlook", 2)),
    tables=(TABLE,),
)


class TestScore:
    def test_perfect(self) -> None:
        """Output that says what the gold says scores 1 on every KPI."""
        scores = document.score(document.prepare(GOLD), OUTPUT)
        assert tuple(scores) == ("hierarchy", "faithfulness", "tables")
        assert all(kpi == Kpi(value=1.0) for found in scores.values() for kpi in found.values())
        assert all(tuple(found) == kpis.KPIS[axis] for axis, found in scores.items())

    def test_only_annotated_axes(self) -> None:
        """A document takes part in the axes it is annotated for alone."""
        gold = document.prepare(DocumentGold(tables=(TABLE,)))
        assert list(document.score(gold, OUTPUT)) == ["tables"]
        assert list(document.failed(gold)) == ["tables"]

    def test_bounded_nid(self) -> None:
        """Past the work budget the lower bound stands for nid, with both bounds and the reason beside it."""
        gold = document.prepare(DocumentGold(content="abc" * 400))
        kpi = document.score(gold, DocumentOutput(text="acb" * 400), cells=100)["faithfulness"]["nid"]
        assert kpi.bounded
        assert kpi.lower is not None
        assert kpi.upper is not None
        assert kpi.value == kpi.lower < kpi.upper
        assert kpi.reason


class TestFailed:
    def test_zero_on_what_the_gold_defines(self) -> None:
        """A document the tool did not parse scores 0, retrieval included."""
        scores = document.failed(document.prepare(GOLD))
        assert tuple(scores) == kpis.QUALITY_AXES
        assert all(kpi == Kpi(value=0.0) for found in scores.values() for kpi in found.values())

    def test_undefined_alike_for_parsed_and_failed(self) -> None:
        """What the gold does not define is undefined for every tool, with the reason."""
        gold = document.prepare(
            DocumentGold(
                headings=(GoldHeading("Alone", 1),),
                tables=(Table((Row(False, ("a", "b")),)),),
                questions=(Question("q", "Which?"),),
            )
        )
        assert set(gold.undefined) == {"parent_chain_accuracy", "table_header_accuracy", *kpis.KPIS["retrieval"]}
        for scores in (document.failed(gold), document.score(gold, OUTPUT)):
            undefined = {name for found in scores.values() for name, kpi in found.items() if kpi.value is None}
            assert undefined == set(gold.undefined) & {name for axis in scores for name in kpis.KPIS[axis]}


class TestSupplementary:
    def test_stands_beside_nid_and_never_among_the_kpis(self) -> None:
        """What the tool invented is no KPI of the axis."""
        compared = document.compare(document.prepare(GOLD), OUTPUT)
        assert compared.supplementary == {
            "faithfulness": dict.fromkeys(kpis.SUPPLEMENTARY["faithfulness"], Kpi(value=0.0))
        }
        every = {kpi for names in kpis.KPIS.values() for kpi in names}
        assert len(every) == 13
        assert not every & {kpi for names in kpis.SUPPLEMENTARY.values() for kpi in names}

    def test_a_failure_invents_nothing_without_merit_and_leaves_everything_out(self) -> None:
        """One is undefined, the other 1, both with the failure as the reason."""
        found = document.failed_supplementary(document.prepare(GOLD), "timeout: 65 s")
        assert found == {
            "faithfulness": {
                "hallucination_rate": Kpi(value=None, reason="timeout: 65 s"),
                "omission_rate": Kpi(value=1.0, reason="timeout: 65 s"),
            }
        }

    def test_needs_gold_text(self) -> None:
        """Without content in the gold there is nothing to compare with."""
        gold = document.prepare(DocumentGold(tables=(TABLE,)))
        assert document.compare(gold, OUTPUT).supplementary == {}
        assert document.failed_supplementary(gold, "crash") == {}

    def test_a_text_that_is_not_read_has_no_rate(self) -> None:
        """Of it nothing is claimed, and the reason says so."""
        gold = document.prepare(DocumentGold(content="abc"))
        found = document.compare(gold, DocumentOutput(text="abcdef"), longest=5).supplementary["faithfulness"]
        assert all(kpi.value is None and "longer than" in kpi.reason for kpi in found.values())


class TestRetrieval:
    def test_scores(self) -> None:
        """Evidence in the only chunk is found at every budget."""
        found = document.score_retrieval(document.prepare(GOLD), [Chunk("Cash rose.")], [[1.0]], [[1.0]])
        assert found == dict.fromkeys(kpis.KPIS["retrieval"], Kpi(value=1.0))

    def test_without_questions(self) -> None:
        """A document without questions has no retrieval to score."""
        with pytest.raises(ValueError, match="questions of the gold"):
            document.score_retrieval(document.prepare(DocumentGold()), [], [], [])


class TestKpi:
    def test_no_value_needs_a_reason(self) -> None:
        """A missing value says why."""
        with pytest.raises(ValueError, match="reason"):
            Kpi(value=None)

    def test_bounds_come_together(self) -> None:
        """One bound alone is refused."""
        with pytest.raises(ValueError, match="lower and upper"):
            Kpi(value=0.5, lower=0.5)
