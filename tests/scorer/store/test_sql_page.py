"""docs/sql.md says what is so."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer.store import query, reference
from tests.scorer import small
from tests.scorer.conftest import Store, open_store

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text()
PAGE = ROOT / "docs" / "sql.md"
FIRST = re.findall(r'docassay sql "(.+)"', README)
QUESTIONS = re.findall(r"^([^\n]+):\n\n```sql\n(.+?)```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_reference_is_that_of_the_schema() -> None:
    """Every table, view and column, as it is in the store."""
    assert reference.rewritten(PAGE.read_text()) == PAGE.read_text()
    assert all(column and text for relation in reference.relations() for column, text in relation.columns)


def test_there_are_questions() -> None:
    """All that stand on the page are run below."""
    assert len(QUESTIONS) == PAGE.read_text().count("```sql") >= 10
    assert len(FIRST) == README.count("docassay sql") >= 2


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory, embeddings: Path) -> Iterator[Store]:
    """The same parsers run twice; the second time ``good`` finds no headings in ``a``. A third run is not scored."""
    opened = open_store(tmp_path_factory.mktemp("twice"), embeddings)
    for day in (0, 1, 2):
        run = opened.run(small.open_request(opened.corpus, plan=f"plan {day}"), day=day)
        for parts in small.everything(run, () if day == 2 else (small.POOR,)):
            opened.submit(parts)
        for document in small.DOCUMENTS if day < 2 else ():
            text = small.output(document, headings=day == 0 or document != "a")
            opened.submit(small.parts(small.record(run, small.GOOD, document), text, small.chunks(document)))
        if day < 2:
            opened.close_run(run)
            opened.score(run)
    yield opened
    opened.database.close()


@pytest.mark.parametrize(
    "sql", [*(pytest.param(sql, id=title[:40]) for title, sql in QUESTIONS), *(pytest.param(sql) for sql in FIRST)]
)
def test_each_question_is_answered_with_rows_of_one_run(twice: Store, sql: str) -> None:
    """As a user would ask it, on a store with several runs: none has its rows twice, but where it shows the run."""
    rows = [row for batch in query.stream(twice.database, sql) for row in batch.to_pylist()]
    assert rows
    assert "newest" in sql or "run_id" in rows[0]
    assert len({str(row) for row in rows}) == len(rows)


def test_the_newest_run_is_the_newest_that_was_scored(twice: Store, store: Store) -> None:
    """Of three runs, two of them scored, it is the second; while none is scored it is the newest."""
    runs = [row["run_id"] for row in twice.database.rows("select run_id from runs order by run_id")]
    assert twice.database.rows("from newest_run") == [{"run_id": runs[1]}]
    assert len(twice.database.rows("from failures where run_id = (from newest_run)")) == 1
    assert store.database.rows("from newest_run") == [{"run_id": None}]
    run = store.run()
    assert store.database.rows("from newest_run") == [{"run_id": run}]


def test_what_the_readme_exports_is_not_for_git() -> None:
    """Its folder of tables is ignored, as its results are."""
    [folder] = re.findall(r"docassay export (\S+)", README)
    assert f"/{folder}" in (ROOT / ".gitignore").read_text().splitlines()
