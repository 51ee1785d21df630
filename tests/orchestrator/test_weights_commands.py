"""The commands of every ``parser.toml``: they hold together whatever the folder is called.

Those that ask a hub, run against one on loopback, bring the files it names.
"""

import itertools
import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator import local, selection, weights
from orchestrator.selection import Selected
from services.runtime import weights as found
from services.runtime.descriptor import Weights
from tests.orchestrator.corpus.hub import REVISION, Hub, serving


def stand_in(name: str) -> bytes:
    """Return content that does not end too early, each its own: what is the same comes once. A model it need not be."""
    said = json.dumps({"__metadata__": {"name": name}}).encode()
    match PurePosixPath(name).suffix:
        case ".onnx":
            return b"\x12" + bytes([len(name)]) + name.encode()
        case ".safetensors":
            return len(said).to_bytes(8, "little") + said
        case _:
            return said


_REPOSITORY = re.compile(r"hf download (\S+)")
_REVISION = re.compile(r"--revision (\S+)")


@dataclass(frozen=True, slots=True)
class Command:
    """Weights that a hub has, of one parser."""

    parser: Selected
    entry: Weights

    @property
    def repository(self) -> str:
        """Where the command asks."""
        asked = _REPOSITORY.search(self.entry.fetch)
        assert asked is not None
        return asked[1]

    @property
    def revision(self) -> str:
        """For which state it asks; the newest without a word."""
        asked = _REVISION.search(self.entry.fetch)
        return asked[1] if asked else "main"

    @property
    def files(self) -> set[str]:
        """What must come, by its path in the repository: what lies below the command's folder, or a snapshot's."""
        inside = [PurePosixPath(name).parts for name in self.entry.files]
        return {"/".join(parts[4 if "snapshots" in parts else 1 :]) for parts in inside}


ALL = [
    Command(Selected(entry.name, version, setting, entry.chosen(version, setting)), needed)
    for entry in selection.available(local.SERVICES)
    for version in entry.versions
    for setting in ("", *entry.settings_of(version))
    for needed in entry.chosen(version, setting).weights
]
COMMANDS = [command for command in ALL if "hf download" in command.entry.fetch]
ONE_EACH = list({(command.parser.name, command.entry.name): command for command in COMMANDS}.values())


@pytest.mark.parametrize("command", ONE_EACH, ids=lambda command: f"{command.parser.name}-{command.entry.name}")
def test_it_brings_every_file_and_no_other_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    """Of a repository with the files of all that come from it, those that this command is for."""
    shared = [
        other for other in ONE_EACH if (other.repository, other.revision) == (command.repository, command.revision)
    ]
    held = set().union(*(other.files for other in shared))
    hub = Hub(
        {name: stand_in(name) for name in held},
        repository=command.repository,
        revisions=(command.revision, REVISION),
    )
    assert command.parser.descriptor is not None
    bare = replace(command.entry, stated={})  # stand-ins are not what is said of the files
    parser = replace(command.parser, descriptor=replace(command.parser.descriptor, weights=(bare,)))
    for name in [name for name in os.environ if name.startswith("HF_")]:
        monkeypatch.delenv(name)
    with serving(hub):
        for name, value in {
            "HF_ENDPOINT": hub.endpoint,
            "HF_HOME": str(tmp_path / "home"),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_XET": "1",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }.items():
            monkeypatch.setenv(name, value)
        weights.fetch(parser, tmp_path / "weights", lambda _: None)
    assert set(hub.got) == command.files
    assert found.missing(parser.descriptor, tmp_path / "weights" / parser.name) == ""
    for cache in (tmp_path / "weights" / parser.name).glob("hub/models--*"):
        # Offline, the tool asks for the state of this name.
        assert (cache / "refs" / "main").read_text() == REVISION


FETCHES = {f"{command.parser.name}-{command.entry.name}": command.entry for command in ALL}
ANY_NAME = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
"""What a folder may be called, and the path to it."""


@pytest.mark.parametrize("entry", FETCHES.values(), ids=FETCHES)
class TestAFolderOfAnyName:
    @given(name=ANY_NAME)
    @example("a b")
    @example("it's")
    @example("$HOME")
    @example("x;touch PWNED;echo")
    @example('`id`\n{folder}\\"')
    def test_is_in_one_piece_in_every_word(self, entry: Weights, name: str) -> None:
        """A shell splits the command into the words of ``parser.toml``, the folder in the place of its name."""
        folder = Path("/") / name
        words = [word.replace("{folder}", str(folder)) for word in shlex.split(entry.fetch)]
        assert shlex.split(entry.command(folder)) == words

    def test_is_in_no_program(self, entry: Weights) -> None:
        """What Python reads as its own language has no folder in it: there, other marks would count."""
        words = shlex.split(entry.fetch)
        programs = [program for before, program in itertools.pairwise(words) if before == "-c"]
        assert [program for program in programs if "{folder}" in program] == []
        for program in programs:
            compile(program, entry.name, "exec")


@pytest.mark.parametrize("name", ["a b", "it's", "$HOME", "x;touch PWNED;echo", "a:b", '"'])
def test_a_shell_is_given_the_folder(tmp_path: Path, name: str) -> None:
    """A real one, and Python below it by its arguments."""
    fetch = "mkdir -p {folder}/a && python3 -c 'import sys; open(sys.argv[1], \"w\").close()' {folder}/a/b"
    entry = Weights("w", ("a/b",), "", "", fetch)
    subprocess.run(["sh", "-c", entry.command(tmp_path / "w" / name)], cwd=tmp_path, check=True)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()] == [f"w/{name}/a/b"]
