"""JSON schemas (draft 2020-12) of a corpus's manifest and of each annotation.

Every key of the layout is required, except those a corpus may not know (``pages``, ``page``, ``bytes``, ``domain``,
``origin``, ``licence``, ``annotations``). Keys a schema does not name are allowed, so that a corpus can keep notes of
its own; ``docassay corpus check`` warns of each, because a misspelt key looks the same.
"""

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def schema(name: str) -> dict[str, Any]:
    """Return the schema of ``documents``, ``headings``, ``tables`` or ``qa``."""
    text = resources.files(__name__).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
