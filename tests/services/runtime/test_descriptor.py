"""What a parser's folder stands for in a signature: all the code between the tool and its score."""

import shutil
from pathlib import Path

import pytest

from orchestrator import local
from services.runtime import descriptor


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the folder of services, to change."""
    copy = tmp_path / "services"
    shutil.copytree(local.SERVICES, copy, ignore=shutil.ignore_patterns("*.lock", "__pycache__"))
    monkeypatch.setattr(descriptor, "_RUNTIME", copy / "runtime")
    monkeypatch.setattr(descriptor, "_FORMS", copy / "forms")
    return copy


def digests(services: Path) -> dict[str, str]:
    return {name: descriptor.read(services / name).adapter_digest() for name in ("docling", "docling_rs", "markitdown")}


@pytest.mark.parametrize(
    ("changed", "others"),
    [
        ("docling/adapter.py", {"docling"}),
        ("markitdown/parser.toml", {"markitdown"}),
        ("forms/docling_document.py", {"docling", "docling_rs"}),
        ("runtime/markdown.py", {"docling", "docling_rs", "markitdown"}),
        ("runtime/chunker.py", {"docling", "docling_rs", "markitdown"}),
        ("runtime/server.py", set()),
    ],
)
def test_the_adapters_digest_follows_what_reads_its_output(services: Path, changed: str, others: set[str]) -> None:
    """A reader that is shared counts for those that use it; what serves a parser counts for none."""
    before = digests(services)
    with (services / changed).open("a") as sink:
        sink.write("\n# another\n")
    after = digests(services)
    assert {name for name in before if before[name] != after[name]} == others


def test_a_version_whose_lock_is_missing_names_the_lock(services: Path) -> None:
    """The version is there, so it is the file that is named, and what makes it."""
    parser = descriptor.read(services / "markitdown")
    lock = services / "markitdown" / f"{parser.versions[0]}.lock"
    with pytest.raises(descriptor.DescriptorError) as caught:
        parser.lock(parser.versions[0])
    assert str(caught.value).startswith(f"{lock} is missing, and {services / 'markitdown' / 'parser.toml'} names")
    assert f"python -m services.locks markitdown {parser.versions[0]}" in str(caught.value)
    with pytest.raises(descriptor.DescriptorError, match=r"^markitdown has no version 9; it has 0\.1\.9, "):
        parser.lock("9")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('versions = "0.1.9"', "versions must be a list of texts, it is '0.1.9'"),
        ("versions = [1.0]", "versions must be a list of texts, it is [1.0]"),
        ("versions = []", "versions must name one version at least, newest first"),
        ('formats = "pdf"', "formats must be a list of texts, it is 'pdf'"),
    ],
)
def test_a_list_that_is_none_is_named(services: Path, line: str, words: str) -> None:
    """It is not read letter by letter."""
    path = services / "markitdown" / "parser.toml"
    key = line.partition(" ")[0]
    path.write_text(
        "".join(f"{line}\n" if old.startswith(f"{key} ") else f"{old}\n" for old in path.read_text().split("\n"))
    )
    with pytest.raises(descriptor.DescriptorError) as caught:
        descriptor.read(services / "markitdown")
    assert str(caught.value) == f"{path}: {words}"
