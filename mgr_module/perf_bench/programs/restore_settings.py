"""Who puts settings back when no mgr of ours does: a small process beside a round.

Whichever mgr becomes active reads the journal. But a mgr whose module is disabled begins anew
without asking the module, and one that lacks the module's folder never reads it. The helper waits
for the end of its mgr (its pipe closes) and then acts as soon as the active mgr has no module of
ours, or when a round's time is up.

How far it reaches: it outlives a mgr that is killed, restarts itself or fails over, on the same
host. It does not outlive its host, nor, where systemd or a container runs the mgr, the end of
that service: their whole control group is ended with it. Then the next mgr that has the module
puts back, or ``ceph-perf-bench restore`` on any host.

``python3 -m perf_bench.programs.restore_settings NAME KEYRING MON_HOST SECONDS`` in a process of
its own; SECONDS is how long rounds may hold their settings.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from typing import Optional

from ..bench.run.quiesce import Quiesce
from ..ceph.client import open_client
from ..ceph.clock import SystemClock
from ..ceph.mons import Mons
from ..ceph.restore_helper import DONE
from ..errors import NotNow
from ..settings.journal import Journal
from ..settings.kinds import ClusterSettings
from ..settings.undo import Access

_EVERY = 5.0
_LIMIT = 15.0
# It does not wait for monitors for ever.
_PATIENCE = 86400.0


class Succession:
    """The Authority of a helper: it acts where no mgr of ours can, or when time is up."""

    def __init__(self, mons: Mons, deadline: float) -> None:
        """``deadline`` in seconds of ``time.monotonic``, for the clock may be set."""
        self._mons = mons
        self._deadline = deadline

    @property
    def writer(self) -> str:
        return f"helper-{os.getpid()}-{time.time_ns()}"  # it writes nothing down

    def check(self) -> None:
        """Raises NotNow while the active mgr has the module, CommandFailed without monitors."""
        if time.monotonic() >= self._deadline:
            return
        found = self._mons.command_json("mgr dump")
        loadable = {one["name"] for one in found.get("available_modules", ())}
        if found["available"] and "perf_bench" in loadable and "perf_bench" in found["modules"]:
            raise NotNow("the active mgr has the module and puts settings back itself")


def main(name: str, keyring: str, mon_host: str, seconds: str) -> int:
    """Wait for the mgr's end, then for somebody to put all back; at last do it."""
    began = time.monotonic()
    if sys.stdin.buffer.read() == DONE:
        return 0
    mons = Mons(lambda: open_client(name, keyring, mon_host, _LIMIT))
    quiesce = helper_quiesce(mons, Succession(mons, began + float(seconds)))
    while time.monotonic() < began + float(seconds) + _PATIENCE:
        # Whatever a journal contains or monitors answer: only this process may be left to act.
        with contextlib.suppress(Exception):
            if is_done(quiesce):
                return 0
        time.sleep(_EVERY)
    return 1


def helper_quiesce(mons: Mons, authority: Succession) -> Quiesce:
    """Quiesce that only puts back."""
    log = logging.getLogger(__name__)
    access = Access(Journal(mons), ClusterSettings(mons), authority, SystemClock(), log)
    return Quiesce(access, _nobody, every=0.0)


def is_done(quiesce: Quiesce) -> bool:
    """Look once; whether the journal is empty. Raises what the monitors raise."""
    quiesce.tick()
    return quiesce.is_empty


def _nobody() -> Optional[str]:
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
