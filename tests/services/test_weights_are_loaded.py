"""Parsers with stand-ins for their models: each gets as far as reading them from its weights folder, and no further."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from docassay.v1 import parser_pb2 as pb
from orchestrator import client, environments, local, selection
from orchestrator.selection import Selected
from services.runtime import descriptor, weights
from services.runtime.descriptor import Weights

PROBES = local.SERVICES / "runtime" / "probes"

NEEDY = [
    ("indra_ocr", "1.1.2", "", "v1.1.0/det.onnx"),
    ("indra_ocr", "0.3.2", "", "v3.1.1/det.onnx"),
    ("docling_rs", "2.52.7", "", "models/layout_heron.onnx"),
    ("mineru", "4.0.12", "basic", "MinerU-4_models_onnx/"),
]


STAND_INS = {".json": b"{}", ".onnx": b"\x08\x07"}
"""What is no model and does not end too early either."""


def unstated(parser: Path, folder: Path) -> Path:
    """Copy a parser's folder, without what is said of its weights' files: stand-ins are none of them."""
    copy = folder / "services" / parser.name
    shutil.copytree(parser, copy)
    lines = (copy / "parser.toml").read_text().splitlines()
    (copy / "parser.toml").write_text("\n".join(line for line in lines if " = { bytes = " not in line))
    return copy


@pytest.mark.parametrize(("name", "version", "setting", "file"), NEEDY)
def test_a_model_that_is_none_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, version: str, setting: str, file: str
) -> None:
    """The tool looks for models in the weights folder, not on the network, and says which of them it cannot read."""
    own = unstated(local.SERVICES / name, folder)
    needed = descriptor.read(own).chosen(version, setting).weights
    for path in (folder / "weights" / name / made for entry in needed for made in entry.files):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(STAND_INS.get(path.suffix, b"no model"))
    monkeypatch.setenv(weights.VARIABLE, str(folder / "weights"))
    service = local.launch_parser(
        folder=own,
        version=version,
        setting=setting,
        documents=PROBES,
        scratch=folder,
        socket=folder / "s",
    )
    local.wait(service)
    caller = client.ParserClient(service.address)
    answer = caller.warmup(seconds=120, memory_bytes=4 << 30, timeout=300)
    told = {probe.format: probe for probe in answer.probes}
    if answer.state == pb.PARSER_STATE_READY:  # it loads models with the first document that needs them
        assert told["pdf"].status == pb.PARSE_STATUS_ERROR
        assert file in told["pdf"].reason
    else:
        assert answer.state == pb.PARSER_STATE_UNHEALTHY
        assert file in answer.reason
    caller.shutdown()
    caller.close()
    assert service.process.wait(timeout=60) == 0


PROGRAMS = {"tesseract": "5.3.0", "pdftoppm": "22.12.0", "llama-server": "5000"}
"""What some of them need beside their weights."""

UNWEIGHTED = [
    Selected(entry.name, version, setting, entry)
    for entry in selection.available(local.SERVICES)
    for version in entry.versions
    for setting in ("", *entry.settings_of(version))
    if entry.chosen(version, setting).weights
]


@pytest.fixture
def refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Selected], local.NotReady]:
    """Start a parser for which all programs are there, but not its weights; nothing may be installed for it."""
    programs = folder / "bin"
    programs.mkdir()
    for name, told in PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\necho {told}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv(weights.VARIABLE, str(folder / "weights"))
    monkeypatch.setenv("DOCASSAY_CACHE", str(folder / "cache"))

    def start(selected: Selected) -> local.NotReady:
        assert selected.descriptor is not None
        with pytest.raises(local.NotReady) as caught:
            local.launch_parser(
                folder=selected.descriptor.folder,
                version=selected.version,
                setting=selected.setting,
                documents=PROBES,
                scratch=folder,
                socket=folder / "s",
            )
        assert not (folder / "cache").exists()
        return caught.value

    return start


def weights_of(selected: Selected) -> tuple[Weights, ...]:
    """Return the weights of one version with one setting."""
    assert selected.descriptor is not None
    return selected.descriptor.chosen(selected.version, selected.setting).weights


@pytest.mark.parametrize("selected", UNWEIGHTED, ids=lambda selected: selected.key)
def test_without_weights_nothing_is_installed(
    folder: Path, refused: Callable[[Selected], local.NotReady], selected: Selected
) -> None:
    """A parser that cannot work here costs no environment: what is missing, its size and the command are told first."""
    why = refused(selected)
    assert why.state == pb.PARSER_STATE_WEIGHTS_UNAVAILABLE
    for entry in weights_of(selected):
        assert f"{entry.name} ({entry.size}, from {entry.source}) not in " in str(why)
        assert entry.command(folder / "weights" / selected.name) in str(why)


@pytest.mark.parametrize("selected", UNWEIGHTED, ids=lambda selected: selected.key)
def test_with_empty_files_for_weights_neither(
    folder: Path, refused: Callable[[Selected], local.NotReady], selected: Selected
) -> None:
    """Every file of every parser is looked at before it is asked to load any."""
    own = folder / "weights" / selected.name
    for path in (own / name.replace("*", "any") for entry in weights_of(selected) for name in entry.files):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    why = refused(selected)
    assert why.state == pb.PARSER_STATE_WEIGHTS_UNAVAILABLE
    for entry in weights_of(selected):
        shown = [f"{own / name.replace('*', 'any')} is empty" for name in entry.files[:3]]
        more = [f"{len(entry.files) - 3} more"] if entry.files[3:] else []
        them = "them" if entry.files[1:] else "it"
        files = " and ".join(shown + more)
        remedy = f"remove {them} and fetch {them} again: {entry.command(own)}"
        assert f"{entry.name} ({entry.size}, from {entry.source}): {files}: {remedy}" in str(why)


@pytest.mark.parametrize("python", ["", "Python 3.11 is needed: "])
@pytest.mark.parametrize(
    ("key", "program"), [("marker@2.0.0", "llama-server"), ("unstructured@0.27.35:hi_res", "pdftoppm")]
)
def test_what_else_is_missing_hides_no_weights(
    folder: Path,
    refused: Callable[[Selected], local.NotReady],
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    program: str,
    python: str,
) -> None:
    """Who installs a program would meet gigabytes next: all is told, the weights last."""
    monkeypatch.setenv("PATH", str(folder / "nothing"))
    if python:
        monkeypatch.setattr(environments, "interpreter", lambda _: None)
    [selected] = [entry for entry in UNWEIGHTED if entry.key == key]
    why = refused(selected)
    assert why.state == pb.PARSER_STATE_REQUIREMENT_MISSING
    assert str(why).startswith(python)
    told = [str(why).index(f"{program} was not found")]
    for entry in weights_of(selected):
        absent = f"{entry.name} ({entry.size}, from {entry.source}) not in {folder}/weights/{selected.name}: "
        told.append(str(why).index(f"{absent}{entry.command(folder / 'weights' / selected.name)}"))
    assert told == sorted(told)
