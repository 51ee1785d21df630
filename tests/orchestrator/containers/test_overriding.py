"""An image's stanza in compose.override.yaml."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.containers import images, overriding
from orchestrator.containers.overriding import OverrideError
from tests.containers.engine import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())


OURS = """\
# ours
services:
  # the run itself
  orchestrator:
    environment:
      OTHER: 'yes'  # needed
  other:
    image: example/other:2

    # as long as it lasts
    command: [sleep, "600"]  # seconds
"""

EDITED = """\
services:
  orchestrator:
    environment: {OTHER: 'yes', DOCASSAY_PARSER_MYTOOL: "mytool:50051"}  # two
    networks: {mytool: {}, other: {}}
    depends_on:
      mytool:
        condition: service_started
        required: false
      # still needed
      other: {condition: service_started}
  mytool:
    image: example/mytool:1  # the first
    # what it may have
    mem_limit: 6g
    networks:
      - mytool

  # the other one
  other:
    networks: !override [other]
networks:
  mytool:
    internal: true

  # without a way out
  other:
    internal: true
"""

EDITED_WITHOUT = """\
services:
  orchestrator:
    environment: {OTHER: 'yes'}  # two
    networks: {other: {}}
    depends_on:
      # still needed
      other: {condition: service_started}

  # the other one
  other:
    networks: !override [other]
networks:

  # without a way out
  other:
    internal: true
"""


class Engine:
    """An engine with one image."""

    def __init__(self, labels: dict[str, str]) -> None:
        self.labels = labels

    def close(self) -> None: ...


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with compose.yaml, and an engine whose every image is mytool."""
    (tmp_path / "compose.yaml").write_text("services: {}\n")
    label(monkeypatch, "mytool")
    return tmp_path


def label(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    engine = Engine({overriding.TITLE: name})
    monkeypatch.setattr(images, "engine", lambda: engine)
    monkeypatch.setattr(images, "find", lambda client, _: client)


def written(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load((folder / overriding.OVERRIDE).read_text())
    return made


class TestAdd:
    def test_a_parser_is_locked_down_as_those_of_compose_are(self, folder: Path) -> None:
        """Every setting of theirs, to the letter, but for the image, its build and its network."""
        assert overriding.add("example/mytool:1", folder) == ("mytool", folder / overriding.OVERRIDE)
        service, ours = written(folder)["services"]["mytool"], COMPOSE["services"]["markitdown"]
        apart = {"image", "build", "networks"}
        assert {key: value for key, value in service.items() if key not in apart} == {
            key: value for key, value in ours.items() if key not in apart
        }
        assert service["image"] == "example/mytool:1"
        assert service["networks"] == ["mytool"]
        assert written(folder)["networks"]["mytool"] == COMPOSE["networks"]["markitdown"]

    def test_the_orchestrator_finds_it_and_goes_on_without_it(self, folder: Path) -> None:
        """By its variable, over its network, never waiting for a service that is not there."""
        overriding.add("example/mytool:1", folder)
        assert written(folder)["services"]["orchestrator"] == {
            "environment": {"DOCASSAY_PARSER_MYTOOL": "mytool:50051"},
            "networks": {"mytool": {}},
            "depends_on": {"mytool": {"condition": "service_started", "required": False}},
        }

    def test_what_is_there_stays(self, folder: Path) -> None:
        """Other services, other variables, quotes and comments."""
        before = (
            "# ours\nservices:\n  orchestrator:\n    environment:\n      OTHER: 'yes'  # needed\n"
            "  other:\n    image: example/other:2\n"
        )
        (folder / overriding.OVERRIDE).write_text(before)
        overriding.add("example/mytool:1", folder)
        text = (folder / overriding.OVERRIDE).read_text()
        for kept in ("# ours", "OTHER: 'yes'  # needed", "image: example/other:2"):
            assert kept in text
        assert set(written(folder)["services"]) == {"orchestrator", "other", "mytool"}
        assert written(folder)["services"]["orchestrator"]["environment"]["DOCASSAY_PARSER_MYTOOL"] == "mytool:50051"

    def test_adding_again_replaces_the_stanza(self, folder: Path) -> None:
        """Another version of a parser takes its place; the same one changes nothing."""
        overriding.add("example/mytool:1", folder)
        first = (folder / overriding.OVERRIDE).read_text()
        overriding.add("example/mytool:1", folder)
        assert (folder / overriding.OVERRIDE).read_text() == first
        overriding.add("example/mytool:2", folder)
        assert (folder / overriding.OVERRIDE).read_text() == first.replace("mytool:1", "mytool:2")

    def test_the_other_name_of_the_file_is_taken_where_it_is_there(self, folder: Path) -> None:
        """Of two, compose reads ``.yml`` alone: it is added to and taken from, and two are refused."""
        other = folder / "compose.override.yml"
        other.write_text("# mine\n")
        overriding.add("example/mytool:1", folder)
        assert other.read_text().startswith("# mine\nservices:\n  mytool:")
        assert not (folder / overriding.OVERRIDE).exists()
        assert overriding.remove("mytool", folder) == other
        (folder / overriding.OVERRIDE).write_text("")
        with pytest.raises(OverrideError, match="are both there, and compose reads the second alone"):
            overriding.add("example/mytool:1", folder)


class TestRemove:
    def test_what_was_added_goes_and_nothing_stays_of_it(self, folder: Path) -> None:
        """Nor the file."""
        overriding.add("example/mytool:1", folder)
        assert overriding.remove("mytool", folder) == folder / overriding.OVERRIDE
        assert not (folder / overriding.OVERRIDE).exists()

    def test_what_somebody_wrote_stays_to_the_letter(self, folder: Path) -> None:
        """Other parsers, other services, other variables, and comments wherever they stand."""
        path = folder / overriding.OVERRIDE
        path.write_text(OURS)
        overriding.add("example/mytool:1", folder)
        assert overriding.remove("mytool", folder) == path
        assert path.read_text() == OURS

    @pytest.mark.parametrize(("first", "second"), [("mytool", "other_tool"), ("other_tool", "mytool")])
    def test_one_of_two_goes_alone(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str
    ) -> None:
        """The other is as it was when it was added alone."""
        label(monkeypatch, second)
        overriding.add("example/second:1", folder)
        alone = written(folder)
        label(monkeypatch, first)
        overriding.add("example/first:1", folder)
        overriding.remove(first, folder)
        assert written(folder) == alone

    def test_a_file_that_was_edited_since_keeps_the_edits(self, folder: Path) -> None:
        """Comments beside and behind the stanza, and mappings in one line."""
        path = folder / overriding.OVERRIDE
        path.write_text(EDITED)
        overriding.remove("mytool", folder)
        assert path.read_text() == EDITED_WITHOUT

    def test_comments_alone_are_kept(self, folder: Path) -> None:
        """They are somebody's, and compose takes such a file."""
        path = folder / overriding.OVERRIDE
        overriding.add("example/mytool:1", folder)
        path.write_text("# mine\n" + path.read_text())
        overriding.remove("mytool", folder)
        assert path.read_text() == "# mine\n"

    def test_a_name_that_is_not_there_is_answered_with_those_that_are(self, folder: Path) -> None:
        """A service that is no parser is none of them; nothing is written."""
        (folder / overriding.OVERRIDE).write_text("services:\n  other:\n    image: example/other:2\n")
        overriding.add("example/mytool:1", folder)
        before = (folder / overriding.OVERRIDE).read_text()
        with pytest.raises(OverrideError, match=r"has no parser 'other'; it has: mytool$"):
            overriding.remove("other", folder)
        assert (folder / overriding.OVERRIDE).read_text() == before

    def test_without_the_file_nothing_was_added(self, folder: Path) -> None:
        """The message names it."""
        with pytest.raises(OverrideError, match=r"compose\.override\.yaml is not there: no parser was added"):
            overriding.remove("mytool", folder)

    def test_what_others_refer_to_is_not_torn_out(self, folder: Path) -> None:
        """The rest would mean nothing, or something else; the file stays as it is."""
        path = folder / overriding.OVERRIDE
        overriding.add("example/mytool:1", folder)
        text = path.read_text().replace("  mytool:\n    image", "  mytool: &mine\n    image", 1)
        text = text.replace("networks:\n  mytool", "x-other:\n  <<: *mine\nnetworks:\n  mytool")
        path.write_text(text)
        with pytest.raises(OverrideError, match=r"mytool cannot be taken out alone .*mine.*: do it by hand"):
            overriding.remove("mytool", folder)
        assert path.read_text() == text

    def test_a_list_where_add_writes_a_mapping_is_named(self, folder: Path) -> None:
        """Somebody rewrote it."""
        (folder / overriding.OVERRIDE).write_text("services:\n  orchestrator:\n    environment: [A=1]\n")
        with pytest.raises(OverrideError, match=r"services\.orchestrator\.environment is a list"):
            overriding.remove("mytool", folder)


class TestRefused:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("services: [", "is not YAML"),
            ("- a list\n", "the document is no mapping"),
            ("services:\n  orchestrator:\n    environment: [A=1]\n", "services.orchestrator.environment is a list"),
        ],
    )
    def test_a_file_that_cannot_be_added_to_is_named_and_left_alone(self, folder: Path, text: str, words: str) -> None:
        """The place is named, and nothing is written."""
        path = folder / overriding.OVERRIDE
        path.write_text(text)
        with pytest.raises(OverrideError, match=words) as caught:
            overriding.add("example/mytool:1", folder)
        assert str(path) in str(caught.value)
        assert path.read_text() == text

    @pytest.mark.parametrize("name", ["", "My-Tool", "x\n  privileged: true"])
    def test_an_image_that_does_not_tell_its_name_is_refused(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        """A label is somebody else's text: only a name becomes part of the file."""
        label(monkeypatch, name)
        with pytest.raises(OverrideError, match=r"LABEL org\.opencontainers\.image\.title"):
            overriding.add("example/mytool:1", folder)
        assert not (folder / overriding.OVERRIDE).exists()

    @pytest.mark.parametrize(
        "name", sorted({*COMPOSE["services"], *COMPOSE["networks"], *COMPOSE["volumes"], "default"})
    )
    def test_a_name_of_compose_s_own_file_is_refused(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        """A service, a parser, a network or a volume would be made of both, whatever profile it is of."""
        shutil.copy(ROOT / "compose.yaml", folder / "compose.yaml")
        label(monkeypatch, name)
        with pytest.raises(OverrideError) as caught:
            overriding.add("example/mytool:1", folder)
        assert str(caught.value).startswith(f"{name}, the title of example/mytool:1, is a")
        assert f" of {folder / 'compose.yaml'} already: give the image another title" in str(caught.value)
        assert not (folder / overriding.OVERRIDE).exists()

    @pytest.mark.parametrize(
        ("name", "what"),
        [
            ("tesseract", "a parser and a network"),
            ("orchestrator", "a service"),
            ("scorer", "a service and a network"),
            ("weights", "a service and a volume"),
            ("outside", "a network"),
            ("cache", "a volume"),
        ],
    )
    def test_what_a_name_is_already_is_told(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, what: str
    ) -> None:
        """So that it is clear what would have been lost."""
        shutil.copy(ROOT / "compose.yaml", folder / "compose.yaml")
        label(monkeypatch, name)
        with pytest.raises(OverrideError, match=f", is {what} of "):
            overriding.add("example/mytool:1", folder)

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            (OURS.replace("  other:", "  mytool:"), "a service"),
            ("networks:\n  mytool:\n", "a network"),
            ("volumes:\n  mytool:\n", "a volume"),
        ],
    )
    def test_what_somebody_wrote_beside_it_is_not_replaced(self, folder: Path, text: str, what: str) -> None:
        """A service of the same name that is no parser which was added; the file stays as it is."""
        path = folder / overriding.OVERRIDE
        path.write_text(text)
        with pytest.raises(OverrideError, match=f", is {what} of {path} already, and no parser that was added"):
            overriding.add("example/mytool:1", folder)
        assert path.read_text() == text

    def test_a_compose_file_that_cannot_be_read_is_named(self, folder: Path) -> None:
        """Which names are free is not known then."""
        path = folder / "compose.yaml"
        path.write_text("services: [")
        with pytest.raises(OverrideError, match=f"{path} is not YAML"):
            overriding.add("example/mytool:1", folder)

    def test_a_folder_without_compose_is_refused(self, tmp_path: Path) -> None:
        """An override of nothing would never be read."""
        with pytest.raises(OverrideError, match=r"has no compose\.yaml"):
            overriding.add("example/mytool:1", tmp_path)
