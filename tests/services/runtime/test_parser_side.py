"""What runs in a parser's own environment must run in any: standard library alone, Python 3.10 and newer."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator import local
from tests.services.served import GOOD, Served

RUNTIME = local.SERVICES / "runtime"
WORKER_SIDE = ["worker", "form", "frames", "reasons", "markdown", "inline", "chunker"]
VERSIONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]


def interpreter(version: str) -> Path | None:
    """Return an interpreter of a version that really is one."""
    try:
        told = subprocess.run(
            [f"python{version}", "-c", "import sys; print(sys.executable, sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split(maxsplit=1)
    except (OSError, subprocess.CalledProcessError):
        return None
    return Path(told[0])


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(), feature_version=(3, 10))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            package = node.module == "services.runtime"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} if package else {node.module}
    return found


@pytest.mark.parametrize("name", WORKER_SIDE)
def test_standard_library_alone(name: str) -> None:
    """The worker's side imports the standard library and itself, nothing else."""
    for imported in imports(RUNTIME / f"{name}.py"):
        if imported.startswith("services."):
            assert imported.removeprefix("services.runtime.") in WORKER_SIDE
        else:
            assert imported.partition(".")[0] in sys.stdlib_module_names


@pytest.mark.parametrize("version", VERSIONS)
def test_any_python(folder: Path, version: str) -> None:
    """A parser's environment may have another Python than the service's."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"this machine has no Python {version}")
    server = Served(folder, python=python)
    server.warm()
    done = server.parse(GOOD).done
    _, chunks = server.chunk(done.parse_id)
    assert [chunk["text"] for chunk in chunks] == [GOOD.decode()]
    assert server.fault("raise_unreadable").status == "error"
    assert server.close() == 0
