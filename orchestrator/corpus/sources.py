"""Fetching the documents that a manifest names by their address. ``corpus fetch`` does it; a run fetches nothing.

The standard library's client is enough: it speaks HTTP alone here, follows redirects, and knows proxies.
"""

import hashlib
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from orchestrator.corpus import formats, loading, reading, writing
from orchestrator.corpus.layout import MANIFEST, Corpus, CorpusError, Fault
from orchestrator.corpus.reading import ReadError, pointer, shown
from orchestrator.printable import printable
from scorer.counting import counted

SECONDS = 60.0
"""A server that sends nothing for so long is given up."""

LARGEST = 1 << 30
"""Bytes that a document may have."""

_BLOCK = 1 << 20


class FetchError(Exception):
    """Something could not be fetched; the message says why and what to do."""


def fetch_sources(folder: Path, told: Callable[[str], None] = lambda _: None) -> Corpus:
    """Fetch every document of a corpus that has a source and does not lie in its place; return the corpus, loaded.

    A document whose digest the manifest leaves open gets that of what came: from then on it is that document. What came
    before an interruption is kept, and the same call goes on.

    Args:
        folder: a corpus.
        told: is given a line for every document that came.

    Raises:
        CorpusError: the corpus has faults, or its manifest cannot be written.
        FetchError: documents did not come; each is named, the others are there.
    """
    root = folder.resolve()
    try:
        manifest, faults = reading.document(
            reading.locate(root, MANIFEST, named_at=(MANIFEST, "")), MANIFEST, schema_name="documents"
        )
    except ReadError as error:
        raise CorpusError(folder, (error.fault,)) from None
    if any(not fault.warning for fault in faults):
        raise CorpusError(folder, tuple(faults))
    failed = []
    for entry, path in _absent(folder, root, manifest):
        try:
            digest, size = _fetch(entry["source"], path, format=entry["format"], expected=entry["sha256"])
        except FetchError as error:
            failed.append(f"{entry['id']}: {entry['source']}: {error}, or put the file at {path} yourself")
            continue
        if entry["sha256"] is None:
            entry["sha256"], entry["bytes"] = digest, size
            writing.whole(root / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
        told(f"fetched {entry['id']}: {counted(size, 'byte')} from {entry['source']}")
    if failed:
        raise FetchError(printable("\n".join(failed)))
    return loading.load(folder)


def _absent(folder: Path, root: Path, manifest: Any) -> list[tuple[dict[str, Any], Path]]:
    """Return the entries to fetch, and where each goes.

    Raises:
        CorpusError: something can go nowhere.
    """
    absent, faults = [], []
    for index, entry in enumerate(manifest["documents"]):
        if "source" not in entry:
            continue
        try:
            path = reading.inside(root, entry["path"], named_at=(MANIFEST, pointer("documents", index, "path")))
            if not path.exists() or reading.digest(path, entry["path"]) != entry["sha256"]:
                absent.append((entry, path))
        except ReadError as error:
            faults.append(error.fault)
        except OSError as error:
            text = f"no file can lie at {shown(entry['path'])} ({reading.reason(error)}); correct it"
            faults.append(Fault(MANIFEST, pointer("documents", index, "path"), text))
    if faults:
        raise CorpusError(folder, tuple(faults))
    return absent


def _fetch(source: str, path: Path, *, format: str, expected: str | None) -> tuple[str, int]:
    """Get a document into its place; return its digest and size.

    Raises:
        FetchError: it did not come, or another did; nothing is left of it.
    """
    try:
        request = urllib.request.Request(source, headers={"User-Agent": "docassay"})
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            path.parent.mkdir(parents=True, exist_ok=True)
            with writing.replacing(path) as sink:
                digest, size = _copied(answer, sink)
                sink.flush()
                if expected not in (None, digest):
                    raise FetchError(
                        f"what came has SHA-256 {digest}, expected {expected}: the document there is another now; "
                        "set its sha256 to null to take it"
                    )
                if expected is None and (found := _another(Path(sink.name), format)):
                    raise FetchError(f"what came is {found}, its format is {format}; correct the address or the format")
    except urllib.error.HTTPError as error:
        raise FetchError(f"the server answered {error.code} {error.reason}; correct the address") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        why = error.reason if isinstance(error, urllib.error.URLError) else error
        raise FetchError(f"it could not be fetched ({why}); run the same command again when it can") from error
    return digest, size


def _another(path: Path, format: str) -> str:
    """Return what a file plainly is instead of what it should be; empty where it may be damaged, locked or wrapped."""
    with path.open("rb") as source:
        found = formats.of(path, source.read(formats.HEAD))
    text = ("plain text",) if format != "html" else ()
    return found if found != format and found in (*formats.OF_EXTENSION.values(), *text) else ""


def _copied(answer: http.client.HTTPResponse, sink: IO[bytes]) -> tuple[str, int]:
    """Copy an answer's whole body; return its digest and size."""
    told, digest, size = answer.length, hashlib.sha256(), 0
    while block := answer.read(_BLOCK):
        size += len(block)
        if size > LARGEST:
            raise FetchError(f"it is larger than {LARGEST >> 20} MiB; correct the address")
        digest.update(block)
        sink.write(block)
    if told is not None and size != told:
        raise FetchError(f"the connection broke after {size} of {told} bytes; run the same command again")
    if not size:
        raise FetchError("the server sent nothing; correct the address")
    return digest.hexdigest(), size
