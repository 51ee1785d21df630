"""Frozen local embedders, for Retrieval: the same text gives the same bits, and every score names its embedder."""

from pathlib import Path

from scorer.embedders.cache import VectorCache
from scorer.embedders.embedder import Embedder
from scorer.embedders.identity import Embedded, EmbedderError, Identity

__all__ = ["Embedded", "Embedder", "EmbedderError", "Identity", "open_embedder"]


def open_embedder(name: str, cache_folder: Path) -> Embedder:
    """Open an embedder whose vectors are kept on disk.

    Args:
        name: ``embedded`` (weights come with the installation), ``ollama`` or ``ollama:<model>``.
        cache_folder: made if it is not there; any number of processes may share it.

    Raises:
        EmbedderError: there is no such embedder, its weights or its server are missing, or the folder cannot be used.
    """
    kind, _, model = name.partition(":")
    if name == "embedded":
        from scorer.embedders.minilm import MiniLM

        return Embedder(MiniLM(), VectorCache(cache_folder))
    if kind == "ollama" and (model or name == "ollama"):
        from scorer.embedders.ollama_server import DEFAULT_MODEL, OllamaServer

        return Embedder(OllamaServer(model or DEFAULT_MODEL), VectorCache(cache_folder))
    raise EmbedderError(f"found the embedder {name!r}, expected embedded, ollama, or ollama:<model>")
