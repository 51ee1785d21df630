"""Scoring one page: the part that runs in the processes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scorer import output
from scorer.store.artifacts import Artifacts
from scorer.suites.omnidoc.evaluation import score_page
from scorer.suites.omnidoc.gold import GoldPage
from scorer.suites.omnidoc.page import PageMatch
from scorer.suites.omnidoc.versions import version

__all__ = ["Job", "Preparation", "Scored"]


@dataclass(frozen=True, slots=True)
class Job:
    """A parser on a page, with the page's gold and the output to compare; None: it returned nothing."""

    parser: str
    page: GoldPage
    artifact: str | None

    def __str__(self) -> str:
        return f"{self.parser} on {self.page.image}"


@dataclass(frozen=True, slots=True)
class Scored:
    """A page's scored rows, whether its text is HTML, and remarks on the output."""

    match: PageMatch
    html: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preparation:
    """What a process needs before its first page: where the outputs lie, and the version of the method."""

    artifacts: Path
    version: str

    def __call__(self) -> Callable[[Job], Scored]:
        """Return the function that does a job."""
        artifacts, rules = Artifacts(self.artifacts), version(self.version)

        def do(job: Job) -> Scored:
            if job.artifact is None:
                return Scored(score_page(rules.match_page(job.page, "")))
            with artifacts.open(job.artifact) as source:
                read = output.read_page(source)
            match = score_page(rules.match_page(job.page, read.text))
            return Scored(match, read.text_format == "html", read.warnings)

        return do
