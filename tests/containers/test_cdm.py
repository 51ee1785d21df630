"""The image that draws formulas: built, and locked down, it grades a folder of markdown with Chinese formulas."""

import json
import os
from pathlib import Path

import pytest

from tests.containers.engine import ROOT, docker
from tests.scorer.suites.omnidoc.pages import LONG, block, data

pytestmark = pytest.mark.docker

IMAGE = "docassay/cdm:test"
FORMULA = r"\frac{面积}{2} = \alpha^{2}"


@pytest.fixture(scope="module")
def image() -> str:
    """Build the image; one that is there and unchanged takes a moment."""
    base = os.environ.get("BASE_IMAGE", "debian:bookworm-slim")
    docker(
        *("build", "--quiet", "--build-arg", f"BASE_IMAGE={base}", "-f", str(ROOT / "images" / "docassay.Dockerfile")),
        *("--target", "cdm", "-t", IMAGE, str(ROOT)),
        timeout=1800,
    )
    return IMAGE


class TestImage:
    def test_grades_offline(self, image: str, tmp_path: Path) -> None:
        """Without network, as another user, on a read-only root: equal formulas score 100, a wrong one less."""
        pages = []
        for name, predicted in (("a", FORMULA), ("b", FORMULA.replace("面积", "体积"))):
            page = data(
                block("text_block", 1, 1, text=LONG[0]), block("equation_isolated", 2, 2, latex=f"$${FORMULA}$$")
            )
            page["page_info"] |= {"image_path": f"{name}.jpg"}  # type: ignore[operator]
            pages.append(page)
            (tmp_path / "md").mkdir(exist_ok=True)
            (tmp_path / "md" / f"{name}.md").write_text(f"{LONG[0]}\n\n$${predicted}$$", encoding="utf-8")
        (tmp_path / "gold.json").write_text(json.dumps(pages), encoding="utf-8")
        done = docker(
            *("run", "--rm", "--network", "none", "--read-only", "--cap-drop", "ALL", "--tmpfs", "/tmp:mode=1777"),
            *("--tmpfs", "/cache:mode=1777", "--user", f"{os.getuid()}:{os.getgid()}", "-v", f"{tmp_path}:/data"),
            *(image, "grade", "omnidoc", "--gold", "gold.json", "--predictions", "md", "--json"),
        )
        [row] = json.loads(done.stdout)["parsers"]
        cdm = row["averages"]["display_formula"]["CDM"]
        assert (cdm["pages"], row["errors"]) == (2, 0)
        assert 50 < row["formula_cdm"] < 100
        assert (tmp_path / "results" / "docassay.duckdb").is_file()

    def test_recorded_answers(self, image: str) -> None:
        """CDM drawn by the image's own programs is within its tolerance of every recorded answer."""
        if not os.environ.get("DOCASSAY_ORACLES"):
            pytest.skip("DOCASSAY_ORACLES is not set: the recorded answers are not at hand")
        recorded = ("--read-only", "--tmpfs", "/tmp:mode=1777", "-v", f"{os.environ['DOCASSAY_ORACLES']}:/oracles:ro")
        command = (image, "verify", "omnidoc", "/oracles/omnidocbench", "--cdm")
        done = docker("run", "--rm", "--network", "none", *recorded, *command)
        assert "148 passed, 0 failed" in done.stdout
