"""Both arms in containers of one image: the service locked down by compose, the bare script in an ordinary one."""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.harness_fidelity.arms import MEMORY, SECONDS, Bare, Service
from orchestrator import client, local
from orchestrator.containers import composed
from services.runtime import descriptor
from services.runtime.supervisor import Supervisor

_PYTHON = Path("/opt/parser/bin/python")
_DOCUMENTS = Path("/documents")
_SCRATCH = Path("/tmp")


@contextmanager
def arms(selector: str, documents: Path, scratch: Path) -> Iterator[tuple[Bare, Service]]:
    """Start both arms of one parser; its image is built already."""
    name, version = selector.split("@")
    image = f"docassay/{name}:{version}"
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    with _service(name, image, cpus, documents, scratch) as service, _bare(name, image, cpus, documents) as bare:
        yield bare, service


@contextmanager
def _service(name: str, image: str, cpus: str, documents: Path, scratch: Path) -> Iterator[Service]:
    """Start the parser as compose.yaml has it, but for the documents, and a network in which this machine is too."""
    override = scratch / "compose.json"
    mount = {"type": "bind", "source": str(documents), "target": str(_DOCUMENTS), "read_only": True}
    reachable = {"driver_opts": {"com.docker.network.bridge.inhibit_ipv4": "false"}}
    override.write_text(
        json.dumps({"services": {name: {"image": image, "volumes": [mount]}}, "networks": {name: reachable}})
    )
    compose = [
        "docker",
        "compose",
        "-p",
        "docassay-fidelity",
        "-f",
        str(local.ROOT / "compose.yaml"),
        "-f",
        str(override),
    ]
    environment = {**os.environ, "DOCASSAY_CPUS": cpus, "DOCASSAY_MEMORY": str(2 * MEMORY)}
    subprocess.run([*compose, "up", "-d", "--no-build", name], check=True, capture_output=True, env=environment)
    try:
        container = _said(*compose, "ps", "-q", name)
        form = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
        address = f"{_said('docker', 'inspect', '-f', form, container)}:50051"
        composed.await_health(address, service=name, seconds=composed.HEALTHY_SECONDS)
        with contextlib.closing(client.ParserClient(address)) as parser:
            parser.warmup(seconds=SECONDS, memory_bytes=MEMORY, timeout=2 * SECONDS)
            yield Service(parser)
    finally:
        subprocess.run([*compose, "down", "--volumes"], check=True, capture_output=True, env=environment)


@contextmanager
def _bare(name: str, image: str, cpus: str, documents: Path) -> Iterator[Bare]:
    folder = local.SERVICES / name
    variables = Supervisor(
        python=_PYTHON,
        adapter=folder,
        setting="",
        environment=descriptor.read(folder).environment,
        scratch=_SCRATCH,
    ).environment(_SCRATCH, _SCRATCH)
    variables["PATH"] = f"{_PYTHON.parent}:/usr/local/bin:/usr/bin:/bin"
    variables.pop("JAVA_HOME", None)  # this machine's is not the image's
    container = f"docassay-fidelity-bare-{os.getpid()}"
    process = subprocess.Popen(
        [
            *(
                "docker",
                "run",
                "--interactive",
                "--rm",
                "--name",
                container,
                "--cpuset-cpus",
                cpus,
                "--workdir",
                "/tmp",
            ),
            *(word for variable, value in variables.items() for word in ("--env", f"{variable}={value}")),
            *("--volume", f"{documents}:{_DOCUMENTS}:ro"),
            *("--volume", f"{Path(__file__).with_name('bare.py')}:/bare.py:ro"),
            *("--entrypoint", str(_PYTHON), image, "-I", "/bare.py", name),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield Bare(process, _pid(container), _DOCUMENTS)
    finally:
        assert process.stdin and process.stdout
        process.stdin.close()
        process.wait()
        process.stdout.close()


def _pid(container: str) -> int:
    """Return the script's process, once its container runs."""
    end = time.monotonic() + composed.HEALTHY_SECONDS
    while True:
        try:
            if pid := int(_said("docker", "inspect", "-f", "{{.State.Pid}}", container)):
                return pid
        except subprocess.CalledProcessError:
            if time.monotonic() > end:
                raise
        time.sleep(0.1)


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
