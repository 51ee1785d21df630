"""Starts an image for an examination, locked down as in a run, and removes what it started.

One thing differs from a run: the host has an address in the container's network, or it could not ask. There is still no
way out of it.
"""

import contextlib
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import requests
from docker.errors import APIError
from grpc_health.v1 import health_pb2, health_pb2_grpc

from orchestrator.containers import images, lockdown
from orchestrator.local import ServiceFailed
from services.runtime import last_words

START_SECONDS = 60.0
"""How long an image may take until its service takes calls; loading the parser comes later and has its own time."""

_WORDS = 2000
_ROOT = ("", "root", "0")

_COMPOSE_LABELS = tuple(f"com.docker.compose.{name}" for name in ("project", "service", "version"))
"""An image that compose built has them, its containers inherit them, and compose takes those for its own."""


class Container:
    """A running container of an examination."""

    def __init__(self, container: Any, address: str) -> None:
        self.address = address
        self._container = container

    def cpu_seconds(self) -> float:
        """CPU time of everything in it so far."""
        used = self._container.stats(stream=False)["cpu_stats"]["cpu_usage"]["total_usage"]
        return float(used) / 1e9

    def privileged(self) -> bool:
        """Whether it runs as root."""
        return str(self._container.attrs["Config"]["User"]).partition(":")[0] in _ROOT

    def ended(self, seconds: float) -> int | None:
        """Its exit code; None when it still runs after so many seconds."""
        try:
            return int(self._container.wait(timeout=seconds)["StatusCode"])
        except requests.exceptions.RequestException:  # how this SDK says that the time is over
            return None


@contextlib.contextmanager
def started(image: str, documents: Path) -> Iterator[Container]:
    """Give an image's container, its service taking calls; it and its network are removed afterwards.

    Args:
        image: as the engine knows it.
        documents: the folder that it sees as its documents folder, read-only.

    Raises:
        ImageError: there is no engine, or no such image.
        ServiceFailed: its service did not come up; the message has its last words.
    """
    client = images.engine()
    with contextlib.closing(client), contextlib.ExitStack() as stack:
        found = images.find(client, image)
        documents.chmod(0o755)  # its user is not this one
        name = f"docassay-conform-{secrets.token_hex(4)}"
        try:
            network = client.networks.create(name, driver="bridge", internal=True)
            stack.callback(network.remove)
            container = client.containers.create(
                found.id,
                name=name,
                network=name,
                labels=dict.fromkeys(_COMPOSE_LABELS, ""),
                volumes={str(documents): {"bind": lockdown.DOCUMENTS, "mode": "ro"}},
                **lockdown.container(),
            )
            stack.callback(container.remove, force=True, v=True)
            container.start()
            container.reload()
        except APIError as error:
            raise ServiceFailed(f"{image} could not be started: {error.explanation or error}") from error
        address = f"{container.attrs['NetworkSettings']['Networks'][name]['IPAddress']}:{lockdown.PORT}"
        _await(container, image, address)
        yield Container(container, address)


def _check_started(channel: grpc.Channel, image: str) -> None:
    """Refuse a service that is there only to tell why it does not start."""
    try:
        health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=START_SECONDS)
    except grpc.RpcError as error:
        if isinstance(error, grpc.Call) and error.code() == last_words.CODE:
            raise ServiceFailed(f"{image} does not start; its last words: {error.details()}") from None


def _await(container: Any, image: str, address: str) -> None:
    """Wait until something takes gRPC calls there."""
    begun = time.monotonic()
    with grpc.insecure_channel(address) as channel:
        ready = grpc.channel_ready_future(channel)
        while time.monotonic() < begun + START_SECONDS:
            try:
                ready.result(timeout=0.5)
                _check_started(channel, image)
                return
            except grpc.FutureTimeoutError:
                container.reload()
                if container.status == "exited":
                    break
        ready.cancel()
    waited = time.monotonic() - begun
    words = container.logs(tail=20).decode(errors="replace").strip()[-_WORDS:]
    ended = container.status == "exited"
    how = f"ended with exit code {container.attrs['State']['ExitCode']}" if ended else "takes no gRPC calls"
    raise ServiceFailed(
        f"{image} {how} after {waited:.0f} s; a parser's service listens on port {lockdown.PORT} of all addresses. "
        f"Its last words: {words or 'none'}"
    )
