"""The results folder: whether it can be written, and the record of the newest run in it."""

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orchestrator import states
from orchestrator.machine import Commit, Machine
from orchestrator.plan import Plan
from orchestrator.run import Finished
from scorer import mounts
from scorer.store import address

STORE = "docassay.duckdb"
RECORD = "run.json"

FREE_BYTES = 64 << 20
"""Below this much free space a run is not begun: it would fail in its middle."""


class FolderError(Exception):
    """The results folder cannot be used; the message says why and what to do."""


def check_folder(results: Path) -> None:
    """Make the results folder and see that it can be written.

    Raises:
        FolderError: it cannot be made, cannot be written, or is nearly full.
    """
    probe = results / f".writable-{os.getpid()}"
    try:
        results.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"docassay")
    except OSError as error:
        raise FolderError(
            f"the results folder {mounts.named(results)} cannot be written ({error.strerror}). {mounts.remedy(results)}"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    free = shutil.disk_usage(results).free
    if free < FREE_BYTES:
        raise FolderError(
            f"the results folder {mounts.named(results)} has {free >> 20} MiB of free space, {FREE_BYTES >> 20} are "
            "needed to begin: free some, or choose another folder"
        )


class FolderBusy(FolderError):
    """Another run is going on in the folder."""


@contextlib.contextmanager
def alone(results: Path) -> Iterator[None]:
    """Be the only run that parses into a results folder; the kernel lets go of it however this process ends.

    Raises:
        FolderBusy: a run is going on there.
    """
    with (results / address.RUNNING).open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderBusy(
                f"a run is going on in {mounts.named(results)}: wait for it, end it, or choose another folder with "
                f"{'--results' if mounts.on_host(results) is None else mounts.RESULTS}"
            ) from None
        yield


def busy(results: Path) -> bool:
    """Whether another process parses into a results folder."""
    try:
        with alone(results):
            return False
    except FolderBusy:
        return True
    except OSError:  # no folder, or one that cannot be written, into which nobody parses
        return False


def add_embedder(results: Path, run_id: str, embedder: object) -> None:
    """Add to the record of a run what ranked its chunks when it was scored; another run's record stays as it is."""
    try:
        content = json.loads((results / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if content.get("run_id") == run_id:
        _replace(results / RECORD, {**content, "embedder": embedder})


def add_exit_code(results: Path, run_id: str | None, code: int, error: str) -> None:
    """Add to the record how the command ended. One that made no run leaves a record of that alone."""
    try:
        content = json.loads((results / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        content = {}
    if run_id is None or content.get("run_id") != run_id:
        content = {"run_id": run_id}
    with contextlib.suppress(OSError):  # a folder that cannot be written has been complained of already
        _replace(results / RECORD, {**content, "exit_code": code, **({"error": error} if error else {})})


def write(
    results: Path, plan: Plan, finished: Finished, *, machine: Machine, commit: Commit, argv: Sequence[str]
) -> None:
    """Write the record of a run whose parsing is done; joined with the store on ``run_id``."""
    content: dict[str, Any] = {
        "run_id": finished.run_id,
        "finished_at": datetime.now(UTC).isoformat(),
        "machine": asdict(machine),
        **commit.record(),
        "argv": list(argv),
        "suite": plan.suite,
        "mode": plan.mode,
        "corpus": {"name": plan.corpus.name, "version": plan.corpus.version, "digest": plan.corpus.digest},
        "documents": len(plan.documents),
        "partial": plan.scope is not None,
        "repeats": plan.repeats,
        "limits": asdict(plan.limits),
        "cpus": list(plan.cpus),
        "parsers": {
            outcome.parser: {
                "state": states.word(outcome.state),
                "reason": outcome.reason,
            }
            for outcome in finished.outcomes
        },
    }
    _replace(results / RECORD, content)


def _replace(target: Path, content: dict[str, Any]) -> None:
    temporary = target.with_suffix(".json.new")
    temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    temporary.replace(target)
