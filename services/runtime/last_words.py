"""What the container of a parser says whose server does not start: ``python -m services.runtime.last_words SERVER…``.

The orchestrator can neither read another container's log nor see its exit code, and a container that ended would end
the whole run. So the server is started once more, its last lines are kept, and whoever asks for its health is told
them.
"""

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent import futures

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2

from docassay.v1 import parser_pb2
from services.runtime import contained

CODE = grpc.StatusCode.FAILED_PRECONDITION
"""With which health is answered: waiting changes nothing. The details are the last words."""

_PARSER = parser_pb2.DESCRIPTOR.services_by_name["Parser"].full_name

_LINES = 20
_CHARACTERS = 1100
"""gRPC takes no long details."""

_LAST_CHARACTERS = 1000
"""Of a server's output: the last lines say why."""


def main() -> None:
    """Run a server to its end; if it never took calls, tell why in its place, until Shutdown or a signal."""
    command, end = sys.argv[1:], threading.Event()
    at = command.index("--contained") + 1
    above = int(command[at])
    ready, its_ready = os.pipe()
    command[at] = str(its_ready)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", pass_fds=(its_ready,)
    )
    os.close(its_ready)
    os.set_blocking(ready, False)

    def stop(*_: object) -> None:
        end.set()
        process.terminate()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    lines: deque[str] = deque(maxlen=_LINES)
    assert process.stdout is not None, "it is a pipe"
    for line in process.stdout:
        print(line, end="", file=sys.stderr, flush=True)
        lines.append(line)
    code = process.wait()
    if _read(ready):
        contained.ready(above)
        sys.exit(code)
    if code == 0:
        sys.exit(code)
    words = "".join(lines).strip()[-_LAST_CHARACTERS:]
    server = refusing(
        f"exit code {code} at once: {words or 'nothing'}",
        command[command.index("--listen") + 1],
        service=_PARSER,
        asked=parser_pb2.ShutdownRequest,
        answered=parser_pb2.ShutdownResponse,
        shut_down=end.set,
    )
    end.wait()
    server.stop(grace=1.0).wait()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1)
    except BlockingIOError:  # something the server left behind holds the other end
        return b""


def refusing(
    words: str,
    listen: str,
    *,
    service: str,
    asked: type[Message],
    answered: type[Message],
    shut_down: Callable[[], None],
) -> grpc.Server:
    """Return a running server that answers every question for health with some words, and Shutdown.

    Args:
        words: why nothing else is answered; cut when they are many.
        listen: where it listens.
        service: the full name of the service whose Shutdown it takes.
        asked: what that is asked with.
        answered: what it answers with.
        shut_down: called for a Shutdown.
    """

    def check(_: object, context: grpc.ServicerContext) -> None:
        context.abort(CODE, words[:_CHARACTERS])

    def end(_request: object, _context: grpc.ServicerContext) -> Message:
        shut_down()
        return answered()

    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2), options=[("grpc.so_reuseport", 0)])
    for name, method, answer, request, response in (
        (health.SERVICE_NAME, "Check", check, health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse),
        (service, "Shutdown", end, asked, answered),
    ):
        handler = grpc.unary_unary_rpc_method_handler(answer, request.FromString, response.SerializeToString)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, {method: handler}),))
    server.add_insecure_port(listen)
    server.start()
    return server


if __name__ == "__main__":
    main()
