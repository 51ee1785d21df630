"""Compare the adapters with recorded outputs of the tools: ``python -m benchmarks.adapter_fidelity``.

Every annotated document of the real corpus goes through the local service; its text, headings and tables must be those
recorded by an independent extraction (``bizdocbench/real`` of the oracles). Where the text differs, the tool itself is
called several times in fresh processes, with nothing of docassay around it: only a document to which the tool gives
more than one text by itself is let off. Exit code 1 when an unexplained difference remains.

``--largest`` leaves out documents above a size; CI runs up to 100 kB, which takes under three minutes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.adapter_fidelity.compare import differences
from docassay.v1 import parser_pb2 as pb
from orchestrator import client, environments, local
from services.runtime import descriptor

PARSERS = ("markitdown@0.1.9", "opendataloader@2.5.16")
REPEATS = 4
"""Fresh processes of the tool itself for a document whose text differs."""

_MEMORY = 8 << 30
_SECONDS = 600.0
_BARE = Path(__file__).parent.parent / "harness_fidelity" / "bare.py"


def main() -> int:
    """Compare and report as JSON; 0 when every difference is the tool's own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--corpus",
        type=Path,
        default=_folder("DOCASSAY_CORPUS", "real"),
        help="the folder of documents.json; $DOCASSAY_CORPUS/real unless given",
    )
    parser.add_argument(
        "--oracles",
        type=Path,
        default=_folder("DOCASSAY_ORACLES", "bizdocbench/real"),
        help="the folder with a folder of recorded outputs a parser; $DOCASSAY_ORACLES/bizdocbench/real unless given",
    )
    parser.add_argument("--largest", type=int, default=1 << 40, help="bytes of the largest document compared")
    parser.add_argument("--parsers", nargs="+", default=PARSERS)
    options = parser.parse_args()
    if options.corpus is None or options.oracles is None:
        parser.error("set DOCASSAY_CORPUS and DOCASSAY_ORACLES, or name both folders")
    results = [_parser(name, options.corpus, options.oracles, options.largest) for name in options.parsers]
    print(json.dumps(results, indent=1, ensure_ascii=False))
    return 0 if all(result["held"] for result in results) else 1


def _folder(variable: str, below: str) -> Path | None:
    named = os.environ.get(variable)
    return Path(named) / below if named else None


def _parser(selector: str, corpus: Path, oracles: Path, largest: int) -> dict[str, Any]:
    name, version = selector.split("@")
    manifest = json.loads((corpus / "documents.json").read_text())
    documents = {entry["id"]: entry for entry in manifest["documents"]}
    chosen, skipped = [], 0
    for path in sorted((oracles / name).glob("*.json")):
        entry = json.loads(path.read_text())
        if entry["version"] != version:
            raise SystemExit(f"{path} was recorded with {name} {entry['version']}, not {version}")
        if documents[entry["document"]]["bytes"] <= largest:
            chosen.append(entry)
        else:
            skipped += 1
    if not chosen:
        raise SystemExit(
            f"nothing to compare: {oracles / name} has {skipped} recorded outputs (*.json), none of a document of at "
            f"most {largest} bytes"
        )
    compared = 0
    found: dict[str, dict[str, Any]] = {}
    with _service(name, version, corpus) as parser:
        for expected in chosen:
            document = documents[expected["document"]]
            done, lines = _parse(parser, document)
            differing = differences(expected["output"], lines if done.parse_id else None)
            compared += 1
            if differing:
                print(f"{selector} {document['id']}: {differing}", file=sys.stderr, flush=True)
                found[document["id"]] = {"status": pb.ParseStatus.Name(done.status), "differences": differing}
    for identity, entry in found.items():
        texts = _own_texts(name, version, corpus / documents[identity]["path"])
        entry["texts_of_the_tool_itself"] = len(texts)
        entry["explained"] = len(texts) > 1
    return {
        "parser": selector,
        "compared": compared,
        "left_out_by_size": skipped,
        "differing": found,
        "held": all(entry["explained"] for entry in found.values()),
    }


@contextmanager
def _service(name: str, version: str, corpus: Path) -> Iterator[client.ParserClient]:
    with tempfile.TemporaryDirectory(prefix="fidelity-") as scratch:
        started = local.launch_parser(
            folder=local.SERVICES / name,
            version=version,
            setting="",
            documents=corpus,
            scratch=Path(scratch),
            socket=Path(scratch) / "s",
        )
        local.wait(started)
        parser = client.ParserClient(started.address)
        try:
            parser.warmup(seconds=_SECONDS, memory_bytes=_MEMORY, timeout=2 * _SECONDS)
            yield parser
            parser.shutdown()
        finally:
            parser.close()
            local.stop(started)


def _parse(parser: client.ParserClient, document: dict[str, Any]) -> tuple[pb.Done, Iterable[dict[str, Any]]]:
    header = pb.ParseHeader(
        document_id=document["id"],
        format=document["format"],
        deadline_seconds=_SECONDS,
        memory_bytes=_MEMORY,
        path=document["path"],
    )
    with tempfile.TemporaryFile() as sink:
        answer = parser.parse(header, None, sink, timeout=2 * _SECONDS)
        sink.seek(0)
        return answer.done, [json.loads(line) for line in sink]


def _own_texts(name: str, version: str, document: Path) -> set[str | None]:
    """Return the digests of the texts the tool gives by itself, each time in a fresh process."""
    lock = descriptor.read(local.SERVICES / name).lock(version)
    python = environments.python_of(lock, python=sys.executable, label=f"{name}-{version}")
    texts: set[str | None] = set()
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory(prefix="fidelity-") as home:
            told = subprocess.run(
                [python, "-I", _BARE, name],
                input=f"{document}\n",
                capture_output=True,
                text=True,
                env={"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"},
                cwd=home,
                check=True,
            )
            texts.add(json.loads(told.stdout)["digest"])
    return texts


if __name__ == "__main__":
    sys.exit(main())
