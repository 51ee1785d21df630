"""A dataset in OmniParseBench's layout: `manifest.parquet`, `gold/<page_id>.json`, page files.

Source: OmniParseBench 1.0.0rc1, dataset.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from scorer.counting import counted
from scorer.omniparse.files import UnreadableError, read_json
from scorer.suites.omniparse.gold import GoldError, Test, outputs_read, parse_gold
from scorer.suites.omniparse.vocabulary import OUTPUT_TYPES

MANIFEST = "manifest.parquet"

_COLUMNS = ("page_id", "document", "suite", "doc_path", "gt_path", "outputs")
_NAMES = ("page_id", "document", "doc_path", "gt_path")
_NO_SUITE = "other"
_HUB = "hf://datasets/"
_SURROGATE = re.compile("[\ud800-\udfff]")


class DatasetError(ValueError):
    """A dataset, or a row of its manifest, that breaks the layout; names the file, the row and what to do."""


@dataclass(frozen=True, slots=True)
class DatasetPage:
    """A row of the manifest: its paths absolute, what its tests read, and the columns the layout does not name."""

    page_id: str
    document: str
    suite: str
    doc_path: Path
    gt_path: Path
    outputs: tuple[str, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def tests(self) -> tuple[Test, ...]:
        """Read and check the page's tests.

        Raises:
            GoldError: naming the file, the test and the rule that it breaks.
        """
        try:
            document = read_json(self.gt_path)
        except UnreadableError as error:
            raise GoldError(f"{self.page_id}: its gold file {self.gt_path} {error}") from None
        tests = parse_gold(self.page_id, document)
        if not tests:
            raise GoldError(
                f"{self.page_id}: its gold {self.gt_path} has no tests; give it tests, or drop its page "
                "from the manifest"
            )
        if strange := next((test.id for test in tests if _SURROGATE.search(test.id)), None):
            raise GoldError(
                f"{self.page_id}: test {strange!r}: its id holds half of a surrogate pair, which no table can store; "
                "write the character, or another id"
            )
        if frozenset(self.outputs) != outputs_read(tests):
            raise GoldError(
                f"{self.page_id}: the manifest asks for {list(self.outputs)}, but its tests read "
                f"{sorted(outputs_read(tests))}; make `outputs` what the tests read"
            )
        return tests


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset's folder and pages, in the manifest's order."""

    folder: Path
    manifest: str
    pages: tuple[DatasetPage, ...]

    def all_tests(self) -> dict[str, tuple[Test, ...]]:
        """Return every page's tests by page id.

        Raises:
            GoldError: at the first rule broken, or naming ids that several tests share.
        """
        tests = {page.page_id: page.tests() for page in self.pages}
        times = Counter(test.id for mine in tests.values() for test in mine)
        if twice := [name for name, count in times.items() if count > 1]:
            raise GoldError(f"{self.folder}: used more than once: {counted(len(twice), 'test id')}, e.g. {twice[:3]}")
        return tests


def read_dataset(dataset: str | Path, *, manifest: str = MANIFEST) -> Dataset:
    """Read a dataset's manifest; no gold file is opened.

    Args:
        dataset: A folder, or `hf://datasets/<organisation>/<name>[@<revision>]`.
        manifest: Its manifest, a path inside the dataset.

    Raises:
        DatasetError: when there is none, or a row breaks the layout.
    """
    folder = _located(dataset)
    path = folder / manifest
    if Path(manifest).is_absolute() or ".." in Path(manifest).parts or not path.is_file():
        raise DatasetError(f"{folder} has no manifest {manifest}; it must be a file inside the dataset's folder")
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DatasetError(f"{path} is no Parquet file: {error}") from None
    if missing := [column for column in _COLUMNS if column not in table.column_names]:
        raise DatasetError(f"{path} lacks the columns {missing}; it has {table.column_names}")
    pages = tuple(_page(folder, path, row) for row in table.to_pylist())
    if not pages:
        raise DatasetError(f"{path} names no pages")
    # Ids name files, and two that differ in case alone are one file on some disks.
    folded: dict[str, list[str]] = {}
    for page in pages:
        folded.setdefault(page.page_id.casefold(), []).append(page.page_id)
    if twice := [ids for ids in folded.values() if len(ids) > 1]:
        found = counted(len(twice), "page id")
        raise DatasetError(f"{path}: {found} more than once, case aside, e.g. {twice[0]}")
    return Dataset(folder, manifest, pages)


def remark_on_sample(asked: int, pages: int) -> str | None:
    """Return what to say of a sample that asks for more pages than there are; None of any other."""
    asked_for = f"a sample of {counted(asked, 'page')} was asked for"
    return f"{asked_for}, the dataset has {pages}: all are taken" if asked > pages else None


def remark_on_revision(address: str, dataset: Dataset) -> str | None:
    """Return what to say of a dataset read from the hub at whatever commit its newest is; None of any other."""
    if not address.startswith(_HUB) or "@" in address:
        return None
    commit = dataset.folder.name
    return f"{address} was read at commit {commit}, and may be another tomorrow: {address}@{commit} stays this one"


def _located(dataset: str | Path) -> Path:
    if str(dataset).startswith("hf:"):
        return _downloaded(str(dataset))
    folder = Path(dataset).expanduser()
    if not folder.is_dir():
        raise DatasetError(f"there is no dataset folder {folder}; give a folder or {_HUB}<organisation>/<name>")
    return folder.resolve()


def _downloaded(address: str) -> Path:
    repository, _, revision = address.removeprefix(_HUB).partition("@")
    if not address.startswith(_HUB) or repository.count("/") != 1 or not all(repository.split("/")):
        raise DatasetError(f"{address!r} names no dataset; write {_HUB}<organisation>/<name>[@<revision>]")
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError
    except ImportError:
        raise DatasetError(f"{address} needs the package huggingface_hub: install docassay[corpus]") from None
    try:
        return Path(snapshot_download(repository, repo_type="dataset", revision=revision or None))
    except RevisionNotFoundError:
        fault = f"it has no revision {revision or 'main'}; take one from its page on the hub"
    except RepositoryNotFoundError:
        fault = "there is no such dataset, or it is not public; check its name, or log in with: hf auth login"
    except Exception as error:  # the hub's client raises its own, the network's and the disk's errors
        first = str(error).partition("\n")[0]
        fault = f"the hub cannot be reached, and no copy is here ({first}); connect, or give a folder that holds it"
    raise DatasetError(f"{address} cannot be read: {fault}")


def _page(folder: Path, path: Path, row: Mapping[str, Any]) -> DatasetPage:
    where = f"{path}: page {row['page_id']!r}"
    if not all(isinstance(row[name], str) and row[name].strip() for name in _NAMES):
        raise DatasetError(f"{where}: {list(_NAMES)} must be non-empty strings")
    page_id = row["page_id"]
    if page_id in (".", "..") or Path(page_id).name != page_id:
        raise DatasetError(f"{where}: page_id must be one path component, since it names files")
    suite = "" if row["suite"] is None else row["suite"]
    if not isinstance(suite, str):
        raise DatasetError(f"{where}: suite must be a string or null, not {row['suite']!r}")
    if not _inside(row["doc_path"], (".pdf", ".png")):
        raise DatasetError(f"{where}: doc_path must be a .pdf or .png inside the dataset, not {row['doc_path']!r}")
    if not _inside(row["gt_path"], (".json",)) or Path(row["gt_path"]).stem != page_id:
        raise DatasetError(
            f"{where}: gt_path must be inside the dataset and named {page_id}.json, not {row['gt_path']!r}"
        )
    outputs = row["outputs"]
    if not (
        isinstance(outputs, list)
        and outputs
        and set(outputs) <= set(OUTPUT_TYPES)
        and len(set(outputs)) == len(outputs)
    ):
        raise DatasetError(
            f"{where}: outputs must be distinct output types from {sorted(OUTPUT_TYPES)}, not {outputs!r}"
        )
    return DatasetPage(
        page_id=page_id,
        document=row["document"],
        suite=suite if suite.strip() else _NO_SUITE,
        doc_path=folder / row["doc_path"],
        gt_path=folder / row["gt_path"],
        outputs=tuple(sorted(outputs)),
        extra={name: value for name, value in row.items() if name not in _COLUMNS},
    )


def _inside(path: str, suffixes: Sequence[str]) -> bool:
    relative = Path(path)
    return not relative.is_absolute() and ".." not in relative.parts and relative.suffix in suffixes
