"""The replicas behind one name: every address it resolves to is a service of its own."""

import socket
from collections.abc import Callable
from typing import Any

Lookup = Callable[..., list[tuple[Any, ...]]]


def resolved(text: str, lookup: Lookup = socket.getaddrinfo) -> tuple[str, ...]:
    """Return an address for each replica behind ``host:port`` or ``unix:PATH``, in a fixed order; none for a name
    behind which nobody is.

    A machine usually has one address of IPv4 and one of IPv6, which are no two replicas: those of IPv4 count, and those
    of IPv6 where there is none. A name with a single one stays as it is written, so that gRPC may choose the family.
    """
    host, colon, port = text.rpartition(":")
    if text.startswith("unix:") or not colon or not port.isdecimal():
        return (text,)
    try:
        found = lookup(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
    except OSError:
        return ()
    for family, form in ((socket.AF_INET, "{}:{}"), (socket.AF_INET6, "[{}]:{}")):
        hosts = sorted({entry[4][0] for entry in found if entry[0] == family})
        if hosts:
            return (text,) if len(hosts) == 1 else tuple(form.format(host, port) for host in hosts)
    return (text,)


def addresses(text: str, lookup: Lookup = socket.getaddrinfo) -> tuple[str, ...]:
    """Return the same, and a name behind which nobody is as it is written: the call itself says what is wrong."""
    return resolved(text, lookup) or (text,)
