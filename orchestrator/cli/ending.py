"""How a command that parses ends: its exit code in the run's record, and compose's services ended with it."""

import contextlib
import functools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from orchestrator import record
from orchestrator.cli.failures import FAILED, explain
from orchestrator.containers import composed
from orchestrator.interruption import Interrupted

INTERRUPTED = 130


@dataclass(slots=True)
class Ending:
    """What is known of the run when it ends; ``run_id`` is None until there is one."""

    run_id: str | None = None


@contextlib.contextmanager
def recorded(results: Path) -> Iterator[Ending]:
    """Write the exit code into the record of the run, however the block is left.

    In compose a record is left of a command that made no run too: its exit code stands nowhere else then. The services
    that compose started for this command end with it.
    """
    ending, code, text, failure = Ending(), 0, "", None
    say = functools.partial(typer.echo, err=True)
    with composed.ended_afterwards(os.environ, say=say, in_use=lambda: record.busy(results)):
        try:
            with _told_apart():
                yield ending
        except BaseException as error:
            failure = error
            code, text = _told(error)
            raise
        finally:
            # A command that is refused while a run goes on has no say in that run's record.
            others = isinstance(failure, record.FolderBusy) or record.busy(results)
            if not others and (ending.run_id or os.environ.get(composed.DOCUMENTS)):
                record.add_exit_code(results, ending.run_id, code, text)


@contextlib.contextmanager
def _told_apart() -> Iterator[None]:
    """Tell compose's signal from a person's: with --exit-code-from, it stops this command when the scorer ended."""
    try:
        yield
    except Interrupted:
        named = composed.read(os.environ)
        if named.documents and named.scorer and not composed.running(named.scorer):
            raise composed.ComposedError(
                f"the scorer at {named.scorer} has ended: its words stand above, and in docker compose logs scorer"
            ) from None
        raise


def _told(error: BaseException) -> tuple[int, str]:
    if isinstance(error, typer.Exit):
        return error.exit_code, ""
    if isinstance(error, Interrupted):
        return INTERRUPTED, "interrupted"
    failure = explain(error) if isinstance(error, Exception) else None
    return (failure.code, failure.text) if failure else (FAILED, f"{type(error).__name__}: {error}")
