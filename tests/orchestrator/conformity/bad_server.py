"""A parser service with vices: ``python -m tests.orchestrator.conformity.bad_server VICE,… ARGUMENTS OF THE SERVER…``.

It is the real server but for those, so that an examination must find them and nothing else.
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
    """The real service; every method looks at the vices."""

    vices: frozenset[str] = frozenset()

    def Describe(self, request: pb.DescribeRequest, context: grpc.ServicerContext) -> pb.DescribeResponse:
        answer = super().Describe(request, context)
        if "no_digest" in self.vices:
            answer.lock_digest = ""
        if "unsteady_description" in self.vices:
            answer.licence = f"licence {uuid.uuid4()}"
        if "reads_outside_files" in self.vices and request.probe_path.startswith("/"):
            answer.probe_sha256 = hashlib.sha256(Path(request.probe_path).read_bytes()).hexdigest()
        return answer

    def Warmup(self, request: pb.WarmupRequest, context: grpc.ServicerContext) -> pb.WarmupResponse:
        answer = super().Warmup(request, context)
        if "no_probes" in self.vices:
            del answer.probes[:]
        if "never_ready" in self.vices:
            return pb.WarmupResponse(state=pb.PARSER_STATE_WEIGHTS_UNAVAILABLE, reason="the weights are not there")
        return answer

    def Parse(
        self, request_iterator: Iterator[pb.ParseRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.ParseResponse]:
        if "never_answers" in self.vices:
            context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "nothing came")
        requests = _changed_requests(self.vices, request_iterator, context)
        if "queues" in self.vices:
            while self._busy.locked():
                time.sleep(0.01)
        if "stays_busy_when_left" in self.vices:
            try:
                yield from super().Parse(requests, context)
            except GeneratorExit:
                with self._busy:
                    time.sleep(12)
                raise
            return
        yield from _changed_responses(self.vices, super().Parse(requests, context))

    def Chunk(self, request: pb.ChunkRequest, context: grpc.ServicerContext) -> Iterator[pb.ChunkResponse]:
        if "chunks_anything" in self.vices:
            request = pb.ChunkRequest(parse_id=self._parse_id)
        for response in super().Chunk(request, context):
            if "silent_chunks" in self.vices and response.WhichOneof("part") == "output":
                continue
            yield response

    def Shutdown(self, request: pb.ShutdownRequest, context: grpc.ServicerContext) -> pb.ShutdownResponse:
        return pb.ShutdownResponse() if "stays" in self.vices else super().Shutdown(request, context)

    def Unload(self, request: pb.UnloadRequest, context: grpc.ServicerContext) -> pb.UnloadResponse:
        if "unloads_once" in self.vices and not self._worker.alive:
            context.abort(grpc.StatusCode.INTERNAL, "there is nothing to unload")
        return super().Unload(request, context)

    def _let_go(self) -> None:
        if self._held and "slow_to_let_go" in self.vices:
            time.sleep(0.3)
        super()._let_go()


def _changed_requests(
    vices: frozenset[str], requests: Iterator[pb.ParseRequest], context: grpc.ServicerContext
) -> Iterator[pb.ParseRequest]:
    first = next(requests, None)
    if first is None:
        return
    header = first.header
    if "deadline_ignored" in vices:
        header.deadline_seconds *= 1000
    if "memory_ignored" in vices:
        header.memory_bytes = 0
    if "takes_any_deadline" in vices and not header.deadline_seconds > 0:
        header.deadline_seconds = 60
    yield first
    received = b""
    for request in requests:
        if "keeps_one_part" in vices and received and request.data:
            continue
        received = received or request.data
        yield request
    if "refuses_empty" in vices and not received:
        context.abort(grpc.StatusCode.INTERNAL, "there is nothing in it")
    if "refuses_noise" in vices and header.format == "html" and received and b"<" not in received[:1]:
        context.abort(grpc.StatusCode.INTERNAL, "what is that")


def _changed_responses(vices: frozenset[str], responses: Iterator[pb.ParseResponse]) -> Iterator[pb.ParseResponse]:
    held: list[pb.ParseResponse] = []
    outputs = 0
    for response in responses:
        part, done = response.WhichOneof("part"), response.done
        if part == "started" and "works_before_started" in vices:
            time.sleep(0.3)
        if part == "output":
            outputs += 1
        if part == "output" and outputs == 1 and "unknown_lines" in vices:
            yield pb.ParseResponse(output=b'{"kind":"surprise"}\n')
        if part == "finished" and "finished_late" in vices:
            held.append(response)
            continue
        if part == "done":
            yield from held
            if done.status == pb.PARSE_STATUS_OK and "differs_each_time" in vices:
                yield pb.ParseResponse(output=b'{"kind":"text","text":"%s"}\n' % uuid.uuid4().hex.encode())
            _change_done(vices, done)
            yield pb.ParseResponse(done=done)
            continue
        if part == "output" and "wide_slices" in vices:
            yield pb.ParseResponse(output=response.output + b" " * (MB + 1 - len(response.output)))
            continue
        yield response
        if part == "finished" and "works_after_finished" in vices:
            time.sleep(0.3)


def _change_done(vices: frozenset[str], done: pb.Done) -> None:
    if "no_peak" in vices:
        done.peak_memory_bytes = 0
    if "no_reasons" in vices:
        done.reason = ""
    if "undeclared_is_an_error" in vices and done.status == pb.PARSE_STATUS_UNSUPPORTED:
        done.status = pb.PARSE_STATUS_ERROR
    if "timeouts_are_errors" in vices and done.status == pb.PARSE_STATUS_TIMEOUT:
        done.status = pb.PARSE_STATUS_ERROR
    if "empty_is_ok" in vices and done.status == pb.PARSE_STATUS_EMPTY:
        done.status, done.reason = pb.PARSE_STATUS_OK, ""


class NotServing(health.HealthServicer):
    """Health that is never well."""

    def set(self, service: str, status: Any) -> None:
        super().set(service, health_pb2.HealthCheckResponse.NOT_SERVING)


def main() -> None:
    vices = Bad.vices = frozenset(sys.argv.pop(1).split(","))
    server.ParserService = Bad  # type: ignore[misc]
    if "not_serving" in vices:
        health.HealthServicer = NotServing
    server.main()


if __name__ == "__main__":
    main()
