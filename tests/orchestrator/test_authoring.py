"""Drafts of gold from a parser's output, and where evidence is found."""

import json
from pathlib import Path

import pytest

from orchestrator import authoring
from orchestrator.authoring import AuthoringError
from tests.scorer import small
from tests.scorer.conftest import Store, embeddings, store

__all__ = ["embeddings", "store"]


@pytest.fixture(name="results")
def _results(store: Store) -> Path:
    """The results of a small run, with nobody holding the store."""
    run_id = store.run()
    for parts in small.everything(run_id):
        store.submit(parts)
    store.close_run(run_id)
    store.database.close()
    return store.results


class TestDraft:
    def test_a_draft_has_what_the_parser_gave(self, store: Store, results: Path) -> None:
        """Headings nested by level, the text as it is, tables with rows of one width."""
        paths = authoring.draft(store.corpus, results, "a", "good")
        drafts = {path.name: path.read_text() for path in paths}
        tree = json.loads(drafts["a.headings.json"])["headings"]
        assert [node["text"] for node in tree] == ["Annual report"]
        assert [node["text"] for node in tree[0]["children"]] == ["Outlook"]
        assert drafts["a.content.md"] == small.TEXT["a"]
        [table] = json.loads(drafts["a.tables.json"])["tables"]
        assert [row["cells"] for row in table["rows"]] == [["Item", "2025"], ["Revenue", "12"]]

    def test_a_draft_never_touches_gold_or_another_draft(self, store: Store, results: Path) -> None:
        """It lies in a folder of its own, and what is there already stays."""
        before = {path: path.read_bytes() for path in store.corpus.rglob("*") if path.is_file()}
        first, *_ = authoring.draft(store.corpus, results, "a", "good@1.0")
        first.write_text("corrected by a person")
        with pytest.raises(AuthoringError, match="somebody's work"):
            authoring.draft(store.corpus, results, "a", "good@1.0")
        assert first.read_text() == "corrected by a person"
        assert all(path.read_bytes() == content for path, content in before.items())

    @pytest.mark.parametrize(("document", "parser"), [("a", "nobody"), ("b", "poor@2.0"), ("no'where", "good")])
    def test_without_output_it_says_whose_there_is(
        self, store: Store, results: Path, document: str, parser: str
    ) -> None:
        """A parser that failed on the document, or never saw it, cannot be drafted from."""
        with pytest.raises(AuthoringError, match="parsers with one:"):
            authoring.draft(store.corpus, results, document, parser)


class TestEvidence:
    def test_each_span_is_looked_for_in_every_parsers_text(self, store: Store, results: Path) -> None:
        """White space apart, a span is in a text or it is not."""
        found = list(authoring.evidence(store.corpus, results, "a"))
        assert found
        for entry in found:
            expected = " ".join(entry.evidence.split()) in " ".join(small.TEXT["a"].split())
            assert ("good@1.0" in entry.parsers) is expected
