"""How much memory the scorer takes while a parser's huge output passes through it.

``python -m benchmarks.scorer_memory [MEGABYTES]`` starts a scorer, submits one output of that size (200 without) in
slices of 1 MiB, and prints the peak resident memory of the scorer before and after, and of this sender.
"""

import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import grpc

from docassay.v1 import parser_pb2, scorer_pb2_grpc
from docassay.v1 import scorer_pb2 as pb

_ROOT = Path(__file__).resolve().parent.parent.parent
_SLICE = 1 << 20


def main() -> None:
    """Measure and print."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory(prefix="docassay-") as folder:
        scorer = subprocess.Popen(
            [
                *(sys.executable, "-m", "scorer", "--with-parent", "--listen", f"unix:{folder}/s"),
                *("--results", f"{folder}/results"),
            ],
            cwd=_ROOT,
        )
        try:
            with grpc.insecure_channel(f"unix:{folder}/s") as channel:
                grpc.channel_ready_future(channel).result(timeout=60)
                stub = scorer_pb2_grpc.ScorerStub(channel)
                run_id = stub.OpenRun(_run()).run_id
                stub.Submit(_parts(run_id, 0, megabytes=1))
                before = _peak_mib(scorer.pid)
                started = time.perf_counter()
                stub.Submit(_parts(run_id, 1, megabytes=megabytes))
                seconds = time.perf_counter() - started
                after = _peak_mib(scorer.pid)
        finally:
            scorer.terminate()
            scorer.wait(timeout=30)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"output {megabytes} MB, stored in {seconds:.1f} s")
    print(
        f"scorer peak before {before:.0f} MiB, after {after:.0f} MiB (+{after - before:.0f}); sender peak {own:.0f} MiB"
    )


def _run() -> pb.OpenRunRequest:
    description = parser_pb2.DescribeResponse(name="p", version="1", state=parser_pb2.PARSER_STATE_READY)
    return pb.OpenRunRequest(
        run=pb.Run(plan_digest="p", suite="bizdoc", mode="local", commit="c", machine_digest="m", repeats=1),
        parsers=[pb.RunParser(parser="p@1", description=description, transport="path")],
        documents=[pb.RunDocument(document_id=f"d{index}", format="pdf") for index in range(2)],
    )


def _parts(run_id: str, document: int, *, megabytes: int) -> Iterator[pb.SubmitRequest]:
    yield pb.SubmitRequest(
        record=pb.ParseRecord(
            run_id=run_id,
            parser="p@1",
            document_id=f"d{document}",
            repeat=1,
            done=parser_pb2.Done(status=parser_pb2.PARSE_STATUS_OK),
            reached_parser=True,
            seconds=1.0,
            started_at="2026-01-01T00:00:00Z",
        )
    )
    for index in range(megabytes):
        seed = hashlib.sha256(f"{document}-{index}".encode()).hexdigest().encode()
        yield pb.SubmitRequest(output=(seed * (_SLICE // len(seed)))[:_SLICE])


def _peak_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    main()
