"""A document's scores and the two ways a set of documents is summed up.

Source: opendataloader-bench, evaluator and README.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from scorer.suites.odl.mhs import mhs
from scorer.suites.odl.nid import nid
from scorer.suites.odl.pipe_tables import with_html_tables
from scorer.suites.odl.similarity import Similarity
from scorer.suites.odl.tables import teds

__all__ = ["DocumentScores", "Summary", "score_document", "summarize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentScores:
    """The similarities of one document in 0..1; None where the gold has nothing to compare.

    `overall` is the mean of `nid`, `teds` and `mhs` as far as they are defined. `bounds` holds, per measure that was
    past its work budget, the least (which is the score) and the most it can be. `error` says why the tables could not
    be compared.
    """

    overall: float | None
    nid: float | None
    nid_s: float | None
    teds: float | None
    teds_s: float | None
    mhs: float | None
    mhs_s: float | None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Means over the documents where each measure is defined, with their counts.

    `overall_mean` is the mean of the documents' overalls, `overall_readme` (the README's Overall) the mean of the
    three measures' means: documents without tables or headings weigh differently in the two.
    """

    overall_mean: float | None
    overall_readme: float | None
    nid_mean: float | None
    nid_s_mean: float | None
    teds_mean: float | None
    teds_s_mean: float | None
    mhs_mean: float | None
    mhs_s_mean: float | None
    nid_count: int
    teds_count: int
    mhs_count: int
    missing_predictions: int


def score_document(gold: str, predicted: str) -> DocumentScores:
    """Score one document's markdown against its gold markdown."""
    gold_text, predicted_text = with_html_tables(gold), with_html_tables(predicted)
    tables = teds(gold_text, predicted_text)
    whole, without_tables = nid(gold_text, predicted_text) or (None, None)
    headings, headings_alone = mhs(gold_text, predicted_text) or (None, None)
    found = {
        "nid": whole,
        "nid_s": without_tables,
        "teds": tables.teds,
        "teds_s": tables.teds_s,
        "mhs": headings,
        "mhs_s": headings_alone,
    }
    parts = [value for value in (whole, tables.teds, headings) if value is not None]
    found["overall"] = (
        Similarity(fmean(part.lower for part in parts), fmean(part.upper for part in parts)) if parts else None
    )
    return DocumentScores(
        **{name: None if value is None else value.lower for name, value in found.items()},
        bounds={
            name: (value.lower, value.upper) for name, value in found.items() if value and value.lower < value.upper
        },
        error=tables.error,
    )


def summarize(documents: Iterable[DocumentScores], *, missing_predictions: int = 0) -> Summary:
    """Sum up a set of documents."""
    rows = list(documents)
    means = [_mean(row.nid for row in rows), _mean(row.teds for row in rows), _mean(row.mhs for row in rows)]
    return Summary(
        overall_mean=_mean(row.overall for row in rows),
        overall_readme=_mean(means),
        nid_mean=means[0],
        nid_s_mean=_mean(row.nid_s for row in rows),
        teds_mean=means[1],
        teds_s_mean=_mean(row.teds_s for row in rows),
        mhs_mean=means[2],
        mhs_s_mean=_mean(row.mhs_s for row in rows),
        nid_count=sum(row.nid is not None for row in rows),
        teds_count=sum(row.teds is not None for row in rows),
        mhs_count=sum(row.mhs is not None for row in rows),
        missing_predictions=missing_predictions,
    )


def _mean(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fmean(defined) if defined else None
