"""Run in DocSlicer's own environment: how many frames there are after a document, and after one that fails, as JSON."""

import contextlib
import gc
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
from docslicer import _orchestrator

from services.docslicer.adapter import Adapter


def frames() -> int:
    """How many frames are alive."""
    gc.collect()
    return sum(isinstance(thing, pd.DataFrame) for thing in gc.get_objects())


def failing(*_positional: Any, **_named: Any) -> None:
    """Fail after the chunk builder's turn."""
    raise RuntimeError("no result")


def main() -> None:
    """Count while the document is held, when it is gone, and after a failure."""
    adapter, path = Adapter(""), Path(sys.argv[1])
    parsed = adapter.parse(path, path.suffix[1:])
    counts = [frames()]
    del parsed
    counts.append(frames())
    _orchestrator._build_result = failing
    with contextlib.suppress(RuntimeError):
        adapter.parse(path, path.suffix[1:])
    counts.append(frames())
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
