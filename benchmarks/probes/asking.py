"""What a parser makes of every probe, through its own service."""

import hashlib
import io
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks.probes.corpus import PROBES, Probe
from benchmarks.probes.verdicts import Output
from docassay.v1 import parser_pb2 as pb
from orchestrator import client, local, selection
from orchestrator.selection import Selected

_SECONDS = 120.0
_MEMORY = 8 << 30


def known() -> list[Selected]:
    """Return every version and setting of every parser of this repository."""
    return [
        Selected(entry.name, version, setting, entry)
        for entry in selection.available(local.SERVICES)
        for version in entry.versions
        for setting in ("", *entry.settings_of(version))
    ]


def ask(parser: Selected, probes: Iterable[Probe] = PROBES) -> dict[str, str]:
    """Return the verdicts of a parser by probe; probes of formats it does not declare are left out.

    Raises:
        NotReady: it lacks something on this machine.
    """
    with tempfile.TemporaryDirectory(prefix="docassay-") as name:
        folder = Path(name)
        assert parser.descriptor is not None, "parsers of this repository have a folder"
        service = local.launch_parser(
            folder=parser.descriptor.folder,
            version=parser.version,
            setting=parser.setting,
            documents=folder,
            scratch=folder,
            socket=folder / "s",
        )
        try:
            local.wait(service)
            caller = client.ParserClient(service.address)
            warmed = caller.warmup(seconds=300, memory_bytes=_MEMORY, timeout=600)
            if warmed.state != pb.PARSER_STATE_READY:
                raise local.NotReady(warmed.state, warmed.reason)
            formats = caller.describe().formats
            return {probe.key: _verdict(caller, probe, folder) for probe in probes if probe.format in formats}
        finally:
            local.stop(service)


def _verdict(caller: client.ParserClient, probe: Probe, folder: Path) -> str:
    # Each its own name: a tool may keep what it found under the name of a file.
    path = folder / f"{hashlib.sha256(probe.key.encode()).hexdigest()[:32]}.{probe.format}"
    path.write_bytes(probe.make())
    header = pb.ParseHeader(
        document_id="d", format=probe.format, deadline_seconds=_SECONDS, memory_bytes=_MEMORY, path=path.name
    )
    sink = io.BytesIO()
    done = caller.parse(header, None, sink, timeout=2 * _SECONDS).done
    if done.worker_ended:
        caller.warmup(seconds=300, memory_bytes=_MEMORY, timeout=600)
    status = pb.ParseStatus.Name(done.status).removeprefix("PARSE_STATUS_").lower()
    if status != "ok":
        return status
    items = [json.loads(line) for line in sink.getvalue().splitlines()]
    return probe.ask(
        Output(
            text="".join(item["text"] for item in items if item["kind"] == "text"),
            headings=tuple(item for item in items if item["kind"] == "heading"),
            tables=tuple(item for item in items if item["kind"] == "table"),
        )
    )
