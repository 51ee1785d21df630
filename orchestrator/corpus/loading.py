"""Checking a corpus folder and loading it: everything that is wrong is said at once, and nothing is loaded then."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from orchestrator.corpus import advice, gold, reading, sgml
from orchestrator.corpus.layout import (
    ANNOTATION_SUFFIXES,
    MANIFEST,
    Corpus,
    CorpusError,
    Document,
    Fault,
    annotation_path,
)
from orchestrator.corpus.reading import MissingFile, ReadError, pointer, shown

_SCHEMAS = {"hierarchy": "headings", "tables": "tables", "qa": "qa"}

_LONGEST_ID = 200
"""Bytes: a file name may have 255, and the longest suffix comes after the id."""


def load(folder: Path) -> Corpus:
    """Check a corpus and load it.

    Raises:
        CorpusError: it has errors; all of them are listed, and the warnings.
    """
    corpus, faults = _examine(folder)
    if corpus is None:
        raise CorpusError(folder, tuple(faults))
    return corpus


def check(folder: Path) -> list[Fault]:
    """Return everything that is wrong with a corpus, errors and warnings, in the order of the manifest."""
    return _examine(folder)[1]


def _examine(folder: Path) -> tuple[Corpus | None, list[Fault]]:
    try:
        root = folder.resolve()
        if (fault := _no_manifest(folder, root)) is not None:
            return None, [fault]
        path = reading.locate(root, MANIFEST, named_at=(MANIFEST, ""))
        manifest, faults = reading.document(path, MANIFEST, schema_name="documents")
    except ReadError as error:
        return None, [error.fault]
    except (OSError, RuntimeError) as error:
        return None, [Fault(MANIFEST, "", f"the folder cannot be reached ({reading.reason(error)}); mend the path")]
    entries = list(_entries(manifest))
    faults += _repeated(entries, "id")
    faults += _repeated(entries, "path")
    documents = [_examine_document(root, index, entry, faults) for index, entry in entries]
    faults += _unlisted(root, entries)
    if any(not fault.warning for fault in faults):
        return None, faults
    loaded = tuple(document for document in documents if document is not None)
    return Corpus(manifest["name"], manifest["version"], root, _digest(loaded), loaded, tuple(faults)), faults


def _no_manifest(folder: Path, root: Path) -> Fault | None:
    """Return how a folder that is no corpus yet becomes one."""
    if not root.exists():
        return Fault(MANIFEST, "", f"the folder {shown(str(folder))} does not exist; correct its path")
    if not root.is_dir():
        return Fault(MANIFEST, "", f"{shown(str(folder))} is a file; name the folder of a corpus")
    if os.path.lexists(root / MANIFEST):
        return None
    return Fault(MANIFEST, "", f'the file "{MANIFEST}" is missing; make it with `{advice.init(folder)}`')


def _entries(manifest: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the entries, of which what the schema finds fault with may be of any kind, or missing."""
    documents = manifest.get("documents") if isinstance(manifest, dict) else None
    for index, entry in enumerate(documents if isinstance(documents, list) else ()):
        if isinstance(entry, dict):
            yield index, entry


def _repeated(entries: list[tuple[int, dict[str, Any]]], key: str) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for index, entry in entries:
        value = entry.get(key)
        if not isinstance(value, str):
            continue
        if value in first:
            place = pointer("documents", index, key)
            earlier = pointer("documents", first[value])
            yield Fault(
                MANIFEST, place, f"the {key} {shown(value)} is already that of {earlier}; give each document its own"
            )
        first.setdefault(value, index)


def _examine_document(root: Path, index: int, entry: dict[str, Any], faults: list[Fault]) -> Document | None:
    found = _examine_file(root, index, entry, faults)
    named = _examine_id(index, entry, faults)
    annotations, gold_digest = _examine_gold(root, entry, faults) if named else ((), "")
    if found is None or not named:
        return None
    path, digest, size = found
    assisted: Literal["none", "fetch", "parse"] = "fetch" if "source" in entry else "none"
    if entry.get("format") == "html" and sgml.is_wrapped(path):
        assisted = "parse"
    return Document(
        id=entry["id"],
        domain=entry.get("domain", "unknown"),
        format=entry.get("format", ""),
        pages=entry.get("pages"),
        path=path,
        sha256=digest,
        bytes=size,
        annotations=annotations,
        gold_digest=gold_digest,
        assisted=assisted,
    )


def _examine_id(index: int, entry: dict[str, Any], faults: list[Fault]) -> bool:
    """Say whether files can be looked for by the id."""
    if not isinstance(entry.get("id"), str):
        return False
    if len(entry["id"].encode(errors="replace")) > _LONGEST_ID:
        found = f"the id is longer than {_LONGEST_ID} bytes, too long for a file name; shorten it"
        faults.append(Fault(MANIFEST, pointer("documents", index, "id"), found))
        return False
    return True


def _examine_file(root: Path, index: int, entry: dict[str, Any], faults: list[Fault]) -> tuple[Path, str, int] | None:
    """Compare a document's file with what its entry says of it; return its path, digest and size."""
    named, expected, source = entry.get("path"), entry.get("sha256"), entry.get("source")
    if not isinstance(named, str):
        return None
    place = pointer("documents", index, "path")
    unfetched = f"{shown(named)} was not fetched yet from {shown(source)}; run {advice.fetch(root)}"
    if expected is None and "sha256" in entry:
        found = unfetched if source else "found null, which only a document with a source may have; name its digest"
        faults.append(Fault(MANIFEST, pointer("documents", index, "sha256"), found))
        return None
    try:
        path = reading.locate(root, named, named_at=(MANIFEST, place))
        digest = reading.digest(path, named)
        size = path.stat().st_size
    except MissingFile as error:
        faults.append(Fault(MANIFEST, place, unfetched) if source else error.fault)
        return None
    except ReadError as error:
        faults.append(error.fault)
        return None
    other_file = isinstance(expected, str) and digest != expected
    if other_file or (isinstance(entry.get("bytes"), int) and size != entry["bytes"]):
        faults.append(
            Fault(
                MANIFEST,
                pointer("documents", index, "sha256" if other_file else "bytes"),
                f"{shown(named)} has SHA-256 {digest} and {size} bytes, expected {shown(expected)}"
                f" and {shown(entry['bytes']) if 'bytes' in entry else 'any number of'} bytes; "
                "put the right file there, or correct the manifest",
            )
        )
    return path, digest, size


def _examine_gold(root: Path, entry: dict[str, Any], faults: list[Fault]) -> tuple[tuple[str, ...], str]:
    """Check the annotations an entry lists; return them in order, with the digest over their files."""
    axes = _axes(entry)
    digests, content = [], None
    for axis in axes:
        name = annotation_path(axis, entry["id"])
        try:
            path = reading.locate(root, name, named_at=(name, ""))
            digests.append((axis, reading.digest(path, name)))
            if axis == "content":
                content = reading.text(path, name)
                faults += gold.content(content, name)
                continue
            value, found = reading.document(path, name, schema_name=_SCHEMAS[axis])
        except ReadError as error:
            faults.append(error.fault)
            continue
        faults += found
        faults += _other_document(value, entry["id"], name)
        match axis:
            case "hierarchy":
                faults += gold.hierarchy(value, name)
            case "tables":
                faults += gold.tables(value, name)
            case "qa":
                faults += gold.questions(value, name, content)
    return axes, _sha256(digests)


def _axes(entry: dict[str, Any]) -> tuple[str, ...]:
    listed = entry.get("annotations")
    return tuple(axis for axis in ANNOTATION_SUFFIXES if isinstance(listed, list) and axis in listed)


def _other_document(value: Any, document: str, name: str) -> Iterator[Fault]:
    named = value.get("document") if isinstance(value, dict) else None
    if isinstance(named, str) and named and named != document:
        found = f"found {shown(named)}, expected {shown(document)} as in the file's name; correct it"
        yield Fault(name, "/document", found)


def _unlisted(root: Path, entries: list[tuple[int, dict[str, Any]]]) -> Iterator[Fault]:
    """Warn of annotation files that no entry lists: gold that would silently count for nothing."""
    listed = {annotation_path(axis, str(entry.get("id"))) for _, entry in entries for axis in _axes(entry)}
    for axis in ANNOTATION_SUFFIXES:
        try:
            names = sorted(path.name for path in (root / "annotations" / axis).iterdir())
        except OSError:
            continue  # no gold for this axis; a listed file that cannot be reached has its own fault
        for name in names:
            if f"annotations/{axis}/{name}" not in listed and not name.startswith("."):
                yield Fault(
                    f"annotations/{axis}/{name}",
                    "",
                    f"is not listed in {MANIFEST} and is not read; add {shown(axis)} to its document's annotations",
                    warning=True,
                )


def _digest(documents: tuple[Document, ...]) -> str:
    # Marked only where it is so: most corpora have no such document, and keep the digest they had.
    return _sha256(
        sorted(
            [d.id, d.domain, d.format, d.pages, d.sha256, list(d.annotations), d.gold_digest]
            + ([] if d.assisted == "none" else [d.assisted])
            for d in documents
        )
    )


def _sha256(value: list[Any]) -> str:
    written = json.dumps(value, separators=(",", ":")) if value else ""
    return hashlib.sha256(written.encode()).hexdigest()
