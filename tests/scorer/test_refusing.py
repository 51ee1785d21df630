"""A scorer that cannot serve its folder."""

from pathlib import Path

import pytest

from scorer import refusing
from services.runtime.ending import Ending


def test_it_ends_by_itself_when_nobody_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that was mended since would be refused for ever otherwise."""
    monkeypatch.setattr(refusing, "_SECONDS", 0.1)
    refusing.tell("another layout", f"unix:{tmp_path}/s", Ending())
