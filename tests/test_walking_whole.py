"""One document through a real parser, over gRPC, into a row that SQL reads."""

import io
from pathlib import Path

from docassay.v1 import parser_pb2 as pb
from orchestrator import client, local
from scorer.store.database import Database
from scorer.suites.bizdoc import speed


def test_one_document_from_markitdown_to_sql(tmp_path: Path) -> None:
    """A PDF parsed by markitdown in its own process becomes a KPI that a query returns."""
    probes = local.SERVICES / "runtime" / "probes"
    service = local.start_parser(
        folder=local.SERVICES / "markitdown",
        version="0.1.9",
        setting="",
        documents=probes,
        scratch=tmp_path,
        socket=tmp_path / "s",
    )
    parser = client.ParserClient(service.address)
    try:
        assert parser.warmup(seconds=120, memory_bytes=4 << 30, timeout=240).state == pb.PARSER_STATE_READY
        header = pb.ParseHeader(
            document_id="a", format="pdf", deadline_seconds=60, memory_bytes=4 << 30, path="probe.pdf"
        )
        output = io.BytesIO()
        answer = parser.parse(header, None, output, timeout=120)
        assert answer.done.status == pb.PARSE_STATUS_OK
        assert "The quick brown fox" in output.getvalue().decode()
    finally:
        parser.shutdown()
        parser.close()
        assert service.process.wait(timeout=30) == 0

    parsed = speed.TimedParse(status="ok", format="pdf", pages=1, seconds=answer.marks.seconds)
    store = Database(tmp_path / "docassay.duckdb")
    store.insert(
        "kpis",
        {
            "run_id": "r",
            "suite": "bizdoc",
            "parser": "markitdown@0.1.9",
            "axis": "speed",
            "kpi": "speed",
            "value": speed.speed([parsed]).speed,
            "signature": "s",
        },
    )
    [row] = store.query("select parser, value from kpis where kpi = 'speed'").to_pylist()
    store.close()
    assert row["parser"] == "markitdown@0.1.9"
    assert 0 < row["value"] <= 1
