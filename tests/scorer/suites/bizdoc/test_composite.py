"""From rows to the composite."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc.composite import AxisRow, Composite, Document, ParseRow, composite
from scorer.suites.bizdoc.kpis import ANNOTATION, AXES, KPIS, QUALITY_AXES

EVERYTHING = frozenset(ANNOTATION.values())


def document(name: str, annotations: frozenset[str] = EVERYTHING, undefined: frozenset[str] = frozenset()) -> Document:
    """Build a document of the manifest."""
    return Document(id=name, format="pdf", pages=50, annotations=annotations, undefined=undefined)


def run(
    documents: list[Document],
    values: dict[str, float],
    *,
    ids: list[str] | None = None,
    weights: dict[str, float] | None = None,
    axes: tuple[str, ...] = AXES,
) -> Composite:
    """Score documents parsed at 50 pages a second whose every KPI has one value; those not named have no row."""
    return composite(
        documents,
        [ParseRow(document=name, status="ok", seconds=1.0) for name in values],
        {
            axis: [AxisRow(name, dict.fromkeys(KPIS[axis], value)) for name, value in values.items()]
            for axis in QUALITY_AXES
        },
        ids=ids,
        weights=weights,
        axes=axes,
    )


class TestAverages:
    def test_a_document_without_row_is_zero(self) -> None:
        """The documents come from the manifest: the absent one halves every quality axis and coverage."""
        found = run([document("a"), document("b")], {"a": 1.0})
        assert found.axes == {**dict.fromkeys(AXES, 0.5), "speed": 1.0}
        assert found.composite == pytest.approx(3.5 / 6)
        assert not found.partial

    def test_a_status_overrides_its_row(self) -> None:
        """A document that was not parsed scores 0, whatever stale rows say."""
        found = composite(
            [document("a")],
            [ParseRow(document="a", status="assisted", seconds=1.0)],
            {"faithfulness": [AxisRow("a", {"nid": 0.9})]},
        )
        assert found.kpis["nid"] == 0.0
        assert found.speed.pages_per_sec_aggregate is None

    def test_undefined_kpis_leave_the_denominator(self) -> None:
        """A KPI the gold does not define does not count for the document, failed or not."""
        undefined = document("a", undefined=frozenset({"parent_chain_accuracy"}))
        found = run([undefined, document("b")], {"b": 1.0})
        assert found.kpis["parent_chain_accuracy"] == 1.0
        assert found.kpis["heading_recall"] == 0.5

    def test_documents_first(self) -> None:
        """A KPI is averaged over documents, then the axis over KPIs."""
        tables = frozenset({"tables"})
        found = composite(
            [document("a", tables), document("b", tables, frozenset({"table_header_accuracy"}))],
            [ParseRow(document=name, status="ok", seconds=1.0) for name in "ab"],
            {
                "tables": [
                    AxisRow("a", {**dict.fromkeys(KPIS["tables"], 1.0), "table_header_accuracy": 0.0}),
                    AxisRow("b", {**dict.fromkeys(KPIS["tables"], 0.0), "table_header_accuracy": None}),
                ]
            },
        )
        assert found.axes["tables"] == pytest.approx((0.5 + 0.5 + 0.5 + 0.0) / 4)
        assert found.partial

    @given(st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1)))
    def test_order_and_range(self, values: dict[str, float]) -> None:
        """Scores are in 0..1 and do not depend on the order of documents and rows."""
        documents = [document(name) for name in "abcd"]
        one, two = run(documents, values), run(documents[::-1], dict(reversed(values.items())))
        assert one.composite is not None
        assert 0 <= one.composite <= 1 + 1e-12
        assert two.composite == pytest.approx(one.composite, abs=1e-12)


class TestScope:
    def test_ids_make_it_partial(self) -> None:
        """Part of the manifest is partial; naming all of it is not."""
        documents = [document("a"), document("b")]
        assert run(documents, {"a": 1.0}, ids=["a"]).partial
        assert run(documents, {"a": 1.0}, ids=["a"]).composite == 1.0
        assert not run(documents, {"a": 1.0}, ids=["a", "b"]).partial

    def test_an_axis_not_measured(self) -> None:
        """An axis that was not measured leaves the composite and makes the run partial, never 0."""
        found = run([document("a")], {"a": 1.0}, axes=tuple(axis for axis in AXES if axis != "retrieval"))
        assert found.axes["retrieval"] is None
        assert found.composite == 1.0
        assert found.partial

    def test_empty_scope(self) -> None:
        """No documents, no scores."""
        assert run([], {}).composite is None


class TestWeights:
    def test_weighted_mean(self) -> None:
        """Speed alone at weight 1, the five others at 0."""
        weights = {**dict.fromkeys(AXES, 0.0), "speed": 3.0}
        assert run([document("a"), document("b")], {"a": 1.0}, weights=weights).composite == 1.0

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ({"speed": -1.0}, "at least 0, got -1.0 for speed"),
            ({"speed": math.nan}, "finite"),
            (dict.fromkeys(AXES, 0.0), "not all be 0"),
            ({"pace": 1.0}, "got pace"),
        ],
    )
    def test_refused(self, weights: dict[str, float], message: str) -> None:
        """Weights that make no mean are refused by name."""
        with pytest.raises(ValueError, match=message):
            run([document("a")], {"a": 1.0}, weights=weights)


class TestRefusals:
    def test_two_rows(self) -> None:
        """Two rows for one document are refused, naming the axis and the document."""
        with pytest.raises(ValueError, match=r"tables rows .* two for a"):
            composite([document("a")], [], {"tables": [AxisRow("a", {}), AxisRow("a", {})]})

    def test_unknown_id(self) -> None:
        """An id outside the manifest is refused."""
        with pytest.raises(ValueError, match="ids must be documents of the manifest, got z"):
            run([document("a")], {}, ids=["z"])

    def test_a_missing_value(self) -> None:
        """A value missing where the gold defines it is refused: it is neither 0 nor undefined."""
        with pytest.raises(ValueError, match=r"nid of a must be in 0\.\.1"):
            composite(
                [document("a", frozenset({"content"}))],
                [ParseRow(document="a", status="ok", seconds=1.0)],
                {"faithfulness": [AxisRow("a", {"nid": None})]},
            )
