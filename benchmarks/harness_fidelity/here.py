"""Both arms as processes of this machine."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.harness_fidelity.arms import MEMORY, SECONDS, Bare, Service
from orchestrator import client, environments, local
from services.runtime import descriptor
from services.runtime.supervisor import Supervisor


@contextmanager
def arms(selector: str, documents: Path, scratch: Path) -> Iterator[tuple[Bare, Service]]:
    """Start both arms of one parser."""
    name, version = selector.split("@")
    folder = local.SERVICES / name
    started = local.launch_parser(
        folder=folder, version=version, setting="", documents=documents, scratch=scratch, socket=scratch / f"{name}.s"
    )
    local.wait(started)
    parser = client.ParserClient(started.address)
    parser.warmup(seconds=SECONDS, memory_bytes=MEMORY, timeout=2 * SECONDS)
    lock = descriptor.read(folder).lock(version)
    python = environments.python_of(lock, python=sys.executable, label=f"{name}-{version}")
    home = scratch / f"{name}-home"
    home.mkdir()
    environment = Supervisor(
        python=python, adapter=folder, setting="", environment=descriptor.read(folder).environment, scratch=scratch
    ).environment(home, home)
    process = subprocess.Popen(
        [python, "-I", Path(__file__).with_name("bare.py"), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
        cwd=home,
    )
    try:
        yield Bare(process, process.pid, documents), Service(parser)
    finally:
        assert process.stdin and process.stdout
        process.stdin.close()
        process.wait()
        process.stdout.close()
        parser.shutdown()
        parser.close()
        started.process.wait()
