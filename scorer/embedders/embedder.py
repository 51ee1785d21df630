"""A model and its cache: what retrieval is scored with.

Vectors are computed after the last timed parse, never on a timed path.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from scorer.embedders.cache import Entry, VectorCache
from scorer.embedders.identity import Embedded, Identity

_TEXTS_A_BLOCK = 64
"""Texts computed before they are written: what a kill can cost."""


class Model(Protocol):
    """Turns texts into vectors; a text's vector depends on nothing but the text."""

    @property
    def identity(self) -> Identity:
        """Everything that can change a vector."""

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""

    def embed(self, texts: Sequence[str]) -> list[Entry]:
        """Return the vectors of texts that have their prefix already, in order."""


class Embedder:
    """Embeds questions and chunks, each text once: the same bits whatever else is asked, and whenever."""

    def __init__(self, model: Model, cache: VectorCache) -> None:
        self._model = model
        self._cache = cache

    @property
    def identity(self) -> Identity:
        """What belongs in the signature of a score."""
        return self._model.identity

    def close(self) -> None:
        """Close the cache."""
        self._cache.close()

    def embed_passages(self, texts: Iterable[str]) -> Embedded:
        """Embed chunks.

        Raises:
            EmbedderError: the model or its server cannot answer.
        """
        return self._embed(texts, self.identity.passage_prefix)

    def embed_queries(self, texts: Iterable[str]) -> Embedded:
        """Embed questions.

        Raises:
            EmbedderError: the model or its server cannot answer.
        """
        return self._embed(texts, self.identity.query_prefix)

    def _embed(self, texts: Iterable[str], prefix: str) -> Embedded:
        keys: list[bytes | None] = []
        whole: dict[bytes, str] = {}
        for text in texts:
            if not text.strip():
                keys.append(None)
                continue
            # Half of a surrogate pair, which JSON can escape, has no place in any vocabulary.
            prefixed = prefix + text.encode(errors="replace").decode()
            keys.append(key := self._key(prefixed))
            whole[key] = prefixed
        entries = self._entries(whole)
        vectors = np.zeros((len(keys), self._model.dimensions), dtype=np.float32)
        truncated = 0
        for row, place in enumerate(keys):
            if place is not None:
                vectors[row] = entries[place].vector
                truncated += entries[place].truncated
        return Embedded(vectors, truncated)

    def _entries(self, texts: Mapping[bytes, str]) -> dict[bytes, Entry]:
        """Return the entry of each text, from disk or computed, and then written in blocks."""
        entries = self._cache.get(list(texts), dimensions=self._model.dimensions)
        missing = [key for key in texts if key not in entries]
        for start in range(0, len(missing), _TEXTS_A_BLOCK):
            block = missing[start : start + _TEXTS_A_BLOCK]
            computed = dict(zip(block, self._model.embed([texts[key] for key in block]), strict=True))
            self._cache.put(computed)
            entries |= computed
        return entries

    def _key(self, text: str) -> bytes:
        """Everything a vector depends on: of the prefixes, only the one the text carries."""
        identity = self.identity
        parts = (identity.weights, identity.context, identity.runtime, identity.cpu, text)
        digest = hashlib.sha256()
        for part in parts:
            encoded = part.encode()
            digest.update(b"%d:" % len(encoded))
            digest.update(encoded)
        return digest.digest()
