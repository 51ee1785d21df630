"""The command line with another folder of parsers: ``python -m tests.orchestrator.drive SERVICES ARGUMENTS…``.

``DOCASSAY_TEST_REPLICAS`` lists the addresses that the name ``replicas.test`` resolves to.
"""

import functools
import os
import socket
import sys
from pathlib import Path
from typing import Any

from orchestrator import cli, local, replicas


def _lookup(host: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
    if host != "replicas.test":
        return list(socket.getaddrinfo(host, port, **options))
    named = os.environ["DOCASSAY_TEST_REPLICAS"].split()
    return [found for address in named for found in socket.getaddrinfo(address, port, **options)]


if __name__ == "__main__":
    local.SERVICES = Path(sys.argv.pop(1))
    replicas.addresses = functools.partial(replicas.addresses, lookup=_lookup)
    cli.main()
