"""What a scorer in a container does that cannot serve its folder: it says why to whoever waits for its health.

The orchestrator can read no other container's log, and with ``--exit-code-from`` the end of any container makes compose
end all of them: a scorer that ended at once would take the orchestrator with it before that had said a word.
"""

import threading
from concurrent import futures

import grpc
from grpc_health.v1 import health, health_pb2

from docassay.v1 import scorer_pb2
from services.runtime.ending import Ending
from services.runtime.last_words import CODE

NAME = scorer_pb2.DESCRIPTOR.services_by_name["Scorer"].full_name

_SECONDS = 60.0
"""By then nobody waits any more; and whoever mends the folder finds no scorer that still speaks of it as it was."""

_CHARACTERS = 1000
"""gRPC takes no long details."""


def tell(words: str, listen: str, ending: Ending) -> None:
    """Answer every question for health with some words, until the end is asked for or a minute has passed."""

    def check(_: object, context: grpc.ServicerContext) -> None:
        context.abort(CODE, words[:_CHARACTERS])

    def shut_down(_request: object, _context: grpc.ServicerContext) -> scorer_pb2.ScorerShutdownResponse:
        ending.ask()
        return scorer_pb2.ScorerShutdownResponse()

    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2), options=[("grpc.so_reuseport", 0)])
    for service, method, answer, asked, answered in (
        (health.SERVICE_NAME, "Check", check, health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse),
        (NAME, "Shutdown", shut_down, scorer_pb2.ScorerShutdownRequest, scorer_pb2.ScorerShutdownResponse),
    ):
        handler = grpc.unary_unary_rpc_method_handler(answer, asked.FromString, answered.SerializeToString)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    server.add_insecure_port(listen)
    server.start()
    timer = threading.Timer(_SECONDS, ending.ask)
    timer.start()
    ending.wait()
    timer.cancel()
    server.stop(grace=1.0).wait()
