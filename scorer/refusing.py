"""What a scorer in a container does that cannot serve its folder: it says why to whoever waits for its health.

The orchestrator can read no other container's log, and with ``--exit-code-from`` the end of any container makes compose
end all of them: a scorer that ended at once would take the orchestrator with it before that had said a word.
"""

import threading
from concurrent import futures

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from docassay.v1 import scorer_pb2, scorer_pb2_grpc
from services.runtime.ending import Ending
from services.runtime.last_words import CODE

_SECONDS = 60.0
"""By then nobody waits any more; and whoever mends the folder finds no scorer that still speaks of it as it was."""

_CHARACTERS = 1000
"""gRPC takes no long details."""


class _Health(health_pb2_grpc.HealthServicer):
    def __init__(self, words: str) -> None:
        self._words = words

    def Check(
        self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext
    ) -> health_pb2.HealthCheckResponse:
        context.abort(CODE, self._words)


class _Scorer(scorer_pb2_grpc.ScorerServicer):
    def __init__(self, ending: Ending) -> None:
        self._ending = ending

    def Shutdown(
        self, request: scorer_pb2.ScorerShutdownRequest, context: grpc.ServicerContext
    ) -> scorer_pb2.ScorerShutdownResponse:
        self._ending.ask()
        return scorer_pb2.ScorerShutdownResponse()


def tell(words: str, listen: str, ending: Ending) -> None:
    """Answer every question for health with some words, until the end is asked for or a minute has passed."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2), options=[("grpc.so_reuseport", 0)])
    health_pb2_grpc.add_HealthServicer_to_server(_Health(words[:_CHARACTERS]), server)
    scorer_pb2_grpc.add_ScorerServicer_to_server(_Scorer(ending), server)
    server.add_insecure_port(listen)
    server.start()
    timer = threading.Timer(_SECONDS, ending.ask)
    timer.start()
    ending.wait()
    timer.cancel()
    server.stop(grace=1.0).wait()
