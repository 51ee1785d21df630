"""The program of a parser service: ``python -m services.runtime.server --parser services/markitdown …``."""

import argparse
import ctypes
import os
import signal
import sys
from concurrent import futures
from pathlib import Path

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from docassay.v1 import parser_pb2, parser_pb2_grpc
from services.runtime import contained, descriptor, ownership, scratch, supervisor, tree, weights
from services.runtime.ending import Ending
from services.runtime.service import ParserService

_NAME = parser_pb2.DESCRIPTOR.services_by_name["Parser"].full_name
_PR_SET_PDEATHSIG = 1
_GRACE_SECONDS = 2.0
_CLOSE_SECONDS = 30.0


def main() -> None:
    """Serve one parser until Shutdown or a signal."""
    parent = os.getppid()
    arguments = _arguments()
    ending = Ending()
    ending.on(signal.SIGTERM, signal.SIGINT)
    if arguments.with_parent:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's to answer
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the line above
            return
    is_contained = arguments.contained is not None
    if is_contained:
        contained.hide()
    try:
        folder = descriptor.read(arguments.parser).chosen(arguments.version, arguments.setting)
    except descriptor.DescriptorError as error:
        sys.exit(str(error))
    weights_folder = arguments.weights.resolve() / folder.name
    with ownership.temporary(arguments.scratch) as temporary:
        inbox = temporary / "inbox"
        scratch.empty(inbox)
        worker = supervisor.Supervisor(
            python=arguments.python,
            adapter=arguments.parser.resolve(),
            setting=arguments.setting,
            environment=weights.environment(folder, weights_folder),
            inherited=folder.inherits,
            scratch=temporary,
            is_contained=is_contained,
        )
        service = ParserService(
            descriptor=folder,
            version=arguments.version,
            setting=arguments.setting,
            worker=worker,
            documents=arguments.documents,
            inbox=inbox,
            weights_folder=weights_folder,
            stop=ending.ask,
            is_contained=is_contained,
        )
        service.look_around()
        # One call works; the others are told so, ask for health, or end the service.
        server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=[("grpc.so_reuseport", 0)])
        parser_pb2_grpc.add_ParserServicer_to_server(service, server)
        # SERVING says that calls are taken, until the end begins. Whether the parser is ready is Describe's to say.
        checks = health.HealthServicer()
        for name in ("", _NAME):
            checks.set(name, health_pb2.HealthCheckResponse.SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(checks, server)
        reflection.enable_server_reflection((_NAME, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
        try:
            server.add_insecure_port(arguments.listen)
        except RuntimeError:
            sys.exit(
                f"{arguments.listen} cannot be listened at: end what listens there already, or choose another port"
            )
        server.start()
        if is_contained:
            contained.ready(arguments.contained)
        by_call = ending.wait()
        checks.enter_graceful_shutdown()
        service.give_up()
        server.stop(grace=_GRACE_SECONDS).wait()
        service.close(seconds=_CLOSE_SECONDS)
        tree.end()
    if is_contained and not by_call:  # the parser may have sent the signal
        sys.exit(128 + signal.SIGTERM)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Serve one parser over gRPC.")
    parser.add_argument("--parser", type=Path, required=True, help="the parser's folder, services/<name>")
    parser.add_argument("--version", required=True, help="which of its locks is installed")
    parser.add_argument("--setting", default="", help="a named setting of the parser; the default without")
    parser.add_argument("--python", type=Path, required=True, help="the interpreter of the parser's environment")
    parser.add_argument("--listen", required=True, help="unix:PATH or HOST:PORT")
    parser.add_argument("--documents", type=Path, help="the folder that document paths are under")
    parser.add_argument("--scratch", type=Path, help="where temporary files go; the system's place without")
    parser.add_argument(
        "--weights", type=Path, default=Path("weights"), help="the folder with a folder of model weights a parser"
    )
    parser.add_argument("--with-parent", action="store_true", help="end when the parent process ends")
    parser.add_argument(
        "--contained",
        type=int,
        metavar="DESCRIPTOR",
        help="it runs below services.runtime.first, to which this descriptor tells when calls are taken",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
