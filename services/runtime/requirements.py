"""Whether the programs and servers a parser needs outside its environment are there."""

import os
import re
import shutil
import signal
import socket
import subprocess
from urllib.parse import urlsplit

from services.runtime.descriptor import Descriptor, Listener, Requirement

SECONDS = 10.0
"""How long a program may take to tell its version."""

CONNECT_SECONDS = 2.0
"""How long a server may take to accept a connection."""

_PORTS = {"http": 80, "https": 443}

_CREDENTIALS = re.compile(r"(?:(?<=//)|^)[^/?#]*@")
"""The name and password of an address: nobody's to read."""


def missing(descriptor: Descriptor, environment: dict[str, str]) -> str:
    """Return what is absent and the remedy, empty when everything is there.

    Args:
        descriptor: the parser's folder, read.
        environment: the worker's variables: what counts is what the worker will find.
    """
    return "; ".join(filter(None, (_missing(entry, environment) for entry in descriptor.requirements)))


def _missing(requirement: Requirement, environment: dict[str, str]) -> str:
    if requirement.server is not None:
        return _unanswered(requirement, requirement.server, environment)
    program, *arguments = requirement.probe
    newer = f" {requirement.version}{'' if requirement.exact else ' or newer'}" if requirement.version else ""
    wanted = f"{requirement.name}{newer} is needed"
    found = shutil.which(program, path=environment["PATH"])
    if found is None:
        return f"{wanted}, {program} was not found: {requirement.remedy}"
    try:
        told = _run([found, *arguments], environment)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{wanted}, {program} does not run ({error}): {requirement.remedy}"
    if not requirement.version:
        return ""
    version = re.search(r"\d+(?:\.\d+)*", told)
    if version is None or not _will_do(_parts(version[0]), requirement):
        return f"{wanted}, found {version[0] if version else 'no version'}: {requirement.remedy}"
    return ""


def _unanswered(requirement: Requirement, server: Listener, environment: dict[str, str]) -> str:
    address = environment.get(server.variable) or server.address
    try:
        with socket.create_connection(_endpoint(address, server.address), CONNECT_SECONDS):
            return ""
    except (OSError, ValueError) as error:
        shown = _CREDENTIALS.sub("", address)
        return f"{requirement.name} is needed at {shown}, and none answers there ({error}): {requirement.remedy}"


def _endpoint(address: str, usual: str) -> tuple[str, int]:
    """Return host and port of an address of which all but one part may be left out.

    Raises:
        ValueError: it is no address.
    """
    parts, others = urlsplit(address if "://" in address else f"//{address}"), urlsplit(usual)
    port = parts.port or _PORTS.get(parts.scheme) or others.port
    host = parts.hostname or others.hostname
    assert host and port, "parser.toml states both"
    return host, port


def _will_do(found: tuple[int, ...], requirement: Requirement) -> bool:
    wanted = _parts(requirement.version)
    return found == wanted if requirement.exact else found >= wanted


def _run(command: list[str], environment: dict[str, str]) -> str:
    """Return what a program says; what it started ends with it."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            told, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            raise subprocess.SubprocessError(f"no answer in {SECONDS:g} s") from error
    if process.returncode:
        raise subprocess.SubprocessError(f"exit code {process.returncode}: {told.strip()[-200:]}")
    return told


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
