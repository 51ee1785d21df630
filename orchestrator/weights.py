"""Fetches model weights by the commands that ``parser.toml`` states: the one place that asks the network for any."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import uv

from orchestrator.selection import Selected
from services.runtime import weights
from services.runtime.descriptor import Weights

_INSTALLER = "pip"
"""What a command begins with that first installs the tool itself, which then fetches its own models."""


class WeightsFailed(Exception):
    """Some weights could not be fetched; the message has each with its command and what that said."""


def fetch(parser: Selected, folder: Path, told: Callable[[str], object]) -> None:
    """Fetch what one parser lacks; what is there is left as it is, and looked at.

    Args:
        parser: chosen from this repository.
        folder: of all weights, with a folder a parser.
        told: called with a line before each command.

    Raises:
        WeightsFailed: a command failed or left files missing, or a file is not as it should be; the others were tried.
    """
    assert parser.descriptor is not None, "a parser of this repository has a folder"
    own, failures = folder / parser.name, []
    for entry in parser.descriptor.weights:
        failure = ""
        if entry in weights.lacking(parser.descriptor, own):
            told(f"{parser.key}: {entry.name} ({entry.size}), from {entry.source}")
            failure = _fetched(entry, own)
            if not failure and entry in weights.lacking(parser.descriptor, own):
                failure = f"the command ended well, and files that parser.toml names are still not in {own}"
        # Programs that fetch leave files alone that have the right name, so it takes a person to remove one.
        failure = failure or "; ".join(weights.unusable(entry, own, thoroughly=True))
        if failure:
            failures.append(f"{parser.key}: {entry.name}: {failure}")
    if failures:
        raise WeightsFailed("; ".join(failures))


def _fetched(entry: Weights, folder: Path) -> str:
    """Run the command of some weights; return how it failed, empty when it did not."""
    command = entry.fetch.format(folder=folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _tools(folder.parent, installs=command.startswith(_INSTALLER)) as environment:
            # Its words go to the caller's terminal: some of this takes many minutes.
            done = subprocess.run(["sh", "-c", command], env=environment, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        return f"{folder} cannot be written ({error.strerror}): name another folder in {weights.VARIABLE}"
    except subprocess.CalledProcessError as error:
        return f"no environment could be made for it: {error.stderr.strip()[-500:]}"
    return f"exit code {done.returncode} of: {command}" if done.returncode else ""


@contextlib.contextmanager
def _tools(folder: Path, *, installs: bool) -> Iterator[dict[str, str]]:
    """Give the variables of a command: beside this program's own tools, an environment it may install into.

    What it installs may take gigabytes and is removed with everything temporary, so it lies beside the weights.
    """
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder) as name:
        own = str(Path(sys.executable).parent)
        environment = {
            **os.environ,
            "TMPDIR": name,
            "UV_NO_CACHE": "1",
            "PIP_NO_CACHE_DIR": "1",
            "PATH": f"{own}:{os.environ.get('PATH', os.defpath)}",
        }
        if installs:
            made = [uv.find_uv_bin(), "venv", "--quiet", "--seed", "--python", sys.executable, f"{name}/tool"]
            subprocess.run(made, env=environment, capture_output=True, text=True, check=True)
            environment["PATH"] = f"{name}/tool/bin:{environment['PATH']}"
        yield environment
