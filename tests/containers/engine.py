"""The container engine of this machine, by its command line."""

import functools
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def missing() -> str:
    """Return why nothing that needs an engine can run here; empty when everything is there."""
    for command in (["docker", "info"], ["docker", "compose", "version"], ["docker", "buildx", "version"]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return "no container engine: docker is not installed"
        if done.returncode:
            return f"no container engine: {' '.join(command)} says: {done.stderr.strip()[:200]}"
    return ""


def docker(*words: str, check: bool = True, timeout: float = 600.0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, check=False, timeout=timeout)
    assert not check or done.returncode == 0, f"docker {' '.join(words)}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done


class Compose:
    """One compose project of this repository, with a corpus and a results folder of its own."""

    def __init__(self, project: str, *, corpus: Path, results: Path, files: tuple[str, ...] = (), **more: str) -> None:
        self.project = project
        self.results = results
        named = [word for file in ("compose.yaml", *files) for word in ("-f", str(ROOT / file))]
        self._words = ["docker", "compose", "-p", project, *named]
        self._environment: Mapping[str, str] = {
            **os.environ,
            "DOCASSAY_CORPUS": str(corpus),
            "DOCASSAY_RESULTS": str(results),
            **more,
        }

    def __call__(self, *words: str, timeout: float = 600.0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._words, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # as a person sees them
            text=True,
            check=False,
            timeout=timeout,
            env=self._environment,
            cwd=ROOT,
        )

    def start(self, *words: str, to: IO[bytes]) -> subprocess.Popen[bytes]:
        """Begin a command that goes on beside the test, its words into a file."""
        command = [*self._words, *words]
        return subprocess.Popen(command, stdout=to, stderr=subprocess.STDOUT, env=self._environment, cwd=ROOT)

    def done(self, *words: str, timeout: float = 600.0) -> str:
        """Run a command that must succeed; return what it printed."""
        done = self(*words, timeout=timeout)
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout[-5000:]}"
        return done.stdout

    def address(self, service: str) -> str:
        """Return a service's address in its first network."""
        container = self.done("ps", "-aq", service).split()[0]
        form = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}"
        return docker("inspect", "-f", form, container).stdout.split()[0]

    def down(self) -> None:
        self.done("--profile", "*", "down", "--volumes", "--timeout", "5")


@functools.cache
def build(*services: str) -> None:
    """Build images of compose.yaml, those of a first run without names; one that is unchanged takes a moment."""
    profiles = ("--profile", "more", "--profile", "full") if services else ()
    done = subprocess.run(
        ["docker", "compose", *profiles, "build", "--quiet", *services],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def image(service: str) -> str:
    """Return the name of a service's image."""
    settings = docker(
        "compose", "-f", str(ROOT / "compose.yaml"), "--profile", "*", "config", "--format", "json"
    ).stdout
    return str(json.loads(settings)["services"][service]["image"])
