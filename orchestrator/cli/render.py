"""Tables for people. Everything that came from a parser or a file is escaped before it is printed."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from orchestrator.cli import values
from orchestrator.printable import printable
from scorer.counting import counted

AXES = ("coverage", "speed", "hierarchy", "faithfulness", "tables", "retrieval")
PLAIN_WIDTH = 160
"""Columns where there is no screen."""

SHORT = {"rank": "#", "pages/s": "p/s", "documents": "docs", "failed": "fail"}
SHORT |= {"text edit": "text", "formula CDM": "CDM", "table TEDS": "TEDS", "order edit": "order"}
SHORT |= {"homeless": "stray", "unpredicted": "miss"} | {
    name: name[:5] for name in ("composite", *AXES, "agreement", "characters", "headings")
}

FULL_WIDTH = 120
"""Columns of the screen from which the axes' names are written out."""

LEAST_WIDTH = 80
"""Columns below which figures would be cut off."""

INTERVAL_WIDTH = 100
"""Columns of the screen from which a composite's interval stands beside it."""

_WORDS = frozenset("parser format domain document headline verdict tag family remark element metric".split())
"""Columns of words; all others hold figures."""

LEGIBLE = 20
"""Columns a value may be folded into at least, in the table of a query."""

SHOWN_ROWS = 1000
"""Rows of a query printed as a table; --json and --csv print all."""


def console() -> Console:
    """Return where tables are printed: the terminal, else plain text wide enough for all columns."""
    found = Console()
    return found if found.is_terminal or "COLUMNS" in os.environ else Console(width=PLAIN_WIDTH)


def check(name: str, found: str, fault: str, console: Console) -> None:
    """Print one line of ``doctor``."""
    mark = "[red]✗[/]" if fault else "[green]✓[/]"
    console.print(f"{mark} {escape(name)}: {escape(found)}" + (f" — {escape(fault)}" if fault else ""), highlight=False)


def parsers(entries: Sequence[dict[str, Any]], console: Console) -> None:
    """Print the parsers of this repository."""
    table = Table(box=SIMPLE_HEAD)
    for name in ("parser", "versions", "formats", "gives", "licence", "here"):
        table.add_column(name, overflow="fold")
    for entry in entries:
        table.add_row(
            escape(entry["parser"]),
            escape(", ".join(entry["versions"])),
            escape(" ".join(entry["formats"])),
            escape(" ".join(entry["capabilities"])),
            escape(entry["licence"]),
            _state(entry),
        )
    console.print(table)
    usual = ", ".join(entry["parser"] for entry in entries if entry["usual"])
    console.print(f"in a run that names none: {escape(usual)}", highlight=False)
    for entry in entries:
        for setting, found in entry["settings"].items():
            name = f"{entry['parser']}@{found['version']}:{setting}"
            console.print(f"{escape(name)}, {_state(found)}: {escape(found['about'])}", highlight=False)
    for entry in entries:
        if entry["missing"]:
            console.print(f"[red]{escape(entry['parser'])}:[/] {escape(entry['missing'])}", highlight=False)
        for version, found in entry["older"].items():
            if found["missing"] and found["missing"] != entry["missing"]:
                name = f"{entry['parser']}@{version}"
                console.print(f"[red]{escape(name)}:[/] {escape(found['missing'])}", highlight=False)
        for setting, found in entry["settings"].items():
            if found["missing"] and found["missing"] != entry["missing"]:
                name = f"{entry['parser']}:{setting}"
                console.print(f"[red]{escape(name)}:[/] {escape(found['missing'])}", highlight=False)
    for entry in entries:
        if entry["licence_note"]:
            console.print(f"{escape(entry['parser'])}: {escape(entry['licence_note'])}", highlight=False)
        for version, own in entry["licences"].items():
            words = ": ".join(own.values())
            console.print(f"{escape(entry['parser'])}@{escape(version)}: {escape(words)}", highlight=False)


def _state(entry: Mapping[str, Any]) -> str:
    """Return whether a parser is ready here, in colour."""
    return f"[{'red' if entry['missing'] else 'green'}]{escape(entry['state'].replace('_', ' '))}[/]"


def rows(batches: Iterable[pa.RecordBatch], console: Console) -> None:
    """Print the rows of a query: as a table, or where the screen is too narrow for one, row below row."""
    names: list[str] = []
    shown: list[list[str]] = []
    count = 0
    for batch in batches:
        names = batch.schema.names
        for row in values.rows(batch):
            count += 1
            if count <= SHOWN_ROWS:
                shown.append([_cell(value) for value in row])
    if _fits(names, shown, console):
        _as_table(names, shown, console)
    else:
        _as_records(names, shown, console)
    if count > SHOWN_ROWS:
        console.print(f"{counted(count - SHOWN_ROWS, 'more row')}; --json or --csv prints all", style="yellow")


def _fits(names: Sequence[str], shown: Sequence[Sequence[str]], console: Console) -> bool:
    """Say whether a table has room for every name, and for so much of every value that it can be read."""
    widths = [cell_len(name) for name in names]
    for row in shown:
        cells = (Text.from_markup(cell).plain for cell in row)
        widths = [max(width, min(cell_len(cell), LEGIBLE)) for width, cell in zip(widths, cells, strict=True)]
    return sum(width + 2 for width in widths) <= console.width or len(names) == 1


def _as_table(names: Sequence[str], shown: Sequence[Sequence[str]], console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1))
    for name in names:
        table.add_column(escape(name), overflow="fold", min_width=cell_len(name) if len(names) > 1 else None)
    for row in shown:
        table.add_row(*row)
    console.print(table)


def _as_records(names: Sequence[str], shown: Sequence[Sequence[str]], console: Console) -> None:
    for number, row in enumerate(shown, 1):
        console.print(f"row {number}", style="bold", highlight=False)
        table = Table.grid(padding=(0, 1))
        table.add_column(style="dim", overflow="fold")
        table.add_column(overflow="fold")
        for name, cell in zip(names, row, strict=True):
            table.add_row(escape(name), cell)
        console.print(table)


def _cell(value: Any) -> str:
    match value:
        case None:
            return "[dim]–[/]"
        case bool():
            return values.written(value)
        case float():
            return f"{value:.4f}"
        case list():
            return _told(", ".join(item if isinstance(item, str) else values.written(item) for item in value))
        case dict():
            return _told(values.written(value))
        case _:
            return _told(str(value))


def _told(text: str) -> str:
    """Return a text that may have come from a parser as it may stand in a table."""
    return escape(printable(text))


def leaderboard(board: dict[str, Any], console: Console) -> None:
    """Print the leaderboard of a run: scores, breakdowns, what failed and why, who was not ready."""
    console = not_narrower(console)
    run = board["run"]
    console.print(
        f"{board['suite']} on {run['corpus_name']} {run['corpus_version']}, run {run['run_id']}",
        style="bold",
        markup=False,
        highlight=False,
    )
    table = table_of(("rank", "parser", "composite", *AXES, "pages/s", "failed"), console)
    for row in board["parsers"]:
        table.add_row(
            places(row),
            escape(row["parser"]),
            _composite(row, console, few=is_few(board)),
            *(score(row["axes"][axis], console) for axis in AXES),
            _rate(row["pages_per_second"], console),
            f"{row['failed']}/{row['documents']}",
        )
    console.print(table)
    if len(set(board["weights"].values())) > 1:
        weights = ", ".join(f"{axis} {board['weights'][axis]:g}" for axis in AXES)
        console.print(f"[yellow]weights of the composite:[/] {weights}", highlight=False)
    _certainty(board, console)
    for key in ("format", "domain"):
        _slices(board[f"by_{key}"], key, console)
    _annotate_first(board["annotate_first"], console)
    _remarks(board, console)


def not_narrower(console: Console) -> Console:
    """Return a console on which no figure is cut off: a very narrow screen wraps the lines itself."""
    return console if console.width >= LEAST_WIDTH else Console(file=console.file, width=LEAST_WIDTH)


def places(row: dict[str, Any]) -> str:
    """Return the places a parser may have; several when the documents do not tell it from others."""
    if row["rank"] is None:
        return "[dim]–[/]"
    return str(row["rank"]) if row["rank"] == row["last_rank"] else f"{row['rank']}–{row['last_rank']}"


def is_few(board: Mapping[str, Any]) -> bool:
    """Say whether the documents are so few that the percentile interval is too short to be shown."""
    return bool(board["certainty"] and board["certainty"]["few_documents"])


def how_many(known: Mapping[str, Any], noun: str) -> str:
    """Say how many documents or pages the figures rest on, and what it means if they are few."""
    count = counted(known["documents"], noun)
    if not known["few_documents"]:
        return count
    few = f"{count} {'is' if known['documents'] == 1 else 'are'} few"
    return f"[yellow]{few}:[/] small differences cannot be shown, intervals are wide"


def _interval(row: dict[str, Any], *, few: bool) -> list[float] | None:
    """Return a composite's interval: of the two, the one that holds for so many documents; None: not known."""
    interval: list[float] | None = row["composite_small_sample_interval" if few else "composite_interval"]
    return interval


def _composite(row: dict[str, Any], console: Console, *, few: bool) -> str:
    text = f"[bold]{score(row['composite'], console)}[/]"
    if console.width < INTERVAL_WIDTH:
        return text
    return f"{text} {brackets(_interval(row, few=few))}"


def brackets(interval: list[float] | None, form: str = ".2f") -> str:
    """Return an interval in brackets, escaped; a dash where none is known."""
    return escape(f"[{interval[0]:{form}}, {interval[1]:{form}}]") if interval else "[dim]–[/]"


def _certainty(board: dict[str, Any], console: Console) -> None:
    """Print how sure the composites are, and what the ranks mean."""
    known = board["certainty"]
    if known is None:
        return
    beside = console.width >= INTERVAL_WIDTH
    if len(board["parsers"]) > 1 or not beside:
        table = table_of(
            ("parser", *(() if beside else ("95 % interval",)), "gap to first", "95 % of the gap", "leads"), console
        )
        for row in board["parsers"]:
            behind = row["leads"] is not None and row["place"] != 1
            table.add_row(
                escape(row["parser"]),
                *(() if beside else (brackets(_interval(row, few=known["few_documents"])),)),
                score(row["gap"] if behind else None, console),
                brackets(row["gap_interval"] if behind else None),
                "[dim]–[/]" if row["leads"] is None else f"{row['leads']:.0%}",
            )
        console.print(table)
    resamples = f"{known['resamples']:,} resamples of the documents"
    console.print(f"{how_many(known, 'document')}. Intervals hold 95 %, from {resamples}.", highlight=False)
    if any(row["composite_interval"] is None for row in board["parsers"]):
        console.print("No interval: an axis rests on a single document, which says nothing of others.")
    elif any(_interval(row, few=known["few_documents"]) is None for row in board["parsers"]):
        console.print("No interval: of so few documents nothing is known of how much a score varies.")
    if any(row["rank"] != row["last_rank"] for row in board["parsers"]):
        console.print(
            "A rank such as 1–2: the documents do not show which place it is; the order is by composite alone."
        )


def _slices(cells: Sequence[dict[str, Any]], key: str, console: Console) -> None:
    """Print the axes of every parser within each format or domain, if there is more than one."""
    if len({cell[key] for cell in cells}) < 2:
        return
    axes = [axis for axis in AXES if axis != "speed"]
    table = table_of((key, "parser", "documents", *axes, "pages/s"), console)
    last = ""
    for cell in cells:
        table.add_row(
            "" if cell[key] == last else escape(cell[key]),
            escape(cell["parser"]),
            _cell(cell["documents"]),
            *(score(cell[axis], console) for axis in axes),
            _rate(cell["pages_per_second"], console),
        )
        last = cell[key]
    console.print(table)


def _annotate_first(documents: Sequence[dict[str, Any]], console: Console) -> None:
    """Print the documents without gold on which the parsers disagree most, and how their outputs differ in size."""
    if not documents:
        return
    console.print("documents without gold on which the parsers disagree most: annotate these first", style="bold")
    kinds = ("characters", "headings", "tables")
    table = table_of(("document", "agreement", *kinds), console)
    for row in documents:
        spans = (_span(row[f"fewest_{kind}"], row[f"most_{kind}"]) for kind in kinds)
        table.add_row(escape(row["document"]), score(row["agreement"], console), *spans)
    console.print(table)
    console.print('docassay sql "from annotate_first" lists all', highlight=False)


def _span(fewest: int | None, most: int | None) -> str:
    return _cell(fewest) if fewest == most else f"{_cell(fewest)}–{_cell(most)}"


def table_of(headings: Sequence[str], console: Console) -> Table:
    """Make a table of figures; on a narrow screen axes and counts have short names."""
    table = Table(box=SIMPLE_HEAD, padding=0 if _narrow(console) else (0, 1, 0, 0), pad_edge=False)
    for heading in headings:
        text = heading in _WORDS
        name = heading if not _narrow(console) else SHORT.get(heading, heading)
        table.add_column(name, justify="left" if text else "right", no_wrap=True)
    return table


def _narrow(console: Console) -> bool:
    return console.width < FULL_WIDTH


def score(value: float | None, console: Console) -> str:
    """Return a score; a dash for none."""
    return "[dim]–[/]" if value is None else f"{value:.3f}" if _narrow(console) else f"{value:.4f}"


def _rate(value: float | None, console: Console) -> str:
    return "[dim]–[/]" if value is None else f"{value:.1f}" if _narrow(console) else f"{value:.2f}"


def _remarks(board: dict[str, Any], console: Console) -> None:
    """Print what a reader must know before believing the numbers."""
    for row in board["failures"]:
        line = f"{row['parser']} {row['document']}: {row['status']}: {row['reason']}"
        if row["status"] != "unsupported":
            console.print(f"failed: {escape(line)}", highlight=False, soft_wrap=True)
    if more := board["failures_total"] - len(board["failures"]):
        console.print(f"{counted(more, 'more failure')}: docassay sql 'from failures'", highlight=False)
    for row in board["not_ready"]:
        line = f"{row['parser']}: {row['state']}: {row['reason']}"
        console.print(f"[yellow]not ready:[/] {escape(line)}", highlight=False, soft_wrap=True)
    if board["partial"]:
        reasons = "; ".join(board["partial_reasons"])
        console.print(f"[yellow]partial:[/] {escape(reasons)}: not comparable with a full run", highlight=False)
    if not board["run"]["exclusive"]:
        several = ", ".join(
            f"{row['parser']}: {row['replicas']} replicas" for row in board["parsers"] if row["replicas"] > 1
        )
        how = f"documents were parsed side by side ({several})" if several else "parsers ran where other work may run"
        console.print(
            f"[yellow]no exclusive run:[/] {escape(how)}: its speeds are never ranked beside an exclusive run's",
            highlight=False,
        )
    if not board["comparable"]:
        console.print("[yellow]conditions differ between parsers; each is ranked among its like[/]")
