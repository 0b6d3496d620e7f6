"""The process beside a mgr that leads the clients of workers on other hosts, or calls their roll.

``python3 -m perf_bench.programs.lead_workers``: one JSON order on stdin, JSON lines on stdout. With
a ``load`` it says what ``load_process`` says; without one it says once which ``workers`` there are.

stdin stays open as long as the mgr wants it to go on. When that closes the workers are told to end;
when this process is killed, their lease runs out.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ..ceph.client import open_client
from ..errors import CommandFailed, PerfBenchError
from ..loadgen.workers.coordinator import Coordinator
from ..loadgen.workers.discovery import Discovery
from ..loadgen.workers.rados_channel import RadosChannel
from ..model.rados import LoadOrder
from ..model.worker import Worker
from .run_clients import check_mgr, say

# Longer than a lease: when RADOS takes that long the workers have ended by themselves.
_LIMIT = 20.0


@contextlib.contextmanager
def open_channel(access: Mapping[str, str]) -> Iterator[RadosChannel]:
    """Raises CommandFailed, ENOENT where there is no pool."""
    client = open_client(access["name"], access["keyring"], access["mon_host"], _LIMIT)
    try:
        place = RadosChannel(client)
        try:
            yield place
        finally:
            place.close()
    finally:
        client.shutdown()


def workers(access: Mapping[str, str]) -> list[Worker]:
    """Who is there; nobody where there is no pool. Raises CommandFailed."""
    try:
        with open_channel(access) as place:
            return Discovery(place).call()
    except CommandFailed as error:
        if error.errno == errno.ENOENT:
            return []
        raise


def main() -> int:
    """Carry out the order on stdin; what goes wrong is said as ``errno`` and ``error``."""
    order: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    try:
        if "load" not in order:
            say({"workers": [asdict(one) for one in workers(order["access"])]})
            return 0
        load = LoadOrder(**{**order["load"], "workers": tuple(order["load"]["workers"])})
        with open_channel(order["access"]) as place:
            Coordinator(place, say, check_mgr).lead(load)
    except BrokenPipeError:  # who asked does not listen any more
        return 1
    except PerfBenchError as error:
        with contextlib.suppress(BrokenPipeError):
            say({"errno": error.errno, "error": str(error)})
        return 1
    return 0


if __name__ == "__main__":
    code = main()
    # Not by way of the interpreter's end, where threads of librados may still call into it.
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(code)
