"""Where the gold of a run is read when its corpus is not where it was parsed."""

import json
from pathlib import Path

import pytest

from scorer.gold import GoldError
from tests.scorer import small
from tests.scorer.conftest import Store


@pytest.fixture(name="moved")
def _moved(store: Store) -> Path:
    """A run that is parsed, and its corpus elsewhere than it recorded: what a container's path is to the host."""
    run_id = store.run(small.open_request(store.corpus, parsers=(small.GOOD,)))
    for document in small.DOCUMENTS:
        store.submit(small.submission(run_id, small.GOOD, document))
    store.close_run(run_id)
    return manifested(store.corpus.rename(store.corpus.with_name("moved")))


def manifested(folder: Path, **digests: str) -> Path:
    """Write the manifest of the small corpus; ``digests`` are of documents that are others."""
    entries = [{"id": name, "sha256": digests.get(name, f"sha-{name}")} for name in small.DOCUMENTS]
    (folder / "documents.json").write_text(json.dumps({"documents": entries}))
    return folder


def test_a_corpus_that_is_not_there_is_named_with_the_option(store: Store, moved: Path) -> None:
    """Where it lay, which one it was, by its digest, and how to say where it lies now."""
    with pytest.raises(GoldError) as caught:
        store.score(axes=("coverage",))
    assert str(caught.value) == (
        f"{store.corpus} is not here, where the corpus of run 20260726_201631 (small 1, digest corpus) lay when it was "
        "parsed: say with --corpus where it lies now"
    )


def test_the_corpus_that_is_named_is_scored_against(store: Store, moved: Path) -> None:
    """The same figures as where it lay, and the scoring says where the gold was read."""
    store.score(corpus=moved, axes=("faithfulness",))
    assert store.database.rows("select value from kpis where kpi = 'nid' and document = 'a'") == [{"value": 1.0}]
    assert store.database.rows("select corpus_path from scorings") == [{"corpus_path": str(moved)}]


def test_gold_that_was_corrected_meanwhile_is_read_and_told(store: Store, moved: Path) -> None:
    """Its documents are the run's, so it is the run's corpus: as where it lay, a correction is a warning."""
    (moved / "annotations/content/b.content.md").write_text("zzzz")
    done = store.score(corpus=moved, axes=("faithfulness",))
    assert any("b: its gold is not what it was when the run was opened" in warning for warning in done.warnings)


def test_another_corpus_is_refused_by_the_digest_of_the_right_one(store: Store, moved: Path) -> None:
    """Documents of the same names are not the same documents."""
    with pytest.raises(GoldError, match=r"moved is not the corpus of run .* digest corpus\).* does not list b, d with"):
        store.score(corpus=manifested(moved, b="other", d="other"))
    assert not store.database.rows("select 1 from kpis")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, r"documents\.json: No such file or directory; name the folder of a corpus with --corpus"),
        ("[", r"documents\.json is no manifest \(.*\): run `docassay corpus check"),
        ('{"documents": [{"id": "a"}]}', r"documents\.json is no manifest \('sha256'\)"),
    ],
)
def test_a_folder_that_is_no_corpus_is_refused(store: Store, moved: Path, text: str | None, words: str) -> None:
    """The manifest is named, what is wrong with it, and what to do."""
    (moved / "documents.json").unlink()
    if text is not None:
        (moved / "documents.json").write_text(text)
    with pytest.raises(GoldError, match=words):
        store.score(corpus=moved)


def test_a_folder_that_is_not_there_is_refused(store: Store, moved: Path) -> None:
    """A mistyped path is named, with the corpus that is meant."""
    with pytest.raises(GoldError, match=r"nowhere does not exist: say with --corpus where the corpus of run"):
        store.score(corpus=moved / "nowhere")
