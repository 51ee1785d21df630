"""What a run is asked to parse: a corpus folder, or a benchmark's dataset."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from orchestrator import corpus as corpora
from orchestrator import plan
from orchestrator.cli.failures import UsageError

SUITES = ("bizdoc", "omnidoc", "omniparse")

Loaded = tuple[str, corpora.Corpus, tuple[corpora.Document, ...]]
"""The suite by name@version, the corpus, and which of its documents are asked for."""


@dataclass(frozen=True, slots=True)
class AskedCorpus:
    """What is to be parsed, as the options say it; an option that the suite has not is refused."""

    suite: str
    folder: Path
    dataset: str
    sample: int
    pages: Path | None

    def load(self, ids: Sequence[str], limit: int | None) -> Loaded:
        """Read it.

        Raises:
            UsageError: the suite, its version, or an option is not one of it.
            CorpusError: the corpus has faults.
            PlanError: a document that is asked for is not there.
        """
        name, _, version = self.suite.partition("@")
        if name not in SUITES or (name == "bizdoc" and version):
            raise UsageError(f"there is no suite {self.suite!r} to run: {', '.join(SUITES)} or omniparse@1.0.0")
        self._refuse_strangers(name)
        if name == "omniparse":
            return self._omniparse(version, ids, limit)
        if name == "omnidoc":
            return self._omnidoc(version, ids, limit)
        loaded = corpora.load(self.folder.resolve())
        return name, loaded, plan.choose(loaded, ids=ids, limit=limit)[0]

    def _refuse_strangers(self, name: str) -> None:
        if name == "bizdoc" and (self.dataset or self.sample or self.pages):
            raise UsageError(
                "--dataset, --sample and --pages are for --suite omniparse or omnidoc; a corpus is named by --corpus"
            )
        if name == "omnidoc" and self.sample:
            raise UsageError("--sample is for --suite omniparse; of omnidoc choose pages with --ids or --limit")
        if name == "omniparse" and self.pages:
            raise UsageError("--pages is for --suite omnidoc; a dataset of omniparse names its pages itself")

    def _omniparse(self, version: str, ids: Sequence[str], limit: int | None) -> Loaded:
        if not self.dataset:
            raise UsageError("--suite omniparse needs --dataset: a folder with manifest.parquet, or hf://datasets/…")
        if self.sample and (ids or limit):
            raise UsageError("--sample chooses the pages itself: leave --ids and --limit out")
        from scorer.omniparse.dataset import (
            remark_on_sample,
        )  # a suite is imported by who needs it: that takes a second

        try:
            loaded, sampled = corpora.load_pages(self.dataset, version=version, sample=self.sample)
        except ValueError as error:
            raise UsageError(str(error)) from error
        if remark := remark_on_sample(self.sample, len(loaded.documents)):
            typer.echo(remark, err=True)
        chosen = sampled if self.sample else plan.choose(loaded, ids=ids, limit=limit)[0]
        return f"omniparse@{version or 'rc1'}", loaded, chosen

    def _omnidoc(self, version: str, ids: Sequence[str], limit: int | None) -> Loaded:
        from scorer.suites.omnidoc import versions  # a suite is imported by who needs it: that takes a second

        if not self.dataset:
            raise UsageError("--suite omnidoc needs --dataset: the annotation file, or its folder")
        try:
            rules = versions.version(version) if version else versions.DEFAULT
            loaded = corpora.load_annotated_pages(Path(self.dataset).expanduser(), pages=self.pages)
        except ValueError as error:
            raise UsageError(str(error)) from error
        return f"omnidoc@{rules.name}", loaded, plan.choose(loaded, ids=ids, limit=limit)[0]
