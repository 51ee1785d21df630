"""Send a folder of difficult files through parsers: ``python -m benchmarks.difficult FOLDER [PARSER ...]``.

Each parser gets a run of its own by the command line, with a deadline a document. Prints a line a parser with how many
files ended how, then what is wrong: a run that was given up, a file without a row, a parse beyond its deadline, a
reason that cannot be read. Ends with 1 when something is. ``--reasons`` prints every reason as well.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.difficult import readable
from orchestrator import local, selection
from orchestrator.corpus.making import new_id
from scorer.store import query

FORMATS = {".pdf": "pdf", ".docx": "docx", ".pptx": "pptx", ".html": "html", ".htm": "html"}
STATUSES = ("ok", "empty", "error", "encrypted", "timeout", "oom", "crash", "unsupported")
LATE_SECONDS = 5.0
"""How much later than the deadline a parse may be seen to end: the worker has to be killed first."""

_ROWS = """
select document, status, reason, coalesce(seconds, sent_to_done_seconds, 0) as seconds from parses
where run_id = (select max(run_id) from runs) order by document
"""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one file."""

    document: str
    status: str
    reason: str
    seconds: float


def main() -> int:
    """Run every parser over the files and print what became of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="PDF, DOCX, PPTX and HTML files")
    parser.add_argument("parsers", nargs="*", help="as --parsers takes them; without: every one in its default setting")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds a document may take")
    parser.add_argument("--reasons", action="store_true", help="print every reason")
    options = parser.parse_args()
    parsers = options.parsers or [entry.name for entry in selection.available(local.SERVICES)]
    wrong = 0
    print(f"| parser | {' | '.join(STATUSES)} |\n|{'---|' * (len(STATUSES) + 1)}")
    with tempfile.TemporaryDirectory(prefix="docassay-") as name:
        corpus = Path(name) / "corpus"
        documents = manifest(options.folder, corpus)
        for number, key in enumerate(parsers):
            rows, said = run(key, corpus, Path(name) / str(number), options.timeout)
            counted = Counter(row.status for row in rows)
            print(f"| {key} | {' | '.join(str(counted[status]) for status in STATUSES)} |", flush=True)
            for fault in faults(rows, documents, options.timeout) if rows else [f"no rows: {said}"]:
                wrong += 1
                print(f"{key}: {fault}", flush=True)
            for row in rows if options.reasons else ():
                if row.status not in ("ok", "unsupported"):
                    print(f"{key}: {row.document}: {row.seconds:.1f} s: {row.status}: {row.reason}", flush=True)
    return 1 if wrong else 0


def manifest(folder: Path, corpus: Path) -> list[str]:
    """Make a corpus of all files, whatever is wrong with them; return the ids: the names, made safe."""
    corpus.mkdir()
    entries = []
    taken: set[str] = set()
    for path in sorted(path for path in folder.iterdir() if path.suffix.lower() in FORMATS):
        if not path.is_file():
            print(f"{path}: left out: it is no file", file=sys.stderr)
            continue
        content = path.read_bytes()
        identity = new_id(path.name, taken)
        (corpus / identity).write_bytes(content)
        entries.append(
            {
                "id": identity,
                "format": FORMATS[path.suffix.lower()],
                "path": identity,
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        )
    if not entries:
        sys.exit(f"{folder}: no file ends in {', '.join(FORMATS)}; name the folder that holds them")
    written = json.dumps({"name": "difficult", "version": "1", "documents": entries})
    (corpus / "documents.json").write_text(written, encoding="utf-8")
    return [str(entry["id"]) for entry in entries]


def run(parser: str, corpus: Path, results: Path, seconds: float) -> tuple[list[Row], str]:
    """Parse the corpus with one parser; return the rows, none when the run was given up, and its last words."""
    done = subprocess.run(
        [
            *(sys.executable, "-c", "from orchestrator.cli import main; main()", "parse", "--local"),
            *("--corpus", corpus, "--parsers", parser, "--timeout", f"{seconds:g}", "--results", results),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=local.ROOT,
    )
    if done.returncode:
        return [], " ".join(done.stderr.split())[-1_000:]
    return [Row(**row) for row in query.table(results, _ROWS).to_pylist()], ""


def faults(rows: Sequence[Row], documents: Sequence[str], seconds: float) -> Iterator[str]:
    """Yield what is wrong with the rows of one parser."""
    found = Counter(row.document for row in rows)
    for document in documents:
        if found[document] != 1:
            yield f"{document}: {found[document]} rows, expected one"
    for row in rows:
        if row.seconds > seconds + LATE_SECONDS:
            yield f"{row.document}: ended after {row.seconds:.1f} s, the deadline was {seconds:g} s"
        if row.status != "ok" and (unreadable := readable.faults(row.reason)):
            yield f"{row.document}: {row.status}: its reason has {', '.join(unreadable)}: {row.reason!r}"


if __name__ == "__main__":
    sys.exit(main())
