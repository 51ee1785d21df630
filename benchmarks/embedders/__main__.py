"""``python -m benchmarks.embedders``: measure an embedder on chunks of 800 characters of this repository's licence."""

import argparse
import hashlib
import os
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from scorer.embedders import Embedder, open_embedder
from scorer.embedders.cache import Entry, VectorCache
from scorer.embedders.minilm import MiniLM

_TEXT = Path(__file__).resolve().parents[2] / "LICENSE"
_CHUNK = 800
_STRIDE = 37


def main() -> None:
    """Measure, and print one figure a line."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.embedders", description=__doc__)
    options.add_argument("--embedder", default="embedded", help="embedded, ollama or ollama:<model>")
    options.add_argument("--chunks", type=int, default=64, help="chunks to embed")
    options.add_argument("--cached", type=int, default=20_000, help="vectors to write to and read from disk")
    chosen = options.parse_args()
    texts = chunks(chosen.chunks)
    _say("memory before", f"{_peak_mib():.0f} MiB")
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        embedder = open_embedder(chosen.embedder, Path(folder) / "all")
        _say("open", f"{time.perf_counter() - started:.2f} s")
        started = time.perf_counter()
        embedder.embed_queries(["one"])
        _say("load and first text", f"{time.perf_counter() - started:.2f} s")
        _rate("computed, as opened", embedder, texts)
        _rate("from disk", embedder, texts)
        _say("peak memory", f"{_peak_mib():.0f} MiB")
        if chosen.embedder == "embedded":
            for threads in sorted({1, len(os.sched_getaffinity(0))}):
                one = Embedder(MiniLM(threads=threads), VectorCache(Path(folder) / str(threads)))
                one.embed_queries(["one"])
                _rate(f"computed, {threads} threads", one, texts)
        _cache(Path(folder) / "cache", chosen.cached)
    _say("signature", embedder.identity.signature())


def chunks(count: int) -> list[str]:
    """Return distinct chunks of English text."""
    text = " ".join(_TEXT.read_text(encoding="utf-8").split())
    return [(text * 2)[start : start + _CHUNK] for start in (index * _STRIDE % len(text) for index in range(count))]


def _rate(what: str, embedder: Embedder, texts: list[str]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    truncated = embedder.embed_passages(texts).truncated
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    _say(what, f"{len(texts) / wall:.1f} chunks/s ({1000 * cpu / len(texts):.1f} ms CPU each, {truncated} truncated)")


def _cache(folder: Path, count: int) -> None:
    cache = VectorCache(folder)
    vector = np.random.default_rng(0).standard_normal(384).astype(np.float32)
    keys = [hashlib.sha256(b"%d" % index).digest() for index in range(count)]
    started = time.perf_counter()
    for start in range(0, count, 64):
        cache.put({key: Entry(vector, truncated=False) for key in keys[start : start + 64]})
    _say("disk, write", f"{count / (time.perf_counter() - started):.0f} vectors/s")
    started = time.perf_counter()
    found = cache.get(keys, dimensions=384)
    _say("disk, read", f"{len(found) / (time.perf_counter() - started):.0f} vectors/s")


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _say(what: str, figure: str) -> None:
    print(f"{what:24} {figure}")


if __name__ == "__main__":
    main()
