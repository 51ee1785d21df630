"""What every table, view and column is for: read from the comments of the schema, written into the store and the docs.

The comment above a ``create`` describes the table, the comment behind a column the column.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILES = tuple(Path(__file__).with_name(f"{name}.sql") for name in ("schema", "views", "omnidoc"))
"""In the order in which they make a store: later ones use what earlier ones made."""

_CREATE = re.compile(r"create (table|view) (\w+)")
_TABLE_COLUMN = re.compile(r"    (\w+) .*-- (.+)$")
_VIEW_COLUMN = re.compile(r"    .*?(\w+),?\s+-- (.+)$")
_BEGIN, _END = "<!-- schema -->\n", "<!-- /schema -->\n"


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view: what it is for, and what each column is, in the order of the columns."""

    kind: str
    name: str
    text: str
    columns: tuple[tuple[str, str], ...]


def relations() -> tuple[Relation, ...]:
    """Return every table, then every view, in the order of the schema."""
    found = [relation for path in FILES for relation in _read(path)]
    return tuple(sorted(found, key=lambda relation: relation.kind))


def comments() -> Iterator[str]:
    """Yield the statements that put the descriptions into a store."""
    for relation in relations():
        yield f"comment on {relation.kind} {relation.name} is {_quoted(relation.text)}"
        for column, text in relation.columns:
            yield f"comment on column {relation.name}.{column} is {_quoted(text)}"


def markdown() -> str:
    """Return the reference part of ``docs/sql.md``."""
    parts = []
    for relation in relations():
        rows = "\n".join(f"| `{column}` | {text.replace('|', chr(92) + '|')} |" for column, text in relation.columns)
        parts.append(f"### {relation.kind} `{relation.name}`\n\n{relation.text}\n\n| column | |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


def rewritten(page: str) -> str:
    """Return a page with the reference between its two marks brought up to date."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{markdown()}\n{_END}{after}"


def _read(path: Path) -> Iterator[Relation]:
    for block in path.read_text().split(";\n"):
        found = _CREATE.search(block)
        if found is None:
            continue
        kind, name = found.groups()
        text = " ".join(line[3:] for line in block[: found.start()].splitlines() if line.startswith("-- "))
        pattern = _TABLE_COLUMN if kind == "table" else _VIEW_COLUMN
        matches = map(pattern.match, block[found.end() :].splitlines())
        yield Relation(kind, name, text, tuple((match[1], match[2]) for match in matches if match))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    _page = Path(sys.argv[1])
    _page.write_text(rewritten(_page.read_text()))
