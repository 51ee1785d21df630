"""Choosing parsers."""

import re

import pytest

from orchestrator import local, selection
from orchestrator.selection import SelectionError


class TestSelect:
    def test_a_bare_name_is_its_newest_version(self) -> None:
        """markitdown means the first version its folder lists."""
        [chosen] = selection.select(["markitdown"], local.SERVICES)
        assert chosen.key == "markitdown@0.1.9"

    def test_two_versions_of_one_tool_stand_side_by_side(self) -> None:
        """Each version is a parser of its own."""
        chosen = selection.select(["markitdown@0.1.6", "markitdown@0.1.9"], local.SERVICES)
        assert [entry.key for entry in chosen] == ["markitdown@0.1.6", "markitdown@0.1.9"]

    def test_no_names_are_the_usual_parsers(self) -> None:
        """A run that names none takes those that are small and need no weights."""
        names = [entry.name for entry in selection.select([], local.SERVICES)]
        assert names == ["docslicer", "markitdown", "opendataloader"]

    @pytest.mark.parametrize(("name", "setting"), [("tool", ""), ("tool", "fast")])
    def test_a_version_that_is_not_known_yet_leaves_no_mark(self, name: str, setting: str) -> None:
        """A service at an address tells its version when it answers; until then, and if it never does, it has none."""
        assert selection.Selected(name, "", setting).key == (f"{name}:{setting}" if setting else name)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("markdown", "unknown parser 'markdown'; known: .*markitdown@0.1.9"),
            ("intake", "unknown parser 'intake'"),
            ("markitdown@9", "has no version '9'; known: markitdown@0.1.9, markitdown@0.1.6"),
            ("markitdown@0.1.9:fast", "has no setting 'fast'"),
            ("../runtime", re.escape("unknown parser '../runtime'")),
            ("", "the name is missing"),
            ("@0.1.9", "the name is missing in '@0.1.9'; write name, name@version or name@version:setting"),
            ("markitdown@", "nothing follows @ in 'markitdown@'"),
            ("markitdown:", "nothing follows : in 'markitdown:'"),
            ("mineru@3.4.4:flash", "known settings: none; mineru@4.0.12 has it"),
        ],
    )
    def test_what_is_unknown_is_answered_with_what_is_known(self, text: str, words: str) -> None:
        """A wrong name, version or setting lists the right ones."""
        with pytest.raises(SelectionError, match=words):
            selection.select([text], local.SERVICES)

    def test_one_parser_twice_is_refused(self) -> None:
        """The same version twice would be two rows of one key."""
        with pytest.raises(SelectionError, match="asked for twice"):
            selection.select(["markitdown", "markitdown@0.1.9"], local.SERVICES)
