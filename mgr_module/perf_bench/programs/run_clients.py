"""Helper process that runs the clients of a round beside the mgr.

``python3 -m perf_bench.programs.run_clients``: one JSON order on stdin, JSON lines on stdout;
``clients/rados_bench.py`` runs the clients.

The mgr keeps stdin open while the clients shall go on. When it closes, also because the mgr died,
the clients are killed. When this process is killed, the kernel kills them.
"""

from __future__ import annotations

import errno
import json
import select
import sys
import time
from collections.abc import Mapping
from typing import Any

from ..clients.rados_bench import Clients
from ..errors import CommandFailed, PerfBenchError
from ..model.rados import LoadOrder


def _check_mgr() -> None:
    """Raise CommandFailed once stdin is closed; the mgr writes nothing more to it."""
    if select.select([sys.stdin], [], [], 0)[0]:
        raise CommandFailed(errno.ECANCELED, "the mgr is gone")


def _say(values: Mapping[str, Any]) -> None:
    """Print one JSON line for the mgr."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Carry out the order on stdin; an error is printed as ``errno`` and ``error``."""
    order = json.loads(sys.stdin.buffer.readline())
    load = LoadOrder(**order["load"])
    access = {**order["access"], "where": "where the active mgr runs"}
    try:
        # Fixed at the start, because the clock may be set while they run.
        ahead = time.time() - time.monotonic()
        Clients(load, range(load.clients), access, _say, _check_mgr, ahead).run()
    except PerfBenchError as error:
        _say({"errno": error.errno, "error": str(error)})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
