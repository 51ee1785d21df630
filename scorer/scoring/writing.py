"""What every suite writes with its figures: standings, pairs, signatures, remarks, and that the run was scored."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from scorer.scoring import certainty
from scorer.scoring.inputs import GRADED
from scorer.scoring.signatures import Signature
from scorer.store.database import Writer

__all__ = ["KPI_ROWS", "Remark", "settle"]

KPI_ROWS = pa.schema(
    [
        *((name, pa.string()) for name in ("run_id", "suite", "parser", "document", "axis", "kpi")),
        ("value", pa.float64()),
        ("reason", pa.string()),
        ("in_axis", pa.bool_()),
        ("bounded", pa.bool_()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("small_sample_lower", pa.float64()),
        ("small_sample_upper", pa.float64()),
        ("signature", pa.string()),
    ]
)
"""The columns of the table ``kpis``; one left out is null."""

SCORE = "score"
"""The stage of remarks that every scoring makes anew."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark; None where it is not about one parser or document.

    ``stage`` is ``score``, or which part of a document's scoring it is of: scoring one axis again leaves the others'.
    It is ``parse`` for a remark on what was scored.
    """

    parser: str | None
    document: str | None
    text: str
    stage: str = SCORE

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.parser, self.document, self.text)))

    def row(self, run_id: str) -> dict[str, str | None]:
        """Return it as a row of ``warnings``."""
        own = {"parser": self.parser, "document": self.document, "text": self.text}
        return {"run_id": run_id, "stage": self.stage, **own}


def settle(
    writer: Writer,
    key: Mapping[str, str],
    *,
    known: certainty.Certainty,
    signatures: Iterable[Signature],
    remarks: Sequence[Remark],
    scoring: Mapping[str, Any],
    looked_at: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> None:
    """Replace a run's standings and pairs, its remarks and the row that says how it was scored.

    With that a run of predictions made elsewhere is finished; of any other, parsing was the work.

    Args:
        writer: the open transaction.
        key: run and suite.
        known: how sure the figures are.
        signatures: of the figures written; those that are there stay.
        remarks: on this scoring.
        scoring: the other columns of ``scorings``.
        looked_at: by stage, the documents whose earlier remarks these replace.
    """
    for table, found in (
        ("standings", certainty.standing_rows(known, key)),
        ("pairs", certainty.pair_rows(known, key)),
        ("scorings", [{**key, **scoring}]),
    ):
        writer.execute(f"delete from {table} where run_id = ? and suite = ?", [key["run_id"], key["suite"]])
        writer.insert(table, found)
    writer.execute(
        "update runs set finished_at = coalesce(finished_at, ?) where run_id = ? and mode = ?",
        [scoring["scored_at"], key["run_id"], GRADED],
    )
    for signature in signatures:
        writer.execute(
            "insert into signatures values (?, ?, ?) on conflict do nothing",
            [signature.signature, signature.conditions, signature.content],
        )
    writer.execute("delete from warnings where run_id = ? and stage = ?", [key["run_id"], SCORE])
    for stage, documents in looked_at.items():
        writer.execute(
            "delete from warnings where run_id = ? and stage = ? and list_contains(?, document)",
            [key["run_id"], stage, sorted(documents)],
        )
    writer.insert("warnings", [remark.row(key["run_id"]) for remark in remarks])
