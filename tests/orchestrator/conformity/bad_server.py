"""A parser service with one vice: ``python -m tests.orchestrator.conformity.bad_server VICE ARGUMENTS OF THE SERVER…``.

It is the real server but for the vice, so that an examination must find that one alone.
"""

import hashlib
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2

from docassay.v1 import parser_pb2 as pb
from services.runtime import server
from services.runtime.service import ParserService

MB = 1 << 20


class Bad(ParserService):
    """The real service; every method looks at the vice."""

    vice = ""

    def Describe(self, request: pb.DescribeRequest, context: grpc.ServicerContext) -> pb.DescribeResponse:
        answer = super().Describe(request, context)
        if self.vice == "no_digest":
            answer.lock_digest = ""
        if self.vice == "unsteady_description":
            answer.licence = f"licence {uuid.uuid4()}"
        if self.vice == "reads_outside_files" and request.probe_path.startswith("/"):
            answer.probe_sha256 = hashlib.sha256(Path(request.probe_path).read_bytes()).hexdigest()
        return answer

    def Warmup(self, request: pb.WarmupRequest, context: grpc.ServicerContext) -> pb.WarmupResponse:
        answer = super().Warmup(request, context)
        if self.vice == "no_probes":
            del answer.probes[:]
        if self.vice == "never_ready":
            return pb.WarmupResponse(state=pb.PARSER_STATE_WEIGHTS_UNAVAILABLE, reason="the weights are not there")
        return answer

    def Parse(
        self, request_iterator: Iterator[pb.ParseRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.ParseResponse]:
        requests = _changed_requests(self.vice, request_iterator, context)
        if self.vice == "queues":
            while self._busy.locked():
                time.sleep(0.01)
        if self.vice == "stays_busy_when_left":
            try:
                yield from super().Parse(requests, context)
            except GeneratorExit:
                with self._busy:
                    time.sleep(12)
                raise
            return
        yield from _changed_responses(self.vice, super().Parse(requests, context))

    def Chunk(self, request: pb.ChunkRequest, context: grpc.ServicerContext) -> Iterator[pb.ChunkResponse]:
        if self.vice == "chunks_anything":
            request = pb.ChunkRequest(parse_id=self._parse_id)
        for response in super().Chunk(request, context):
            if self.vice == "silent_chunks" and response.WhichOneof("part") == "output":
                continue
            yield response

    def Unload(self, request: pb.UnloadRequest, context: grpc.ServicerContext) -> pb.UnloadResponse:
        if self.vice == "unloads_once" and not self._worker.alive:
            context.abort(grpc.StatusCode.INTERNAL, "there is nothing to unload")
        return super().Unload(request, context)


def _changed_requests(
    vice: str, requests: Iterator[pb.ParseRequest], context: grpc.ServicerContext
) -> Iterator[pb.ParseRequest]:
    first = next(requests, None)
    if first is None:
        return
    header = first.header
    if vice == "deadline_ignored":
        header.deadline_seconds *= 1000
    if vice == "memory_ignored":
        header.memory_bytes = 0
    if vice == "takes_any_deadline" and not header.deadline_seconds > 0:
        header.deadline_seconds = 60
    yield first
    received = b""
    for request in requests:
        if vice == "keeps_one_part" and received and request.data:
            continue
        received = received or request.data
        yield request
    if vice == "refuses_empty" and not received:
        context.abort(grpc.StatusCode.INTERNAL, "there is nothing in it")
    if vice == "refuses_noise" and header.format == "html" and received and b"<" not in received[:1]:
        context.abort(grpc.StatusCode.INTERNAL, "what is that")


def _changed_responses(vice: str, responses: Iterator[pb.ParseResponse]) -> Iterator[pb.ParseResponse]:
    held: list[pb.ParseResponse] = []
    outputs = 0
    for response in responses:
        part, done = response.WhichOneof("part"), response.done
        if part == "output":
            outputs += 1
        if part == "output" and outputs == 1 and vice == "unknown_lines":
            yield pb.ParseResponse(output=b'{"kind":"surprise"}\n')
        if part == "finished" and vice == "finished_late":
            held.append(response)
            continue
        if part == "done":
            yield from held
            if done.status == pb.PARSE_STATUS_OK and vice == "differs_each_time":
                yield pb.ParseResponse(output=b'{"kind":"text","text":"%s"}\n' % uuid.uuid4().hex.encode())
            _change_done(vice, done)
            yield pb.ParseResponse(done=done)
            continue
        if part == "output" and vice == "wide_slices":
            yield pb.ParseResponse(output=response.output + b" " * (MB + 1 - len(response.output)))
            continue
        yield response
        if part == "finished" and vice == "works_after_finished":
            time.sleep(0.3)


def _change_done(vice: str, done: pb.Done) -> None:
    if vice == "no_peak":
        done.peak_memory_bytes = 0
    if vice == "no_reasons":
        done.reason = ""
    if vice == "undeclared_is_an_error" and done.status == pb.PARSE_STATUS_UNSUPPORTED:
        done.status = pb.PARSE_STATUS_ERROR
    if vice == "timeouts_are_errors" and done.status == pb.PARSE_STATUS_TIMEOUT:
        done.status = pb.PARSE_STATUS_ERROR
    if vice == "empty_is_ok" and done.status == pb.PARSE_STATUS_EMPTY:
        done.status, done.reason = pb.PARSE_STATUS_OK, ""


class NotServing(health.HealthServicer):
    """Health that is never well."""

    def set(self, service: str, status: Any) -> None:
        super().set(service, health_pb2.HealthCheckResponse.NOT_SERVING)


def main() -> None:
    vice = sys.argv.pop(1)
    Bad.vice = vice
    server.ParserService = Bad  # type: ignore[misc]
    if vice == "not_serving":
        health.HealthServicer = NotServing
    server.main()


if __name__ == "__main__":
    main()
