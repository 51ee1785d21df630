"""``parser.toml``: what a parser's folder says about itself."""

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT_SETTING = ""


class DescriptorError(Exception):
    """A parser's folder is not as it must be; the message names the file and what to do."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A program outside the environment: found by running ``probe``, at least ``version``."""

    name: str
    probe: tuple[str, ...]
    version: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One parser's folder, read.

    Attributes:
        folder: where it lies; its name is the parser's id.
        versions: every version with a lock, newest first.
        settings: named settings; the default has the empty name and needs no mention.
        python: the interpreter's version, as ``3.11``.
        environment: variables the worker gets.
    """

    folder: Path
    title: str
    homepage: str
    licence: str
    licence_note: str
    formats: tuple[str, ...]
    capabilities: tuple[str, ...]
    versions: tuple[str, ...]
    settings: tuple[str, ...]
    python: str
    requirements: tuple[Requirement, ...]
    environment: dict[str, str]

    @property
    def name(self) -> str:
        """The parser's id."""
        return self.folder.name

    def lock(self, version: str) -> Path:
        """Return the hashed lock of a version.

        Raises:
            DescriptorError: there is none.
        """
        path = self.folder / f"{version}.lock"
        if version not in self.versions or not path.is_file():
            raise DescriptorError(f"{self.name} has no version {version}; it has {', '.join(self.versions)}")
        return path

    def check_setting(self, setting: str) -> None:
        """Accept a setting the parser has; the default always.

        Raises:
            DescriptorError: it has no such setting.
        """
        if setting not in (DEFAULT_SETTING, *self.settings):
            known = ", ".join(self.settings) or "the default alone"
            raise DescriptorError(f"{self.name} has no setting {setting!r}; it has {known}")

    def lock_digest(self, version: str) -> str:
        """Return the SHA-256 of a version's lock."""
        return hashlib.sha256(self.lock(version).read_bytes()).hexdigest()

    def adapter_digest(self) -> str:
        """Return one SHA-256 over the parser's code: its adapter and its ``parser.toml``."""
        digest = hashlib.sha256()
        for path in sorted([*self.folder.glob("*.py"), self.folder / "parser.toml"]):
            content = path.read_bytes()
            digest.update(f"{path.name} {len(content)}\n".encode() + content)
        return digest.hexdigest()


def read(folder: Path) -> Descriptor:
    """Read a parser's folder.

    Raises:
        DescriptorError: ``parser.toml`` is missing, cannot be read, or lacks a key.
    """
    path = folder / "parser.toml"
    try:
        values = tomllib.loads(path.read_text())
        return _descriptor(folder, values)
    except FileNotFoundError:
        raise DescriptorError(f"{path} is missing: every parser's folder has one") from None
    except tomllib.TOMLDecodeError as error:
        raise DescriptorError(f"{path} is not TOML: {error}") from error
    except KeyError as error:
        raise DescriptorError(f"{path} lacks the key {error}") from error


def _descriptor(folder: Path, values: dict[str, Any]) -> Descriptor:
    return Descriptor(
        folder=folder,
        title=values["title"],
        homepage=values["homepage"],
        licence=values["licence"],
        licence_note=values.get("licence_note", ""),
        formats=tuple(values["formats"]),
        capabilities=tuple(values["capabilities"]),
        versions=tuple(values["versions"]),
        settings=tuple(values.get("settings", {})),
        python=values.get("python", "3.11"),
        requirements=tuple(
            Requirement(name, tuple(entry["probe"]), entry["version"], entry["remedy"])
            for name, entry in values.get("requires", {}).items()
        ),
        environment=values.get("environment", {}),
    )
