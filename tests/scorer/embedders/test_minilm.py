"""The embedded embedder: right vectors, and the same bits however it is asked."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

from orchestrator.local import ROOT
from scorer.embedders import EmbedderError
from scorer.embedders.minilm import MiniLM

TEXTS = [
    "The cat sits on the mat.",
    "A cat is sitting on a rug.",
    "Net revenue grew by twelve percent in the fiscal year.",
    "",
    "報告書 — Übersicht é \u200b\x00",
    "word " * 1000,
]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    """The model with one thread."""
    return MiniLM(threads=1)


@pytest.fixture(scope="module")
def vectors(model: MiniLM) -> list[bytes]:
    """The bits of each text's vector, each asked for alone."""
    return [model.embed([text])[0].vector.tobytes() for text in TEXTS]


class TestVectors:
    def test_unit_length(self, model: MiniLM) -> None:
        """Vectors are float32, of 384 numbers and length 1, also that of an empty text."""
        for entry in model.embed(TEXTS):
            assert (entry.vector.dtype.name, entry.vector.shape) == ("float32", (model.dimensions,))
            assert np.linalg.norm(entry.vector.astype(np.float64)) == pytest.approx(1, abs=1e-6)

    def test_meaning(self, model: MiniLM) -> None:
        """Two sentences that say the same are nearer than two that do not."""
        cat, rug, revenue = (entry.vector for entry in model.embed(TEXTS[:3]))
        assert float(cat @ rug) > 0.5 > 0.2 > float(cat @ revenue)

    def test_published_similarity(self, model: MiniLM) -> None:
        """The model card's pooling is met: a pair of sentences has the similarity full precision gives, within 0.03."""
        first, second = model.embed(["The weather is lovely today.", "It's so sunny outside!"])
        assert float(first.vector @ second.vector) == pytest.approx(0.6660, abs=0.03)

    def test_case_is_folded(self, model: MiniLM) -> None:
        """The vocabulary is uncased."""
        first, second = model.embed(["REVENUE", "revenue"])
        assert first.vector.tobytes() == second.vector.tobytes()


def test_nothing_reports_home(tmp_path: Path) -> None:
    """ONNX Runtime would make a database of reports in the home folder and send it; it is kept from both."""
    code = "from scorer.embedders.minilm import MiniLM; MiniLM(threads=1).embed(['words'])"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    subprocess.run([sys.executable, "-c", code], env={**environment, "HOME": str(tmp_path)}, cwd=ROOT, check=True)
    assert list(tmp_path.rglob("*")) == []


class TestContext:
    def test_counted(self, model: MiniLM) -> None:
        """A text is cut when it has more than 254 tokens beside the two the model adds."""
        whole, over = model.embed(["word " * 254, "word " * 255])
        assert (whole.truncated, over.truncated) == (False, True)

    def test_first_tokens_count(self, model: MiniLM) -> None:
        """What is past the context changes nothing."""
        whole, over = model.embed(["word " * 254, "word " * 254 + "revenue"])
        assert whole.vector.tobytes() == over.vector.tobytes()


class TestSameBits:
    @pytest.mark.parametrize("threads", [1, 2, 5])
    def test_batches_orders_threads(self, vectors: list[bytes], threads: int) -> None:
        """Neither neighbours, nor their order, nor the number of threads reach a bit of a vector."""
        model = MiniLM(threads=threads)
        order = list(range(len(TEXTS))) * 2
        random.Random(1).shuffle(order)
        entries = model.embed([TEXTS[index] for index in order])
        assert [entry.vector.tobytes() for entry in entries] == [vectors[index] for index in order]

    def test_nothing(self, model: MiniLM) -> None:
        """No texts give no vectors."""
        assert model.embed([]) == []


class TestFiles:
    def test_other_weights(self, tmp_path: Path) -> None:
        """Weights that are not the known ones are refused by name, with both digests."""
        (tmp_path / "model.onnx").write_bytes(b"other")
        with pytest.raises(EmbedderError, match=r"model\.onnx: found SHA-256 d9298a10.*expected 8199be6f"):
            MiniLM(weights=tmp_path / "model.onnx")

    def test_other_tokenizer(self, tmp_path: Path) -> None:
        """So is another tokenizer."""
        (tmp_path / "tokenizer.json").write_bytes(b"{}")
        with pytest.raises(EmbedderError, match=r"tokenizer\.json: found SHA-256"):
            MiniLM(tokenizer=tmp_path / "tokenizer.json")

    def test_missing(self, tmp_path: Path) -> None:
        """A file that is not there is named."""
        with pytest.raises(EmbedderError, match=r"model\.onnx: cannot be read"):
            MiniLM(weights=tmp_path / "model.onnx")
