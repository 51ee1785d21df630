"""The bizdoc measures against recorded answers: what ``docassay verify bizdoc PATH`` runs.

Three kinds of recording are read: cases, one JSON object a line with axis, input and expected values; real parser
output with the KPIs it gets against a corpus's gold; and a published leaderboard, checked for what must hold in it.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scorer import gold as gold_files
from scorer.conformance import (
    ABSENT,
    NOTHING_RECORDED,
    ConformanceError,
    Difference,
    Outcome,
    Words,
    compare,
    file_bytes,
    guarded,
    json_object,
    lines,
    malformed,
    written,
)
from scorer.suites.bizdoc import (
    Chunk,
    DocumentOutput,
    GoldHeading,
    Heading,
    Question,
    Row,
    Table,
    cells,
    composite,
    coverage,
    document,
    faithfulness,
    headings,
    hierarchy,
    retrieval,
    speed,
    tables,
    text,
)
from scorer.suites.bizdoc.kpis import AXES

PUBLISHED_TOLERANCE = 5e-5
"""Published scores are rounded to four decimals."""

_WORD = re.compile(r"\w+")
_MALFORMED = (KeyError, TypeError, AttributeError, IndexError)


def verify(path: Path, *, corpus: Path | None = None) -> Iterator[Outcome]:
    """Yield the outcome of every recorded answer at a path, as it is computed.

    Args:
        path: a file of cases (JSON lines), a folder of real parser output (one folder a parser, or one parser's), or a
            published leaderboard (one JSON object).
        corpus: the folder of the corpus with the gold of real output; only that kind needs it.

    Raises:
        ConformanceError: nothing at the path can be read, or no corpus is named where one is needed. One line or one
            file of several that is not in its format, or lacks its gold, is an outcome with a fault.
    """
    if not path.exists():
        raise ConformanceError(f"{path} does not exist; give a file or folder of recorded answers")
    if path.is_dir():
        yield from _verify_real(path, corpus)
    elif path.suffix == ".json":
        yield from _verify_published(path)
    else:
        yield from lines(path, _verify_case)


def _verify_case(case: dict[str, Any], place: str) -> Outcome:
    lacking = [key for key in ("id", "axis", "input", "expected") if key not in case]
    if lacking:
        raise ConformanceError(
            f"{place}: a case must have id, axis, input and expected; {', '.join(lacking)} is missing"
        )
    name, axis, expected = case["id"], case["axis"], case["expected"]
    if not isinstance(name, str):
        raise ConformanceError(f"{place}: id must be text, found {written(name)}")
    evaluate = _EVALUATE.get(axis) if isinstance(axis, str) else None
    if evaluate is None:
        raise ConformanceError(f"{place}: axis must be one of {', '.join(_EVALUATE)}, found {written(axis)}")
    refusal = isinstance(expected, dict) and set(expected) == {"error"}
    if refusal and not (isinstance(expected["error"], str) and _WORD.match(expected["error"])):
        raise ConformanceError(
            f"{place}: a recorded error must begin with the field at fault, found {written(expected['error'])}"
        )
    try:
        got = evaluate(case["input"])
    except _MALFORMED as error:
        what = f"the input is not in the format of {axis} cases: {malformed(error)}"
        raise ConformanceError(f"{place}: {what}") from error
    except ValueError as error:
        if refusal:
            return _refused(name, expected["error"], str(error))
        return Outcome(name, (Difference(name, "", expected, Words(f"refused: {error}")),))
    if refusal:
        return Outcome(name, (Difference(name, "error", expected["error"], Words("not refused")),))
    return compare(name, expected, got)


def _refused(case: str, recorded: str, message: str) -> Outcome:
    """Compare a refusal with a recorded error: both must be about the same field, which is the error's first word."""
    field = _WORD.findall(recorded)[0]
    if field in _WORD.findall(message):
        return Outcome(case)
    return Outcome(case, (Difference(case, "error", recorded, Words(f"refused for another reason: {message}")),))


def _verify_real(folder: Path, corpus: Path | None) -> Iterator[Outcome]:
    paths = sorted((*folder.glob("*.json"), *folder.glob("*/*.json")))
    if not paths:
        raise ConformanceError(f"{folder}: no <parser>/<document>.json found")
    if corpus is None:
        raise ConformanceError(f"{folder}: real output is compared with a corpus's gold; name the corpus's folder")
    for path in paths:
        yield from guarded(_verify_output(path, corpus))


def _verify_output(path: Path, corpus: Path) -> Iterator[Outcome]:
    recorded = json_object(file_bytes(path), str(path))
    try:
        case = f"{recorded['parser']}/{recorded['document']}"
        gold = document.prepare(gold_files.load(corpus, recorded["document"], recorded["annotations"]))
        scores = (
            document.failed(gold) if recorded["output"] is None else document.score(gold, _output(recorded["output"]))
        )
        expected = recorded["expected"]
        got = {
            axis: {kpi: score.value for kpi, score in scores[axis].items()} if axis in scores else ABSENT
            for axis in expected
        }
    except _MALFORMED as error:
        raise ConformanceError(f"{path}: not in the format of recorded output: {malformed(error)}") from error
    except (gold_files.GoldError, ValueError) as error:
        raise ConformanceError(f"{path}: {error}") from error
    yield compare(case, expected, got) if expected else Outcome(case, skipped=NOTHING_RECORDED)


def _verify_published(path: Path) -> Iterator[Outcome]:
    published = json_object(file_bytes(path), str(path))
    try:
        documents, columns, rows = published["documents"], published["columns"], dict(published["rows"])
    except (*_MALFORMED, ValueError) as error:
        raise ConformanceError(f"{path}: not in the format of a published leaderboard: {malformed(error)}") from error
    for parser, figures in rows.items():
        yield from guarded(_verify_row(f"{path}, row {written(parser)}", parser, columns, figures, documents))


def _verify_row(place: str, parser: str, columns: Any, figures: Any, documents: Any) -> Iterator[Outcome]:
    try:
        yield _published_row(parser, dict(zip(columns, figures, strict=True)), documents)
    except (*_MALFORMED, ValueError) as error:
        raise ConformanceError(f"{place}: not in the format of a published leaderboard: {malformed(error)}") from error


def _published_row(parser: str, row: Mapping[str, float], documents: int) -> Outcome:
    """Check what must hold in a row, within what rounding its figures can have hidden."""
    differences: list[Difference] = []
    mean = math.fsum(row[axis] for axis in AXES) / len(AXES)
    if abs(mean - row["composite"]) > PUBLISHED_TOLERANCE + 1e-9:
        differences.append(Difference(parser, "composite", row["composite"], mean))
    rate = row["pages_per_sec_aggregate"]
    lowest, highest = (speed.score(max(rate + half, 0.0)) for half in (-0.005, 0.005))
    if not lowest - PUBLISHED_TOLERANCE <= row["speed"] <= highest + PUBLISHED_TOLERANCE:
        differences.append(Difference(parser, "speed", row["speed"], speed.score(rate)))
    parsed = row["coverage"] * documents
    if abs(parsed - round(parsed)) > PUBLISHED_TOLERANCE * documents:
        differences.append(Difference(parser, "coverage", Words("a whole number of documents"), parsed))
    return Outcome(parser, tuple(differences))


def _output(output: Mapping[str, Any]) -> DocumentOutput:
    return DocumentOutput(
        text=output["markdown"], headings=_headings(output["headings"]), tables=_tables(output["tables"])
    )


def _headings(items: list[dict[str, Any]]) -> tuple[Heading, ...]:
    return tuple(Heading(item["text"], item["level"], item["parent"]) for item in items)


def _gold_headings(items: list[dict[str, Any]]) -> tuple[GoldHeading, ...]:
    return tuple(GoldHeading(item["text"], item["level"], _gold_headings(item["children"])) for item in items)


def _tables(items: list[dict[str, Any]]) -> tuple[Table, ...]:
    return tuple(Table(tuple(Row(row["header"], tuple(row["cells"])) for row in item["rows"])) for item in items)


def _chunk(item: dict[str, Any]) -> Chunk:
    heading = item["heading"]
    parts = () if heading is None else (heading,) if isinstance(heading, str) else tuple(heading)
    return Chunk(item["text"], parts)


def _question(item: dict[str, Any]) -> Question:
    return Question(item["id"], item["question"], item["answer"], tuple(span["text"] for span in item["evidence"]))


def _evaluate_heading_normalise(item: dict[str, Any]) -> object:
    return {"normalised": headings.normalise(item["text"])}


def _evaluate_heading_match(item: dict[str, Any]) -> object:
    a, b = item["a"], item["b"]
    return {"distance": headings.distance(a, b), "match": headings.match(a, b)}


def _evaluate_hierarchy(item: dict[str, Any]) -> object:
    gold = hierarchy.prepare(_gold_headings(item["gold"]))
    return dataclasses.asdict(hierarchy.hierarchy(gold, _headings(item["headings"])))


def _evaluate_nid_normalise(item: dict[str, Any]) -> object:
    return {"normalised": text.normalise(item["text"])}


def _evaluate_faithfulness(item: dict[str, Any]) -> object:
    found = faithfulness.nid(item["gold"], item["pred"])
    return {"nid": found.lower if not found.bounded else [found.lower, found.upper]}


def _evaluate_cell_normalise(item: dict[str, Any]) -> object:
    cell = cells.prepare(item["cell"])
    return {"normalised": cell.normalised, "number": cell.number}


def _evaluate_tables(item: dict[str, Any]) -> object:
    return dataclasses.asdict(tables.tables(*(tables.prepare(_tables(item[side])) for side in ("gold", "tool"))))


def _evaluate_retrieval(item: dict[str, Any]) -> object:
    return retrieval.recall(
        [_chunk(chunk) for chunk in item["chunks"]],
        item["chunk_vectors"],
        [_question(question) for question in item["questions"]],
        item["question_vectors"],
        budgets=item["budgets"],
    )


def _evaluate_speed(item: dict[str, Any]) -> object:
    return dataclasses.asdict(
        speed.speed(
            [
                speed.TimedParse(status=row["status"], format=row["format"], pages=row["pages"], seconds=row["seconds"])
                for row in item["rows"]
            ]
        )
    )


def _evaluate_coverage(item: dict[str, Any]) -> object:
    formats = {entry["id"]: entry["format"] for entry in item["documents"]}
    return dataclasses.asdict(coverage.coverage(formats, item["status"]))


def _evaluate_composite(item: dict[str, Any]) -> object:
    rows = item["rows"]
    result = composite.composite(
        [
            composite.Document(
                id=entry["id"],
                format=entry["format"],
                pages=entry["pages"],
                annotations=frozenset(entry["annotations"]),
                undefined=frozenset(entry["undefined"]),
            )
            for entry in item["documents"]
        ],
        [
            composite.ParseRow(document=row["id"], status=row["status"], seconds=row["seconds"], pages=row.get("pages"))
            for row in rows["parse"]
        ],
        {
            axis: [
                composite.AxisRow(row["id"], {kpi: value for kpi, value in row.items() if kpi != "id"})
                for row in scored
            ]
            for axis, scored in rows.items()
            if axis != "parse"
        },
        ids=item["ids"],
        weights=item["weights"],
    )
    return {
        "composite": result.composite,
        "axes": result.axes,
        "kpis": result.kpis,
        "coverage_by_format": result.coverage.by_format,
        "assisted_rate": result.coverage.assisted_rate,
        "pages_per_sec_aggregate": result.speed.pages_per_sec_aggregate,
        "pages_per_sec_mean": result.speed.pages_per_sec_mean,
        "partial": result.partial,
    }


_EVALUATE: Mapping[str, Callable[[dict[str, Any]], object]] = {
    "heading_normalise": _evaluate_heading_normalise,
    "heading_match": _evaluate_heading_match,
    "hierarchy": _evaluate_hierarchy,
    "nid_normalise": _evaluate_nid_normalise,
    "faithfulness": _evaluate_faithfulness,
    "cell_normalise": _evaluate_cell_normalise,
    "tables": _evaluate_tables,
    "retrieval": _evaluate_retrieval,
    "speed": _evaluate_speed,
    "coverage": _evaluate_coverage,
    "composite": _evaluate_composite,
}
