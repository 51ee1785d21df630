"""The command line. Every subcommand's ``--help`` has an example; ``--json`` is for machines."""

import os
import sys
from collections.abc import Sequence

from orchestrator.interruption import Interrupted, Interruption

__all__ = ["main"]


def _check_text(words: Sequence[str]) -> None:
    """Refuse an argument that is no text: neither a message nor the store could hold it.

    Raises:
        UsageError: naming it.
    """
    from orchestrator.cli.failures import UsageError

    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"{word!r} is not UTF-8: give the file or folder a name that is, or a link to it"
            ) from None


def main() -> None:
    """Run the command line: 0 done, 1 failed, 2 asked for something that cannot be, 130 interrupted."""
    interruption = Interruption()
    interruption.install()
    try:
        # Imported here: that takes a while, and a Ctrl-C meanwhile must find its handler.
        from orchestrator.cli.app import app

        _check_text(sys.argv[1:])

        app(obj=interruption)
    except Interrupted:
        kept = "whatever was stored is kept; the same command goes on from there, or begins again"
        print(f"interrupted: {kept}", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        from orchestrator.cli.failures import explain

        failure = explain(error)
        if failure is None:
            raise
        print(f"docassay: {failure.text}", file=sys.stderr)
        sys.exit(failure.code)
