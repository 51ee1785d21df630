"""A dataset read from the hub, against one on loopback, by a process of its own, as a user has it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.orchestrator.cli.shell import docassay
from tests.orchestrator.corpus.hub import REPOSITORY, REVISION, Hub, serving
from tests.orchestrator.corpus.test_fetching import reaching
from tests.scorer.omniparse.made import dataset, predictions

pytest.importorskip("huggingface_hub")

ADDRESS = f"hf://datasets/{REPOSITORY}"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A hub that has the dataset of four pages at one commit."""
    folder = dataset(tmp_path / "dataset")
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with serving(Hub(files)) as served:
        yield served


def graded(address: str, folder: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    """Grade the made predictions; return exit code, what was printed and what was complained of."""
    if not (folder / "p").is_dir():
        predictions(folder / "p")
    words = ("grade", "omniparse", "--dataset", address, "--predictions", f"mine={folder / 'p'}", "--json")
    done = docassay(*words, "--results", folder / "results", environment=environment)
    return done.returncode, done.stdout, done.stderr


class TestHub:
    def test_a_pinned_commit_is_read_and_stays_at_hand(self, hub: Hub, tmp_path: Path) -> None:
        """The dataset's figures; again without the hub, the same; nothing is remarked of a pinned one."""
        environment = reaching(hub, tmp_path)
        boards = []
        for endpoint in (hub.endpoint, "http://127.0.0.1:1"):
            code, out, err = graded(f"{ADDRESS}@{REVISION}", tmp_path, environment | {"HF_ENDPOINT": endpoint})
            assert code == 0, err
            assert "commit" not in err
            boards.append(json.loads(out)["parsers"])
        assert boards[0] == boards[1]
        assert boards[0][0]["headline"] == pytest.approx((1 + 3 / 4 + 1) / 3)

    def test_the_newest_commit_is_named(self, hub: Hub, tmp_path: Path) -> None:
        """So that the same can be read again."""
        code, _, err = graded(ADDRESS, tmp_path, reaching(hub, tmp_path))
        assert code == 0, err
        assert f"{ADDRESS}@{REVISION} stays this one" in " ".join(err.split())

    def test_what_cannot_be_read_is_said_in_a_line(self, hub: Hub, tmp_path: Path) -> None:
        """No such commit, no such dataset, no hub: exit code 2, and what to do."""
        environment = reaching(hub, tmp_path)
        for address, endpoint, message in (
            (f"{ADDRESS}@nowhere", hub.endpoint, "it has no revision nowhere; take one from its page on the hub"),
            (f"{ADDRESS}x", hub.endpoint, "there is no such dataset, or it is not public"),
            (ADDRESS, "http://127.0.0.1:1", "the hub cannot be reached, and no copy is here"),
        ):
            code, out, err = graded(address, tmp_path, environment | {"HF_ENDPOINT": endpoint})
            assert (code, out) == (2, ""), err
            [said] = [line for line in err.splitlines() if line.startswith("docassay: ")]
            assert said.startswith(f"docassay: {address} cannot be read: {message}")
            assert err.rstrip().endswith(said)
