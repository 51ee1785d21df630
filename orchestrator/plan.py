"""The plan of a run: parsers by documents by repeats, parser-major, and the digest that lets it be resumed."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.corpus import Corpus, Document
from orchestrator.limits import Limits
from orchestrator.selection import Selected


class PlanError(Exception):
    """The plan cannot be made; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Task:
    """One parse: a document's n-th repeat, counted from 1."""

    document: Document
    repeat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that decides which parses a run has and under which conditions.

    Attributes:
        mode: local (child processes), container (compose's services on this machine) or remote.
        scope: the ids asked for, in manifest order; None for the whole manifest.
        cpus: the CPUs that parsers may use.
    """

    suite: str
    mode: str
    corpus: Corpus
    documents: tuple[Document, ...]
    scope: tuple[str, ...] | None
    parsers: tuple[Selected, ...]
    repeats: int
    limits: Limits
    cpus: tuple[int, ...]

    @property
    def exclusive(self) -> bool:
        """Whether the parsers have this machine to themselves, one at a time, so that speeds count."""
        return self.mode in ("local", "container")

    def tasks(self) -> Iterator[Task]:
        """Yield one parser's tasks: every document once, then every document again."""
        for repeat in range(1, self.repeats + 1):
            for document in self.documents:
                yield Task(document, repeat)

    def digest(self) -> str:
        """Return the SHA-256 of everything a resumed run must share with the run it resumes."""
        parsers = []
        for parser in self.parsers:
            entry: dict[str, object] = {"parser": parser.key, "addresses": parser.addresses}
            if parser.descriptor is not None:
                entry["lock"] = parser.descriptor.lock_digest(parser.version, parser.setting)
                entry["adapter"] = parser.descriptor.adapter_digest()
            parsers.append(entry)
        content = {
            "suite": self.suite,
            "mode": self.mode,
            "corpus": self.corpus.digest,
            "documents": [document.id for document in self.documents],
            "parsers": parsers,
            "repeats": self.repeats,
            "limits": [self.limits.seconds, self.limits.seconds_per_page, self.limits.memory_bytes],
            "cpus": self.cpus,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def choose(corpus: Corpus, *, ids: Sequence[str], limit: int | None) -> tuple[tuple[Document, ...], bool]:
    """Return the documents asked for, in manifest order, and whether that is less than the whole manifest.

    Raises:
        PlanError: an id is not in the manifest, or nothing is left.
    """
    unknown = sorted(set(ids) - {document.id for document in corpus.documents})
    if unknown:
        raise PlanError(f"not in the manifest of {corpus.folder}: {', '.join(unknown)}")
    chosen = [document for document in corpus.documents if not ids or document.id in ids][:limit]
    if not chosen:
        raise PlanError(f"no documents to parse: the manifest of {corpus.folder} has {len(corpus.documents)}")
    return tuple(chosen), len(chosen) < len(corpus.documents)
