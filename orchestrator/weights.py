"""Fetches model weights by the commands that ``parser.toml`` states: the one place that asks the network for any."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from orchestrator import licences, workplace
from orchestrator.selection import Selected
from services.runtime import requirements, weights
from services.runtime.descriptor import Descriptor, Weights

_INSTALLER = "pip"
"""What a command begins with that first installs the tool itself, which then fetches its own models."""


class WeightsFailed(Exception):
    """Some weights could not be fetched; the message has each with its command and what that said."""


def fetch(parser: Selected, folder: Path, told: Callable[[str], object]) -> str:
    """Fetch what one parser lacks; what is there is left as it is, and looked at.

    Args:
        parser: chosen from this repository.
        folder: of all weights, with a folder a parser.
        told: called with the parser's licence before anything is fetched, and with a line before each command.

    Returns:
        What there is to say when nothing failed.

    Raises:
        WeightsFailed: a command failed or left files missing, or a file is not as it should be; the others were tried.
            Or the weights are those of a server that is not there.
    """
    assert parser.descriptor is not None, "a parser of this repository has a folder"
    licence = licences.line(parser.key, parser.descriptor.licence, parser.descriptor.licence_note)
    if elsewhere := weights.elsewhere(parser.descriptor):
        told(licence)
        if absent := requirements.missing(parser.descriptor, dict(os.environ)):
            raise WeightsFailed(f"{parser.key}: {absent}; {elsewhere}")
        # Whether the server has them, only the loaded parser can ask.
        return f"{parser.key}: nothing is fetched from here: {elsewhere}"
    own = folder / parser.name
    failures = {}
    if weights.lacking(parser.descriptor, own):
        told(licence)
        failures = _fetch(parser, parser.descriptor, own, told)
    for entry in parser.descriptor.weights:
        # Programs that fetch leave files alone that have the right name, so it takes a person to remove one.
        if entry.name not in failures and (faults := weights.unusable(entry, own, thoroughly=True)):
            failures[entry.name] = faults
    if failures:
        raise WeightsFailed("; ".join(f"{parser.key}: {name}: {failure}" for name, failure in failures.items()))
    if not parser.descriptor.weights:
        return f"{parser.key}: works without weights, so there is nothing to fetch"
    return f"{parser.key}: nothing is missing in {own}"


def _fetch(parser: Selected, descriptor: Descriptor, own: Path, told: Callable[[str], object]) -> dict[str, str]:
    """Fetch what is lacking; return how it failed, by the name of the weights.

    Raises:
        WeightsFailed: nothing can be fetched into the folder, or another is at it.
    """
    failures = {}
    try:
        own.mkdir(parents=True, exist_ok=True)
        with workplace.alone(own.parent) as lock:
            for entry in weights.lacking(descriptor, own):
                told(f"{parser.key}: {entry.name} ({entry.size}), from {entry.source}")
                failure = _run(entry, own, lock)
                if not failure and entry in weights.lacking(descriptor, own):
                    failure = f"the command ended well, and files that parser.toml names are still not in {own}"
                if failure:
                    failures[entry.name] = failure
    except workplace.BusyError:
        raise WeightsFailed(
            f"{parser.key}: another docassay weights, or a command that it began, is at work in {own.parent}: call "
            "this again when it has ended"
        ) from None
    except OSError as error:
        raise WeightsFailed(
            f"{parser.key}: {own} cannot be written ({error.strerror}): name another folder in {weights.VARIABLE}"
        ) from error
    return failures


def _run(entry: Weights, own: Path, lock: int) -> str:
    """Run the command of some weights; return how it failed, empty when it did not.

    Raises:
        OSError: the folder cannot be written.
    """
    command = entry.command(own)
    try:
        with workplace.tools(own.parent, installs=command.startswith(_INSTALLER)) as environment:
            # Its words go to the caller's terminal: some of this takes many minutes.
            done = subprocess.run(
                ["sh", "-c", command], env=environment, stdin=subprocess.DEVNULL, pass_fds=(lock,), check=False
            )
    except subprocess.CalledProcessError as error:
        return f"no environment could be made for it: {error.stderr.strip()[-500:]}"
    return f"exit code {done.returncode} of: {command}" if done.returncode else ""
