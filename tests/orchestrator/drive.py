"""The command line with another folder of parsers: ``python -m tests.orchestrator.drive SERVICES ARGUMENTS…``."""

import sys
from pathlib import Path

from orchestrator import cli, local

if __name__ == "__main__":
    local.SERVICES = Path(sys.argv.pop(1))
    cli.main()
