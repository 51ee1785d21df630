"""The services around this container, as compose names them in its environment.

``DOCASSAY_PARSER_<NAME>`` says where a parser answers, ``DOCASSAY_PROFILED`` which of them are there only when compose
was given their profile, ``DOCASSAY_GPU_PARSERS`` which were given a GPU, ``DOCASSAY_SCORER`` where the scorer answers,
and ``DOCASSAY_DOCUMENTS`` which folder every parser's container sees, read-only.
"""

import contextlib
import functools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from docassay.v1 import parser_pb2, parser_pb2_grpc, scorer_pb2, scorer_pb2_grpc
from orchestrator import replicas
from orchestrator.containers.taken import PARSER
from orchestrator.interruption import Interrupted
from orchestrator.printable import printable
from orchestrator.selection import INTAKE
from services.runtime import last_words

_SCORER = "DOCASSAY_SCORER"
_PROFILED = "DOCASSAY_PROFILED"
_GPU_PARSERS = "DOCASSAY_GPU_PARSERS"
DOCUMENTS = "DOCASSAY_DOCUMENTS"
_SHUTDOWN_SECONDS = 5.0
_POLL_SECONDS = 0.2
_OTHER_PROTOCOL = "Failed parsing HTTP/2"
"""What gRPC says of a server that takes its connection and answers in another protocol; waiting does not change it."""

FETCH_WEIGHTS = "in compose that is: docker compose run --rm weights"
"""What follows the reason of a parser in a container that lacks its weights."""

HEALTHY_SECONDS = 60.0
"""How long a service may take to come up; loading its models comes later and has its own time."""


class ComposedError(Exception):
    """A service cannot be used: its variable is no address, or it never answers; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Composed:
    """What the environment names.

    Attributes:
        parsers: addresses by the parser's id, intake apart.
        profiled: those of the parsers that may not be there at all.
        with_gpu: those of them that were given the machine's GPU; None where nobody says, which means all.
        intake: where intake answers; empty when it is to be started here.
        scorer: where the scorer answers; empty when it is to be started here.
        documents: the folder shared with every parser container; None outside compose.
    """

    parsers: dict[str, str]
    profiled: tuple[str, ...]
    with_gpu: tuple[str, ...] | None
    intake: str
    scorer: str
    documents: Path | None

    def gpu_of(self, named: str, gpu: str | None) -> str:
        """Return which GPU a parser was given, of the machine's; empty for none."""
        return gpu if gpu and (self.with_gpu is None or named in self.with_gpu) else ""


def read(environment: Mapping[str, str]) -> Composed:
    """Read the services from an environment; a variable that is empty counts as absent.

    Raises:
        ComposedError: an address is not host:port.
    """
    parsers = {}
    for variable, address in sorted(environment.items()):
        if not (variable.startswith(PARSER) or variable == _SCORER) or not address:
            continue
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit():
            raise ComposedError(f"{variable} is {address!r}: it must be host:port, as markitdown:50051")
        if variable != _SCORER:
            parsers[variable.removeprefix(PARSER).lower()] = address
    documents = environment.get(DOCUMENTS, "")
    return Composed(
        parsers=parsers,
        profiled=_names(environment.get(_PROFILED, "")),
        with_gpu=_names(environment[_GPU_PARSERS]) if _GPU_PARSERS in environment else None,
        intake=parsers.pop(INTAKE, ""),
        scorer=environment.get(_SCORER, ""),
        documents=Path(documents) if documents else None,
    )


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def running(address: str) -> bool:
    """Whether the container behind an address is there, answering or not yet: only then has its name an address."""
    return bool(address and replicas.resolved(address))


def await_health(address: str, *, service: str, seconds: float, check: Callable[[], None] = lambda: None) -> None:
    """Wait until a service's gRPC health service says SERVING; one whose container has ended is not waited for.

    Args:
        service: its name in compose, for the message.
        seconds: after which it is given up.
        check: called between two looks; raises to give up at once.

    Raises:
        ComposedError: it did not, and why not.
    """
    begun, last, words = time.monotonic(), "nothing was said", f"docker compose logs --tail 20 {service}"
    with grpc.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        while time.monotonic() < begun + seconds:
            check()
            try:
                answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=_SHUTDOWN_SECONDS)
            except grpc.RpcError as error:
                if not isinstance(error, grpc.Call):
                    raise
                if error.code() == grpc.StatusCode.UNIMPLEMENTED:
                    last = "what answers there is no gRPC health service, so it does not speak the contract"
                    break
                last = error.details() or error.code().name
                if error.code() == last_words.CODE:
                    last, words = "its server does not start", printable(last)
                    break
                if _OTHER_PROTOCOL in last:
                    last = f"what answers there is no gRPC service, so it does not speak the contract: {last}"
                    break
            else:
                if answer.status == health_pb2.HealthCheckResponse.SERVING:
                    return
                last = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
            # The engine takes the name of a container that ended away; one miss may be the name service's hiccup.
            if not running(address) and not running(address):
                last = "no container of that name is running"
                break
            time.sleep(_POLL_SECONDS)
    raise ComposedError(
        f"{service} at {address} was not healthy after {time.monotonic() - begun:.0f} s "
        f"({' '.join(last.split())[:300]}); its last words: {' '.join(words.split())}"
    )


@contextlib.contextmanager
def ended_afterwards(
    environment: Mapping[str, str], *, say: Callable[[str], None], in_use: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """End every service that the environment names once the block is left, however it is left.

    Only in a container of compose: services that somebody else keeps are somebody else's to end. So are those that
    another run still uses: ``in_use`` tells, asked when the block is left.

    Args:
        environment: where compose names its services.
        say: is given a line for a service that does not end.
        in_use: whether another run uses the services.
    """
    stopped = threading.Event()
    try:
        yield
    except Interrupted:
        stopped.set()
        raise
    finally:
        if environment.get(DOCUMENTS) and not in_use():
            # With --exit-code-from, the first service that ends makes compose stop this one too, which must then
            # still leave with its own exit code.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: stopped.set())
            lasting = _shut_down(_present(read(environment)))
            # Who stops this container stops the others, too.
            for name in () if stopped.is_set() else lasting:
                say(
                    f"{name} does not end: stop it with: docker compose stop {name} (docker compose up waits for it, "
                    "unless it was given --exit-code-from orchestrator)"
                )


def _shut_down(composed: Composed) -> list[str]:
    """End every service, all at once: compose kills this container ten seconds after the first of them ended.

    Returns:
        The names of those that were asked to end, did not answer, and are still there.
    """
    ends = {**dict.fromkeys((*composed.parsers.values(), composed.intake), _end_parser), composed.scorer: _end_scorer}
    with ThreadPoolExecutor(max_workers=len(ends)) as pool:
        told = pool.map(lambda address: _told(address, ends[address]), ends)
        return [address.rpartition(":")[0] for address, answered in zip(ends, told, strict=True) if not answered]


def _told(address: str, end: Callable[[grpc.Channel], object]) -> bool:
    """End every replica behind an address; return False when one that is still there did not answer."""
    answered = True
    for each in replicas.resolved(address) if address else ():
        with grpc.insecure_channel(each) as channel:
            try:
                end(channel)
            except grpc.RpcError:
                answered = False
    return answered or not running(address)


def _end_parser(channel: grpc.Channel) -> object:
    return parser_pb2_grpc.ParserStub(channel).Shutdown(parser_pb2.ShutdownRequest(), timeout=_SHUTDOWN_SECONDS)


def _end_scorer(channel: grpc.Channel) -> object:
    return scorer_pb2_grpc.ScorerStub(channel).Shutdown(scorer_pb2.ScorerShutdownRequest(), timeout=_SHUTDOWN_SECONDS)


def here() -> Composed:
    """Read the services from this process's environment, without the parsers whose profile compose was not given.

    Raises:
        ComposedError: an address is not host:port.
    """
    return _present(read(os.environ))


def _present(named: Composed) -> Composed:
    absent = _absent(tuple(named.parsers[name] for name in named.profiled if name in named.parsers))
    return replace(named, parsers={name: where for name, where in named.parsers.items() if where not in absent})


@functools.cache
def _absent(addresses: tuple[str, ...]) -> frozenset[str]:
    """Return the addresses behind which no container is; asked side by side and once, as such an answer takes time."""
    with ThreadPoolExecutor(max_workers=len(addresses) or 1) as pool:
        there = pool.map(running, addresses)
        return frozenset(address for address, found in zip(addresses, there, strict=True) if not found)
