"""A results folder with a scored run, made once for the tests that only read it."""

import dataclasses
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from docassay.v1 import scorer_pb2 as pb
from scorer.scoring import score
from scorer.store import runs, submissions
from scorer.store.artifacts import Artifacts
from scorer.store.database import FILE, Database
from tests.scorer import small


@dataclasses.dataclass(frozen=True)
class Store:
    """An open results folder."""

    results: Path
    corpus: Path
    cache: Path
    database: Database
    artifacts: Artifacts

    def run(self, request: pb.OpenRunRequest | None = None, *, day: int = 0) -> str:
        """Open a run."""
        request = request or small.open_request(self.corpus)
        return runs.open_run(self.database, request, now=small.NOW + timedelta(days=day)).run_id

    def submit(self, parts: Iterator[pb.SubmitRequest]) -> pb.SubmitResponse:
        """Submit one parse."""
        return submissions.submit(self.database, self.artifacts, parts)

    def close_run(self, run_id: str, *outcomes: pb.ParserOutcome) -> None:
        """Close a run."""
        runs.close_run(
            self.database,
            pb.CloseRunRequest(run_id=run_id, parsers=outcomes),
            now=small.NOW + timedelta(hours=1),
        )

    def score(self, run_id: str = "", **changes: object) -> score.Scored:
        """Score a run without further processes."""
        request = score.Request(run_id=run_id, jobs=1, cache=self.cache)
        request = dataclasses.replace(request, **changes)  # type: ignore[arg-type]
        steps = list(score.score(self.database, self.artifacts, request, now=small.NOW, stop=threading.Event()))
        assert isinstance(steps[-1], score.Scored)
        return steps[-1]


@pytest.fixture(scope="session")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of embeddings for all tests."""
    return tmp_path_factory.mktemp("embeddings")


@pytest.fixture
def store(tmp_path: Path, embeddings: Path) -> Iterator[Store]:
    """An empty store beside the small corpus."""
    opened = open_store(tmp_path, embeddings)
    yield opened
    opened.database.close()


@pytest.fixture(scope="session")
def scored(tmp_path_factory: pytest.TempPathFactory, embeddings: Path) -> Iterator[Store]:
    """Two finished and scored runs: the small one, and a later one in which ``good`` got worse on ``a``."""
    opened = open_store(tmp_path_factory.mktemp("scored"), embeddings)
    first = opened.run()
    for parts in small.everything(first):
        opened.submit(parts)
    opened.close_run(first)
    opened.score(first)
    second = opened.run(small.open_request(opened.corpus, parsers=("good@1.1",), plan="later"), day=1)
    for document in small.DOCUMENTS:
        text = small.output(document, headings=document != "a")
        record = small.record(second, "good@1.1", document)
        opened.submit(small.parts(record, text, small.chunks(document)))
    opened.close_run(second)
    opened.score(second)
    yield opened
    opened.database.close()


def open_store(folder: Path, embeddings: Path) -> Store:
    """Make a results folder beside the small corpus."""
    results = folder / "results"
    results.mkdir()
    return Store(
        results,
        small.corpus(folder / "corpus"),
        embeddings,
        Database(results / FILE),
        Artifacts(results / "artifacts"),
    )
