"""How a parser's container is locked down, in the words of the Docker SDK. compose.yaml says the same in its own."""

from typing import Any

MEMORY_BYTES = 6 << 30
"""More than a run's own limit of memory, which is told as such: this one is the kernel's, and ends what passes it."""

PROCESSES = 512
SCRATCH = "exec,nosuid,nodev,size=1g,mode=1777"
"""The parser's scratch space; what lies in it counts as the container's memory.

The only other places to write are the engine's own: ``/dev/shm``, 64 MB that count too, without which processes have no
semaphores between them, and ``/dev/mqueue``, which takes message queues alone.
"""

DOCUMENTS = "/documents"
"""Where a parser sees the documents, read-only."""

PORT = 50051
"""Where a parser's service listens in its container."""


def container(*, cpus: str = "", memory_bytes: int = MEMORY_BYTES) -> dict[str, Any]:
    """Return the arguments of ``containers.create`` that lock a parser down.

    Args:
        cpus: the CPUs it may use, as ``0-3``; all of them when empty. By affinity, never by a quota, which would stop a
            parser in the midst of a timed call.
        memory_bytes: of the whole container, its scratch space included.
    """
    return {
        "read_only": True,
        "tmpfs": {"/tmp": SCRATCH},
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "mem_limit": memory_bytes,
        "memswap_limit": memory_bytes,
        "pids_limit": PROCESSES,
        "cpuset_cpus": cpus,
        # The names of its network are known without it; every other name is looked for where nobody answers.
        "dns": ["127.0.0.1"],
        "dns_opt": ["timeout:1", "attempts:2"],
    }


def network() -> dict[str, Any]:
    """Return the arguments of ``networks.create`` for a network that leads nowhere, not even to the host."""
    return {"driver": "bridge", "internal": True, "options": {"com.docker.network.bridge.inhibit_ipv4": "true"}}
