"""``parsers``, ``doctor`` and ``verify``: what is here, whether it works, whether the measures are right."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from orchestrator import environments, local, machine, selection
from orchestrator.cli import options, render
from orchestrator.cli.failures import BAD_INPUT, FAILED, UsageError
from orchestrator.printable import printable
from scorer.conformance import Outcome
from scorer.counting import counted
from services.runtime import readiness
from services.runtime.descriptor import Descriptor, DescriptorError

verify_app = typer.Typer(no_args_is_help=True, help="Compare the measures with recorded answers, case by case.")


def add_to(app: typer.Typer) -> None:
    """Add the subcommands."""
    app.command(name="parsers")(parsers)
    app.command(name="doctor")(doctor)
    app.add_typer(verify_app, name="verify")


def parsers(as_json: options.Json = False) -> None:
    """List the parsers of this repository: versions, formats, licence, and what is missing here.

    Read the licences before you ship a tool.

    Example: `docassay parsers`
    """
    entries = [
        {
            "parser": entry.name,
            "title": entry.title,
            "versions": list(entry.versions),
            "settings": {
                name: {
                    "about": setting.about,
                    "version": (version := _newest(entry, name)),
                    **_state(entry, version, name),
                }
                for name, setting in entry.settings.items()
            },
            "formats": list(entry.formats),
            "capabilities": list(entry.capabilities),
            "licence": entry.licence,
            "licence_note": entry.licence_note,
            "usual": entry.usual,
            **_state(entry, entry.versions[0]),
            "older": {version: _state(entry, version) for version in entry.versions[1:]},
            "formats_of_versions": {
                version: list(entry.by_version.get(version, {}).get("formats", entry.formats))
                for version in entry.versions
            },
            "licences": {
                version: {key: chosen[key] for key in ("licence", "licence_note") if key in chosen}
                for version, chosen in entry.by_version.items()
                if "licence" in chosen
            },
        }
        for entry in selection.available(local.SERVICES)
    ]
    if as_json:
        typer.echo(json.dumps(entries, indent=1))
    else:
        render.parsers(entries, render.console())


def _newest(entry: Descriptor, setting: str) -> str:
    """Return the newest version that has a setting."""
    return next(version for version in entry.versions if setting in entry.settings_of(version))


def _state(entry: Descriptor, version: str, setting: str = "") -> dict[str, str]:
    """Return the ``state`` of a version in a setting here, and what is ``missing``; empty for nothing.

    A version whose lock is yet to be made lacks that, and is no fault of the other parsers.
    """
    try:
        state, missing = local.readiness_of(entry.chosen(version, setting))
    except DescriptorError as error:
        state, missing = readiness.REQUIREMENT_MISSING, str(error)
    return {"state": state, "missing": missing}


def doctor() -> None:
    """Check this machine: Python, uv, CPUs, memory, space, what each parser needs, whether the clock keeps its pace.

    Example: `docassay doctor`
    """
    console, faults = render.console(), 0
    for name, found, fault in _checks():
        faults += bool(fault)
        render.check(name, found, fault, console)
    if faults:
        raise typer.Exit(FAILED)


def _checks() -> Iterator[tuple[str, str, str]]:
    """Yield what is looked at, what was found, and what is wrong with it (empty for nothing)."""
    yield "Python", f"{sys.version.split()[0]} at {sys.executable}", ""
    here = machine.machine()
    cpus = sorted(os.sched_getaffinity(0))
    yield "CPUs", f"{len(cpus)} of {here.cpus} usable, {here.cpu_model}", ""
    yield "memory", f"{here.memory_bytes >> 30} GiB", "" if here.memory_bytes >= 4 << 30 else "parsers get 4 GiB each"
    cache = environments.cache_folder()
    existing = next(folder for folder in (cache, *cache.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    yield "cache", f"{cache}, {free >> 30} GiB free", "" if free >= 2 << 30 else "environments need 2 GiB"
    paces = [machine.calibrate() for _ in range(5)]
    spread = max(paces) / min(paces) - 1
    yield (
        "pace",
        f"varies by {spread:.1%}",
        "" if spread <= 0.05 else "too busy for speeds that count: close other programs",
    )
    for entry in selection.available(local.SERVICES):
        # What the usual parsers lack is a fault of this machine; what the others lack is how it is.
        missing = _state(entry, entry.versions[0])["missing"]
        found = f"{', '.join(entry.versions)}{f'; not here: {missing}' if missing and not entry.usual else ''}"
        yield f"parser {entry.name}", found, missing if entry.usual else ""


@verify_app.command(name="bizdoc")
def verify_bizdoc(
    path: Annotated[Path, typer.Argument(help="cases.jsonl, a folder of real outputs, or published.json.")],
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", help="Where the gold of real outputs lies; $DOCASSAY_CORPUS/real without."),
    ] = None,
) -> None:
    """Compare the bizdoc measures with recorded answers.

    Example: `docassay verify bizdoc cases.jsonl`
    """
    from scorer.conformance import bizdoc  # a suite is imported by who needs it: that takes a second

    _report(path, bizdoc.verify(path, corpus=corpus or options.real_corpus()))


@verify_app.command(name="omniparse")
def verify_omniparse(
    path: Annotated[
        Path,
        typer.Argument(
            help="A file of recorded cases or units, a gold file, a dataset, a run folder or a folder of run folders "
            "(its dataset/ beside that folder), or a folder of all these."
        ),
    ],
) -> None:
    """Compare the omniparse verdicts with recorded answers, reasons included, in both released modes.

    Example: `docassay verify omniparse cases.jsonl`
    """
    from scorer.conformance import omniparse

    _report(path, omniparse.verify(path))


@verify_app.command(name="omnidoc")
def verify_omnidoc(
    path: Annotated[Path, typer.Argument(help="Recorded cases, a results file, a leaderboard, or a folder of them.")],
    cdm: Annotated[
        bool,
        typer.Option("--cdm", help="Draw the formulas and compare CDM too: needs LaTeX."),
    ] = False,
) -> None:
    """Compare the omnidoc evaluation with recorded answers; CDM only when asked for.

    Example: `docassay verify omnidoc results/end2end --cdm`
    """
    from scorer.conformance import omnidoc
    from scorer.renderers import FormulaRenderer

    renderer = FormulaRenderer(workers=len(os.sched_getaffinity(0))) if cdm else None
    _report(path, omnidoc.verify(path, formula_scorer=renderer))


@verify_app.command(name="odl")
def verify_odl(
    predictions: Annotated[Path, typer.Argument(help="A folder of predictions with a recorded evaluation.json.")],
    gold: Annotated[Path, typer.Option("--gold", help="The folder of ground truth.")],
) -> None:
    """Compare the odl measures with a recorded evaluation.

    Example: `docassay verify odl prediction/markitdown --gold ground-truth`
    """
    from scorer.conformance import odl

    _report(predictions, odl.verify(predictions, gold=gold))


def _report(path: Path, outcomes: Iterator[Outcome]) -> None:
    """Print every difference, fault and skipped case as it is found, then the counts.

    Exit 2 when some recording could not be read, for then not all was compared; else 1 when something differs.
    """
    passed = failed = skipped = faults = 0
    for outcome in outcomes:
        passed += outcome.passed
        failed += bool(outcome.differences)
        skipped += bool(outcome.skipped)
        faults += bool(outcome.fault)
        if outcome.skipped:
            typer.echo(printable(f"skipped: {outcome.case}: {outcome.skipped}"))
        if outcome.fault:
            typer.echo(printable(f"fault: {outcome.fault}"))
        for difference in outcome.differences:
            typer.echo(printable(f"differs: {difference}"))
    typer.echo(f"{passed} passed, {failed} failed, {skipped} skipped, {counted(faults, 'fault')}")
    if faults:
        raise typer.Exit(BAD_INPUT)
    if not passed + failed:
        raise UsageError(f"no recorded answer was found in {path}, so nothing was compared")
    if failed:
        raise typer.Exit(FAILED)
