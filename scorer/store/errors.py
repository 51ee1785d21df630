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


class StoreError(Exception):
    """Any fault of the store; the message says what to do."""


class SchemaMismatch(StoreError):
    """The file was written by a docassay with another table layout."""


class StoreBusy(StoreError):
    """Another process has the file open for writing."""


class StorageFailed(StoreError):
    """Nothing more can be written; the message names the folder, what was not stored and what was kept.

    Attributes:
        full: the disk or quota is full, as opposed to unwritable.
    """

    def __init__(self, text: str, *, full: bool) -> None:
        super().__init__(text)
        self.full = full

    def because(self, kept: str) -> "StorageFailed":
        """Return the same fault with what was not stored and what was kept, and what to do about it."""
        remedy = "Free space" if self.full else "Make the folder writable"
        return StorageFailed(f"{self}; {kept}. {remedy} and run the same command again", full=self.full)


class QueryRefused(StoreError):
    """The query is not one that may be run, or DuckDB found it faulty."""


class QueryTimeout(StoreError):
    """The query was interrupted."""


class RunMismatch(StoreError):
    """A run cannot be resumed; the message names each difference."""


class Unknown(StoreError):
    """The run, parser or document named is not in the store."""
