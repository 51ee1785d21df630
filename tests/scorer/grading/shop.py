"""A store with three annotated pages and predictions of them, to be graded."""

import json
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docassay.v1 import scorer_pb2 as pb
from scorer import grading
from scorer.scoring.steps import Progress, Scored
from scorer.store.artifacts import Artifacts
from scorer.store.database import FILE, Database
from tests.scorer.suites.omnidoc.pages import LONG, block, data

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
TABLE = "<table><tr><td>1</td><td>2</td></tr></table>"
CONTENTS = {
    "a.jpg": [
        block("text_block", 1, 11, text=LONG[0], attribute={"text_language": "en"}),
        block("equation_isolated", 2, 12, latex="$$x^2+y$$"),
        block("table", 3, 13, html=TABLE),
    ],
    "b.jpg": [block("text_block", 1, 21, text=LONG[1], attribute={"text_language": "en"})],
    "c.jpg": [block("text_block", 1, 31, text=LONG[2])],
}
INVENTED = "Nobody ever wrote this sentence in the page"
MARKDOWN = {
    "a.md": f"{LONG[0]}\n\n$$x^2+y$$\n\n{TABLE}\n\n{INVENTED}",
    "b.md": LONG[1].replace("box", "bax"),
}
LETTERS_B = 53
"""Of "Pack my box with five dozen liquor jugs before the evening train"."""


class Shop:
    """A store, a folder of predictions `md` and the annotations they answer to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = Database(folder / FILE)
        self.artifacts = Artifacts(folder / "artifacts")
        pages = [data(*blocks) for blocks in CONTENTS.values()]
        for page, (image, layout) in zip(pages, (("a.jpg", "x"), ("b.jpg", "x"), ("c.jpg", "y")), strict=True):
            page["page_info"] = {
                "image_path": f"images/{image}",
                "width": 10,
                "height": 10,
                "page_attribute": {"data_source": "book", "layout": layout, "special_issue": ["faint", "table_photo"]},
            }
        self.gold = folder / "gold.json"
        self.gold.write_text(json.dumps(pages), encoding="utf-8")
        self.predictions("md", MARKDOWN)

    def predictions(self, name: str, files: Mapping[str, str]) -> None:
        """Write a folder of predictions."""
        (self.folder / name).mkdir()
        for file, text in files.items():
            (self.folder / name / file).write_text(text, encoding="utf-8")

    def steps(self, *names: str, stop: threading.Event | None = None, **more: Any) -> Iterator[Progress | Scored]:
        """Grade folders by name."""
        given = [pb.Predictions(parser=name, folder=str(self.folder / name)) for name in names]
        wanted = pb.OmnidocGrading(**{"gold": str(self.gold), "predictions": given, "jobs": 1, **more})
        return self._steps(stop, omnidoc=wanted)

    def grade(self, *names: str, **more: Any) -> Scored:
        """Grade folders to the end."""
        return _last(self.steps(*names, **more))

    def task_steps(
        self, config: Mapping[str, object] | Path, *, stop: threading.Event | None = None, **more: Any
    ) -> Iterator[Progress | Scored]:
        """Grade the first task of a configuration, whose paths start in the shop."""
        path = config
        if not isinstance(path, Path):
            path = self.folder / "config.yaml"
            path.write_text(json.dumps(config), encoding="utf-8")
        asked = {"config": str(path), "root": str(self.folder), "files_folder": str(self.folder / "result"), "jobs": 1}
        return self._steps(stop, omnidoc_task=pb.OmnidocTask(**{**asked, **more}))

    def task(self, config: Mapping[str, object] | Path, **more: Any) -> Scored:
        """Grade a task to the end."""
        return _last(self.task_steps(config, **more))

    def _steps(self, stop: threading.Event | None, **suite: Any) -> Iterator[Progress | Scored]:
        request = pb.GradeRequest(run=pb.Run(machine_json="{}", machine_digest="m", commit="c"), **suite)
        return grading.grade(
            self.database,
            self.artifacts,
            request,
            cache=self.folder / "cache",
            now=NOW,
            stop=stop or threading.Event(),
        )

    def tuples(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return [tuple(row.values()) for row in self.database.rows(sql)]

    def one(self, sql: str) -> Any:
        """Return the only value of a query."""
        [row] = self.database.rows(sql)
        [value] = row.values()
        return value


def _last(steps: Iterator[Progress | Scored]) -> Scored:
    *_, last = steps
    assert isinstance(last, Scored)
    return last
