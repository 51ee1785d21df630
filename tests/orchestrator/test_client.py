"""What is measured around a timed call: against a service that works when the test says so."""

import io
import subprocess
import sys
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest

from docassay.v1 import parser_pb2 as pb
from docassay.v1 import parser_pb2_grpc
from orchestrator.client import Answer, ParserClient

WORK = [sys.executable, "-I", "-S", "-c", "import time\nwhile time.process_time() < 1: pass"]
"""A second of CPU time, in a process of its own."""


class Service(parser_pb2_grpc.ParserServicer):
    """Works inside the timed region or after it."""

    def __init__(self, *, after: bool) -> None:
        self._after = after

    def Parse(self, requests: Iterator[pb.ParseRequest], context: Any) -> Iterator[pb.ParseResponse]:
        yield pb.ParseResponse(started=pb.Started())
        if not self._after:
            subprocess.run(WORK, check=True)
        yield pb.ParseResponse(finished=pb.Finished())
        if self._after:
            subprocess.run(WORK, check=True)
        yield pb.ParseResponse(done=pb.Done(status=pb.PARSE_STATUS_OK))


def answer(service: Service, folder: Path) -> Answer:
    """Ask the service for one document."""
    server = grpc.server(futures.ThreadPoolExecutor(1))
    parser_pb2_grpc.add_ParserServicer_to_server(service, server)
    address = f"unix:{folder}/s"
    server.add_insecure_port(address)
    server.start()
    parser = ParserClient(address)
    try:
        return parser.parse(pb.ParseHeader(document_id="a", path="a"), None, io.BytesIO(), timeout=60)
    finally:
        parser.close()
        server.stop(None).wait()


@pytest.mark.parametrize(("after", "counted"), [(False, True), (True, False)])
def test_the_cpu_time_of_a_parse_ends_at_finished(tmp_path: Path, after: bool, counted: bool) -> None:
    """A tool whose result is read afterwards is not told from a machine that is busy with other things otherwise."""
    found = answer(Service(after=after), tmp_path)
    assert found.marks.done - found.marks.sent >= 1
    assert (found.busy_seconds > 0.5) is counted
