"""What can go wrong with a store.

StoreError
├── SchemaMismatch      the file has another layout
├── StoreBusy           another process holds the file
├── StorageFailed       the results folder is full, read-only or gone
├── QueryRefused        not one SELECT or EXPLAIN, or it asks for what queries may not have
├── QueryTimeout        the query took too long and was interrupted
├── RunMismatch         the run asked for was made under other conditions
└── Unknown             no such run, parser or document
"""

from pathlib import Path

from scorer import mounts


class StoreError(Exception):
    """Any fault of the store; the message says what to do."""


class SchemaMismatch(StoreError):
    """The file was written by a docassay with another table layout."""


class StoreBusy(StoreError):
    """Another process has the file open for writing; the message names the folder, and what to do."""

    def __init__(self, folder: Path) -> None:
        another = "--results" if mounts.on_host(folder) is None else mounts.RESULTS
        super().__init__(
            f"another docassay command is at work on the results folder {mounts.named(folder)}: wait until it ends, or "
            f"choose another folder with {another}"
        )


class StorageFailed(StoreError):
    """Nothing more can be written; the message names the folder, what was not stored and kept, and what to do.

    Attributes:
        full: the disk or quota is full, as opposed to unwritable.
    """

    def __init__(self, folder: Path, why: str, *, full: bool, what: str = "results folder", kept: str = "") -> None:
        remedy = "Free space and run the same command again" if full else mounts.remedy(folder)
        told = "; ".join(filter(None, (why, kept)))
        super().__init__(f"the {what} {mounts.named(folder)} cannot be written: {told}. {remedy}")
        self.full = full
        self._made_of = folder, why, what

    def because(self, kept: str) -> "StorageFailed":
        """Return the same fault with what was not stored and what was kept."""
        folder, why, what = self._made_of
        return StorageFailed(folder, why, full=self.full, what=what, kept=kept)


class QueryRefused(StoreError):
    """The query is not one that may be run, or DuckDB found it faulty."""


class QueryTimeout(StoreError):
    """The query was interrupted."""


class RunMismatch(StoreError):
    """A run cannot be resumed; the message names each difference."""


class Unknown(StoreError):
    """The run, parser or document named is not in the store."""
