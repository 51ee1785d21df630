"""The program of the scorer: one process a results folder, which it alone writes."""

import argparse
import contextlib
import ctypes
import functools
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from datetime import UTC, datetime
from pathlib import Path

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from docassay.v1 import scorer_pb2_grpc
from scorer import refusing
from scorer.service import ScorerService
from scorer.store import address, query
from scorer.store.artifacts import storing
from scorer.store.errors import StoreError
from services.runtime.ending import Ending

_PR_SET_PDEATHSIG = 1
_CALLS = 16
# The plan of a run names every document of a corpus in one message.
_MOST_REQUEST_BYTES = 256 << 20


def main(words: Sequence[str] | None = None) -> None:
    """Serve one results folder until Shutdown or a signal."""
    arguments = _arguments(words)
    if arguments.with_parent:
        parent = os.getppid()
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            return
    ending = Ending()
    ending.on(signal.SIGTERM, signal.SIGINT)
    if arguments.with_parent:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's to answer
    results, opened = arguments.results.resolve(), False
    try:
        with contextlib.nullcontext() if arguments.read_only else _owned(results):
            service = ScorerService(
                results,
                cache=arguments.cache,
                clock=lambda: datetime.now(UTC),
                stop=ending.ask,
                query_seconds=arguments.query_seconds,
                read_only=arguments.read_only,
            )
            opened = True
            announcing = _silent if arguments.read_only else functools.partial(address.announced, results)
            try:
                _serve(service, arguments.listen, arguments.announce, announcing, ending.wait)
            finally:
                service.close()
    except (StoreError, RuntimeError) as error:
        print(f"{address.REFUSAL}{error}", file=sys.stderr, flush=True)
        if arguments.announce and not opened:  # only in a container it is announced otherwise than it listens
            refusing.tell(str(error), arguments.listen, ending)
        sys.exit(1)


@contextlib.contextmanager
def _silent(_listening: str) -> Iterator[None]:
    """Announce nothing."""
    yield


@contextlib.contextmanager
def _owned(results: Path) -> Iterator[None]:
    """Make a results folder if it is not there, and be its only writer."""
    with storing(results):
        results.mkdir(parents=True, exist_ok=True)
    with address.held(results):
        yield


def _serve(
    service: ScorerService,
    listen: str,
    announce: str,
    announcing: Callable[[str], contextlib.AbstractContextManager[None]],
    wait: Callable[[], object],
) -> None:
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=_CALLS),
        options=[("grpc.max_receive_message_length", _MOST_REQUEST_BYTES), ("grpc.so_reuseport", 0)],
    )
    scorer_pb2_grpc.add_ScorerServicer_to_server(service, server)
    checks = health.HealthServicer()
    for name in ("", refusing.NAME):
        checks.set(name, health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    reflection.enable_server_reflection((refusing.NAME, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    port = server.add_insecure_port(listen)
    listening = listen if listen.startswith("unix:") else f"{listen.rpartition(':')[0]}:{port}"
    server.start()
    with announcing(announce or listening):
        wait()
        checks.enter_graceful_shutdown()
        server.stop(grace=1.0).wait()


def _cache_folder() -> Path:
    if named := os.environ.get("DOCASSAY_CACHE"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "docassay"


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scorer", description="Serve one results folder over gRPC.")
    parser.add_argument("--listen", required=True, help="unix:PATH or HOST:PORT; port 0 takes a free one")
    parser.add_argument("--announce", default="", help="HOST:PORT at which others reach it, if not as it listens")
    parser.add_argument("--results", type=Path, required=True, help="the folder of store, artifacts and exports")
    parser.add_argument("--cache", type=Path, default=_cache_folder(), help="where embeddings and formulas are kept")
    parser.add_argument("--query-seconds", type=float, default=query.SECONDS, help="limit of a query")
    parser.add_argument("--read-only", action="store_true", help="store nothing, and leave the folder as it is")
    parser.add_argument("--with-parent", action="store_true", help="end when the parent process ends")
    return parser.parse_args(words)
