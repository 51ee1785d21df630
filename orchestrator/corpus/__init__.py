"""The corpus: a folder of documents, their manifest, and gold for some of them."""

from orchestrator.corpus.layout import Corpus, CorpusError, Document, Fault
from orchestrator.corpus.loading import check, load

__all__ = ["Corpus", "CorpusError", "Document", "Fault", "check", "load"]
