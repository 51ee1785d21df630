"""The command line. Every subcommand's ``--help`` has an example; ``--json`` is for machines."""

import os
import sys

from orchestrator.interruption import Interrupted, Interruption

__all__ = ["main"]


def main() -> None:
    """Run the command line: 0 done, 1 failed, 2 asked for something that cannot be, 130 interrupted."""
    interruption = Interruption()
    interruption.install()
    try:
        # Imported here: that takes a while, and a Ctrl-C meanwhile must find its handler.
        from orchestrator.cli.app import app

        app(obj=interruption)
    except Interrupted:
        print("interrupted: whatever was stored is kept; give the same command again to go on", file=sys.stderr)
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
