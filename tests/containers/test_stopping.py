"""A parser's container ends when its engine asks for it: at once, whatever the server is at."""

import time

import pytest

from tests.containers import engine
from tests.containers.engine import docker

pytestmark = pytest.mark.docker


@pytest.mark.parametrize("seconds", [0.5, 5.0])
@pytest.mark.parametrize("setting", ["", "unknown"])
def test_it_ends_by_itself(seconds: float, setting: str) -> None:
    """Before the server takes calls and after, and with one that does not start: the engine need not kill it."""
    engine.build("markitdown")
    words = ("--network", "none", "--read-only", "--tmpfs", "/tmp", "--env", f"SETTING={setting}")
    name = docker("run", "--detach", *words, engine.image("markitdown")).stdout.strip()
    try:
        time.sleep(seconds)
        docker("stop", "--time", "60", name)
        assert docker("inspect", "--format", "{{.State.ExitCode}}", name).stdout.strip() == "0"
    finally:
        docker("rm", "--force", name)
