"""``docassay verify`` where the machine lacks what a comparison needs."""

import json
from pathlib import Path

from tests.orchestrator.cli.shell import docassay


class TestVerifyOmnidoc:
    def test_cdm_without_latex(self, tmp_path: Path) -> None:
        """Asked for CDM on a machine without LaTeX, it compares nothing and names the packages to install."""
        case = {"id": "t", "kind": "text_norm", "input": {"text": "a"}}
        case["expected"] = {"textblock2unicode": "a", "clean_string": "a"}
        (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
        nowhere = {"PATH": str(tmp_path)}
        assert docassay("verify", "omnidoc", tmp_path, environment=nowhere).stdout == "1 passed, 0 failed\n"
        asked = docassay("verify", "omnidoc", tmp_path, "--cdm", environment=nowhere)
        assert (asked.returncode, asked.stdout) == (1, "")
        assert "apt-get install --no-install-recommends fontconfig ghostscript texlive-xetex" in asked.stderr
