"""Equal rows give equal figures, to the last digit, in whatever order they were stored and by however many threads."""

import duckdb
import pyarrow as pa
import pytest

from scorer.store import reference

DOCUMENTS, PAGES, SAMPLES = 1600, 120, 120
"""So many that DuckDB gives the figures to more than one thread: each takes 122,880 rows at a time."""

THREADS = 4
UNORDERED = ("document_parses", "axis_scores")
"""Views whose own rows stand in no order."""

_ZEROS = {
    "VARCHAR": "''",
    "BOOLEAN": "false",
    "DOUBLE": "0.0",
    "INTEGER": "0",
    "UBIGINT": "0",
    "TIMESTAMP": "timestamp '2026-01-01'",
    "JSON": "'{}'",
    "VARCHAR[]": "[]",
    "INTEGER[]": "[]",
}
"""What a column holds that must hold something and of which these tests say nothing."""

_NOISE = "(hash(run_id, parser, {of}) % 1000003) / 1000003.0"
"""Figures that no two rows share, and whose sum no double holds exactly."""

_RUNS = "(values ('1'), ('2')) r(run_id)"
_PARSERS = "(values ('one@1', 'one'), ('two@1', 'two'), ('three@1', 'three')) p(parser, name)"
_ITEMS = "select 'd' || i as document from range({count}) d(i)"
_KPIS = """(values
    ('coverage', 'coverage'), ('hierarchy', 'heading_recall'), ('hierarchy', 'heading_precision'),
    ('hierarchy', 'parent_accuracy'), ('faithfulness', 'nid'), ('tables', 'table_recall'), ('tables', 'row_recall'),
    ('tables', 'header_accuracy'), ('retrieval', 'recall_1000'), ('retrieval', 'recall_2000'),
    ('retrieval', 'recall_4000'), ('faithfulness', 'hallucination_rate'), ('faithfulness', 'omission_rate')
) k(axis, kpi)"""
_ELEMENTS = "(values ('text_block', 'Edit_dist'), ('table', 'Edit_dist'), ('table', 'TEDS')) e(element, metric)"
_EVERY = f"from {_RUNS}, {_PARSERS}, ({_ITEMS.format(count=DOCUMENTS)})"
_EVERY_SAMPLE = f"""from (values ('1')) r(run_id), {_PARSERS}, (select 'page' || i as page from range({PAGES}) q(i)),
    (select s::integer as sample from range({SAMPLES}) s(s))"""

_ROWS = {
    "runs": f"select run_id, started_at: timestamp '2026-01-01', finished_at: started_at, repeats: 1 from {_RUNS}",
    "parsers": f"""
        select run_id, parser, name, version: '1', state: 'ready' from {_RUNS}, {_PARSERS}
        union all select '1', 'heavy@1', 'heavy', '1', 'weights_unavailable'""",
    "documents": f"""
        select run_id, document, format: ['pdf', 'docx', 'html'][1 + (hash(document) % 3)::integer], pages: 3,
            domain: ['law', 'trade'][1 + (hash(document, 2) % 2)::integer]
        from {_RUNS}, ({_ITEMS.format(count=DOCUMENTS)})""",
    # The longest seconds are those of several documents.
    "parses": f"""
        select run_id, parser, document, repeat: 1, status: if(hash(document) % 50 = 0, 'error', 'ok'),
            seconds: least({_NOISE.format(of="document")}, 0.9) + 1e-3, assisted: 'none'
        {_EVERY}""",
    "kpis": f"""
        select run_id, suite: 'bizdoc@1', parser, document, axis, kpi, signature: 'signature',
            value: least({_NOISE.format(of="document, kpi")}, 0.9), in_axis: kpi not like '%_rate'
        {_EVERY}, {_KPIS}
        union all
        select run_id, suite, parser, null, axis, axis, 'signature', 0.5, true
        from {_RUNS}, {_PARSERS}, (values ('bizdoc@1', 'tables'), ('bizdoc@1', 'composite'), ('omnidoc@1', 'composite'),
            ('omnidoc@1', 'detection')) a(suite, axis)""",
    "scorings": f"select run_id, suite from {_RUNS}, (values ('bizdoc@1'), ('omnidoc@1')) s(suite)",
    "signatures": "select signature: 'signature', conditions: 'conditions'",
    "agreements": f"""
        select run_id, suite: 'bizdoc@1', document, parser_a: parser, parser_b: other, characters_a: 1, characters_b: 2,
            agreement: greatest({_NOISE.format(of="document, other")}, 0.1)
        {_EVERY}, (values ('two@1'), ('three@1')) o(other) where parser < other""",
    "verdicts": f"""
        select run_id, suite: 'omniparse@1', parser, document, source: document, test: 't' || t, family: 'text',
            passed: hash(document, t, parser) % 3 = 0, tags: ['part:a', 'b']
        {_EVERY}, range(3) t(t)""",
    "omnidoc_pages": f"""
        select run_id, suite: 'omnidoc@1', parser, page, predicted: true, characters: 100, homeless_characters: 7
        {_EVERY_SAMPLE} where sample = 0""",
    "omnidoc_page_attributes": f"""
        select run_id, suite: 'omnidoc@1', page, attribute: 'language', listed: false,
            value: ['en', 'zh'][1 + (hash(page) % 2)::integer]
        {_EVERY_SAMPLE} where sample = 0 and parser = 'one@1'""",
    "omnidoc_samples": f"""
        select run_id, suite: 'omnidoc@1', parser, page, element, sample, longest: 1 + hash(page, sample) % 997
        {_EVERY_SAMPLE}, (values ('text_block'), ('table')) e(element)""",
    "omnidoc_metrics": f"""
        select run_id, suite: 'omnidoc@1', parser, page, element, sample, metric,
            value: {_NOISE.format(of="page, sample, element, metric")}
        {_EVERY_SAMPLE}, {_ELEMENTS}""",
    "omnidoc_attributes": f"""
        select run_id, suite: 'omnidoc@1', parser, page, element: 'table', sample, attribute: 'frame',
            value: ['full', 'none'][1 + (hash(page, sample) % 2)::integer]
        {_EVERY_SAMPLE}""",
    "omnidoc_boxes": f"""
        select run_id, suite: 'omnidoc@1', parser, page, class: 'table', gold: true, number: sample,
            level: 'block_level'
        {_EVERY_SAMPLE} where sample < 3""",
}


def _store() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config={"threads": THREADS})
    for path in reference.FILES:
        connection.execute(path.read_text())
    return connection


def _fill(connection: duckdb.DuckDBPyConnection, table: str, rows: str) -> None:
    """Store rows; a column that they lack has nothing in it, or where that cannot be, next to nothing."""
    given = connection.sql(rows).columns
    lacking = [
        f"{_ZEROS[kind]} as {column}"
        for column, kind, null, _, default, _ in connection.sql(f"describe {table}").fetchall()
        if column not in given and null == "NO" and default is None
    ]
    connection.execute(f"insert into {table} by name select {', '.join(['*', *lacking])} from ({rows})")


@pytest.fixture(scope="module", name="stores")
def _stores() -> list[duckdb.DuckDBPyConnection]:
    """The same rows in two orders."""
    first, second = _store(), _store()
    for table, rows in _ROWS.items():
        _fill(first, table, rows)
        shuffled: pa.Table = first.sql(f"from {table} order by hash(rowid)").to_arrow_table()
        second.register("shuffled", shuffled)
        second.execute(f"insert into {table} by name from shuffled")
        second.unregister("shuffled")
    return [first, second]


@pytest.mark.parametrize("view", [each.name for each in reference.relations() if each.kind == "view"])
def test_a_view_does_not_depend_on_the_order_of_rows(view: str, stores: list[duckdb.DuckDBPyConnection]) -> None:
    """Every column of every row, and the order in which the view itself puts them."""
    order = "order by all" if view in UNORDERED else ""
    first, second = (store.sql(f"from {view} {order}").to_arrow_table() for store in stores)
    assert first.num_rows > 0
    assert [name for name in first.column_names if not first[name].equals(second[name])] == []
