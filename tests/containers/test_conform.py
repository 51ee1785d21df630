"""``docassay conform`` on real images: those of this repository, and one with vices."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.conformity import POINTS, containers
from orchestrator.containers import images
from orchestrator.local import ServiceFailed
from tests.containers import engine
from tests.containers.engine import docker

pytestmark = pytest.mark.docker

IMAGES = ("docassay/markitdown:0.1.9", "docassay/docslicer:0.2.5", "docassay/opendataloader:2.5.16")
BAD = "docassay/bad-parser:1"
VICES = {"no_digest": "describe", "deadline_ignored": "deadline", "no_reasons": "statuses", "stays": "shutdown"}


def conform(target: str, **environment: str) -> tuple[int, dict[str, Any], str]:
    """Return the exit code, what it printed as JSON, and what it said besides."""
    command = [str(Path(sys.executable).with_name("docassay")), "conform", target, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


def verdicts(told: dict[str, Any], verdict: str) -> set[str]:
    return {point["point"] for point in told["points"] if point["verdict"] == verdict}


def left() -> list[str]:
    """Return the containers and networks of examinations that are still there."""
    names = (
        docker("network", "ls", "--format", "{{.Name}}").stdout + docker("ps", "-a", "--format", "{{.Names}}").stdout
    )
    return [name for name in names.split() if name.startswith("docassay-conform-")]


@pytest.fixture(scope="module", autouse=True)
def _images() -> None:
    engine.build()


def test_a_container_is_not_taken_for_one_of_compose(tmp_path: Path) -> None:
    """An image that compose built has its labels; compose would end a run with the container that inherits them."""
    (tmp_path / "Dockerfile").write_text(
        f"FROM {IMAGES[0]}\nLABEL com.docker.compose.project=mine com.docker.compose.service=markitdown\n"
    )
    docker("build", "-q", "-t", "docassay/labelled-parser:1", str(tmp_path))
    (tmp_path / "documents").mkdir()
    with containers.started("docassay/labelled-parser:1", tmp_path / "documents"):
        [name] = docker("ps", "-q", "--filter", "ancestor=docassay/labelled-parser:1").stdout.split()
        labels = json.loads(docker("inspect", name, "-f", "{{json .Config.Labels}}").stdout)
        assert {labels[f"com.docker.compose.{key}"] for key in ("project", "service")} == {""}
        assert docker("ps", "-q", "--filter", "label=com.docker.compose.project=mine").stdout == ""


class TestImages:
    @pytest.mark.parametrize("image", IMAGES)
    def test_ours_conform(self, image: str) -> None:
        """No point fails; what cannot be shown with a parser is said to be unproven, never that its container ends."""
        code, told, err = conform(image)
        assert code == 0, (told, err)
        assert told["conforms"] is True
        assert verdicts(told, "fails") == set()
        assert verdicts(told, "unproven") <= {"large_document", "large_output"}
        assert len(told["points"]) == len(POINTS)
        assert left() == []

    def test_one_with_vices_fails_on_those_points_alone(self) -> None:
        """And on running as root; its container and network are gone afterwards."""
        folder = engine.ROOT / "tests"
        docker(
            *("build", "-q", "-f", str(folder / "containers" / "bad_parser" / "Dockerfile"), "-t", BAD),
            *("--build-arg", f"IMAGE={IMAGES[0]}", "--build-arg", f"VICES={','.join(VICES)}"),
            str(folder / "orchestrator" / "conformity"),
        )
        code, told, err = conform(BAD)
        assert code == 1, err
        assert verdicts(told, "fails") == {*VICES.values(), "unprivileged"}
        assert left() == []


class TestRefused:
    def test_no_engine(self) -> None:
        """Where it was looked for, and what to do."""
        code, _, err = conform(IMAGES[0], DOCKER_HOST="unix:///nowhere.sock")
        assert code == 2
        assert "no container engine answers" in err
        assert "DOCKER_HOST" in err
        assert "Traceback" not in err

    def test_no_such_image(self) -> None:
        """Nothing is fetched behind the caller's back."""
        code, _, err = conform("example/nothing:1")
        assert code == 2
        assert "has no image example/nothing:1" in err

    def test_no_name(self) -> None:
        """A variable that a script forgot to set."""
        code, _, err = conform("")
        assert (code, err) == (2, "docassay: '' is no image: Resource ID was not provided\n")

    def test_an_image_that_ends_at_once(self) -> None:
        """Its exit code and last words."""
        code, _, err = conform("debian:bookworm-slim")
        assert code == 1
        assert "debian:bookworm-slim ended with exit code 0" in err
        assert "port 50051" in err
        assert left() == []

    def test_an_image_that_never_answers(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """After how long it was given up, and its last words."""
        (tmp_path / "Dockerfile").write_text('FROM debian:bookworm-slim\nCMD echo "still thinking"; sleep 600\n')
        docker("build", "-q", "-t", "docassay/silent-parser:1", str(tmp_path))
        monkeypatch.setattr(containers, "START_SECONDS", 3.0)
        (tmp_path / "documents").mkdir()
        with (
            pytest.raises(ServiceFailed, match=r"takes no gRPC calls after \d+ s.*still thinking"),
            containers.started("docassay/silent-parser:1", tmp_path / "documents"),
        ):
            pass
        assert left() == []

    def test_an_image_for_another_cpu(self) -> None:
        """Which it was built for, and how to build it for this one."""

        class Engine:
            class images:  # noqa: N801
                @staticmethod
                def get(_: str) -> Any:
                    return type("Image", (), {"attrs": {"Architecture": "s390x"}})

            @staticmethod
            def version() -> dict[str, str]:
                return {"Arch": "amd64"}

        with pytest.raises(images.ImageError, match=r"was built for s390x, and this engine runs amd64.*--platform"):
            images.find(Engine, "example/mytool:1")
