"""A parser's image as a service of compose: its stanza in ``compose.override.yaml``, beside whatever is there."""

import io
from pathlib import Path
from typing import Any

from orchestrator.containers import cutting, images, lockdown, taken
from orchestrator.naming import NAME, NAME_FORM

COMPOSE = "compose.yaml"
OVERRIDE = "compose.override.yaml"
_OTHER = "compose.override.yml"
"""The other name by which compose looks for it; of two it reads this one alone."""

TITLE = "org.opencontainers.image.title"
"""The label that holds the parser's name."""

_RETITLE = f"give the image another title, as with: docker build --label {TITLE}=NAME"


class OverrideError(Exception):
    """The stanza cannot be written; the message names the file, the place and what to do."""


def add(image: str, folder: Path) -> tuple[str, Path]:
    """Write an image's stanza into the override file of a folder; return the parser's name and the file.

    What the file holds stays, comments included; an earlier stanza of the same parser is replaced.

    Raises:
        ImageError: no engine answers, or it has no such image.
        OverrideError: the image does not tell its name, something else has that name already, or a file cannot be read
            or written.
    """
    if not (folder / COMPOSE).is_file():
        raise OverrideError(f"{folder} has no {COMPOSE}: stand in the folder from which you call docker compose")
    client = images.engine()
    try:
        labels = images.find(client, image).labels
    finally:
        client.close()
    name = labels.get(TITLE, "")
    if not NAME.fullmatch(name):
        raise OverrideError(
            f"the label {TITLE} of {image} is {name!r}, expected the parser's name ({NAME_FORM}): "
            f'write LABEL {TITLE}="mytool" in its Dockerfile'
        )
    if what := in_compose(name, folder):
        raise OverrideError(f"{name}, the title of {image}, is {what} of {folder / COMPOSE} already: {_RETITLE}")
    path = _override(folder)
    _write(path, _with_stanza(path, name, image))
    return name, path


def in_compose(name: str, folder: Path) -> str:
    """Return what a name stands for in a folder's compose.yaml, in words; nothing when it is free or there is no file.

    Raises:
        OverrideError: the file cannot be read.
    """
    from ruamel.yaml import YAML

    path = folder / COMPOSE
    if not path.is_file():
        return ""
    return taken.by(name, _parsed(path, _read(path), YAML(typ="safe")))


def remove(name: str, folder: Path) -> Path:
    """Take the stanza of a parser out of the override file of a folder; return the file.

    What else it holds stays as it is, to the letter; where that is nothing, the file goes too.

    Raises:
        OverrideError: no such parser was added, or the file cannot be read or written.
    """
    path = _override(folder)
    if not path.exists():
        raise OverrideError(f"{path} is not there: no parser was added in this folder")
    text = _read(path)
    document = _parsed(path, text, _yaml())
    services = _mapping(path, document, "services")
    orchestrator = _mapping(path, services, "orchestrator", "services.")
    variables = _mapping(path, orchestrator, "environment", "services.orchestrator.")
    added = [f"{each}".removeprefix(taken.PARSER).lower() for each in variables if f"{each}".startswith(taken.PARSER)]
    if name not in added:
        raise OverrideError(f"{path} has no parser {name!r}; it has: {', '.join(sorted(added)) or 'none'}")
    places = (
        ("services", name),
        ("services", "orchestrator", "environment", f"{taken.PARSER}{name.upper()}"),
        ("services", "orchestrator", "networks", name),
        ("services", "orchestrator", "depends_on", name),
        ("networks", name),
    )
    try:
        rest = cutting.without(text, places)
    except cutting.CutError as error:
        raise OverrideError(f"{path}: {name} cannot be taken out alone ({error}): do it by hand") from error
    if rest.strip():
        _write(path, rest)
    else:
        _unlink(path)
    return path


def _override(folder: Path) -> Path:
    """Return the file that compose reads beside its own; the one that is there, if it has the other name."""
    path, other = folder / OVERRIDE, folder / _OTHER
    if path.exists() and other.exists():
        raise OverrideError(
            f"{path} and {other} are both there, and compose reads the second alone: make them one file"
        )
    return other if other.exists() else path


def _yaml() -> Any:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 120
    return yaml


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise OverrideError(f"{path} cannot be read: {error}") from error


def _parsed(path: Path, text: str, yaml: Any) -> Any:
    """Return what a file holds; an empty one has no entries."""
    from ruamel.yaml.error import YAMLError

    try:
        document = yaml.load(text)
    except YAMLError as error:
        raise OverrideError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    return {} if document is None else document


def _with_stanza(path: Path, name: str, image: str) -> str:
    yaml = _yaml()
    text = _read(path) if path.exists() else ""
    document = _parsed(path, text, yaml)
    if not taken.is_parser(name, document) and (what := taken.by(name, document)):
        raise OverrideError(
            f"{name}, the title of {image}, is {what} of {path} already, and no parser that was added: {_RETITLE}, or "
            "call it otherwise there"
        )
    # A document without entries has no place to keep comments.
    comments = text if all(line.lstrip().startswith("#") for line in text.split("\n") if line.strip()) else ""
    services = _mapping(path, document, "services")
    services[name] = _service(name, image)
    orchestrator = _mapping(path, services, "orchestrator", "services.")
    _mapping(path, orchestrator, "environment", "services.orchestrator.")[f"{taken.PARSER}{name.upper()}"] = (
        f"{name}:{lockdown.PORT}"
    )
    _mapping(path, orchestrator, "networks", "services.orchestrator.")[name] = {}
    _mapping(path, orchestrator, "depends_on", "services.orchestrator.")[name] = {
        "condition": "service_started",
        "required": False,
    }
    _mapping(path, document, "networks")[name] = {
        "internal": True,
        "driver_opts": dict(lockdown.network()["options"]),
    }
    sink = io.StringIO()
    yaml.dump(document, sink)
    return comments.rstrip() + "\n" * bool(comments.strip()) + sink.getvalue()


def _mapping(path: Path, parent: Any, key: str, place: str = "") -> Any:
    """Return the mapping below a key, made if it is not there."""
    if not hasattr(parent, "keys"):
        raise OverrideError(f"{path}: {place.rstrip('.') or 'the document'} is no mapping: write it as one")
    if parent.get(key) is None:
        parent[key] = {}
    if not hasattr(parent[key], "keys"):
        raise OverrideError(f"{path}: {place}{key} is a list, expected a mapping (key: value): write it as one")
    return parent[key]


def _service(name: str, image: str) -> dict[str, Any]:
    """Return a parser's service, locked down as those of compose.yaml are."""
    settings = lockdown.container()
    del settings["cpuset_cpus"]
    return {
        "image": image,
        **settings,
        # What compose writes otherwise than the SDK, and what compose.yaml leaves to its variables.
        "tmpfs": [f"{path}:{options}" for path, options in settings["tmpfs"].items()],
        "mem_limit": f"${{DOCASSAY_MEMORY:-{settings['mem_limit'] >> 30}g}}",
        "memswap_limit": f"${{DOCASSAY_MEMORY:-{settings['memswap_limit'] >> 30}g}}",
        "cpuset": "${DOCASSAY_CPUS:-}",
        "volumes": [
            {
                "type": "volume",
                "source": "documents",
                "target": lockdown.DOCUMENTS,
                "read_only": True,
                "volume": {"nocopy": True},
            }
        ],
        "networks": [name],
    }


def _write(path: Path, text: str) -> None:
    temporary = path.with_suffix(".yaml.new")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise OverrideError(f"{path} cannot be written: {error.strerror}") from error


def _unlink(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise OverrideError(f"{path} cannot be removed: {error.strerror}") from error
