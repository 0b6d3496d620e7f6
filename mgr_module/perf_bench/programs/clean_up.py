"""The process beside a mgr that removes what the clients of a round have left.

``python3 -m perf_bench.programs.clean_up``: one JSON order on stdin, one JSON line on stdout. It
removes nothing but what stands in the order's namespace, and there only what clients make. It ends
with the mgr: an order that is not over is given again by the next.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any

import rados

from ..ceph.client import open_client
from ..errors import CommandFailed, PerfBenchError
from ..loadgen.workers.rados_channel import ROOM

# Removals in flight, as many as `rados bench` itself writes by default.
_TOGETHER = 16
# The objects of `rados bench`, the one in which it keeps what it wrote, and one of `pool_space.py`.
_OURS = ("benchmark_data_", "client-", ROOM)
# A removal that was repeated finds nothing any more.
_GONE = (0, -errno.ENOENT)


def sweep(order: Mapping[str, Any], access: Mapping[str, str]) -> dict[str, int]:
    """Remove what clients left in a namespace; a pool that is gone has nothing."""
    client = open_client(access["name"], access["keyring"], access["mon_host"], order["limit"])
    try:
        ioctx = client.open_ioctx2(int(order["pool"]))
        ioctx.set_namespace(order["namespace"])
        ioctx.set_osdmap_full_try()  # out of a full pool too, which is when it matters
        ends = Counter(_removals(ioctx))
        ioctx.close()
    except rados.ObjectNotFound:
        return {"removed": 0, "left": 0}
    except rados.Error as error:
        raise CommandFailed(error.errno or errno.EIO, f"the clean-up failed: {error}") from error
    finally:
        client.shutdown()
    removed = sum(ends[code] for code in _GONE)
    return {"removed": removed, "left": sum(ends.values()) - removed}


def _removals(ioctx: rados.Ioctx) -> Iterator[int]:
    """Remove ours, some at a time; how it ended for each object that stood there.

    Listed once, for that asks every placement group of the pool: what is still there is what could
    not be removed, and what is none of ours.
    """
    flying: deque[rados.Completion] = deque()
    for found in ioctx.list_objects():
        if not found.key.startswith(_OURS):
            yield -errno.EPERM
            continue
        flying.append(ioctx.aio_remove(found.key))
        if len(flying) >= _TOGETHER:
            yield _end_of(flying.popleft())
    yield from map(_end_of, flying)


def _end_of(removal: rados.Completion) -> int:
    removal.wait_for_complete()
    return removal.get_return_value()


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
