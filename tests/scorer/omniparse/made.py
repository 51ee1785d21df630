"""Published verdicts and datasets made for the tests, with known answers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SYSTEMS, DOCUMENTS = 27, 2_343
FAMILY_TESTS = {"present": 8_000, "order": 900, "repeat": 388, "table_cell": 5_000, "layout_kind": 2_000}
DERIVATIONS = ("text_layer", "authored", "publisher_markup", "model_panel")
TAGS = ("table", "math", "eng", "Latn", "handwriting")


def passed_of(system: int, test_type: str) -> int | None:
    """Return how many tests of a type a system passes; None where its output is unsupported."""
    if test_type == "layout_kind" and system % 9 == 8:
        return None
    count = FAMILY_TESTS[test_type]
    return count * (90 - 2 * system) // 100 + len(test_type)


def published_table() -> pa.Table:
    """Return 27 x 16,288 = 439,776 verdicts: a system passes the first so many tests of each type."""
    kinds = np.repeat(np.arange(len(FAMILY_TESTS)), list(FAMILY_TESTS.values()))
    position = np.concatenate([np.arange(count) for count in FAMILY_TESTS.values()])
    tests = kinds.size
    # A stride that shares no factor with the number of documents scatters each type over all of them.
    document = (np.arange(tests) * 1_000) % DOCUMENTS
    names = np.array(list(FAMILY_TESTS))
    results = []
    for system in range(SYSTEMS):
        passed = np.array([-1 if (n := passed_of(system, kind)) is None else n for kind in FAMILY_TESTS])[kinds]
        results.append(np.where(passed < 0, "unsupported", np.where(position < passed, "pass", "fail")))
    tags = [[TAGS[i % 5]] + ([TAGS[(i + 1) % 5]] if i % 3 == 0 else []) for i in range(tests)]

    def each(values: Any) -> pa.Array:
        return pa.array(np.tile(np.asarray(values, dtype=object), SYSTEMS), pa.string())

    return pa.table(
        {
            "system": pa.array(np.repeat([f"system-{s:02d}" for s in range(SYSTEMS)], tests)),
            "page_id": each([f"page-{d}" for d in document]),
            "suite": each([f"part-{d % 6}" for d in document]),
            "document": each([f"document-{d}" for d in document]),
            "test_id": each([f"test-{i}" for i in range(tests)]),
            "test_type": each(names[kinds]),
            "derivation": each([DERIVATIONS[i % 4] for i in range(tests)]),
            "tags": pa.array(tags * SYSTEMS, pa.list_(pa.string())),
            "result": pa.array(np.concatenate(results)),
            "why": pa.array([""] * (tests * SYSTEMS)),
        }
    )


def small_rows() -> list[dict[str, Any]]:
    """Return the verdicts of two systems on three tests, good to be spoilt."""
    return [
        {
            "system": system,
            "page_id": "p",
            "suite": "s",
            "document": "d",
            "test_id": test,
            "test_type": kind,
            "derivation": "authored",
            "tags": ["eng"],
            "result": result,
            "why": "",
        }
        for system in ("a", "b")
        for test, kind, result in (("t0", "present", "pass"), ("t1", "table_cell", "fail"), ("t2", "present", "fail"))
    ]


def written(rows: list[dict[str, Any]], path: Path) -> Path:
    """Write rows as a results file."""
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def dataset(folder: Path) -> Path:
    """Write a dataset of four pages in two parts, each with a text and a table test, one with a layout test."""
    (folder / "gold").mkdir(parents=True)
    rows = []
    for index, (name, suite) in enumerate((("a-0", "a"), ("a-1", "a"), ("a-2", "a"), ("b-0", None))):
        tests: list[dict[str, Any]] = [
            _test(f"{name}_text", "present", {"content": {"text": f"page {name}", "max_diffs": 0}}, ["eng"]),
            _test(f"{name}_cell", "table_cell", {"cell": {"text": f"cell {name}", "max_diffs": 0}}, ["table"]),
        ]
        if name == "b-0":
            place = [[0.1, 0.1, 0.5, 0.2]]
            content = {"text": "x", "max_diffs": 0, "place": place}
            tests.append(_test("b-0_kind", "layout_kind", {"content": content}, [], {"kind": "heading"}))
        (folder / "gold" / f"{name}.json").write_text(json.dumps({"tests": tests}))
        rows.append(
            {
                "page_id": name,
                "document": f"document-{index // 2}",
                "suite": suite,
                "doc_path": f"pages/{name}.pdf",
                "gt_path": f"gold/{name}.json",
                "outputs": ["html"] if name != "b-0" else ["html", "blocks"],
                "language": "eng",
            }
        )
    pq.write_table(pa.Table.from_pylist(rows), folder / "manifest.parquet")
    return folder


def predictions(folder: Path, *, newer: bool = False, without: tuple[str, ...] = ()) -> Path:
    """Write predictions for the dataset that pass everything but the cell of a-1."""
    folder.mkdir(parents=True)
    for name in ("a-0", "a-1", "a-2", "b-0"):
        if name in without:
            continue
        cell = "other" if name == "a-1" else f"cell {name}"
        outputs: dict[str, Any] = {"html": f"<p>page {name}</p><table><tr><td>{cell}</td></tr></table>"}
        if name == "b-0":
            outputs["blocks"] = [{"label": "heading", "bbox": [0, 0, 1, 1]}]
        (folder / f"{name}.json").write_text(json.dumps({"pages": [outputs]} if newer else outputs))
    return folder


def _test(
    name: str, test_type: str, args: dict[str, Any], tags: list[str], settings: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "id": name,
        "test_type": test_type,
        "output_type": "blocks" if test_type == "layout_kind" else "html",
        "derivation": "authored",
        "tags": tags,
        "args": args,
        "settings": settings or {},
    }
