"""Published verdicts: `results.parquet`, one row a system and test.

Source: OmniParseBench's dataset, 27 systems and 16,288 tests (439,776 rows).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from scorer.counting import counted
from scorer.stats.items import Bools, Items
from scorer.suites.omniparse.vocabulary import FAMILIES, FAMILY_ORDER

COLUMNS = ("system", "page_id", "suite", "document", "test_id", "test_type", "derivation", "tags", "result", "why")
_CODED = ("system", "test_id", "document", "test_type", "derivation", "suite", "result")
_TAGS = (pa.list_(pa.string()), pa.large_list(pa.string()))
_RESULTS = {"pass": 1.0, "fail": 0.0, "unsupported": float("nan")}

_Codes = npt.NDArray[np.int64]


class PublishedError(ValueError):
    """A results file that cannot be used; names the file, the column or row, and what was found."""


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """Verdicts of S systems on T tests.

    `items` holds them for the statistics: 1 passed, 0 failed, NaN unsupported or absent; its components are the
    families in the order text, tables, layout, equally weighted. `tests` are the test ids (T), `absent` (S x T) says
    of which of them a system has no row, `first` (T) is the first row of each.
    """

    path: Path
    items: Items
    tests: tuple[str, ...]
    absent: Bools
    first: _Codes

    def lacking(self, system: str) -> tuple[str, ...]:
        """Return the tests that other systems have rows of and this one has not, in the file's order.

        Raises:
            KeyError: when there is no such system.
        """
        return tuple(self.tests[t] for t in np.flatnonzero(self.absent[self._row(system)]))

    def attributes(self) -> dict[str, Bools]:
        """Read what slices ask for: each tag, and `derivation:…`, `part:…` and `kind:…`, to its tests (T)."""
        columns = ["tags", "derivation", "suite", "test_type"]
        table = pq.read_table(self.path, columns=columns).combine_chunks().take(pa.array(self.first))
        made: dict[str, Bools] = {}
        for column, prefix in (("tags", ""), ("derivation", "derivation:"), ("suite", "part:"), ("test_type", "kind:")):
            values = table.column(column).combine_chunks()
            values = values.chunk(0) if isinstance(values, pa.ChunkedArray) else values
            rows = np.arange(self.first.size)
            if values.type in _TAGS:
                rows, values = pc.list_parent_indices(values).to_numpy(), pc.list_flatten(values)
            known = values.is_valid().to_numpy(zero_copy_only=False)  # an empty tag is none
            rows, encoded = rows[known], values.filter(pa.array(known)).dictionary_encode()
            codes = encoded.indices.to_numpy()
            for code, name in enumerate(encoded.dictionary.to_pylist()):
                made[prefix + name] = np.zeros(self.first.size, dtype=np.bool_)
                made[prefix + name][rows[codes == code]] = True
        return made

    def results(self, system: str) -> dict[str, str]:
        """Return a system's result for each test it has one of.

        Raises:
            KeyError: when there is no such system.
        """
        values = self.items.values[self._row(system)]
        return {
            test: "pass" if value else "fail"
            for test, value in zip(self.tests, values, strict=True)
            if np.isfinite(value)
        }

    def _row(self, system: str) -> int:
        if system not in self.items.systems:
            raise KeyError(f"no system {system!r}; there are {list(self.items.systems)}")
        return self.items.systems.index(system)


def read_published(path: Path) -> Published:
    """Read a results file.

    Raises:
        PublishedError: when there is none, or it lacks a column, holds an unknown result or test type, an empty cell,
            tags that are no lists of strings, the same test of a system twice, or a test that is not the same for all
            systems.
    """
    table = _read(path)
    codes, names = _coded(path, table)
    systems, tests = names["system"], names["test_id"]
    pair = codes["system"] * len(tests) + codes["test_id"]
    order = np.argsort(pair, kind="stable")
    repeated = np.flatnonzero(np.diff(pair[order]) == 0)
    if repeated.size:
        row = int(order[repeated[0] + 1])
        raise PublishedError(
            f"{_row(path, row)}: system {systems[codes['system'][row]]!r} has test "
            f"{tests[codes['test_id'][row]]!r} twice (repeated so: {counted(repeated.size, 'row')})"
        )
    # The first row of each test says what it is.
    first = np.full(len(tests), -1)
    first[codes["test_id"][::-1]] = np.arange(table.num_rows)[::-1]
    for column in ("document", "test_type", "derivation", "suite"):
        differing = np.flatnonzero(codes[column] != codes[column][first[codes["test_id"]]])
        if differing.size:
            row = int(differing[0])
            raise PublishedError(
                f"{_row(path, row)}: test {tests[codes['test_id'][row]]!r} has another {column} than in its first row"
            )
    result = np.array([_RESULTS[name] for name in names["result"]])
    values = np.full((len(systems), len(tests)), np.nan)
    values[codes["system"], codes["test_id"]] = result[codes["result"]]
    absent = np.ones(values.shape, dtype=np.bool_)
    absent[codes["system"], codes["test_id"]] = False
    family = np.array([FAMILY_ORDER.index(FAMILIES[name]) for name in names["test_type"]])
    used = sorted(set(family.tolist()))
    items = Items(
        systems=tuple(systems),
        documents=tuple(names["document"]),
        components=tuple(FAMILY_ORDER[index] for index in used),
        values=values,
        document=codes["document"][first],
        component=np.searchsorted(used, family[codes["test_type"][first]]),
        weights=np.ones(len(used)),
    )
    return Published(path, items, tuple(tests), absent, first)


def _read(path: Path) -> pa.Table:
    if not path.is_file():
        found = "is a folder" if path.is_dir() else "does not exist"
        raise PublishedError(f"{path} {found}; give the file of published verdicts, such as results.parquet")
    try:
        schema = pq.read_schema(path)
        if missing := [column for column in COLUMNS if column not in schema.names]:
            raise PublishedError(f"{path} lacks the columns {missing}; it has {schema.names}")
        if (tags := schema.field("tags").type) not in _TAGS:
            raise PublishedError(f"{path}: tags must hold lists of strings, not {tags}")
        table = pq.read_table(path, columns=list(_CODED), read_dictionary=list(_CODED))
    except (pa.ArrowInvalid, OSError) as error:
        raise PublishedError(f"{path} is no Parquet file: {error}") from None
    if not table.num_rows:
        raise PublishedError(f"{path} has no rows")
    return table


def _row(path: Path, row: int) -> str:
    """Return a row's place, numbered as tools that read such a file number it."""
    return f"{path}, row {row} (counted from 0)"


def _coded(path: Path, table: pa.Table) -> tuple[dict[str, _Codes], dict[str, list[str]]]:
    """Return each column as numbers and the names they stand for, in the order in which they first occur."""
    codes, names = {}, {}
    for column in _CODED:
        array = table.column(column)
        if array.null_count:
            row = int(np.flatnonzero(pc.is_null(array).to_numpy(zero_copy_only=False))[0])
            raise PublishedError(f"{_row(path, row)}: {column} is empty")
        if not pa.types.is_dictionary(array.type):
            raise PublishedError(f"{path}: {column} must hold strings, not {array.type}")
        combined = array.unify_dictionaries().combine_chunks()
        combined = combined.chunk(0) if isinstance(combined, pa.ChunkedArray) else combined
        codes[column] = combined.indices.to_numpy().astype(np.int64)
        names[column] = combined.dictionary.to_pylist()
        if blank := [code for code, name in enumerate(names[column]) if not name.strip()]:
            row = int(np.flatnonzero(np.isin(codes[column], blank))[0])
            raise PublishedError(f"{_row(path, row)}: {column} is empty")
    for column, known in (("result", _RESULTS), ("test_type", FAMILIES)):
        if unknown := [name for name in names[column] if name not in known]:
            row = int(np.flatnonzero(codes[column] == names[column].index(unknown[0]))[0])
            raise PublishedError(f"{_row(path, row)}: unknown {column} {unknown[0]!r}; known are {sorted(known)}")
    return codes, names
