"""Any embedding model of an Ollama server; nomic-embed-text, the one BizDocBench was published with, by default.

One text a request, so that the server never computes two in one batch. A server cuts long texts in silence unless it
is told not to, and newer ones refuse them even when told to cut: so it is always told not to, and a text it refuses is
cut here, to the longest start (in steps of 64 characters) that it takes whole, and counted.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import httpx
import numpy as np
import ollama

from scorer.embedders.cache import Entry
from scorer.embedders.identity import EmbedderError, Identity, Vectors

DEFAULT_MODEL = "nomic-embed-text"

_PREFIXES = {"nomic-embed-text": ("search_query: ", "search_document: ")}
"""Before a question and before a chunk, for the models whose authors ask for it."""

_STEP = 64

_SHOWN = 120
"""Code points of what a server calls its answer that are told."""

_Answer = TypeVar("_Answer")


class _TooLongError(Exception):
    """The server does not take a text whole."""


class OllamaServer:
    """A model of a server; ``OLLAMA_HOST`` says where, as for Ollama itself."""

    def __init__(self, model: str = DEFAULT_MODEL, *, host: str | None = None, timeout: float = 600.0) -> None:
        """Ask the server for the model.

        Args:
            model: its name, with or without a tag.
            host: address of the server; None: ``OLLAMA_HOST``, else Ollama's default.
            timeout: seconds for one text.

        Raises:
            EmbedderError: the server cannot be reached, does not have the model, or the model is none for embedding.
        """
        self._model = model
        self._client = ollama.Client(host=host, timeout=timeout, event_hooks={"response": [self._check]})
        self._digest = self._find_digest()
        facts = self._call(lambda: self._client.show(model)).modelinfo or {}
        self._dimensions = self._fact(facts, "embedding_length")
        self._context = self._fact(facts, "context_length")
        # The client has no public call for the version.
        answer = self._call(lambda: self._client._client.get("/api/version").raise_for_status().json())
        self._version = str(answer.get("version"))

    @cached_property
    def identity(self) -> Identity:
        """What the vectors depend on."""
        query, passage = _PREFIXES.get(self._model.rpartition("/")[2].partition(":")[0], ("", ""))
        return Identity(
            name=f"ollama:{self._model}",
            weights=f"ollama:{self._model} {self._digest}",
            query_prefix=query,
            passage_prefix=passage,
            context=f"the longest start, in steps of {_STEP} characters, within {self._context} tokens",
            runtime=f"ollama {self._version}, one text a request",
            cpu="the server's",
        )

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[Entry]:
        """Return the vector of each text, in order.

        Raises:
            EmbedderError: the server is gone, or answers what cannot be used.
        """
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> Entry:
        vector = self._ask(text)
        if vector is not None:
            return Entry(vector, truncated=False)
        low, high = 0, -(-len(text) // _STEP)
        while high - low > 1:
            middle = (low + high) // 2
            answer = self._ask(text[: middle * _STEP])
            if answer is None:
                high = middle
            else:
                low, vector = middle, answer
        if vector is None:
            raise EmbedderError(
                f"{self._server}: {self._model} refuses even {_STEP} characters as too long; choose another model"
            )
        return Entry(vector, truncated=True)

    def _ask(self, text: str) -> Vectors | None:
        """Return the vector of a text, or None if it is longer than the context."""
        options = {"num_ctx": self._context}
        try:
            answer = self._call(lambda: self._client.embed(self._model, input=text, truncate=False, options=options))
        except _TooLongError:
            return None
        vector = np.asarray(answer.embeddings, dtype=np.float64)
        length = np.sqrt(np.sum(vector * vector))
        if vector.shape != (1, self._dimensions) or not np.isfinite(length) or length == 0:
            raise EmbedderError(
                f"{self._server}: found an embedding of shape {vector.shape} and length {length}, expected "
                f"{self._dimensions} finite numbers from {self._model}; update Ollama, or choose another model"
            )
        unit: Vectors = (vector[0] / length).astype(np.float32)
        return unit

    def _find_digest(self) -> str:
        wanted = self._model if ":" in self._model.rpartition("/")[2] else f"{self._model}:latest"
        for model in self._call(self._client.list).models:
            if model.model == wanted and model.digest:
                return f"sha256:{model.digest.removeprefix('sha256:')}"
        raise EmbedderError(
            f"{self._server}: the Ollama server has no model {self._model}; get it with: ollama pull {self._model}"
        )

    def _fact(self, facts: Mapping[str, Any], name: str) -> int:
        value = next((value for key, value in facts.items() if key.endswith(f".{name}")), None)
        if not isinstance(value, int) or value < 1:
            raise EmbedderError(
                f"{self._server}: {self._model} states no {name}, so it is no embedding model; "
                f"choose one that is, such as ollama:{DEFAULT_MODEL}"
            )
        return value

    def _call(self, call: Callable[[], _Answer]) -> _Answer:
        try:
            return call()
        except ollama.ResponseError as error:
            if "context length" in error.error:
                raise _TooLongError from error
            raise self._refused(error) from error
        except (ConnectionError, httpx.HTTPError) as error:
            raise self._unreachable(error) from error
        except ValueError as error:
            raise EmbedderError(
                f"{self._server}: found an answer no Ollama server gives ({error}); is OLLAMA_HOST right?"
            ) from error

    def _check(self, answer: httpx.Response) -> None:
        """Refuse what is not in JSON, as all of Ollama's answers are: its text would be told as the server's words."""
        kind = answer.headers.get("content-type", "no type of content")
        if not answer.is_redirect and "json" not in kind:
            shown = "".join(mark if mark.isprintable() else "?" for mark in kind[:_SHOWN])
            raise EmbedderError(
                f"{self._server}: found an answer no Ollama server gives (status {answer.status_code}, {shown}); is "
                "OLLAMA_HOST right?"
            )

    @property
    def _server(self) -> str:
        return str(self._client._client.base_url)

    def _unreachable(self, error: Exception) -> EmbedderError:
        found = type(error).__name__ if isinstance(error, httpx.HTTPError) else "nothing answers"
        return EmbedderError(
            f"{self._server}: no Ollama server there ({found}); start one with: ollama serve (and: ollama pull "
            f"{self._model}), or set OLLAMA_HOST to where one runs, or choose the embedder that needs none: embedded"
        )

    def _refused(self, error: ollama.ResponseError) -> EmbedderError:
        remedy = f"get it with: ollama pull {self._model}" if error.status_code == 404 else "see the server's log"
        return EmbedderError(
            f"{self._server}: the Ollama server refused {self._model} "
            f"(status {error.status_code}: {error.error}); {remedy}"
        )
