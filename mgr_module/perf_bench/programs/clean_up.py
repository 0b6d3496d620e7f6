"""Helper process that removes objects left by the clients of a round.

``python3 -m perf_bench.programs.clean_up``: one JSON order on stdin, one JSON line on stdout. It
removes only objects that clients make, and only in the order's namespace. It ends with its mgr;
the next mgr repeats an unfinished order.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any

import rados

from ..ceph.c_client import object_names
from ..ceph.client import open_client
from ..errors import CommandFailed, PerfBenchError

# Removals in flight: the default concurrency of `rados bench`.
_TOGETHER = 16
# Prefixes of the objects of `rados bench` and of its metadata.
_OURS = ("benchmark_data_", "client-")
# Return codes of a successful removal; a repeated one finds no object.
_GONE = (0, -errno.ENOENT)


def sweep(order: Mapping[str, Any], access: Mapping[str, str]) -> dict[str, int]:
    """Remove the clients' objects in a namespace; returns the counts ``removed`` and ``left``.

    A pool that does not exist has no objects. Raises CommandFailed.
    """
    where = access["name"], access["keyring"], access["mon_host"], order["limit"]
    pool, namespace = int(order["pool"]), order["namespace"]
    client = open_client(*where)
    try:
        ioctx = client.open_ioctx2(pool)
        ioctx.set_namespace(namespace)
        ioctx.set_osdmap_full_try()  # allows removals from a full pool
        # Not by the binding, to which a listing that fails half way is at its end.
        with contextlib.closing(object_names(*where, pool, namespace)) as names:
            ends = Counter(_removals(ioctx, names))
        ioctx.close()
    except rados.ObjectNotFound:
        return {"removed": 0, "left": 0}
    except (rados.Error, CommandFailed) as error:
        raise CommandFailed(error.errno or errno.EIO, f"the clean-up failed: {error}") from error
    finally:
        client.shutdown()
    removed = sum(ends[code] for code in _GONE)
    return {"removed": removed, "left": sum(ends.values()) - removed}


def _removals(ioctx: rados.Ioctx, names: Iterator[str]) -> Iterator[int]:
    """Remove our objects, some at a time; yields a return code for each object, EPERM for others.

    The objects are listed only once, because listing reads every placement group of the pool.
    """
    in_flight: deque[rados.Completion] = deque()
    try:
        for name in names:
            if not name.startswith(_OURS):
                yield -errno.EPERM
                continue
            in_flight.append(ioctx.aio_remove(name))
            if len(in_flight) >= _TOGETHER:
                yield _end_of(in_flight.popleft())
        yield from map(_end_of, in_flight)
    finally:
        for removal in in_flight:  # the client must not end before them
            removal.wait_for_complete()


def _end_of(removal: rados.Completion) -> int:
    removal.wait_for_complete()
    return removal.get_return_value()


def _end_with_the_mgr() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> int:
    """Carry out the order on stdin; prints the counts, or ``errno`` and ``error``."""
    order = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_mgr, daemon=True).start()
    try:
        answer: dict[str, Any] = {**sweep(order, order["access"])}
    except PerfBenchError as error:
        answer = {"errno": error.errno, "error": str(error)}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    # sys.exit would wait for the thread that reads stdin.
    os._exit(main())
