"""KaTeX in an embedded V8: LaTeX to MathML, offline.

The JavaScript is the one that the wheel of sphinxcontrib-katex ships, byte for byte KaTeX 0.16.22's
`katex.min.js`; its digest is checked, because another KaTeX would give other verdicts.
"""

import atexit
import functools
import hashlib
import json
import threading
from importlib import metadata
from pathlib import Path

from py_mini_racer import MiniRacer

VERSION = "0.16.22"
SHA256 = "e8d885505949f3a5f4abdd5dd0d53696bd1371ad26ffbf4f310dcd77c8cdae89"

_DISTRIBUTION, _FILE = "sphinxcontrib-katex", "sphinxcontrib/katex.min.js"
_OPTIONS = {"output": "mathml", "strict": "ignore", "throwOnError": True, "trust": False}
_FUNCTION = f"""
function toMathML(tex, displayMode) {{
  const options = {json.dumps(_OPTIONS)};
  try {{
    return katex.renderToString(tex, {{...options, displayMode}});
  }} catch (error) {{
    return null;
  }}
}}
"""


class KatexUnavailableError(RuntimeError):
    """KaTeX is missing or is another version: equations cannot be graded, and nothing is graded instead."""


class Katex:
    """One V8 context holding KaTeX; calls from several threads take turns."""

    def __init__(self, source: str) -> None:
        self._lock = threading.Lock()
        self._context = MiniRacer()
        self._context.eval(source)
        self._context.eval(_FUNCTION)

    def mathml(self, tex: str, *, display: bool) -> str | None:
        """Return what `tex` renders to, or None when KaTeX cannot parse it."""
        with self._lock:
            answer = self._context.call("toMathML", tex, display)
        return answer if isinstance(answer, str) else None

    def close(self) -> None:
        """Let go of V8. Left to the end of the interpreter, V8 may wait for threads that are gone, for ever."""
        with self._lock:
            self._context.close()


@functools.cache
def katex() -> Katex:
    """Return this process's KaTeX.

    Raises:
        KatexUnavailableError: when the JavaScript is not installed or is not KaTeX 0.16.22.
    """
    try:
        distribution = metadata.distribution(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise KatexUnavailableError(
            f"equations need KaTeX {VERSION}, which the package {_DISTRIBUTION} ships; "
            "install docassay with its extra `scorer`"
        ) from None
    path = Path(str(distribution.locate_file(_FILE)))
    source = path.read_bytes() if path.is_file() else b""
    digest = hashlib.sha256(source).hexdigest()
    if digest != SHA256:
        raise KatexUnavailableError(
            f"{path} is not KaTeX {VERSION} (its SHA-256 is {digest}, expected {SHA256}); "
            f"install the {_DISTRIBUTION} that requirements.lock names"
        )
    found = Katex(source.decode())
    atexit.register(found.close)
    return found
