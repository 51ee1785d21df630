"""Which parsers a run has: ``name``, ``name@version`` or ``name@version:setting``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from services.runtime import descriptor
from services.runtime.descriptor import Descriptor

INTAKE = "intake"
"""The service that looks at each document first; it is no parser and cannot be chosen."""


class SelectionError(Exception):
    """A parser was asked for that is not here; the message lists those that are."""


@dataclass(frozen=True, slots=True)
class Selected:
    """One parser of a run.

    Attributes:
        name: the parser's id.
        version: one of its locks.
        setting: a named setting; empty for the default.
        descriptor: its folder, read; None when it answers at an address.
        addresses: where replicas of it answer; empty when it is to be started here.
    """

    name: str
    version: str = ""
    setting: str = ""
    descriptor: Descriptor | None = None
    addresses: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """How the parser stands in every table; of one at an address the version is known when it has answered."""
        version = f"@{self.version}" if self.version else ""
        return f"{self.name}{version}" + (f":{self.setting}" if self.setting else "")


def available(folder: Path) -> list[Descriptor]:
    """Return the parsers that lie in a folder of services, by name."""
    found = [descriptor.read(path.parent) for path in sorted(folder.glob("*/parser.toml"))]
    return [entry for entry in found if entry.name != INTAKE]


def select(wanted: Sequence[str], folder: Path) -> list[Selected]:
    """Return the parsers asked for, each once, in the order asked; for none, the usual ones in their newest version.

    Raises:
        SelectionError: a name, version or setting is unknown, or one parser was asked for twice.
    """
    known = {entry.name: entry for entry in available(folder)}
    usual = [name for name, entry in sorted(known.items()) if entry.usual]
    selected = [_one(text, known) for text in wanted or usual]
    keys = [entry.key for entry in selected]
    for key in keys:
        if keys.count(key) > 1:
            raise SelectionError(f"{key} was asked for twice")
    return selected


def service_name(name: str, setting: str) -> str:
    """Return what compose calls the service of a parser in a named setting: ``unstructured_hi_res``, say."""
    return f"{name}_{setting.replace('-', '_')}" if setting else name


def among(wanted: Sequence[str], addresses: Mapping[str, str]) -> list[Selected]:
    """Return the parsers asked for among those that answer at an address; all of them for none.

    A parser in a named setting may have a service of its own, named after both.

    Raises:
        SelectionError: no address is known for a name, or one parser was asked for twice.
    """
    selected: list[Selected] = []
    for text in wanted or sorted(addresses):
        name, version, setting = _parts(text)
        own = service_name(name, setting)
        service = own if own in addresses else name
        if service not in addresses:
            raise SelectionError(f"unknown parser {own!r}; services are known of: {', '.join(sorted(addresses))}")
        if any(entry.name == service for entry in selected):
            raise SelectionError(f"{service} was asked for twice; one service answers for it")
        selected.append(Selected(service, version, setting, addresses=(addresses[service],)))
    return selected


def _one(text: str, known: dict[str, Descriptor]) -> Selected:
    name, version, setting = _parts(text)
    if name not in known:
        raise SelectionError(f"unknown parser {name!r}; known: {_listing(known)}")
    entry = known[name]
    if version and version not in entry.versions:
        raise SelectionError(f"{name} has no version {version!r}; known: {_listing({name: entry})}")
    version = version or entry.versions[0]
    if setting and setting not in (own := entry.settings_of(version)):
        others = [other for other in entry.versions if setting in entry.settings_of(other)]
        having = f"; {', '.join(f'{name}@{other}' for other in others)} has it" if others else ""
        known_settings = ", ".join(own) or "none"
        raise SelectionError(f"{name}@{version} has no setting {setting!r}; known settings: {known_settings}{having}")
    return Selected(name, version, setting, entry.chosen(version, setting))


def _parts(text: str) -> tuple[str, str, str]:
    """Return name, version and setting; what was left out is empty.

    Raises:
        SelectionError: a part was begun and left empty.
    """
    rest, colon, setting = text.partition(":")
    name, at, version = rest.partition("@")
    for part, begun, mark in ((name, True, ""), (version, at, "@"), (setting, colon, ":")):
        if begun and not part:
            what = f"nothing follows {mark}" if mark else "the name is missing"
            raise SelectionError(f"{what} in {text!r}; write name, name@version or name@version:setting")
    return name, version, setting


def _listing(known: dict[str, Descriptor]) -> str:
    return ", ".join(f"{entry.name}@{version}" for entry in known.values() for version in entry.versions)
