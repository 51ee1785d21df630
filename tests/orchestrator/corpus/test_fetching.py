"""Fetching a dataset, against a hub on loopback and a process of its own, as a user runs it."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.corpus import FetchError, fetch, load
from tests.orchestrator.cli.shell import docassay
from tests.orchestrator.corpus.conftest import Folder
from tests.orchestrator.corpus.hub import REPOSITORY, REVISION, Hub, serving
from tests.scorer.suites.omnidoc.pages import block, data

pytest.importorskip("huggingface_hub")

_RUN = """
import sys
from pathlib import Path
from orchestrator.corpus import CorpusError, FetchError, fetch
folder, revision, repository = sys.argv[1:]
try:
    corpus = fetch(Path(folder), revision=revision, repository=repository)
except (CorpusError, FetchError) as error:
    sys.exit(f"{type(error).__name__}: {error}")
print(len(corpus.documents))
"""


@pytest.fixture
def hub(corpus: Folder) -> Hub:
    """A hub with the small corpus, a large document in it, and files that are no part of a corpus."""
    big = b"%PDF-1.7\n" + bytes(range(256)) * 40_000
    (corpus.path / "documents" / "memo.pdf").write_bytes(big)
    facts = {"sha256": hashlib.sha256(big).hexdigest(), "bytes": len(big)}
    corpus.manifest(lambda manifest: manifest["documents"][1].update(facts))
    files = {
        path.relative_to(corpus.path).as_posix(): path.read_bytes() for path in corpus.path.rglob("*") if path.is_file()
    }
    return Hub(files | {"README.md": b"# A corpus\n", "viewer/data.parquet": b"PAR1"})


def reaching(hub: Hub, home: Path) -> dict[str, str]:
    """Return the variables of a process for which the hub is the only one."""
    return {
        "HF_ENDPOINT": hub.endpoint,
        "HF_HOME": str(home / "home"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_XET": "1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }


def run(hub: Hub, folder: Path, *, revision: str = REVISION, repository: str = REPOSITORY) -> tuple[int, str]:
    """Fetch in a process of its own; return its exit code and what it said last."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(folder), revision, repository],
        env=os.environ | reaching(hub, folder.parent),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout.strip() or done.stderr


class TestFetch:
    def test_whole(self, hub: Hub, tmp_path: Path) -> None:
        """The dataset arrives as a corpus that loads; files that are no part of one stay on the hub."""
        with serving(hub):
            assert run(hub, tmp_path / "got") == (0, "2")
        assert [document.id for document in load(tmp_path / "got").documents] == ["report", "memo"]
        assert "viewer/data.parquet" not in hub.got

    def test_again(self, hub: Hub, tmp_path: Path) -> None:
        """The same call on a whole folder fetches nothing again."""
        with serving(hub):
            run(hub, tmp_path / "got")
            hub.got.clear()
            assert run(hub, tmp_path / "got") == (0, "2")
        assert hub.got == []

    def test_interrupted(self, hub: Hub, tmp_path: Path) -> None:
        """A fetch that broke off is taken up where it was: files that arrived are not fetched again."""
        with serving(hub):
            hub.refused.add("documents/memo.pdf")
            code, said = run(hub, tmp_path / "got")
            assert (code, "FetchError" in said) == (1, True)
            arrived = [name for name in hub.got if (tmp_path / "got" / name).is_file()]
            hub.refused.clear()
            hub.got.clear()
            assert run(hub, tmp_path / "got") == (0, "2")
        assert arrived
        assert "documents/memo.pdf" in hub.got
        assert not set(arrived) & set(hub.got)

    def test_broken_connection(self, hub: Hub, tmp_path: Path) -> None:
        """A connection that breaks in the middle of a file never leaves half of it under the file's name."""
        with serving(hub):
            hub.cut["documents/memo.pdf"] = 6_000_000
            while run(hub, tmp_path / "got")[0]:
                assert not (tmp_path / "got" / "documents" / "memo.pdf").exists()
        assert (tmp_path / "got" / "documents" / "memo.pdf").read_bytes() == hub.files["documents/memo.pdf"]

    @pytest.mark.parametrize("name", ["documents/memo.pdf", "annotations/tables/report.tables.json"])
    def test_wrong_digest(self, hub: Hub, tmp_path: Path, name: str) -> None:
        """A file that is not the one the hub lists is named and removed, document or gold, and nothing is loaded."""
        hub.listed[name] = hub.files[name][:-1] + b"~"
        with serving(hub):
            code, said = run(hub, tmp_path / "got")
        assert (code, "CorpusError" in said, name in said) == (1, True, True)
        assert not (tmp_path / "got" / name).exists()

    def test_changed_since(self, hub: Hub, tmp_path: Path) -> None:
        """A file that was changed in the folder after it was fetched is never loaded as the hub's."""
        name = "annotations/qa/report.qa.json"
        with serving(hub):
            run(hub, tmp_path / "got")
            changed = tmp_path / "got" / name
            changed.write_bytes(changed.read_bytes().replace(b"revenue", b"profits"))
            run(hub, tmp_path / "got")
            assert run(hub, tmp_path / "got") == (0, "2")
        assert changed.read_bytes() == hub.files[name]

    def test_no_such_commit(self, hub: Hub, tmp_path: Path) -> None:
        """A commit the dataset does not have is named."""
        with serving(hub):
            code, said = run(hub, tmp_path / "got", revision="f" * 40)
        assert (code, "no such commit" in said) == (1, True)

    def test_no_such_dataset(self, hub: Hub, tmp_path: Path) -> None:
        """A dataset that is not there is named."""
        with serving(hub):
            code, said = run(hub, tmp_path / "got", repository="someone/else")
        assert (code, "someone/else" in said, "no such dataset" in said) == (1, True, True)

    def test_offline(self, hub: Hub, tmp_path: Path) -> None:
        """Without a way to the hub the error says so and what to do."""
        with serving(hub):
            pass
        code, said = run(hub, tmp_path / "got")
        assert (code, "FetchError" in said, "cannot be reached" in said) == (1, True, True)

    @pytest.mark.parametrize(
        ("revision", "said"),
        [
            (None, "no revision is named, expected a commit"),
            ("main", "found the revision 'main', expected a commit"),
            ("v1", "found the revision 'v1', expected a commit"),
            ("0123abc", "found the revision '0123abc', expected a commit"),
        ],
    )
    def test_no_pinned_commit(self, tmp_path: Path, revision: str | None, said: str) -> None:
        """Without a commit nothing is fetched, and the error says why and where to take one."""
        with pytest.raises(FetchError, match=f"^{said} .* history of the dataset"):
            fetch(tmp_path / "got", revision=revision)
        assert not (tmp_path / "got").exists()

    def test_path_outside(self, hub: Hub, tmp_path: Path) -> None:
        """A hub that lists a file outside the folder is refused before anything is written."""
        hub.files = {**hub.files, "documents/../../evil.pdf": b"%PDF-"}
        with serving(hub):
            code, said = run(hub, tmp_path / "got")
        assert (code, "leaves the corpus folder" in said) == (1, True)
        assert not (tmp_path / "evil.pdf").exists()


class TestOmnidoc:
    def test_annotations_images_and_pdfs(self, tmp_path: Path) -> None:
        """The dataset arrives whole but for what is no part of it, and is what a run takes."""
        page = data(block("text_block", 1, 1, text="x"))
        files = {
            "OmniDocBench.json": json.dumps([page]).encode(),
            "images/small.jpg": b"\xff\xd8\xff",
            "pdfs/small.pdf": b"%PDF-1.4",
            "README.md": b"# Pages",
            "viewer/data.parquet": b"PAR1",
        }
        hub = Hub(files)
        words = ("corpus", "fetch", "omnidoc", "got", "--revision", REVISION, "--repository", REPOSITORY)
        with serving(hub):
            done = docassay(*words, cwd=tmp_path, environment=reaching(hub, tmp_path))
            assert done.returncode == 0, done.stderr
            assert done.stdout.endswith("got: OmniDocBench, 1 document\n")
            hub.listed["images/small.jpg"] = b"\xff\xd8\xfe"
            (tmp_path / "got" / "images" / "small.jpg").unlink()
            changed = docassay(*words, cwd=tmp_path, environment=reaching(hub, tmp_path))
        assert (changed.returncode, "images/small.jpg" in changed.stderr, "digest" in changed.stderr) == (2, True, True)
        assert "viewer/data.parquet" not in hub.got
        assert not (tmp_path / "got" / "images" / "small.jpg").exists()

    def test_interrupted_and_offline(self, tmp_path: Path) -> None:
        """A fetch that broke off is taken up where it was; without a way to the hub, the error says what to do."""
        page = data(block("text_block", 1, 1, text="x"))
        files = {"OmniDocBench.json": json.dumps([page]).encode(), "images/small.jpg": b"\xff\xd8\xff"}
        hub = Hub(files)
        words = ("corpus", "fetch", "omnidoc", "got", "--revision", REVISION, "--repository", REPOSITORY)
        with serving(hub):
            hub.refused.add("images/small.jpg")
            broken = docassay(*words, cwd=tmp_path, environment=reaching(hub, tmp_path))
            hub.refused.clear()
            hub.got.clear()
            whole = docassay(*words, cwd=tmp_path, environment=reaching(hub, tmp_path))
        assert (broken.returncode, whole.returncode) == (1, 0), broken.stderr + whole.stderr
        assert hub.got == ["images/small.jpg"]
        (tmp_path / "got" / "images" / "small.jpg").unlink()
        offline = docassay(*words, cwd=tmp_path, environment=reaching(hub, tmp_path))
        assert (offline.returncode, "cannot be reached" in offline.stderr) == (1, True)
        assert "Traceback" not in broken.stderr + offline.stderr

    def test_refused(self, tmp_path: Path) -> None:
        """Without a commit, or for a suite without a dataset, nothing is fetched."""
        for words, code, message in (
            (("omnidoc",), 2, "expected a commit of opendatalab/OmniDocBench"),
            (("other",), 2, "no dataset of 'other'"),
        ):
            done = docassay("corpus", "fetch", *words, cwd=tmp_path)
            assert (done.returncode, message in done.stderr) == (code, True), done.stderr
        assert list(tmp_path.iterdir()) == []
