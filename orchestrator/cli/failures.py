"""What a person is told when something goes wrong, and the exit code."""

from dataclasses import dataclass

from orchestrator.corpus import CorpusError, FetchError
from orchestrator.environments import EnvironmentFailed
from orchestrator.intake import IntakeFailed
from orchestrator.local import ServiceFailed
from orchestrator.plan import PlanError
from orchestrator.record import FolderError
from orchestrator.scorer_client import ScorerRefusedError
from orchestrator.selection import SelectionError
from scorer.conformance import ConformanceError
from scorer.embedders.identity import EmbedderError
from scorer.store.errors import StoreError
from services.runtime.descriptor import DescriptorError

BAD_INPUT = 2
FAILED = 1


@dataclass(frozen=True, slots=True)
class Failure:
    """A message and an exit code."""

    text: str
    code: int


class UsageError(Exception):
    """The command was asked for something that cannot be; the message says what would do."""


def explain(error: Exception) -> Failure | None:
    """Return what to tell a person of an error this project raises on purpose; None for a fault of its own."""
    match error:
        case CorpusError():
            return Failure(corpus_text(error), BAD_INPUT)
        case SelectionError() | PlanError() | DescriptorError() | UsageError() | StoreError() | ConformanceError() | EmbedderError():
            return Failure(str(error), BAD_INPUT)
        case ScorerRefusedError():
            return Failure(str(error), BAD_INPUT if error.bad_input else FAILED)
        case FetchError() | FolderError() | EnvironmentFailed() | IntakeFailed() | ServiceFailed():
            return Failure(str(error), FAILED)
        case _:
            return None


def corpus_text(error: CorpusError) -> str:
    """Return every fault of a corpus, one a line."""
    faults = [fault for fault in error.faults if not fault.warning]
    lines = [f"{fault.file}{f' at {fault.place}' if fault.place else ''}: {fault.text}" for fault in faults]
    return "\n".join([f"the corpus has {len(faults)} faults, nothing was run:", *(f"  {line}" for line in lines)])
