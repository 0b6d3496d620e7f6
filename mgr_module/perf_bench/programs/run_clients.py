"""The process beside a mgr that runs the clients of a round.

``python3 -m perf_bench.programs.run_clients``: one JSON order on stdin, JSON lines on stdout; what
it runs, and how, is ``loadgen/rados_bench.py``.

stdin stays open as long as the mgr wants it to go on. When that closes, which it does whatever ends
the mgr, the clients are killed; and when this process is killed, the kernel kills them.
"""

from __future__ import annotations

import errno
import json
import select
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

from ..errors import CommandFailed, PerfBenchError
from ..loadgen.rados_bench import Clients
from ..model.rados import LoadOrder


def check_mgr() -> None:
    """Raise CommandFailed once stdin is closed; nothing else is ever said there."""
    if select.select([sys.stdin], [], [], 0)[0]:
        raise CommandFailed(errno.ECANCELED, "the mgr is gone")


def say(values: Mapping[str, Any]) -> None:
    """One line to the mgr."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def _check_room(order: LoadOrder, access: Mapping[str, str]) -> None:
    from .pool_space import check_room  # noqa: PLC0415 - librados is needed by those alone who wait

    check_room(order, access)


def main() -> int:
    """Carry out the order on stdin; what goes wrong is said as ``errno`` and ``error``."""
    order = json.loads(sys.stdin.buffer.readline())
    load = LoadOrder(**order["load"])
    access = {**order["access"], "where": "where the active mgr runs"}
    try:
        writes = load.operation == "write"
        room = partial(_check_room, load, access) if writes else None
        Clients(load, range(load.clients), access, say, check_mgr, room).run()
    except PerfBenchError as error:
        say({"errno": error.errno, "error": str(error)})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
