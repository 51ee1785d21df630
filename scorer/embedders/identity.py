"""What an embedder is, as far as a score can depend on it; and what it answers.

Source: decision R43 of docs/method/bizdoc.md: prefixes and what happens past the context are fixed nowhere, so they are
part of a score's signature.
"""

import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

_CPU_FEATURES = (
    "avx",
    "avx2",
    "fma",
    "avx_vnni",
    "avx512f",
    "avx512bw",
    "avx512dq",
    "avx512vl",
    "avx512_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "amx_bf16",
    "amx_int8",
    "amx_tile",
    "asimd",
    "asimddp",
    "asimdhp",
    "bf16",
    "i8mm",
    "sve",
    "sve2",
)
"""The ones that numeric kernels choose by."""


class EmbedderError(Exception):
    """An embedder cannot be opened or cannot answer; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Everything about an embedder that can change a vector.

    Attributes:
        name: as it is chosen: ``embedded`` or ``ollama:<model>``.
        weights: digest of the weights, and of whatever else makes tokens of text.
        query_prefix: put before a question.
        passage_prefix: put before a chunk.
        context: what happens to a text the model cannot take whole.
        runtime: the libraries or the server that compute, with versions, and how they are driven.
        cpu: machine and instruction sets; other ones may round otherwise.
    """

    name: str
    weights: str
    query_prefix: str
    passage_prefix: str
    context: str
    runtime: str
    cpu: str

    def signature(self) -> str:
        """Return it all as one line of JSON, the same for the same embedder."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """Vectors of texts, in the order of the texts.

    Attributes:
        vectors: float32, n × dimensions, each row of length 1; that of a blank text is zero.
        truncated: how many of the texts were longer than the model's context.
    """

    vectors: Vectors
    truncated: int


def cpu_features(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return machine and instruction sets of this CPU, such as ``x86_64 avx avx2 fma``."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor() or 'unknown'}"
    flags = next(
        (line.partition(":")[2].split() for line in lines if line.lower().startswith(("flags", "features"))), []
    )
    return " ".join([platform.machine(), *(feature for feature in _CPU_FEATURES if feature in flags)])
