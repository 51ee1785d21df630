"""``parser.toml``: what a parser's folder says about itself."""

import hashlib
import re
import shlex
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

DEFAULT_SETTING = ""

_RUNTIME = Path(__file__).parent
_READERS = ("chunker.py", "form.py", "html_tables.py", "inline.py", "markdown.py")
"""What decides beside an adapter which headings, tables and chunks a tool is said to have given."""

_FORMS = _RUNTIME.parent / "forms"
"""Readers that some adapters use; each counts for those that name it."""

_DIGEST = re.compile("[0-9a-f]{64}")


class DescriptorError(Exception):
    """A parser's folder is not as it must be; the message names the file and what to do."""


@dataclass(frozen=True, slots=True)
class Needed:
    """Which versions and settings something is needed for; an empty tuple stands for all of them."""

    versions: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    def by(self, version: str, setting: str) -> bool:
        """Return whether this version with this setting needs it."""
        return (not self.versions or version in self.versions) and (not self.settings or setting in self.settings)


@dataclass(frozen=True, slots=True)
class Setting:
    """A named way of calling the tool: what it does, and the versions that have it (empty: all)."""

    about: str
    versions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listener:
    """Where a server is looked for: at what ``variable`` says, else at ``address``, ``http://HOST:PORT``."""

    variable: str
    address: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """A program outside the environment: found by running ``probe``, at least ``version``. Or a server.

    Attributes:
        version: empty when any will do.
        exact: the program is the tool itself, so any other version is another parser.
        server: the program runs elsewhere, and what counts is that it takes connections; nothing is run then.
    """

    name: str
    probe: tuple[str, ...]
    version: str
    remedy: str
    exact: bool = False
    needed: Needed = Needed()
    server: Listener | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """What is publicly said of a file of weights: its length and its SHA-256."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Weights:
    """Model weights that no package brings: files below the parser's weights folder.

    Attributes:
        files: paths below that folder, with ``*`` for any name; all must be there.
        source: where they come from, for people.
        size: roughly, for people.
        fetch: the shell command that fetches them; ``{folder}`` stands, unquoted, for the parser's weights folder.
        stated: what some of the files must be; the others are taken as they are.
    """

    name: str
    files: tuple[str, ...]
    source: str
    size: str
    fetch: str
    needed: Needed = Needed()
    stated: dict[str, Stated] = field(default_factory=dict)

    def command(self, folder: Path) -> str:
        """Return the command that fetches them into a parser's weights folder, whatever characters its name has."""
        return self.fetch.replace("{folder}", shlex.quote(str(folder)))


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One parser's folder, read.

    Attributes:
        folder: where it lies; its name is the parser's id.
        versions: every version with a lock, newest first.
        settings: named settings and what each does; the default has the empty name and needs no mention.
        python: the interpreter's version, as ``3.11``.
        environment: variables the worker gets; ``{weights}`` stands for the parser's weights folder.
        inherits: variables of the service that the worker is given as well; everything else is kept from it.
        usual: it is in a run that names no parsers.
        weights_elsewhere: its weights are another server's: whether they are there, and their digest, only the loaded
            parser can say. By setting, the command that has that server fetch them.
    """

    folder: Path
    title: str
    homepage: str
    licence: str
    licence_note: str
    formats: tuple[str, ...]
    capabilities: tuple[str, ...]
    versions: tuple[str, ...]
    settings: dict[str, Setting]
    python: str
    requirements: tuple[Requirement, ...]
    weights: tuple[Weights, ...]
    environment: dict[str, str]
    inherits: tuple[str, ...]
    usual: bool
    weights_elsewhere: dict[str, str]
    by_version: dict[str, dict[str, Any]]

    @property
    def name(self) -> str:
        """The parser's id."""
        return self.folder.name

    def chosen(self, version: str, setting: str = DEFAULT_SETTING) -> "Descriptor":
        """Return what holds for one version with one setting: its formats and licence, and what it needs alone.

        Raises:
            DescriptorError: there is no such version or setting.
        """
        self.lock(version)
        self.check_setting(version, setting)
        return replace(
            self,
            requirements=tuple(entry for entry in self.requirements if entry.needed.by(version, setting)),
            weights=tuple(entry for entry in self.weights if entry.needed.by(version, setting)),
            weights_elsewhere={name: command for name, command in self.weights_elsewhere.items() if name == setting},
            **self.by_version.get(version, {}),
        )

    def lock(self, version: str, setting: str = DEFAULT_SETTING) -> Path:
        """Return the hashed lock of a version; a setting that needs other packages has one of its own.

        Raises:
            DescriptorError: there is none.
        """
        if version not in self.versions:
            raise DescriptorError(f"{self.name} has no version {version}; it has {', '.join(self.versions)}")
        if setting and (own := self.folder / f"{version}-{setting}.lock").is_file():
            return own
        path = self.folder / f"{version}.lock"
        if not path.is_file():
            raise DescriptorError(
                f"{path} is missing, and {self.folder / 'parser.toml'} names version {version}: make the lock with "
                f"python -m services.locks {self.name} {version}, or take the version out of versions"
            )
        return path

    def settings_of(self, version: str) -> tuple[str, ...]:
        """Return the named settings that a version has."""
        return tuple(name for name, entry in self.settings.items() if not entry.versions or version in entry.versions)

    def check_setting(self, version: str, setting: str) -> None:
        """Accept a setting that a version has; the default always.

        Raises:
            DescriptorError: it has no such setting.
        """
        if setting not in (DEFAULT_SETTING, *self.settings_of(version)):
            known = ", ".join(self.settings_of(version)) or "the default alone"
            raise DescriptorError(f"{self.name} {version} has no setting {setting!r}; it has {known}")

    def lock_digest(self, version: str, setting: str = DEFAULT_SETTING) -> str:
        """Return the SHA-256 of a version's lock."""
        return hashlib.sha256(self.lock(version, setting).read_bytes()).hexdigest()

    def adapter_digest(self) -> str:
        """Return one SHA-256 over the code between the tool and its score.

        That is the adapter, its ``parser.toml``, and what they share with others to read a tool's output.
        """
        own = sorted([*self.folder.glob("*.py"), self.folder / "parser.toml"])
        adapter = b"".join(path.read_bytes() for path in own)
        forms = [path for path in sorted(_FORMS.glob("*.py")) if path.stem.encode() in adapter]
        digest = hashlib.sha256()
        for path in (*own, *(_RUNTIME / name for name in _READERS), *forms):
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
        found = _descriptor(folder, values)
    except FileNotFoundError:
        raise DescriptorError(f"{path} is missing: every parser's folder has one") from None
    except tomllib.TOMLDecodeError as error:
        raise DescriptorError(f"{path} is not TOML: {error}") from error
    except KeyError as error:
        raise DescriptorError(f"{path} lacks the key {error}") from error
    for key in ("formats", "capabilities", "versions"):
        if not isinstance(values[key], list) or not all(isinstance(value, str) for value in values[key]):
            raise DescriptorError(f"{path}: {key} must be a list of texts, it is {values[key]!r}")
    if not found.versions:
        raise DescriptorError(f"{path}: versions must name one version at least, newest first")
    for entry in found.weights:
        for name, stated in entry.stated.items():
            if name not in entry.files:
                raise DescriptorError(
                    f"{path}: [weights.{entry.name!r}.stated] names {name!r}, which is not in its files"
                )
            if stated.bytes < 1 or not _DIGEST.fullmatch(stated.sha256):
                raise DescriptorError(
                    f"{path}: {name!r} in [weights.{entry.name!r}.stated] must have bytes above zero and a sha256 of "
                    f"64 hexadecimal digits, it has {stated.bytes} and {stated.sha256!r}"
                )
    return found


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
        settings={
            name: Setting(entry.get("about", ""), tuple(entry.get("versions", ())))
            for name, entry in values.get("settings", {}).items()
        },
        python=values.get("python", "3.11"),
        requirements=tuple(
            Requirement(
                name,
                () if "server" in entry else tuple(entry["probe"]),
                entry.get("version", ""),
                entry["remedy"],
                exact=entry.get("exact", False),
                needed=_needed(entry),
                server=Listener(entry["server"]["variable"], entry["server"]["address"]) if "server" in entry else None,
            )
            for name, entry in values.get("requires", {}).items()
        ),
        weights=tuple(
            Weights(
                name,
                tuple(entry["files"]),
                entry["source"],
                entry["size"],
                entry["fetch"],
                needed=_needed(entry),
                stated={file: Stated(said["bytes"], said["sha256"]) for file, said in entry.get("stated", {}).items()},
            )
            for name, entry in values.get("weights", {}).items()
        ),
        environment=values.get("environment", {}),
        inherits=tuple(values.get("inherits", ())),
        usual=values.get("usual", False),
        weights_elsewhere=_elsewhere(folder, values),
        by_version={
            version: {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
            for version, entry in values.get("version", {}).items()
        },
    )


def _needed(entry: dict[str, Any]) -> Needed:
    """Read for what something is needed."""
    return Needed(tuple(entry.get("versions", ())), tuple(map(_setting, entry.get("settings", ()))))


def _elsewhere(folder: Path, values: dict[str, Any]) -> dict[str, str]:
    """Read the commands for weights that are another server's; whatever setting is chosen has one, or none has.

    Raises:
        DescriptorError: it is no table, or not of the parser's settings.
    """
    found, settings = values.get("weights_elsewhere"), {"default", *values.get("settings", {})}
    if found is None:
        return {}
    if not isinstance(found, dict) or set(found) != settings:
        raise DescriptorError(
            f"{folder / 'parser.toml'}: weights_elsewhere must be a table with a command for each of "
            f"{', '.join(sorted(settings))}, it is {found!r}"
        )
    return {_setting(name): command for name, command in found.items()}


def _setting(name: str) -> str:
    """Return a setting by its name in ``parser.toml``, where ``default`` names the default."""
    return DEFAULT_SETTING if name == "default" else name
