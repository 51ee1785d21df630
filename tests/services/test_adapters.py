"""Every parser of this repository, each version and setting in its own environment, on the built-in documents.

What a machine lacks a program or weights for is skipped with the reason that people are told.
"""

import json
import sys
from collections.abc import Iterator
from io import BytesIO
from typing import Any, get_args

import pytest

from docassay.v1 import parser_pb2 as pb
from orchestrator import client, environments, local, selection
from orchestrator.selection import Selected
from services.runtime import descriptor, form

PAGED = ("pdf", "pptx", "image")
"""The formats whose files have pages of their own."""

PROBES = local.SERVICES / "runtime" / "probes"
SELECTED = [
    Selected(entry.name, version, setting, entry)
    for entry in selection.available(local.SERVICES)
    for version in entry.versions
    for setting in ("", *entry.settings_of(version))
]


@pytest.fixture(scope="module", params=SELECTED, ids=lambda selected: selected.key)
def parser(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[client.ParserClient, pb.DescribeResponse]]:
    selected: Selected = request.param
    assert selected.descriptor is not None
    if "\ntorchvision==" in selected.descriptor.lock(selected.version, selected.setting).read_text():
        pytest.skip(f"the environment of {selected.key} has GPU libraries: several GB")
    folder = tmp_path_factory.mktemp(selected.name)
    try:
        service = local.launch_parser(
            folder=local.SERVICES / selected.name,
            version=selected.version,
            setting=selected.setting,
            documents=PROBES,
            scratch=folder,
            socket=folder / "s",
        )
    except local.NotReady as error:
        pytest.skip(str(error))
    local.wait(service)
    caller = client.ParserClient(service.address)
    warmed = caller.warmup(seconds=300, memory_bytes=4 << 30, timeout=600)
    if warmed.state == pb.PARSER_STATE_REQUIREMENT_MISSING:
        caller.shutdown()
        caller.close()
        service.process.wait(timeout=60)
        pytest.skip(warmed.reason)
    assert warmed.state == pb.PARSER_STATE_READY, warmed.reason
    assert all(probe.status == pb.PARSE_STATUS_OK for probe in warmed.probes)
    yield caller, caller.describe()
    caller.shutdown()
    caller.close()
    assert service.process.wait(timeout=60) == 0


def probe(format: str) -> str:
    """Return the name of the built-in document of a format."""
    return f"probe.{'png' if format == 'image' else format}"


def parse(caller: client.ParserClient, format: str) -> tuple[pb.Done, list[dict[str, Any]]]:
    header = pb.ParseHeader(
        document_id="a", format=format, deadline_seconds=120, memory_bytes=4 << 30, path=probe(format)
    )
    sink = BytesIO()
    done = caller.parse(header, None, sink, timeout=240).done
    return done, [json.loads(line) for line in sink.getvalue().splitlines()]


class TestEveryVersion:
    def test_what_it_declares(self, parser: tuple[client.ParserClient, pb.DescribeResponse]) -> None:
        """Each declared format gives the document's text, and structure of the declared kind in its place."""
        caller, told = parser
        for format in told.formats:
            done, items = parse(caller, format)
            assert done.status == pb.PARSE_STATUS_OK, done.reason
            assert items[0]["kind"] == "meta"
            text = "".join(item["text"] for item in items if item["kind"] == "text")
            assert "The quick brown fox" in " ".join(text.split())
            kinds = {item["kind"] for item in items}
            assert kinds - {"meta", "text"} <= {name.removesuffix("s") for name in told.capabilities}
            for block in (item for item in items if item["kind"] == "block"):
                assert 1 <= block["page"] <= (items[0]["pages"] or block["page"])
                assert block["label"] in get_args(form.Label)
                left, top, right, bottom = block["box"]
                assert 0 <= left <= right <= 1
                assert 0 <= top <= bottom <= 1
            if format in PAGED or "pages" not in told.capabilities:
                assert (items[0]["pages"] is not None) == ("pages" in told.capabilities)
            for table in (item for item in items if item["kind"] == "table"):
                for index, row in enumerate(table["rows"]):
                    assert all(cell["row"] == index for cell in row["cells"])
            for index, heading in enumerate(item for item in items if item["kind"] == "heading"):
                assert heading["text"]
                assert heading["parent"] in (None, "ROOT") or heading["parent"] < index

    def test_chunks(self, parser: tuple[client.ParserClient, pb.DescribeResponse]) -> None:
        """Chunks of a document sent as bytes hold its text, and say whose they are."""
        caller, told = parser
        format = told.formats[0]
        header = pb.ParseHeader(document_id="a", format=format, deadline_seconds=120, memory_bytes=4 << 30)
        done = caller.parse(header, PROBES / probe(format), BytesIO(), timeout=240).done
        sink = BytesIO()
        chunked = caller.chunk(done.parse_id, sink, timeout=240)
        assert chunked.status == pb.PARSE_STATUS_OK, chunked.reason
        assert (chunked.native, chunked.chunker) == (told.native_chunker, told.chunker)
        chunks = [json.loads(line) for line in sink.getvalue().splitlines()]
        assert any("The quick brown fox" in chunk["text"] for chunk in chunks)
        # A heading is apart or in the text, never both: it would be counted twice.
        for chunk in chunks:
            assert not any(heading in chunk["text"] for heading in chunk["heading"] or ())


def test_two_versions_side_by_side() -> None:
    """Two versions of one tool have two environments, and each service runs its own."""
    folder = local.SERVICES / "docslicer"
    found = {
        version: environments.python_of(
            descriptor.read(folder).lock(version), python=sys.executable, label=f"docslicer-{version}"
        )
        for version in ("0.2.5", "0.2.0")
    }
    assert len(set(found.values())) == 2
    for version, python in found.items():
        [metadata] = python.parent.parent.glob("lib/*/site-packages/docslicer-*.dist-info")
        assert metadata.name == f"docslicer-{version}.dist-info"
