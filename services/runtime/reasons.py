"""The reason of a failure: one line of an error's message that a person can act on.

Tools raise messages of any length, in any characters, with logs and tracebacks of other processes inside, or none at
all. Standard library only: this runs in every parser's environment.
"""

import os
import re
import subprocess
import traceback
from pathlib import Path

from services.runtime.form import Repair

LENGTH = 400
"""Code points kept of a reason."""

_LOOKED_AT = 65_536
"""Code points of either end of a message that are read."""

_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(r"^[\w.]*(?:Error|Exception|Exit|Interrupt)\b.*$", re.MULTILINE)
_BYTES = re.compile(r"\bb(?=(['\"])[^'\"]*\1)")


def of(error: BaseException, *, named: bool = True) -> str:
    """Return the line.

    Args:
        error: what was raised.
        named: whether the kind of error is part of it, and the error that a tool says was its cause; one that Python
            itself raised tells little without the place, so that is named as well.
    """
    if not named:
        return Repair()(_line(error))[:LENGTH]
    cause = _cause(error)
    message, place = _with_name(error), ""
    if _with_name(cause) == message:  # a library raised its own error anew; who called it knows the place
        cause = error
    if cause is not error:
        message = f"{message[: LENGTH // 2]}: {_with_name(cause)}"
    if type(cause).__module__ == "builtins" and not isinstance(cause, OSError):
        place = _place(cause)
    return Repair()(message[: LENGTH - len(place)] + place)[:LENGTH]


def of_document(reason: str, path: Path) -> str:
    """Return a reason without the name that the document has for the parser, which nobody else knows."""
    return reason.replace(str(path), "the document").replace(path.name, "the document")


def _cause(error: BaseException) -> BaseException:
    """Return the error at the beginning of what led to this one; a chain may be a circle."""
    seen = {id(error)}
    while error.__cause__ is not None and id(error.__cause__) not in seen:
        error = error.__cause__
        seen.add(id(error))
    return error


def _with_name(error: BaseException) -> str:
    line = _line(error)
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


def _line(error: BaseException) -> str:
    try:
        line = " ".join(_message(error).split())
    except BaseException:
        return "(its message could not be read)"
    # Where a temporary file lay tells nobody anything, and is another place each time.
    folder = os.environ.get("TMPDIR", "").rstrip("/")
    return re.sub(re.escape(folder) + r"/(?:[^/\s'\"]+/)*", "", line) if folder else line


def _message(error: BaseException) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return _of_program(error)
    text = str(error)
    if _TRACEBACK in text[:_LOOKED_AT]:
        # What matters of another process's traceback is what was raised there; its frames would fill the line.
        raised = _RAISED.findall(text[-_LOOKED_AT:]) or text.split("\n")[-1:]
        text = f"{text.partition(_TRACEBACK)[0]} {raised[-1]}"
    return _BYTES.sub("", text[: 4 * LENGTH])


def _of_program(error: subprocess.CalledProcessError) -> str:
    """Say which program ended how, and its last words; the whole command would leave no room for them."""
    command = error.cmd if isinstance(error.cmd, str) else error.cmd[0]
    program = Path(str(command).split()[0]).name
    ended = f"was ended by signal {-error.returncode}" if error.returncode < 0 else f"exit code {error.returncode}"
    said = error.stderr or error.output or ""
    text = said[-_LOOKED_AT:].decode(errors="replace") if isinstance(said, bytes) else said[-_LOOKED_AT:]
    words = _RAISED.findall(text) or text.split("\n")
    last = next((line for line in reversed(words) if line.strip()), "it said nothing")
    return f"{program}: {ended}: {last}"


def _place(error: BaseException) -> str:
    """Return where in the tool an error came up, as `` (tool/module.py, line 12)``; nothing when it was not there.

    The tool is the package that was called first; the place is its innermost, not that of a library below it.
    """
    places = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        _, installed, inside = frame.f_code.co_filename.rpartition("/site-packages/")
        if installed and not inside.startswith("services/"):  # this project may be installed as well
            places.append((inside, line))
    own = [(inside, line) for inside, line in places if inside.split("/")[0] == places[0][0].split("/")[0]]
    return f" ({own[-1][0]}, line {own[-1][1]})" if own else ""
