"""Scoring one document: the part that runs in the processes."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scorer import gold, output
from scorer.embedders import Embedder, open_embedder
from scorer.scoring import agreement, outputs
from scorer.scoring.inputs import Measured
from scorer.store.artifacts import Artifacts
from scorer.suites.bizdoc import Kpi, document
from scorer.suites.bizdoc.kpis import ANNOTATION, KPIS, QUALITY_AXES

AxisKpis = Mapping[str, Mapping[str, Kpi]]
"""KPIs by axis and name."""


OUTPUT, CHUNKS = "output", "chunks"
"""What a remark is on."""

TRUNCATED = "chunks are longer than the embedder reads"
"""How a remark on cut chunks ends; most documents of some parsers have one."""


@dataclass(frozen=True, slots=True)
class Job:
    """A parser on a document, with the gold to compare with: of the axes to be scored alone."""

    parser: str
    document: str
    annotations: tuple[str, ...]
    measured: Measured

    def __str__(self) -> str:
        return f"{self.parser} on {self.document}"


@dataclass(frozen=True, slots=True)
class Scored:
    """The figures of a job, those beside the axes, and remarks, each with what it is on: the output or the chunks."""

    kpis: AxisKpis
    supplementary: AxisKpis
    bounded: bool
    warnings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Preparation:
    """What a process needs before its first job; calling it opens what is opened once.

    Attributes:
        corpus: where the gold lies.
        artifacts: where the outputs lie.
        embedder: its name; opened with the first document that has questions.
        cache: where embeddings are kept.
    """

    corpus: Path
    artifacts: Path
    embedder: str
    cache: Path

    def __call__(self) -> Callable[[Job | agreement.Comparison], Scored | agreement.Compared]:
        """Return the function that does a job."""
        return _Scorer(self).do


class _Scorer:
    """Keeps the embedder, and the gold of the document at hand: jobs come document by document."""

    def __init__(self, preparation: Preparation) -> None:
        self._preparation = preparation
        self._artifacts = Artifacts(preparation.artifacts)
        self._embedder: Embedder | None = None
        self._gold: tuple[tuple[str, tuple[str, ...]], document.PreparedGold] | None = None

    def do(self, job: Job | agreement.Comparison) -> Scored | agreement.Compared:
        """Score one parser on one document, or compare the parsers on it.

        Raises:
            GoldError: the gold cannot be read.
            StoreError: a stored artifact cannot be read.
            EmbedderError: the embedder cannot answer.
        """
        if isinstance(job, agreement.Comparison):
            self._gold = None
            return agreement.compare(job, self._artifacts)
        return self._score(job)

    def _score(self, job: Job) -> Scored:
        prepared = self._prepared(job)
        if not job.measured.parsed:
            beside = document.failed_supplementary(prepared, job.measured.failure)
            return Scored(_because(document.failed(prepared), job.measured.failure), beside, False, ())
        kpis: dict[str, Mapping[str, Kpi]] = {}
        supplementary: AxisKpis = {}
        bounded, warnings = False, list[tuple[str, str]]()
        if set(prepared.axes) - {"retrieval"}:
            read = outputs.read(self._artifacts, job.measured.artifact)
            compared = document.compare(prepared, read.document)
            kpis |= compared.scores
            supplementary = compared.supplementary
            bounded, warnings = read.bounded, [(OUTPUT, text) for text in read.warnings]
        if "retrieval" in prepared.axes:
            retrieved, cut, remarks = self._retrieval(prepared, job.measured)
            kpis["retrieval"] = retrieved
            bounded |= cut
            warnings += [(CHUNKS, text) for text in remarks]
        return Scored(kpis, supplementary, bounded, tuple(warnings))

    def _prepared(self, job: Job) -> document.PreparedGold:
        key = (job.document, job.annotations)
        if self._gold is None or self._gold[0] != key:
            self._gold = None  # let go of one document's gold before the next is read
            loaded = gold.load(self._preparation.corpus, job.document, job.annotations)
            self._gold = (key, document.prepare(loaded))
        return self._gold[1]

    def _retrieval(
        self, prepared: document.PreparedGold, measured: Measured
    ) -> tuple[Mapping[str, Kpi], bool, tuple[str, ...]]:
        if measured.chunks_artifact is None:
            zeros = document.failed(prepared)["retrieval"]
            return _because({"retrieval": zeros}, f"no chunks: {measured.no_chunks}")["retrieval"], False, ()
        with self._artifacts.open(measured.chunks_artifact) as source:
            read = output.read_chunks(source)
        questions = prepared.questions or ()
        if self._embedder is None:
            self._embedder = open_embedder(self._preparation.embedder, self._preparation.cache)
        passages = self._embedder.embed_passages([chunk.passage for chunk in read.chunks])
        asked = self._embedder.embed_queries([question.question for question in questions])
        remarks = list(read.warnings)
        if passages.truncated:
            remarks.append(f"{passages.truncated} of {len(read.chunks)} {TRUNCATED}")
        kpis = document.score_retrieval(prepared, read.chunks, passages.vectors, asked.vectors)
        return kpis, read.bounded, tuple(remarks)


def annotations_of(annotations: tuple[str, ...], axes: tuple[str, ...]) -> tuple[str, ...]:
    """Return which of a document's annotations the axes need."""
    return tuple(ANNOTATION[axis] for axis in QUALITY_AXES if axis in axes and ANNOTATION[axis] in annotations)


def _because(scores: AxisKpis, failure: str) -> AxisKpis:
    """Say beside each 0 which failure made it 0; what the gold does not define stays undefined."""
    return {
        axis: {
            name: kpi if kpi.value is None else dataclasses.replace(kpi, reason=failure)
            for name in KPIS[axis]
            if (kpi := kpis[name])
        }
        for axis, kpis in scores.items()
    }
