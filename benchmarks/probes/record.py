"""The record of what every parser makes of every probe, and the tables that are written from it."""

import json
from collections.abc import Mapping
from pathlib import Path

from benchmarks.probes.corpus import PROBES
from orchestrator import local, selection

RECORD = Path(__file__).with_name("record.json")
PAGE = local.ROOT / "docs" / "parsers.md"
BEGIN, END = "<!-- probes: made by python -m benchmarks.probes -->", "<!-- end of probes -->"

_FORMATS = ("pdf", "docx", "pptx", "html")

Record = Mapping[str, Mapping[str, str]]
"""Verdicts by probe, by parser as ``name@version:setting``."""


def read() -> dict[str, dict[str, str]]:
    """Return the record."""
    found: dict[str, dict[str, str]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def write(record: Record) -> None:
    """Write the record, and the tables of the page that shows it."""
    content = json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True)
    RECORD.write_text(f"{content}\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables(record)}\n{END}{after}", encoding="utf-8")


def tables(record: Record) -> str:
    """Return a table a format: a row a probe, a column a parser in its newest version that is recorded."""
    newest = {}
    for entry in selection.available(local.SERVICES):
        for version in reversed(entry.versions):
            for setting in ("", *entry.settings_of(version)):
                key = f"{entry.name}@{version}" + (f":{setting}" if setting else "")
                if key in record:
                    newest[entry.name, setting] = key
    return "\n".join(_table(format, record, sorted(newest.values())) for format in _FORMATS)


def _table(format: str, record: Record, parsers: list[str]) -> str:
    probes = [probe for probe in PROBES if probe.format == format]
    columns = [parser for parser in parsers if any(probe.key in record[parser] for probe in probes)]
    lines = [
        f"| {format.upper()} | {' | '.join(columns)} |",
        f"|{'---|' * (len(columns) + 1)}",
        *(
            f"| {probe.name} | {' | '.join(record[parser].get(probe.key, '') for parser in columns)} |"
            for probe in probes
        ),
    ]
    return "\n".join([*lines, ""])
