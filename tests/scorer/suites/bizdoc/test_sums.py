"""What the statistics get is what the composite averages."""

import json
import math
import os
from pathlib import Path
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.stats import bootstrap
from scorer.stats.linearisation import standard_errors
from scorer.suites.bizdoc.composite import AxisRow, Composite, Document, ParseRow, composite
from scorer.suites.bizdoc.kpis import ANNOTATION, AXES, KPIS, QUALITY_AXES
from scorer.suites.bizdoc.sums import COMPOSITE, Rows, headline, sums

SCORES = st.floats(0, 1, allow_nan=False)


@st.composite
def corpora(draw: st.DrawFn) -> dict[str, Rows]:
    """Draw a corpus with any gold, and parsers that fail on some of it and have no row for some."""
    documents = tuple(
        Document(
            id=f"d{index}",
            format="pdf",
            pages=draw(st.one_of(st.none(), st.integers(0, 400))),
            annotations=draw(st.frozensets(st.sampled_from(sorted(ANNOTATION.values())))),
            undefined=draw(st.frozensets(st.sampled_from([kpi for axis in QUALITY_AXES for kpi in KPIS[axis]]))),
        )
        for index in range(draw(st.integers(1, 6)))
    )
    return {f"p{index}": draw(_rows(documents)) for index in range(draw(st.integers(1, 3)))}


@st.composite
def _rows(draw: st.DrawFn, documents: tuple[Document, ...]) -> Rows:
    status = {
        document.id: draw(st.sampled_from(["ok", "ok", "timeout", "assisted", "absent"])) for document in documents
    }
    return Rows(
        documents=documents,
        parses=tuple(
            ParseRow(document=name, status=word, seconds=draw(st.floats(0.001, 900)), pages=draw(st.integers(1, 9)))
            for name, word in status.items()
            if word != "absent"
        ),
        axes={
            axis: tuple(
                AxisRow(document.id, {k: None if k in document.undefined else draw(SCORES) for k in KPIS[axis]})
                for document in documents
                if ANNOTATION[axis] in document.annotations and status[document.id] == "ok"
            )
            for axis in QUALITY_AXES
        },
    )


def agree(parsers: dict[str, Rows], weights: dict[str, float] | None) -> list[Composite]:
    """Assert that every headline of the sums is the suite's own figure; return those."""
    found = [composite(rows.documents, rows.parses, rows.axes, weights=weights) for rows in parsers.values()]
    gathered = sums(parsers, weights=weights)
    figures = {COMPOSITE: [result.composite for result in found]}
    figures |= {axis: [result.axes[axis] for result in found] for axis in AXES}
    figures |= {kpi: [result.kpis[kpi] for result in found] for axis in QUALITY_AXES for kpi in KPIS[axis]}
    for name, expected in figures.items():
        headlines = headline(gathered, name).headlines()
        for value, figure in zip(headlines, expected, strict=True):
            assert math.isnan(value) if figure is None else value == pytest.approx(figure, abs=1e-12), name
    return found


class TestIdentity:
    @given(
        parsers=corpora(), weights=st.one_of(st.none(), st.fixed_dictionaries(dict.fromkeys(AXES, st.integers(1, 5))))
    )
    def test_headlines_are_composite_axes_and_kpis(self, parsers: dict[str, Rows], weights: dict[str, float]) -> None:
        """To 1e-12, whatever failed, is undefined, or weighs."""
        agree(parsers, weights)

    def test_an_axis_of_weight_0_is_in_no_composite(self) -> None:
        """And has its own score all the same."""
        document = Document(id="a", format="pdf", pages=49, annotations=frozenset({"content"}))
        rows = Rows(
            documents=(document,),
            parses=(ParseRow(document="a", status="ok", seconds=1.0),),
            axes={"faithfulness": (AxisRow("a", {"nid": 0.5}),)},
        )
        [found] = agree({"p": rows}, {"speed": 0.0, "coverage": 3.0})
        assert found.composite == pytest.approx((3 * 1.0 + 0.5) / 4)

    def test_recorded(self) -> None:
        """The recorded composite cases."""
        if not os.environ.get("DOCASSAY_ORACLES"):
            pytest.skip("DOCASSAY_ORACLES is not set: the recorded answers are not at hand")
        path = Path(os.environ["DOCASSAY_ORACLES"]) / "bizdocbench" / "cases.jsonl"
        cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        cases = [case for case in cases if case["axis"] == "composite" and "composite" in case["expected"]]
        assert cases
        for case in cases:
            item, expected = case["input"], case["expected"]
            rows = Rows(
                documents=tuple(
                    Document(
                        id=entry["id"],
                        format=entry["format"],
                        pages=entry["pages"],
                        annotations=frozenset(entry["annotations"]),
                        undefined=frozenset(entry["undefined"]),
                    )
                    for entry in item["documents"]
                    if item["ids"] is None or entry["id"] in item["ids"]
                ),
                parses=tuple(
                    ParseRow(document=row["id"], status=row["status"], seconds=row["seconds"], pages=row.get("pages"))
                    for row in item["rows"]["parse"]
                ),
                axes={
                    axis: tuple(AxisRow(row["id"], {k: v for k, v in row.items() if k != "id"}) for row in found)
                    for axis, found in item["rows"].items()
                    if axis != "parse"
                },
            )
            [found] = agree({"p": rows}, item["weights"])
            assert found.composite == pytest.approx(expected["composite"], abs=1e-9), case["id"]


def parsed(values: dict[str, float], seconds: dict[str, float] | None = None) -> Rows:
    """Return rows of documents of 10 pages with a text, whose nid is given; those at NaN were not parsed."""
    ok = {name: not math.isnan(value) for name, value in values.items()}
    return Rows(
        documents=tuple(
            Document(id=name, format="pdf", pages=10, annotations=frozenset({"content"})) for name in values
        ),
        parses=tuple(
            ParseRow(document=name, status="ok" if ok[name] else "crash", seconds=(seconds or {}).get(name, 1.0))
            for name in values
        ),
        axes={"faithfulness": tuple(AxisRow(name, {"nid": value}) for name, value in values.items() if ok[name])},
    )


class TestErrors:
    def test_a_mean_axis_alone_has_the_textbook_standard_error(self) -> None:
        """The sample's standard deviation over the root of n, a failure counted as 0."""
        rows = parsed({"a": 0.9, "b": 0.4, "c": math.nan, "d": 0.8})
        part = headline(sums({"p": rows}), "faithfulness")
        error = standard_errors(part, np.zeros(4, dtype=np.int64))[0]
        assert error == pytest.approx(stdev([0.9, 0.4, 0.0, 0.8]) / math.sqrt(4))

    def test_speed_is_resampled_as_pages_over_seconds(self) -> None:
        """Each resample's score is the scale of the drawn pages over the drawn seconds; 0 when none was parsed."""
        seconds = {"a": 1.0, "b": 10.0, "c": 4.0}
        rows = parsed({"a": 1.0, "b": 1.0, "c": math.nan}, seconds)
        part = headline(sums({"p": rows, "q": parsed(dict.fromkeys("abc", 1.0), seconds)}), "speed")
        drawn = bootstrap(part, resamples=100)
        pages = drawn.counts @ [10, 10, 0]
        took = np.where(pages > 0, drawn.counts @ [1, 10, 0], 1)
        assert drawn.replicates[:, 0] == pytest.approx(np.log10(1 + pages / took) / math.log10(51), abs=1e-9)
        assert (drawn.replicates[:, 0] == 0).any()

    def test_beyond_the_full_score_speed_has_no_error(self) -> None:
        """At 50 pages a second and more, faster is no better."""
        rows = parsed({"a": 1.0, "b": 1.0}, {"a": 0.01, "b": 0.02})
        part = headline(sums({"p": rows}), "speed")
        assert part.headlines() == pytest.approx([1.0])
        assert standard_errors(part, np.zeros(2, dtype=np.int64)) == pytest.approx([0.0])
