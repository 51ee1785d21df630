"""The corpus: a folder of documents, their manifest, and gold for some of them."""

from orchestrator.corpus.annotated_pages import PagesError, load_annotated_pages
from orchestrator.corpus.fetching import DATASETS, RevisionError, fetch
from orchestrator.corpus.layout import Corpus, CorpusError, Document, Fault
from orchestrator.corpus.loading import check, load
from orchestrator.corpus.making import Made, Skipped, init
from orchestrator.corpus.pages import load_pages
from orchestrator.corpus.sources import FetchError, fetch_sources

__all__ = [
    "DATASETS",
    "Corpus",
    "CorpusError",
    "Document",
    "Fault",
    "FetchError",
    "Made",
    "PagesError",
    "RevisionError",
    "Skipped",
    "check",
    "fetch",
    "fetch_sources",
    "init",
    "load",
    "load_annotated_pages",
    "load_pages",
]
