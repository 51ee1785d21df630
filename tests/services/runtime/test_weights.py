"""Model weights no package brings: absent, they are told with size and command; present, they have one digest."""

from pathlib import Path

import pytest

from docassay.v1 import parser_pb2 as pb
from services.runtime import descriptor, weights
from services.runtime.descriptor import DescriptorError
from tests.services.served import FOLDER, Served

TOML = """
title = "A parser with weights"
homepage = ""
licence = "MIT"
formats = ["html"]
capabilities = ["text"]
versions = ["2", "1"]

[version."1"]
licence = "custom"
formats = ["pdf"]

[settings.fast]
about = "without a model"

[weights."layout model"]
settings = ["default"]
versions = ["2"]
files = ["layout/model.bin", "layout/config.json"]
source = "the hub's example/layout"
size = "12 MB"
fetch = "hf download example/layout --local-dir {folder}/layout"
"""


@pytest.fixture
def parser(folder: Path) -> Path:
    """A parser's folder: the faulty one's adapter with weights."""
    made = folder / "weighty"
    made.mkdir()
    (made / "adapter.py").write_bytes((FOLDER / "adapter.py").read_bytes())
    (made / "parser.toml").write_text(TOML)
    (made / "1.lock").touch()
    (made / "2.lock").touch()
    return made


class TestChosen:
    def test_weights_are_those_of_version_and_setting(self, parser: Path) -> None:
        """Only the default of version 2 needs them."""
        read = descriptor.read(parser)
        needed = {(v, s): bool(read.chosen(v, s).weights) for v in ("1", "2") for s in ("", "fast")}
        assert needed == {("1", ""): False, ("1", "fast"): False, ("2", ""): True, ("2", "fast"): False}

    def test_a_version_may_differ_from_its_folder(self, parser: Path) -> None:
        """What a version says of itself holds for it alone."""
        read = descriptor.read(parser)
        assert (read.chosen("1").licence, read.chosen("1").formats) == ("custom", ("pdf",))
        assert (read.chosen("2").licence, read.chosen("2").formats) == ("MIT", ("html",))

    def test_unknown(self, parser: Path) -> None:
        """A version or setting that is not there is refused."""
        with pytest.raises(DescriptorError, match="has no version 3"):
            descriptor.read(parser).chosen("3")
        with pytest.raises(DescriptorError, match="weighty 2 has no setting 'slow'; it has fast"):
            descriptor.read(parser).chosen("2", "slow")

    def test_a_setting_may_have_a_lock_of_its_own(self, parser: Path) -> None:
        """It is used where it lies; the version's is used elsewhere."""
        (parser / "2-fast.lock").write_text("more")
        read = descriptor.read(parser)
        assert read.lock("2", "fast").name == "2-fast.lock"
        assert read.lock("1", "fast").name == "1.lock"
        assert read.lock_digest("2", "fast") != read.lock_digest("2")


class TestMissing:
    def test_is_told_with_everything_one_needs(self, parser: Path, tmp_path: Path) -> None:
        """What, how large, from where, and the command with the folder in it."""
        reason = weights.missing(descriptor.read(parser).chosen("2"), tmp_path / "w")
        assert reason == (
            f"layout model (12 MB, from the hub's example/layout) not in {tmp_path}/w: "
            f"hf download example/layout --local-dir {tmp_path}/w/layout"
        )

    def test_one_file_of_two_is_not_enough(self, parser: Path, tmp_path: Path) -> None:
        """A download that was cut off is no model."""
        (tmp_path / "layout").mkdir()
        (tmp_path / "layout" / "model.bin").write_bytes(b"x")
        assert weights.missing(descriptor.read(parser).chosen("2"), tmp_path)


class TestEnvironment:
    def test_names_the_folder(self, parser: Path, tmp_path: Path) -> None:
        """A variable of the tool's own may point into the folder of weights."""
        toml = parser / "parser.toml"
        toml.write_text(f'{toml.read_text()}\n[environment]\nMODELS = "{{weights}}/layout"\nQUIET = "1"\n')
        found = weights.environment(descriptor.read(parser), tmp_path)
        assert found == {"MODELS": f"{tmp_path}/layout", "QUIET": "1", weights.VARIABLE: str(tmp_path)}


class TestDigest:
    def test_follows_every_file_beside_them(self, parser: Path, tmp_path: Path) -> None:
        """A vocabulary beside a model is part of it; a folder of something else is not."""
        chosen, layout = descriptor.read(parser).chosen("2"), tmp_path / "layout"
        assert weights.digest(chosen, tmp_path) == ""
        layout.mkdir()
        (layout / "model.bin").write_bytes(b"x")
        (layout / "config.json").write_bytes(b"{}")
        first = weights.digest(chosen, tmp_path)
        (tmp_path / "other").write_bytes(b"y")
        assert weights.digest(chosen, tmp_path) == first
        (layout / "words.txt").write_bytes(b"z")
        assert weights.digest(chosen, tmp_path) != first
        assert len(first) == 64


class TestService:
    def test_describe_and_warmup_say_so(self, folder: Path, parser: Path) -> None:
        """Without weights the service comes up and says what is missing; with them it works and has their digest."""
        server = Served(folder, "--weights", str(folder / "weights"), parser=parser, version="2")
        for answer in (server.client.describe(), server.warm()):
            assert answer.state == pb.PARSER_STATE_WEIGHTS_UNAVAILABLE
            assert "layout model (12 MB" in answer.reason
        assert server.below == []
        layout = folder / "weights" / "weighty" / "layout"
        layout.mkdir(parents=True)
        (layout / "model.bin").write_bytes(b"x")
        (layout / "config.json").write_bytes(b"{}")
        assert server.warm().state == pb.PARSER_STATE_READY
        assert len(server.client.describe().weights_digest) == 64
        assert server.close() == 0
