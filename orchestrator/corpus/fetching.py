"""Fetching a benchmark's public dataset from the Hugging Face hub, at one commit, every file checked.

The datasets are named on their authors' pages on the hub. Which commit the published figures were measured on is stated
nowhere that could be looked up, so none is built in: the caller names it.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from orchestrator.corpus.annotated_pages import load_annotated_pages
from orchestrator.corpus.layout import Corpus, CorpusError, Fault
from orchestrator.corpus.reading import ReadError, locate
from orchestrator.corpus.sources import FetchError, fetch_sources

if TYPE_CHECKING:
    from huggingface_hub.hf_api import RepoSibling


@dataclass(frozen=True, slots=True)
class Dataset:
    """A benchmark's dataset: its id on the hub, the files that belong to it, and how its folder is read."""

    repository: str
    wanted: tuple[str, ...]
    load: Callable[[Path], Corpus]


DATASETS: Mapping[str, Dataset] = {
    "bizdoc": Dataset(
        "DocSlicer/BizDocBench",
        ("documents.json", "documents/*", "annotations/*", "README.md", "LICENSE*"),
        # A dataset may name documents that it does not hold.
        fetch_sources,
    ),
    "omnidoc": Dataset(
        "opendatalab/OmniDocBench", ("*.json", "images/*", "pdfs/*", "README.md", "LICENSE*"), load_annotated_pages
    ),
}
"""By suite."""

_COMMIT = re.compile("[0-9a-f]{40}")
_BLOCK = 1 << 20


class RevisionError(FetchError):
    """What was asked for is no commit."""


def fetch(folder: Path, *, suite: str = "bizdoc", revision: str | None, repository: str = "") -> Corpus:
    """Fetch a suite's dataset into a folder and load it.

    Interrupted, the same call goes on: files that arrived are kept, the one that broke off begins again.

    Args:
        folder: made if it is not there.
        suite: whose dataset: a key of ``DATASETS``.
        revision: the commit, 40 hexadecimal digits.
        repository: another id on the hub than the suite's own; ``HF_ENDPOINT`` chooses another hub.

    Raises:
        RevisionError: no commit is named.
        FetchError: the hub cannot be reached or does not have it, or a document's source does not.
        CorpusError: a file is not the one the hub lists (it is removed), or what came is no corpus.
        PagesError: what came is no folder of annotated pages.
    """
    dataset = DATASETS[suite]
    repository = repository or dataset.repository
    if revision is None or not _COMMIT.fullmatch(revision):
        raise RevisionError(
            f"{'no revision is named' if revision is None else f'found the revision {revision!r}'}, expected a commit "
            f"of {repository} (40 hexadecimal digits): a branch or a tag can move, and the commit of the published "
            "figures is not known, so none is built in; take it from the history of the dataset on the hub"
        )
    files = _download(folder, revision, repository, dataset.wanted)
    wrong = tuple(_wrong_files(folder, files))
    if wrong:
        raise CorpusError(folder, wrong)
    return dataset.load(folder)


def _download(folder: Path, revision: str, repository: str, wanted: tuple[str, ...]) -> "list[RepoSibling]":
    """Download what belongs to the dataset; return the hub's list of it."""
    try:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError
    except ImportError as error:
        raise FetchError(
            "huggingface_hub is not installed, which fetches the dataset; pip install '.[corpus]'"
        ) from error

    def refuse(text: str, error: Exception) -> NoReturn:
        raise FetchError(f"{repository} at {revision}: {text}") from error

    try:
        listed = HfApi().dataset_info(repository, revision=revision, files_metadata=True).siblings or []
        files = [file for file in listed if any(fnmatch(file.rfilename, pattern) for pattern in wanted)]
        _refuse_outside(folder, files)
        snapshot_download(
            repository, repo_type="dataset", revision=revision, local_dir=folder, allow_patterns=list(wanted)
        )
    except RevisionNotFoundError as error:
        refuse("the dataset has no such commit; take one from its page on the hub", error)
    except RepositoryNotFoundError as error:
        refuse("no such dataset, or it is not public; check its name, or log in with: hf auth login", error)
    except HfHubHTTPError as error:
        refuse(f"the hub refused ({error}); try again later", error)
    except CorpusError:
        raise
    except Exception as error:  # which library the hub's client speaks HTTP with has changed, and with it the errors
        refuse(
            f"the hub cannot be reached ({type(error).__name__}: {error}); connect this machine to it and run the "
            "same command again, or run it on one that is connected and copy the folder here",
            error,
        )
    return files


def _refuse_outside(folder: Path, files: "list[RepoSibling]") -> None:
    outside = [file.rfilename for file in files if ".." in Path(file.rfilename).parts]
    if outside:
        faults = tuple(Fault(name, "", "leaves the corpus folder; nothing was fetched") for name in outside)
        raise CorpusError(folder, faults)


def _wrong_files(folder: Path, files: "list[RepoSibling]") -> Iterator[Fault]:
    """Compare every file with the hub's digest: SHA-256 of a large one, Git's own of a small one."""
    root = folder.resolve()
    for file in files:
        name = file.rfilename
        try:
            path = locate(root, name, named_at=(name, ""))
        except ReadError as error:
            yield error.fault
            continue
        expected, algorithm = (file.lfs.sha256, "sha256") if file.lfs else (file.blob_id, "sha1")
        digest = hashlib.new(algorithm)
        if not file.lfs:
            digest.update(b"blob %d\0" % path.stat().st_size)
        with path.open("rb") as source:
            while block := source.read(_BLOCK):
                digest.update(block)
        if digest.hexdigest() != expected:
            path.unlink()
            yield Fault(
                name,
                "",
                f"found the digest {digest.hexdigest()}, expected {expected} as the hub lists it; "
                "the file was removed, run the same command again",
            )
