"""Fetching model weights by the commands of ``parser.toml``; nothing here asks the network."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator import workplace
from orchestrator.local import ROOT
from orchestrator.selection import Selected
from orchestrator.weights import WeightsFailed, fetch
from services.runtime import descriptor

PARSER = """
title = "Tool"
homepage = ""
licence = "Custom"
licence_note = "ask its maker"
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
    assert lines == ["tool@1: licence Custom (ask its maker)", "tool@1: b (1 kB), from a hub"]
    assert (weights / "tool" / "log").read_text() == "b\n"
    assert sorted(os.listdir(weights)) == [".fetching", "tool"]


def test_a_parser_without_weights_has_nothing_to_fetch(tmp_path: Path) -> None:
    """No folder is named that holds none."""
    selected = parser(tmp_path)
    assert fetch(selected, tmp_path / "weights", print) == (
        f"{selected.key}: works without weights, so there is nothing to fetch"
    )
    assert not (tmp_path / "weights").exists()


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
    look = "mkdir -p {folder}/a && command -v hf >{folder}/a/hf.bin && (cd $TMPDIR; pwd -P) >{folder}/a/tmp.bin"
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


def test_the_licence_is_said_once_and_before_anything_is_fetched(tmp_path: Path) -> None:
    """Whoever fetches restricted weights has read under which terms."""
    make = "mkdir -p {folder}/%s && echo x >{folder}/%s/model.bin"
    lines = list[str]()
    chosen = parser(tmp_path, a=make % ("a", "a"), b=make % ("b", "b"))

    def told(line: str) -> None:
        lines.append(line)
        assert not list((tmp_path / "weights").rglob("*.bin")) or len(lines) == 3

    fetch(chosen, tmp_path / "weights", told)
    assert lines[0] == "tool@1: licence Custom (ask its maker)"
    assert [line for line in lines if "licence" in line] == lines[:1]


@pytest.mark.parametrize("name", ["a b", "it's $HOME", "x;touch PWNED;echo", "a:b"])
def test_the_folder_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The command's own environment included: it is found, and what is installed into it runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "uv").write_text(f'#!/bin/sh\nfor last; do :; done\nexec {sys.executable} -m venv "$last"\n')  # offline
    (tmp_path / "uv").chmod(0o755)
    monkeypatch.setattr(workplace.uv, "find_uv_bin", lambda: str(tmp_path / "uv"))
    make = (
        "pip --version && mkdir -p {folder}/a && command -v pip >{folder}/a/where.bin && pip list >{folder}/a/list.bin"
    )
    fetch(parser(tmp_path, a=make), tmp_path / name, lambda _: None)
    own = tmp_path / name / "tool" / "a"
    assert (own / "where.bin").read_text().endswith("/fetching/tool/bin/pip\n")
    assert (own / "list.bin").read_text().split()[:2] == ["Package", "Version"]
    assert sorted(os.listdir(tmp_path)) == sorted([name, "services", "uv"])


class TestTwo:
    def test_another_at_work_is_told(self, tmp_path: Path) -> None:
        """Two that write one file make none; the first goes on."""
        chosen, folder = parser(tmp_path, a="true"), tmp_path / "weights"
        folder.mkdir()
        temporary = folder / ".fetching-its"
        with workplace.alone(folder):
            temporary.mkdir()
            with pytest.raises(WeightsFailed, match=f"another docassay weights, or a .*, is at work in {folder}: call"):
                fetch(chosen, folder, lambda _: None)
            workplace.clear(folder)
            assert temporary.is_dir()

    def test_what_a_killed_one_left_is_removed_and_what_it_began_is_waited_for(self, tmp_path: Path) -> None:
        """Its command may still write; once that has ended, nobody holds what is there."""
        parser(tmp_path, a="echo $$ >{folder}/command; exec sleep 600")
        folder, program = (
            tmp_path / "weights",
            (
                "import sys; from pathlib import Path; from orchestrator.selection import Selected; "
                "from orchestrator.weights import fetch; from services.runtime import descriptor; "
                "tool = descriptor.read(Path(sys.argv[1])).chosen('1'); "
                "fetch(Selected('tool', '1', '', tool), Path(sys.argv[2]), print)"
            ),
        )
        words = [sys.executable, "-c", program, str(tmp_path / "services" / "tool"), str(folder)]
        path = f"{ROOT}:{ROOT / 'proto'}"
        with subprocess.Popen(words, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.DEVNULL) as killed:
            began = folder / "tool" / "command"
            while not (began.is_file() and began.read_text()):
                assert killed.poll() is None
                time.sleep(0.05)
            killed.kill()
        [left] = folder.glob(".fetching-*")
        workplace.clear(folder)
        assert left.is_dir()
        os.kill(int(began.read_text()), signal.SIGKILL)
        while left.is_dir():  # the kernel lets go of the lock with the last that has it
            workplace.clear(folder)
            time.sleep(0.05)


class TestElsewhere:
    def test_the_server_s_own_command_is_told(self, tmp_path: Path) -> None:
        """Of the setting that was asked for, with the licence; whether the server has the model is not claimed."""
        parser(tmp_path)
        lines = list[str]()
        toml = tmp_path / "services" / "tool" / "parser.toml"
        toml.write_text(f'{toml.read_text()}\n[weights_elsewhere]\ndefault = "server pull a"\nbig = "server pull b"\n')
        toml.write_text(f'{toml.read_text()}\n[settings.big]\nabout = "more"\n')
        for setting, model in (("", "a"), ("big", "b")):
            asked = Selected("tool", "1", setting, descriptor.read(toml.parent).chosen("1", setting))
            told = fetch(asked, tmp_path / "weights", lines.append)
            assert told.endswith(
                f": nothing is fetched from here: its model is its server's, which fetches it by: server pull {model}"
            )
            assert "nothing is missing" not in told
        assert lines == ["tool@1: licence Custom (ask its maker)", "tool@1:big: licence Custom (ask its maker)"]
        assert not (tmp_path / "weights").exists()
