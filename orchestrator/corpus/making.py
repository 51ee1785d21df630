"""Making a manifest for a folder of files, wherever in it they lie; nothing is moved, and no gold is needed."""

import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.corpus import advice, formats, reading, writing
from orchestrator.corpus.layout import ANNOTATION_SUFFIXES, MANIFEST, CorpusError, Fault, annotation_path
from orchestrator.corpus.reading import ReadError, reason, shown

_NOT_IN_IDS = re.compile(r'[\s\x00-\x1f\x7f/\\:*?"<>|,]+')
_ID_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is not in the manifest, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Made:
    """A manifest that was written: how many documents and how much gold it lists, and what it leaves out."""

    manifest: Path
    documents: int
    annotations: int
    skipped: tuple[Skipped, ...]


def init(folder: Path, *, name: str | None = None, domain: str = "unknown", replace: bool = False) -> Made:
    """Write ``documents.json`` for the PDF, DOCX, PPTX and HTML files and the page images of a folder.

    Ids come from file names. Gold that lies where the layout wants it is listed. Where there are HTML pages, images are
    taken to be theirs, and left out.

    Args:
        folder: searched with all folders below it, except hidden ones and ``annotations/``.
        name: the corpus's name; None: the one it has, else the folder's.
        domain: of every document that has none yet.
        replace: write over a manifest that is there. Its name, version and other keys stay, and so do its documents
            whose files are there, or were moved: all that it says of them but what the files tell (digest, size and
            gold, and the page count if the file is another). Those still to be fetched stay in it.

    Raises:
        CorpusError: a manifest is there already, or has a fault; there is nothing to list, or nothing can be written.
    """
    root = folder.resolve()
    manifest = root / MANIFEST
    if os.path.lexists(manifest) and not replace:
        text = (
            f"exists already and is not overwritten; run `{advice.init(folder, '--replace')}`, "
            "which keeps what it says of the documents it knows, or correct it by hand"
        )
        raise CorpusError(folder, (Fault(MANIFEST, "", text),))
    if not root.is_dir():
        what = "is a file; name the folder that holds the documents" if root.exists() else "does not exist; correct it"
        raise CorpusError(folder, (Fault(MANIFEST, "", f"the folder {shown(str(folder))} {what}"),))
    old = _read(folder, manifest) if os.path.lexists(manifest) else {}
    known = {entry["path"]: entry for entry in old.get("documents", ())}
    entries, skipped = _entries(root, known, domain)
    if not entries:
        found = "".join(f"\n  {file.path}: {file.reason}" for file in skipped)
        text = f"found no PDF, DOCX, PPTX, HTML or image file in the folder; put documents there{found}"
        raise CorpusError(folder, (Fault(MANIFEST, "", text),))
    content = {"name": root.name or "corpus", "version": "1"} | old | {"documents": entries}
    if name:
        content["name"] = name
    writing.whole(manifest, json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    return Made(manifest, len(entries), sum(len(entry.get("annotations", ())) for entry in entries), tuple(skipped))


def _entries(
    root: Path, known: Mapping[str, Mapping[str, Any]], domain: str
) -> tuple[list[dict[str, Any]], list[Skipped]]:
    skipped: list[Skipped] = []
    taken = {str(entry["id"]).casefold() for entry in known.values()}
    gone = {path: entry for path, entry in known.items() if not os.path.lexists(root / path) and "source" not in entry}
    contents = {entry["sha256"]: path for path, entry in known.items() if path not in gone}
    places = {entry["sha256"]: path for path, entry in gone.items()}
    entries = []
    paths = list(_files(root, skipped))
    # A person may have listed what is found by itself nowhere: a hidden file, say.
    paths += sorted(path for path in known.keys() - set(paths) if os.path.lexists(root / path))
    for path in paths:
        try:
            path.encode()
            located = reading.locate(root, path, named_at=(path, ""))
            sha256 = reading.digest(located, path)
            with located.open("rb") as source:
                head = source.read(formats.HEAD)
        except UnicodeEncodeError:
            skipped.append(Skipped(path.encode(errors="replace").decode(), "its name is not UTF-8; rename it"))
            continue
        except ReadError as error:
            skipped.append(Skipped(path, error.fault.text))
            continue
        old = known.get(path)
        if old is None:
            why = _why_not(located, head)
            if why is None and sha256 in contents:
                why = f"it is the same, byte by byte, as {contents[sha256]}"
            if why is not None:
                skipped.append(Skipped(path, why))
                continue
            contents[sha256] = path
            old = gone.pop(places.get(sha256, ""), {})  # the file was moved
        identifier = old["id"] if "id" in old else new_id(Path(path).stem, taken)
        made = {
            "id": identifier,
            "domain": domain,
            "format": formats.OF_EXTENSION.get(located.suffix.lower()),
            "pages": None,
            "origin": None,
            "licence": None,
        }
        told = {
            "path": path,
            "sha256": sha256,
            "bytes": located.stat().st_size,
            "annotations": [
                axis for axis in ANNOTATION_SUFFIXES if (root / annotation_path(axis, identifier)).is_file()
            ],
        }
        entry = {**made, **old, **told}
        if old.get("sha256") != sha256:
            entry["pages"] = None
        entries.append(entry)
    skipped += [Skipped(path, f"its file is gone; it was {shown(entry['id'])}") for path, entry in gone.items()]
    # What is still to be fetched has no file yet.
    entries += [dict(old) for path, old in known.items() if "source" in old and not os.path.lexists(root / path)]
    if any(entry["format"] == "html" for entry in entries):
        theirs = [entry for entry in entries if entry["format"] == "image" and entry["path"] not in known]
        entries = [entry for entry in entries if entry not in theirs]
        why = "it lies among HTML pages and may be a picture of theirs; if it is a page, add it to the manifest by hand"
        skipped += [Skipped(entry["path"], why) for entry in theirs]
    return entries, skipped


def _files(root: Path, skipped: list[Skipped]) -> Iterator[str]:
    """Yield every file's path inside the folder, in an order that does not depend on the file system."""

    def unreachable(error: OSError) -> None:
        skipped.append(Skipped(os.path.relpath(error.filename, root), f"cannot be listed ({reason(error)})"))

    for place, folders, files in os.walk(root, onerror=unreachable):
        inside = Path(place).relative_to(root)
        folders[:] = sorted(
            folder for folder in folders if not folder.startswith(".") and (inside / folder).as_posix() != "annotations"
        )
        for file in sorted(files):
            if not file.startswith(".") and (inside / file).as_posix() != MANIFEST:
                yield (inside / file).as_posix()


def _why_not(path: Path, head: bytes) -> str | None:
    """Return why a file is no document for a corpus, or None."""
    named = formats.OF_EXTENSION.get(path.suffix.lower())
    if named is None:
        return f"its extension {shown(path.suffix)} is none of {', '.join(formats.OF_EXTENSION)}"
    if not head:
        return "it is empty"
    found = formats.of(path, head)
    if found != named:
        return f"its extension says {named}, its content is {found}; rename it, or mend it"
    return None


def new_id(stem: str, taken: set[str]) -> str:
    """Make an id of a file's name: safe as a file name anywhere, and different from all others in more than case.

    Args:
        stem: the name, with its extension or without.
        taken: the ids that there are, in one case; the new one is added.
    """
    base = _NOT_IN_IDS.sub("_", unicodedata.normalize("NFC", stem)).lstrip(".-_")[:_ID_CHARACTERS] or "document"
    candidate, number = base, 2
    while candidate.casefold() in taken:
        candidate, number = f"{base}_{number}", number + 1
    taken.add(candidate.casefold())
    return candidate


def _read(folder: Path, manifest: Path) -> dict[str, Any]:
    """Return the manifest that is there.

    Raises:
        CorpusError: it has a fault: what it says of the documents would be lost.
    """
    try:
        value, faults = reading.document(manifest, MANIFEST, schema_name="documents")
    except ReadError as error:
        faults = [error.fault]
    if found := tuple(fault for fault in faults if not fault.warning):
        text = "is not replaced as long as that is so: mend it, or move it away to begin anew"
        raise CorpusError(folder, (*found, Fault(MANIFEST, "", text)))
    return dict(value)
