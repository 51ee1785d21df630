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
from concurrent import futures

import grpc
from grpc_health.v1 import health, health_pb2

from docassay.v1 import parser_pb2
from services.runtime import contained

CODE = grpc.StatusCode.FAILED_PRECONDITION
"""With which health is answered: waiting changes nothing. The details are the last words."""

_PARSER = parser_pb2.DESCRIPTOR.services_by_name["Parser"].full_name

_LINES = 20
_CHARACTERS = 1000
"""gRPC takes no long details, and the last lines say why."""


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
    words = "".join(lines).strip()[-_CHARACTERS:]
    _tell(f"exit code {code} at once: {words or 'nothing'}", command[command.index("--listen") + 1], end)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1)
    except BlockingIOError:  # something the server left behind holds the other end
        return b""


def _tell(words: str, listen: str, end: threading.Event) -> None:
    """Answer every question for health with some words, until the end is asked for."""

    def check(_: object, context: grpc.ServicerContext) -> None:
        context.abort(CODE, words)

    def shut_down(_request: object, _context: grpc.ServicerContext) -> parser_pb2.ShutdownResponse:
        end.set()
        return parser_pb2.ShutdownResponse()

    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2), options=[("grpc.so_reuseport", 0)])
    for service, method, answer, asked, answered in (
        (health.SERVICE_NAME, "Check", check, health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse),
        (_PARSER, "Shutdown", shut_down, parser_pb2.ShutdownRequest, parser_pb2.ShutdownResponse),
    ):
        handler = grpc.unary_unary_rpc_method_handler(answer, asked.FromString, answered.SerializeToString)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    server.add_insecure_port(listen)
    server.start()
    end.wait()
    server.stop(grace=1.0).wait()


if __name__ == "__main__":
    main()
