"""Model weights no package brings: absent or unusable, they are told with size and command; else they have a digest."""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
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


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    """The weights of version 2, as they should be."""
    made = tmp_path / "layout"
    made.mkdir()
    (made / "model.bin").write_bytes(b"12345")
    (made / "config.json").write_bytes(b"{}")
    return made


@pytest.fixture
def stated(parser: Path) -> Path:
    """The parser's folder, with what is said of its model."""
    toml, digest = parser / "parser.toml", hashlib.sha256(b"12345").hexdigest()
    said = f'"layout/model.bin" = {{ bytes = 5, sha256 = "{digest}" }}'
    toml.write_text(f'{toml.read_text()}\n[weights."layout model".stated]\n{said}\n')
    return parser


@contextlib.contextmanager
def nobody() -> Iterator[None]:
    """Have no rights but everybody's; without effect where the tests do not run as root."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


class TestUnusable:
    def reason(self, parser: Path, layout: Path, *, thoroughly: bool = False) -> str:
        return weights.missing(descriptor.read(parser).chosen("2"), layout.parent, thoroughly=thoroughly)

    def test_it_is_told_with_everything_one_needs(self, parser: Path, layout: Path) -> None:
        """The file, what is wrong with it, what to do, and the command."""
        assert self.reason(parser, layout) == ""
        (layout / "model.bin").write_bytes(b"")
        assert self.reason(parser, layout) == (
            f"layout model (12 MB, from the hub's example/layout): {layout}/model.bin is empty: remove it and fetch it "
            f"again: hf download example/layout --local-dir {layout.parent}/layout"
        )

    def test_of_several_a_few_are_named_and_the_others_counted(self, parser: Path, layout: Path) -> None:
        """What is true of all of them, size, source and command, is said once."""
        toml = parser / "parser.toml"
        names = [f"layout/{number}.bin" for number in range(5)]
        toml.write_text(toml.read_text().replace('"layout/model.bin"', ", ".join(f'"{name}"' for name in names)))
        for name in names:
            (layout.parent / name).touch()
        files = " and ".join(f"{layout}/{number}.bin is empty" for number in range(3))
        assert self.reason(parser, layout) == (
            f"layout model (12 MB, from the hub's example/layout): {files} and 2 more: remove them and fetch them "
            f"again: hf download example/layout --local-dir {layout}"
        )

    def test_a_folder_in_place_of_a_file(self, parser: Path, layout: Path) -> None:
        """A name alone is no model."""
        (layout / "model.bin").unlink()
        (layout / "model.bin").mkdir()
        assert f"{layout}/model.bin is a folder: remove it" in self.reason(parser, layout)

    def test_something_else_in_place_of_a_file(self, parser: Path, layout: Path) -> None:
        """It is not waited for, as the reader of a pipe would."""
        (layout / "model.bin").unlink()
        os.mkfifo(layout / "model.bin")
        assert f"{layout}/model.bin is no file: remove it" in self.reason(parser, layout)

    def test_a_text_that_ends_too_early(self, parser: Path, layout: Path) -> None:
        """Of formats that say how long they are."""
        (layout / "config.json").write_bytes(b'{"layers": ')
        assert f"{layout}/config.json ends too early: remove it" in self.reason(parser, layout)

    @pytest.mark.parametrize("locked", ["model.bin", "."])
    def test_no_right_to_read(self, parser: Path, locked: str) -> None:
        """The file itself, or the folder it lies in: the remedy is another."""
        with tempfile.TemporaryDirectory() as name:  # pytest's own folders are nobody else's
            folder = Path(name)
            folder.chmod(0o755)
            layout = folder / "layout"
            layout.mkdir()
            (layout / "model.bin").write_bytes(b"12345")
            (layout / "config.json").write_bytes(b"{}")
            (layout / locked).chmod(0)
            chosen = descriptor.read(parser).chosen("2")
            with nobody():
                reason = weights.missing(chosen, folder)
            (layout / locked).chmod(0o755)
        assert f"{layout}/model.bin cannot be read (Permission denied)" in reason
        assert f": make {'them' if locked == '.' else 'it'} readable, or remove " in reason

    def test_no_right_to_look_for_them(self, parser: Path) -> None:
        """Where a name has a part that is any, the folder above that part is named."""
        toml = parser / "parser.toml"
        toml.write_text(toml.read_text().replace("layout/model.bin", "hub/*/model.bin"))
        chosen = descriptor.read(parser).chosen("2")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            folder.chmod(0o755)
            (folder / "hub").mkdir()
            (folder / "hub").chmod(0)
            (folder / "layout").mkdir()
            (folder / "layout" / "config.json").write_bytes(b"{}")
            with nobody():
                reason = weights.missing(chosen, folder)
        assert f"{folder}/hub cannot be read (Permission denied): make it readable" in reason

    def test_another_length_than_stated(self, stated: Path, layout: Path) -> None:
        """Known without reading it."""
        assert self.reason(stated, layout, thoroughly=True) == ""
        (layout / "model.bin").write_bytes(b"1234")
        assert f"{layout}/model.bin has 4 bytes, not 5: remove it" in self.reason(stated, layout)

    def test_another_content_than_stated(self, stated: Path, layout: Path) -> None:
        """Only whoever reads it whole knows; it is not read again until it is written to."""
        (layout / "model.bin").write_bytes(b"1234x")
        found = hashlib.sha256(b"1234x").hexdigest()
        assert self.reason(stated, layout) == ""
        assert f"{layout}/model.bin has the SHA-256 {found}, not " in self.reason(stated, layout, thoroughly=True)
        (layout / "model.bin").write_bytes(b"12345")
        os.utime(layout / "model.bin", ns=(1, 1))  # clocks of file systems are coarse
        assert self.reason(stated, layout, thoroughly=True) == ""

    def test_of_several_that_fit_a_name_one_is_enough(self, parser: Path, layout: Path) -> None:
        """A hub's cache keeps what is left of other snapshots."""
        toml = parser / "parser.toml"
        toml.write_text(toml.read_text().replace("layout/model.bin", "*/model.bin"))
        for name in ("a", "z"):
            (layout.parent / name).mkdir()
            (layout.parent / name / "model.bin").touch()
        (layout.parent / "z" / "gone.bin").symlink_to("nowhere")
        assert self.reason(parser, layout) == ""
        (layout / "model.bin").write_bytes(b"")
        assert f"{layout.parent}/a/model.bin is empty" in self.reason(parser, layout)

    def test_a_link_that_leads_nowhere_is_nothing(self, parser: Path, layout: Path) -> None:
        """As one whose target was removed."""
        (layout / "model.bin").unlink()
        (layout / "model.bin").symlink_to("gone")
        assert f"not in {layout.parent}: hf download" in self.reason(parser, layout)


class TestStated:
    @pytest.mark.parametrize(
        ("line", "words"),
        [
            (
                '"layout/model.bin" = { bytes = 5, sha256 = "abc" }',
                "a sha256 of 64 hexadecimal digits, it has 5 and 'abc'",
            ),
            (f'"layout/model.bin" = {{ bytes = 0, sha256 = "{"a" * 64}" }}', "must have bytes above zero"),
            (
                f'"layout/other.bin" = {{ bytes = 5, sha256 = "{"a" * 64}" }}',
                "'layout/other.bin', which is not in its f",
            ),
            ('"layout/model.bin" = { bytes = 5 }', "lacks the key 'sha256'"),
        ],
    )
    def test_what_is_no_statement_is_refused(self, parser: Path, line: str, words: str) -> None:
        """A slip of the pen must not make every download wrong, or none."""
        toml = parser / "parser.toml"
        toml.write_text(f'{toml.read_text()}\n[weights."layout model".stated]\n{line}\n')
        with pytest.raises(DescriptorError, match=f"^{toml}.*{words}"):
            descriptor.read(parser)


class TestElsewhere:
    @pytest.mark.parametrize(
        "line", ["= true", '= { default = "pull a" }', '= { default = "a", fast = "b", more = "c" }']
    )
    def test_a_setting_without_a_command_is_refused(self, parser: Path, line: str) -> None:
        """Its weights would be said to be nobody's; the message has the settings."""
        toml = parser / "parser.toml"
        toml.write_text(f"weights_elsewhere {line}\n{toml.read_text()}")
        with pytest.raises(DescriptorError, match=f"^{toml}: weights_elsewhere .* each of default, fast, it is "):
            descriptor.read(parser)

    def test_a_version_in_a_setting_has_the_setting_s(self, parser: Path) -> None:
        """And no other's."""
        toml = parser / "parser.toml"
        toml.write_text(f'weights_elsewhere = {{ default = "pull a", fast = "pull b" }}\n{toml.read_text()}')
        read = descriptor.read(parser)
        assert "pull a" in weights.elsewhere(read.chosen("2"))
        assert "pull a" not in weights.elsewhere(read.chosen("2", "fast"))


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
        (layout / ".cache").mkdir()
        (layout / ".cache" / "fetched").write_bytes(b"today")  # as a hub's program leaves it
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
        first = server.client.describe().weights_digest
        assert len(first) == 64
        (layout / "model.bin").write_bytes(b"another")
        assert server.warm().state == pb.PARSER_STATE_READY
        assert server.client.describe().weights_digest not in ("", first)
        (layout / "model.bin").write_bytes(b"")
        assert server.warm().state == pb.PARSER_STATE_WEIGHTS_UNAVAILABLE
        told = server.client.describe()
        assert told.reason.startswith("layout model (12 MB, from the hub's example/layout): ")
        assert told.weights_digest == ""
        assert server.close() == 0

    def test_a_wrong_digest_is_known_before_a_document_is(self, folder: Path, stated: Path) -> None:
        """The service reads its weights whole, once."""
        layout = folder / "weights" / "weighty" / "layout"
        layout.mkdir(parents=True)
        (layout / "model.bin").write_bytes(b"1234x")
        (layout / "config.json").write_bytes(b"{}")
        server = Served(folder, "--weights", str(folder / "weights"), parser=stated, version="2")
        told = server.client.describe()
        assert told.state == pb.PARSER_STATE_WEIGHTS_UNAVAILABLE
        assert f"{layout}/model.bin has the SHA-256 " in told.reason
        assert told.weights_digest == ""
        assert server.close() == 0

    def test_what_lies_beside_them_must_be_readable_too(self, folder: Path, parser: Path) -> None:
        """The digest is over it, so the service says which file it is rather than fall over it."""
        layout = folder / "weights" / "weighty" / "layout"
        layout.mkdir(parents=True)
        (layout / "model.bin").write_bytes(b"x")
        (layout / "config.json").write_bytes(b"{}")
        (layout / "words.txt").symlink_to("/proc/self/mem")  # a file that nobody can read from its beginning
        server = Served(folder, "--weights", str(folder / "weights"), parser=parser, version="2")
        told = server.client.describe()
        assert told.state == pb.PARSER_STATE_WEIGHTS_UNAVAILABLE
        assert f"{layout}/words.txt, beside the weights, cannot be read (" in told.reason
        assert server.close() == 0
