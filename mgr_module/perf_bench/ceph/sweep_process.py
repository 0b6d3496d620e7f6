"""The process beside a mgr that removes what the clients of a round have left.

``python3 -m perf_bench.ceph.sweep_process``: one JSON order on stdin, one JSON line on stdout. It
removes nothing but what stands in the order's namespace, and there only what clients make. It ends
with the mgr: an order that is not over is given again by the next.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

import rados

from ..errors import CommandFailed, PerfBenchError
from .client import open_client

# Removals in flight, as many as `rados bench` itself writes by default.
_TOGETHER = 16
# The objects of `rados bench`, and the one in which it keeps what it wrote.
_OURS = ("benchmark_data_", "client-")


def sweep(order: Mapping[str, Any], access: Mapping[str, str]) -> dict[str, int]:
    """Remove what clients left in a namespace; a pool that is gone has nothing."""
    client = open_client(access["name"], access["keyring"], access["mon_host"], order["limit"])
    try:
        ioctx = client.open_ioctx2(int(order["pool"]))
        ioctx.set_namespace(order["namespace"])
        ioctx.set_osdmap_full_try()  # out of a full pool too, which is when it matters
        removed = _remove_all(ioctx)
        left = sum(1 for _ in ioctx.list_objects())
        ioctx.close()
    except rados.ObjectNotFound:
        return {"removed": 0, "left": 0}
    except rados.Error as error:
        raise CommandFailed(error.errno or errno.EIO, f"the clean-up failed: {error}") from error
    finally:
        client.shutdown()
    return {"removed": removed, "left": left}


def _remove_all(ioctx: rados.Ioctx) -> int:
    """Remove ours, some at a time; returns how many there were once all are gone."""
    removed = 0
    flying: deque[Any] = deque()
    for found in ioctx.list_objects():
        if not found.key.startswith(_OURS):
            continue
        flying.append(ioctx.aio_remove(found.key))
        removed += 1
        if len(flying) >= _TOGETHER:
            flying.popleft().wait_for_complete()
    for completion in flying:
        completion.wait_for_complete()
    return removed


def _end_with_the_mgr() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> int:
    """Carry out the order on stdin; what goes wrong is said as ``errno`` and ``error``."""
    order = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_mgr, daemon=True).start()
    try:
        said: dict[str, Any] = {**sweep(order, order["access"])}
    except PerfBenchError as error:
        said = {"errno": error.errno, "error": str(error)}
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    # Not by way of the interpreter's end, which would wait for the thread that reads stdin.
    os._exit(main())
