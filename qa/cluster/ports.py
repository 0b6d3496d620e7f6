"""Free ports, on the loopback or another address of this machine."""

from __future__ import annotations

import random
import socket

from .errors import ClusterError

LOOPBACK = "127.0.0.1"
# Below the kernel's range for outgoing connections and above the OSDs' own.
_RANGE = range(20000, 32000)


def free_ports(count: int, address: str = LOOPBACK) -> list[int]:
    """`count` different ports that nothing listens on now, random so that clusters differ."""
    found: list[int] = []
    for port in random.sample(_RANGE, len(_RANGE)):
        if len(found) == count:
            return found
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((address, port))
            except OSError:
                continue
            found.append(port)
    raise ClusterError(
        f"no {count} free ports from {_RANGE.start} to {_RANGE.stop - 1} on {address}"
    )
