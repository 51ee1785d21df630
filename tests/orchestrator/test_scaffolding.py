"""A new parser's folder."""

import shutil
from pathlib import Path

import pytest

from orchestrator import local, scaffolding
from orchestrator.scaffolding import ScaffoldError
from services.runtime import descriptor


class TestMake:
    def test_the_folder_describes_a_parser_of_that_name(self, tmp_path: Path) -> None:
        """With a lock for its version, and no word left that was to be replaced."""
        files = scaffolding.make("mytool", tmp_path)
        assert [path.name for path in files] == ["0.1.0.lock", "adapter.py", "parser.toml", "requirements.in"]
        made = descriptor.read(tmp_path / "mytool")
        assert (made.name, made.title, made.versions) == ("mytool", "mytool", ("0.1.0",))
        assert made.lock("0.1.0").is_file()
        assert not any("NAME" in path.read_text() for path in files)

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            *((name, "a small letter, then .* 40 in all") for name in ("", "MyTool", "my-tool", "1tool", "../tool")),
            ("a" * 41, "a small letter, then .* 40 in all"),
            ("a" * 200, "a small letter, then .* 40 in all"),
            ("class", "class is a keyword of Python; choose another, class_parser say"),
            *(
                (name, f"{name} is a part of docassay; choose another")
                for name in ("runtime", "forms", "intake", "locks")
            ),
        ],
    )
    def test_what_is_no_name_is_refused(self, tmp_path: Path, name: str, why: str) -> None:
        """It becomes a folder, a Python package, part of names of variables and hosts; what may be is told."""
        with pytest.raises(ScaffoldError, match=f"cannot be a parser's name: .*{why}"):
            scaffolding.make(name, tmp_path)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("name", "what"),
        [
            ("orchestrator", "a service"),
            ("scorer", "a service and a network"),
            ("ollama", "a service and a volume"),
            ("unstructured_fast", "a parser and a network"),
            ("outside", "a network"),
            ("documents", "a volume"),
        ],
    )
    def test_a_name_of_compose_is_refused(self, tmp_path: Path, name: str, what: str) -> None:
        """Its image could never be added."""
        shutil.copy(local.ROOT / "compose.yaml", tmp_path)
        services = tmp_path / "services"
        services.mkdir()
        with pytest.raises(ScaffoldError, match=f"it is {what} of .*compose.yaml; choose another, {name}_parser say"):
            scaffolding.make(name, services)
        assert list(services.iterdir()) == []

    def test_the_longest_name_is_one(self, tmp_path: Path) -> None:
        """Forty letters."""
        assert scaffolding.make("a" * 40, tmp_path)

    def test_a_folder_that_is_there_is_never_written_into(self, tmp_path: Path) -> None:
        """It may be somebody's work."""
        (tmp_path / "mytool").mkdir()
        with pytest.raises(ScaffoldError, match="is there already"):
            scaffolding.make("mytool", tmp_path)
        assert list((tmp_path / "mytool").iterdir()) == []
