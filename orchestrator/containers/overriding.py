"""A parser's image as a service of compose: its stanza in ``compose.override.yaml``, beside whatever is there."""

import io
from pathlib import Path
from typing import Any

from orchestrator.conformity.opening import NAME
from orchestrator.containers import images, lockdown

COMPOSE = "compose.yaml"
OVERRIDE = "compose.override.yaml"

TITLE = "org.opencontainers.image.title"
"""The label that holds the parser's name."""


class OverrideError(Exception):
    """The stanza cannot be written; the message names the file, the place and what to do."""


def add(image: str, folder: Path) -> tuple[str, Path]:
    """Write an image's stanza into the override file of a folder; return the parser's name and the file.

    What the file holds stays, comments included; an earlier stanza of the same parser is replaced.

    Raises:
        ImageError: no engine answers, or it has no such image.
        OverrideError: the image does not tell its name, or the file cannot be read or written.
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
            f"the label {TITLE} of {image} is {name!r}, expected the parser's name in small letters, digits and "
            f'underscores: write LABEL {TITLE}="mytool" in its Dockerfile'
        )
    path = folder / OVERRIDE
    _write(path, _with_stanza(path, name, image))
    return name, path


def _with_stanza(path: Path, name: str, image: str) -> str:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 120
    try:
        document = yaml.load(path.read_text(encoding="utf-8")) if path.exists() else {}
    except YAMLError as error:
        raise OverrideError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    except (OSError, UnicodeError) as error:
        raise OverrideError(f"{path} cannot be read: {error}") from error
    document = {} if document is None else document
    services = _mapping(path, document, "services")
    services[name] = _service(name, image)
    orchestrator = _mapping(path, services, "orchestrator", "services.")
    _mapping(path, orchestrator, "environment", "services.orchestrator.")[f"DOCASSAY_PARSER_{name.upper()}"] = (
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
    return sink.getvalue()


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
