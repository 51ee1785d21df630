"""``docassay weights``: what a person is told of licences, folders and models that another server has."""

import os
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orchestrator import local
from orchestrator.cli.app import app
from orchestrator.cli.failures import explain
from services.runtime import weights


def fetch(*words: str, **environment: str) -> tuple[int, str]:
    """Return the exit code and everything that was printed."""
    done = CliRunner().invoke(app, ["weights", *words], env={"COLUMNS": "300", **environment})
    failure = explain(done.exception) if isinstance(done.exception, Exception) else None
    return (failure.code, failure.text) if failure else (done.exit_code, done.output)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of weights, without any; no command finds a program that fetches."""
    monkeypatch.setenv(weights.VARIABLE, str(tmp_path / "weights"))
    monkeypatch.setattr("sys.executable", str(tmp_path / "nothing" / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path / "weights"


@pytest.mark.parametrize("setting", ["indra_ocr", "marker"])
def test_restricted_weights_are_not_fetched_before_their_licence_is_shown(folder: Path, setting: str) -> None:
    """The licence and what it binds, once, above the first line of what is fetched."""
    if setting == "marker":  # its others begin with an environment for the tool, which takes a network
        for name in ("GoNotoCurrent-Regular.ttf", *ERROR_MODEL):
            (folder / "marker" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "marker" / name).write_text("{}")
    code, told = fetch(setting)
    assert code == 1
    lines = told.splitlines()
    assert "its weights a modified OpenRAIL-M (the weights' licence: free for research, personal use" in lines[0]
    assert sum("OpenRAIL" in line for line in lines) == 1
    assert "from the Hugging Face repository datalab-to/" in lines[1]


ERROR_MODEL = [
    f"models/ocr_error_detection/2025_02_18/{name}"
    for name in (
        "manifest.json",
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "vocab.txt",
    )
]


class TestModelsOfAServer:
    @pytest.mark.parametrize(("asked", "model"), [("vlm", "qwen2.5vl:7b"), ("vlm:qwen3-vl-8b", "qwen3-vl:8b")])
    def test_the_command_of_the_setting_is_told(self, folder: Path, asked: str, model: str) -> None:
        """Nothing claims that the server has it; where there is no server, that is a failure and told first."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            code, told = fetch(asked, OLLAMA_HOST=address)
            assert code == 0, told
            assert told.rstrip().endswith(
                f"nothing is fetched from here: its model is its server's, which fetches it by: ollama pull {model}"
            )
        code, told = fetch(asked, OLLAMA_HOST=address)
        assert code == 1
        assert f"an Ollama server is needed at {address}, and none answers there (" in told
        assert told.rstrip().endswith(f"which fetches it by: ollama pull {model}")
        assert "nothing is missing" not in told
        assert not folder.exists()


class TestTheFolder:
    @pytest.mark.parametrize("below", ["", "/w", "/w/x"])
    def test_that_is_a_file_is_refused(self, tmp_path: Path, below: str) -> None:
        """Or lies below one; nothing is tried."""
        (tmp_path / "file").touch()
        code, told = fetch("indra_ocr", DOCASSAY_WEIGHTS=f"{tmp_path}/file{below}")
        assert (code, told) == (
            2,
            f"DOCASSAY_WEIGHTS names {tmp_path}/file{below}, and {tmp_path}/file is not a folder: name one that is, or "
            "is to be made",
        )

    def test_a_quoted_tilde_is_the_home_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A shell leaves it alone between quotes, and in an env file."""
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv(weights.VARIABLE, "~/x")
        assert local.weights_folder() == tmp_path / "x"

    def test_the_home_of_nobody_is_refused(self) -> None:
        """It would be a folder of that name here."""
        code, told = fetch("indra_ocr", DOCASSAY_WEIGHTS="~nobody-of-this-name/x")
        assert code == 2
        assert told.startswith("DOCASSAY_WEIGHTS names ~nobody-of-this-name/x: ")

    def test_one_that_is_nobody_s_to_look_at_is_none_of_this_s_business(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whoever reads or writes it says so."""

        def denied(*_: object, **__: object) -> os.stat_result:
            raise PermissionError

        monkeypatch.setenv(weights.VARIABLE, str(tmp_path / "w"))
        monkeypatch.setattr(Path, "stat", denied)
        assert local.weights_folder() == tmp_path / "w"
