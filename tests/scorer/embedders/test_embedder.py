"""An embedder with its cache: what is computed, what is kept, and what can go wrong on disk."""

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.embedders import Embedder, EmbedderError, Identity, open_embedder
from scorer.embedders.cache import Entry, VectorCache
from scorer.embedders.identity import Vectors, cpu_features

IDENTITY = Identity(
    name="hashing",
    weights="w1",
    query_prefix="q: ",
    passage_prefix="p: ",
    context="10 characters",
    runtime="r1",
    cpu="c1",
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


class Hashing:
    """A model that embeds by hashing and remembers what it was asked."""

    dimensions = 8

    def __init__(self, identity: Identity = IDENTITY) -> None:
        self.identity = identity
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Entry]:
        """Return a vector of each text."""
        self.asked += texts
        return [Entry(self.vector(text), len(text) > 10) for text in texts]

    def vector(self, text: str) -> Vectors:
        """Return a vector of a text and the weights."""
        digest = hashlib.sha256((self.identity.weights + text).encode()).digest()
        return np.frombuffer(digest, dtype=np.uint8)[:8].astype(np.float32)


def embedder(folder: Path, identity: Identity = IDENTITY) -> tuple[Hashing, Embedder]:
    """Open an embedder on a folder."""
    model = Hashing(identity)
    return model, Embedder(model, VectorCache(folder))


class TestEmbedder:
    def test_shape(self, tmp_path: Path) -> None:
        """Vectors come as float32, one row a text, in order, with the number of texts that were cut."""
        model, opened = embedder(tmp_path)
        embedded = opened.embed_passages(["short", "much longer"])
        assert (embedded.vectors.dtype.name, embedded.vectors.shape, embedded.truncated) == ("float32", (2, 8), 1)
        assert embedded.vectors[1].tobytes() == model.vector("p: much longer").tobytes()

    def test_nothing(self, tmp_path: Path) -> None:
        """No texts give no rows, but the model's columns."""
        assert embedder(tmp_path)[1].embed_passages([]).vectors.shape == (0, 8)

    def test_blank(self, tmp_path: Path) -> None:
        """A blank text, which some servers refuse, is no question to the model: its vector is zero."""
        model, opened = embedder(tmp_path)
        embedded = opened.embed_passages(["", "text", " \u00a0\n" * 9])
        assert (model.asked, embedded.truncated) == (["p: text"], 0)
        assert embedded.vectors.any(axis=1).tolist() == [False, True, False]

    def test_each_text_once(self, tmp_path: Path) -> None:
        """A text that occurs again is not computed again, and counts as cut each time."""
        model, opened = embedder(tmp_path)
        embedded = opened.embed_passages(["much longer"] * 3)
        assert (model.asked, embedded.truncated, len(embedded.vectors)) == (["p: much longer"], 3, 3)

    def test_lone_surrogate(self, tmp_path: Path) -> None:
        """Half of a surrogate pair, which a tool's JSON can hold, is embedded as a question mark."""
        model, opened = embedder(tmp_path)
        opened.embed_passages(["a\ud800"])
        assert model.asked == ["p: a?"]

    @settings(max_examples=50)
    @given(
        asked=st.lists(st.lists(TEXT, max_size=5), max_size=5),
        queries=st.lists(st.booleans(), min_size=5, max_size=5),
    )
    def test_same_bits(
        self, asked: list[list[str]], queries: list[bool], tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        """Whatever is asked together, before and again, each text gets the model's own bits."""
        model, opened = embedder(tmp_path_factory.mktemp("cache"))
        for texts, query in zip(asked, queries, strict=False):
            embedded = (opened.embed_queries if query else opened.embed_passages)(texts)
            prefix = "q: " if query else "p: "
            zero = np.zeros(8, dtype=np.float32)
            expected = [model.vector(prefix + text) if text.strip() else zero for text in texts]
            assert [row.tobytes() for row in embedded.vectors] == [vector.tobytes() for vector in expected]
        opened.close()


class TestCache:
    def test_across_openings(self, tmp_path: Path) -> None:
        """What was computed once is not computed after reopening, truncation included."""
        _, first = embedder(tmp_path)
        before = first.embed_passages(["much longer"])
        first.close()
        model, second = embedder(tmp_path)
        after = second.embed_passages(["much longer"])
        assert (model.asked, after.truncated) == ([], 1)
        assert after.vectors.tobytes() == before.vectors.tobytes()

    @pytest.mark.parametrize(
        "other",
        [{"weights": "w2"}, {"context": "other"}, {"runtime": "r2"}, {"cpu": "c2"}, {"passage_prefix": "x: "}],
    )
    def test_other_embedder(self, tmp_path: Path, other: dict[str, str]) -> None:
        """Another weights digest, context rule, runtime, CPU or prefix never sees a vector of this one."""
        embedder(tmp_path)[1].embed_passages(["text"])
        model, opened = embedder(tmp_path, replace(IDENTITY, **other))
        opened.embed_passages(["text"])
        assert len(model.asked) == 1

    def test_question_and_chunk(self, tmp_path: Path) -> None:
        """A question is not taken for a chunk of the same words."""
        model, opened = embedder(tmp_path)
        opened.embed_passages(["text"])
        opened.embed_queries(["text"])
        assert model.asked == ["p: text", "q: text"]

    def test_damaged_entry(self, tmp_path: Path) -> None:
        """An entry one bit of which changed is computed again and mended."""
        model, opened = embedder(tmp_path)
        expected = opened.embed_passages(["text"]).vectors.tobytes()
        opened.close()
        with sqlite3.connect(tmp_path / "vectors-1.sqlite") as file:
            ((vector,),) = file.execute("SELECT vector FROM vectors").fetchall()
            file.execute("UPDATE vectors SET vector = ?", (bytes([vector[0] ^ 1]) + vector[1:],))
        file.close()
        model, opened = embedder(tmp_path)
        assert opened.embed_passages(["text"]).vectors.tobytes() == expected
        assert opened.embed_passages(["text"]).vectors.tobytes() == expected
        assert model.asked == ["p: text"]

    @settings(max_examples=60)
    @given(data=st.data())
    def test_damaged_file(self, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
        """Whatever bytes of the file are damaged or cut off, vectors are right and new ones are kept."""
        folder = tmp_path_factory.mktemp("cache")
        texts = [f"text {number}" for number in range(200)]
        model, opened = embedder(folder)
        expected = opened.embed_passages(texts).vectors.tobytes()
        opened.close()
        file = folder / "vectors-1.sqlite"
        content = bytearray(file.read_bytes())
        for _ in range(data.draw(st.integers(1, 20))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        file.write_bytes(content[: data.draw(st.sampled_from([len(content), len(content) // 2, 100, 0]))])
        for _ in range(2):
            model, opened = embedder(folder)
            assert opened.embed_passages(texts).vectors.tobytes() == expected
            opened.close()
        model, opened = embedder(folder)
        opened.embed_passages(texts[:50])
        opened.close()
        assert model.asked == []

    def test_damaged_schema(self, tmp_path: Path) -> None:
        """A schema that is no longer UTF-8, which SQLite then quotes in its message, is a damaged file like any."""
        _, opened = embedder(tmp_path)
        expected = opened.embed_passages(["text"]).vectors.tobytes()
        opened.close()
        file = tmp_path / "vectors-1.sqlite"
        content = file.read_bytes()
        for position in (index for index in range(4096) if content[index : index + 6] == b"TABLE "):
            damaged = bytearray(content)
            damaged[position] = 0x80
            file.write_bytes(damaged)
            _, opened = embedder(tmp_path)
            assert opened.embed_passages(["text"]).vectors.tobytes() == expected
            opened.close()
        assert (tmp_path / "vectors-1.damaged").exists()

    def test_no_database(self, tmp_path: Path) -> None:
        """A file that is no database is left as it is, and the next one is used."""
        (tmp_path / "vectors-1.sqlite").write_bytes(b"not a database" * 1000)
        _, opened = embedder(tmp_path)
        opened.embed_passages(["text"])
        opened.close()
        assert (tmp_path / "vectors-1.sqlite").read_bytes().startswith(b"not a database")
        assert embedder(tmp_path)[1].embed_passages(["text"]).truncated == 0

    def test_many(self, tmp_path: Path) -> None:
        """More texts than one query can name are found again."""
        texts = [str(number) for number in range(1500)]
        embedder(tmp_path)[1].embed_passages(texts)
        model, opened = embedder(tmp_path)
        opened.embed_passages(texts)
        assert model.asked == []

    def test_folder_is_a_file(self, tmp_path: Path) -> None:
        """A cache folder that cannot be made is an error that names it."""
        (tmp_path / "file").write_text("")
        with pytest.raises(EmbedderError, match="file: the cache folder cannot be made"):
            VectorCache(tmp_path / "file")

    def test_full(self, tmp_path: Path) -> None:
        """A disk without room is an error, not an endless search for the next file."""
        cache = VectorCache(tmp_path)
        cache._connection.execute("PRAGMA max_page_count = 2")
        with pytest.raises(EmbedderError, match="full"):
            cache.put({bytes([n]) * 32: Entry(np.ones(384, dtype=np.float32), False) for n in range(200)})


_WRITER = """
import sys
from pathlib import Path
from tests.scorer.embedders.test_embedder import embedder
_, opened = embedder(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    opened.embed_passages([f"text {number}"])
    print(number, flush=True)
"""


def writer(folder: Path, start: int, end: int) -> subprocess.Popen[str]:
    """Start a process that embeds numbered texts one by one and says each number after it was written."""
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(folder), str(start), str(end)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )


class TestProcesses:
    def test_at_once(self, tmp_path: Path) -> None:
        """Three processes write into one cache at once; everything is there afterwards."""
        writers = [writer(tmp_path, 100 * number, 100 * number + 150) for number in range(3)]
        for process in writers:
            process.communicate(timeout=120)
            assert process.returncode == 0
        model, opened = embedder(tmp_path)
        opened.embed_passages([f"text {number}" for number in range(350)])
        assert model.asked == []

    def test_killed(self, tmp_path: Path) -> None:
        """Killed in the middle, what the process had written is there, whole, and the cache works on."""
        process = writer(tmp_path, 0, 1_000_000)
        assert process.stdout
        written = [process.stdout.readline() for _ in range(50)]
        time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        model, opened = embedder(tmp_path)
        embedded = opened.embed_passages([f"text {int(number)}" for number in written])
        assert model.asked == []
        assert embedded.vectors[7].tobytes() == model.vector("p: text 7").tobytes()
        opened.embed_passages(["new"])
        assert model.asked == ["p: new"]


class TestIdentity:
    def test_signature(self) -> None:
        """The signature is one line and differs with every field."""
        signatures = {replace(IDENTITY, **{field: "other"}).signature() for field in IDENTITY.__dataclass_fields__}
        assert len(signatures | {IDENTITY.signature()}) == len(IDENTITY.__dataclass_fields__) + 1
        assert "\n" not in IDENTITY.signature()

    def test_cpu_features(self, tmp_path: Path) -> None:
        """Of a CPU's flags those that numeric kernels choose by are named."""
        (tmp_path / "cpuinfo").write_text("processor : 0\nflags : fpu sse2 avx2 avx512_vnni\n\nprocessor : 1\n")
        assert cpu_features(tmp_path / "cpuinfo").split()[1:] == ["avx2", "avx512_vnni"]

    def test_cpu_features_unknown(self, tmp_path: Path) -> None:
        """Where the system does not tell, the machine is named."""
        assert cpu_features(tmp_path / "nothing")


class TestOpen:
    @pytest.mark.parametrize("name", ["", "other", "ollama:", "embedded:x"])
    def test_unknown(self, name: str, tmp_path: Path) -> None:
        """An embedder that does not exist is refused with the list of those that do."""
        with pytest.raises(EmbedderError, match="expected embedded, ollama, or ollama:<model>"):
            open_embedder(name, tmp_path)

    def test_embedded(self, tmp_path: Path) -> None:
        """The embedded embedder needs nothing but the installation."""
        pytest.importorskip("onnxruntime")
        opened = open_embedder("embedded", tmp_path / "new" / "cache")
        assert opened.embed_passages(["text"]).vectors.shape == (1, 384)
        assert opened.identity.name == "embedded"
        opened.close()
