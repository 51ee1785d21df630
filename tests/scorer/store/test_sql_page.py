"""docs/sql.md says what is so."""

import re
from pathlib import Path

import pytest

from scorer.store import query, reference
from tests.scorer.conftest import Store

PAGE = Path(__file__).resolve().parents[3] / "docs" / "sql.md"
QUESTIONS = re.findall(r"^([^\n]+):\n\n```sql\n(.+?)```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_reference_is_that_of_the_schema() -> None:
    """Every table, view and column, as it is in the store."""
    assert reference.rewritten(PAGE.read_text()) == PAGE.read_text()
    assert all(column and text for relation in reference.relations() for column, text in relation.columns)


def test_there_are_questions() -> None:
    """All that stand on the page are run below."""
    assert len(QUESTIONS) == PAGE.read_text().count("```sql") >= 10


@pytest.mark.parametrize("sql", [pytest.param(sql, id=title[:40]) for title, sql in QUESTIONS])
def test_each_question_is_answered_with_rows(scored: Store, sql: str) -> None:
    """As a user would ask it, on a store with two runs."""
    assert sum(batch.num_rows for batch in query.stream(scored.database, sql)) > 0
