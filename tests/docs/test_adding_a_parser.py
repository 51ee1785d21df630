"""docs/adding-a-parser.md: every command works, in the order of the page, and it names the points that are examined."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from orchestrator import local
from orchestrator.conformity import POINTS
from orchestrator.containers import lockdown

PAGE = local.ROOT / "docs" / "adding-a-parser.md"
BLOCKS = re.findall(r"^```sh\n(.+?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(name="copy")
def _copy(tmp_path: Path) -> Path:
    """A copy of the repository as it stands, which the commands may change."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=local.ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (local.ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(local.ROOT / name, tmp_path / name)
    (tmp_path / ".venv").symlink_to(local.ROOT / ".venv")
    return tmp_path


def test_the_page_names_every_point() -> None:
    """In the order in which they are examined, with the claim that conform prints."""
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [row for row in rows if row[0] in {point.name for point in POINTS}] == [
        (point.name, point.claim) for point in POINTS
    ]


@pytest.mark.docker
def test_every_command_of_the_page_works(copy: Path) -> None:
    """A new parser and the one in Node: built, proven and added, from a fresh checkout."""
    assert sum("docassay conform" in block for block in BLOCKS) == 2
    environment = {**os.environ, "PYTHONPATH": f"{copy}:{copy / 'proto'}"}
    for block in BLOCKS:
        for command in block.strip().splitlines():
            done = subprocess.run(
                ["bash", "-c", command], cwd=copy, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
            if "docassay conform" in command:
                assert " 0 fail, 0 unproven" in done.stdout, done.stdout
    override = yaml.safe_load((copy / "compose.override.yaml").read_text())
    assert set(override["services"]) == {"orchestrator", "mytool"}
    assert override["services"]["orchestrator"]["environment"] == {
        "DOCASSAY_PARSER_MYTOOL": f"mytool:{lockdown.PORT}",
    }
