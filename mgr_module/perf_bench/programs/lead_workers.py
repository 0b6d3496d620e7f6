"""Helper process that coordinates the workers on other hosts, or lists them.

``python3 -m perf_bench.programs.lead_workers``: one JSON order on stdin, JSON lines on stdout. With
a ``load`` it prints the same lines as ``run_clients``; without one it prints the ``workers`` once.

The mgr keeps stdin open while the load shall go on. When it closes, the workers are told to end;
when this process is killed, their lease expires.
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

# Seconds. Longer than a lease: if RADOS takes that long, the workers have ended by themselves.
_LIMIT = 20.0


@contextlib.contextmanager
def open_channel(access: Mapping[str, str]) -> Iterator[RadosChannel]:
    """Connect to RADOS. Raises CommandFailed, with ENOENT if the pool does not exist."""
    client = open_client(access["name"], access["keyring"], access["mon_host"], _LIMIT)
    try:
        channel = RadosChannel(client)
        try:
            yield channel
        finally:
            channel.close()
    finally:
        client.shutdown()


def workers(access: Mapping[str, str]) -> list[Worker]:
    """The workers that answer; none if the pool does not exist. Raises CommandFailed."""
    try:
        with open_channel(access) as channel:
            return Discovery(channel).call()
    except CommandFailed as error:
        if error.errno == errno.ENOENT:
            return []
        raise


def main() -> int:
    """Carry out the order on stdin; an error is printed as ``errno`` and ``error``."""
    order: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    try:
        if "load" not in order:
            say({"workers": [asdict(one) for one in workers(order["access"])]})
            return 0
        load = LoadOrder(**{**order["load"], "workers": tuple(order["load"]["workers"])})
        with open_channel(order["access"]) as channel:
            Coordinator(channel, say, check_mgr).lead(load)
    except BrokenPipeError:  # the mgr has closed its end
        return 1
    except PerfBenchError as error:
        with contextlib.suppress(BrokenPipeError):
            say({"errno": error.errno, "error": str(error)})
        return 1
    return 0


if __name__ == "__main__":
    code = main()
    # sys.exit would end the interpreter while threads of librados may still call into it.
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(code)
