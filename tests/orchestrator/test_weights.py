"""Fetching model weights by the commands of ``parser.toml``; nothing here asks the network."""

import os
from pathlib import Path

import pytest

from orchestrator.selection import Selected
from orchestrator.weights import WeightsFailed, fetch
from services.runtime import descriptor

PARSER = """
title = "Tool"
homepage = ""
licence = "MIT"
formats = ["pdf"]
capabilities = ["text"]
versions = ["1"]
"""


def parser(folder: Path, **commands: str) -> Selected:
    """Return a parser that needs ``NAME/model.bin`` for every name, by that command."""
    own = folder / "services" / "tool"
    own.mkdir(parents=True)
    (own / "1.lock").touch()
    stanzas = [
        f'[weights."{name}"]\nfiles = ["{name}/*.bin"]\nsource = "a hub"\nsize = "1 kB"\nfetch = """{command}"""'
        for name, command in commands.items()
    ]
    (own / "parser.toml").write_text("\n".join([PARSER, *stanzas]))
    return Selected("tool", "1", "", descriptor.read(own).chosen("1"))


def test_what_is_lacking_is_fetched_and_nothing_else(tmp_path: Path) -> None:
    """Each command once, told beforehand; weights that are there cost nothing, and nothing temporary is left."""
    make = "mkdir -p {folder}/%s && echo x >{folder}/%s/model.bin && echo %s >>{folder}/log"
    chosen, lines = parser(tmp_path, a=make % ("a", "a", "a"), b=make % ("b", "b", "b")), list[str]()
    weights = tmp_path / "weights"
    (weights / "tool" / "a").mkdir(parents=True)
    (weights / "tool" / "a" / "model.bin").write_text("x")
    for _ in range(2):
        fetch(chosen, weights, lines.append)
    assert lines == ["tool@1: b (1 kB), from a hub"]
    assert (weights / "tool" / "log").read_text() == "b\n"
    assert sorted(os.listdir(weights)) == ["tool"]


def test_what_fails_is_told_with_its_command_and_the_others_are_tried(tmp_path: Path) -> None:
    """A command that fails, and one that ends well without what it should bring."""
    good = "mkdir -p {folder}/good && echo x >{folder}/good/model.bin"
    chosen = parser(tmp_path, bad="exit 7", idle="true", good=good)
    with pytest.raises(WeightsFailed) as caught:
        fetch(chosen, tmp_path / "weights", lambda _: None)
    bad, idle = str(caught.value).split("; ")
    assert bad == "tool@1: bad: exit code 7 of: exit 7"
    assert idle.startswith("tool@1: idle: the command ended well, and files that parser.toml names are still not in ")
    assert (tmp_path / "weights" / "tool" / "good" / "model.bin").is_file()


def test_a_command_finds_this_program_s_tools_and_a_place_for_its_own(tmp_path: Path) -> None:
    """The hub's client is the one beside this Python; what a command writes for a while lies beside the weights."""
    look = "mkdir -p {folder}/a && command -v hf >{folder}/a/hf.bin && echo $TMPDIR >{folder}/a/tmp.bin"
    weights = tmp_path / "weights"
    fetch(parser(tmp_path, a=look), weights, lambda _: None)
    assert (weights / "tool" / "a" / "hf.bin").read_text().strip().endswith("/bin/hf")
    assert (weights / "tool" / "a" / "tmp.bin").read_text().startswith(f"{weights}/.fetching-")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """With the variable that names another."""
    (tmp_path / "weights").write_text("a file")
    with pytest.raises(WeightsFailed, match=r"weights/tool cannot be written \(Not a directory\): .*DOCASSAY_WEIGHTS"):
        fetch(parser(tmp_path, a="true"), tmp_path / "weights", lambda _: None)


def test_a_file_that_is_not_what_it_should_be_is_told(tmp_path: Path) -> None:
    """What was there already is not fetched over, and what a command brings is looked at: a person has to remove it."""
    brought = "mkdir -p {folder}/brought && : >{folder}/brought/model.bin"
    chosen, weights = parser(tmp_path, there="echo x >>{folder}/log", brought=brought), tmp_path / "weights"
    (weights / "tool" / "there").mkdir(parents=True)
    (weights / "tool" / "there" / "model.bin").touch()
    with pytest.raises(WeightsFailed) as caught:
        fetch(chosen, weights, lambda _: None)
    for line, name in zip(str(caught.value).split("; "), ("there", "brought"), strict=True):
        path = weights / "tool" / name / "model.bin"
        assert line == f"tool@1: {name}: {path} is empty: remove it and fetch it again"
    assert not (weights / "tool" / "log").exists()
