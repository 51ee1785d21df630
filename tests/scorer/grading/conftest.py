"""What tests of grading share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer.renderers import RendererError, latex
from tests.scorer.grading.shop import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """An empty store and three annotated pages, two of them predicted."""
    opened = Shop(tmp_path)
    yield opened
    opened.database.close()


@pytest.fixture
def no_latex(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that cannot draw formulas."""

    def missing() -> None:
        raise RendererError("formulas cannot be drawn: missing xelatex")

    monkeypatch.setattr(latex, "check_environment", missing)
