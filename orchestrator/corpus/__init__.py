"""The corpus: a folder of documents, their manifest, and gold for some of them."""

from orchestrator.corpus.fetching import REPOSITORY, FetchError, fetch
from orchestrator.corpus.layout import Corpus, CorpusError, Document, Fault
from orchestrator.corpus.loading import check, load
from orchestrator.corpus.making import Made, Skipped, init
from orchestrator.corpus.pages import load_pages

__all__ = [
    "REPOSITORY",
    "Corpus",
    "CorpusError",
    "Document",
    "Fault",
    "FetchError",
    "Made",
    "Skipped",
    "check",
    "fetch",
    "init",
    "load",
    "load_pages",
]
