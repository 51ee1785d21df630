"""What a person is told when something goes wrong, and the exit code."""

from dataclasses import dataclass

from orchestrator.containers.composed import ComposedError
from orchestrator.corpus import CorpusError, FetchError, PagesError, RevisionError
from orchestrator.environments import EnvironmentFailed
from orchestrator.intake import IntakeFailed
from orchestrator.local import ServiceFailed, WeightsFolderError
from orchestrator.plan import PlanError
from orchestrator.record import FolderError
from orchestrator.scorer_client import ScorerRefusedError
from orchestrator.selection import SelectionError
from orchestrator.staging import StagingFailed
from scorer.store.errors import StoreBusy
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


_SHIPPING = ("docker", "requests", "ruamel")
"""Packages that only a machine with a container engine has, and no container of ours."""

_FAILURES = (ComposedError, EnvironmentFailed, FetchError, FolderError, IntakeFailed, ServiceFailed, StagingFailed)


def explain(error: Exception) -> Failure | None:
    """Return what to tell a person of an error this project raises on purpose; None for a fault of its own."""
    if isinstance(error, ScorerRefusedError):
        return Failure(str(error), BAD_INPUT if error.bad_input else FAILED)
    if isinstance(error, ModuleNotFoundError) and error.name in _SHIPPING:
        return Failure(
            f"this needs the Python package {error.name}: install docassay[shipping] where the container engine is, "
            "and call it there, not in a container",
            BAD_INPUT,
        )
    if isinstance(error, StoreBusy):  # of the errors of a store the one that goes by itself
        return Failure(str(error), FAILED)
    if isinstance(error, _bad_input_errors()):
        return Failure(str(error), BAD_INPUT)
    if isinstance(error, (*_FAILURES, _renderer_error())):
        return Failure(str(error), FAILED)
    return None


def _renderer_error() -> type[Exception]:
    """Return the error of a machine that cannot draw formulas."""
    from scorer.renderers import RendererError

    return RendererError


def _bad_input_errors() -> tuple[type[Exception], ...]:
    """Return the errors of bad input. Imported when one happened: most of these modules take a second to load."""
    from orchestrator.authoring import AuthoringError
    from orchestrator.containers.images import ImageError
    from orchestrator.containers.overriding import OverrideError
    from orchestrator.scaffolding import ScaffoldError
    from scorer.conformance import ConformanceError
    from scorer.embedders.identity import EmbedderError
    from scorer.gold import GoldError
    from scorer.grading.omnidoc import GradingError
    from scorer.omniparse.building import BuildError
    from scorer.omniparse.claims import ClaimError
    from scorer.omniparse.dataset import DatasetError
    from scorer.omniparse.published import PublishedError
    from scorer.store.errors import StoreError
    from scorer.suites.omniparse.gold import GoldError as TestsError

    return (
        AuthoringError,
        BuildError,
        ClaimError,
        ConformanceError,
        CorpusError,
        DatasetError,
        DescriptorError,
        EmbedderError,
        GoldError,
        GradingError,
        ImageError,
        OverrideError,
        PagesError,
        RevisionError,
        PlanError,
        PublishedError,
        ScaffoldError,
        SelectionError,
        StoreError,
        TestsError,
        UsageError,
        WeightsFolderError,
    )
