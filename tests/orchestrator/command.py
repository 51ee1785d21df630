"""The command line in a process of its own, over services of a test's choice."""

import subprocess
import sys
from pathlib import Path

from orchestrator import local
from scorer.store import query
from scorer.store.errors import StoreError
from tests.services import served


class Command:
    """The command line in a process of its own."""

    def __init__(self, services: Path, results: Path) -> None:
        self.services = services
        self.results = results

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.orchestrator.drive", self.services, *arguments, "--results", self.results],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=local.ROOT,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def rows(self, sql: str) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = query.table(self.results, sql).to_pylist()
        return rows

    def has_stored(self) -> bool:
        """Whether a row is on disk; asked of the live scorer."""
        try:
            return bool(self.rows("select 1 from parses limit 1"))
        except StoreError:
            return False


def reading_pages(folder: Path) -> Command:
    """Return the command line with one parser, whose text is its document, be that HTML or PDF."""
    services = folder / "services"
    (services / "faulty_parser").mkdir(parents=True)
    for path in served.FOLDER.iterdir():
        if path.is_file():
            (services / "faulty_parser" / path.name).write_bytes(path.read_bytes())
    toml = services / "faulty_parser" / "parser.toml"
    toml.write_text(toml.read_text().replace('formats = ["html"]', 'formats = ["pdf", "html"]'))
    (services / "intake").symlink_to(local.SERVICES / "intake")
    return Command(services, folder / "results")
