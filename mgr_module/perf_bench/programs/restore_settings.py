"""Helper process that puts settings back if no mgr does.

A mgr that becomes active and has the module reads the journal itself. A mgr on which the module is
disabled or not installed does not. The helper waits until its mgr ends (stdin closes), and then
acts as soon as the active mgr lacks the module, or when the round's time is up.

It survives a mgr that is killed, restarts or fails over on the same host. It does not survive its
host, nor the end of the mgr's systemd service or container, which ends the whole control group.
Then the next mgr with the module puts back, or ``ceph-perf-bench restore`` on any host.

``python3 -m perf_bench.programs.restore_settings NAME KEYRING MON_HOST SECONDS HOLDER``; SECONDS is
the maximum time for which the round with the token HOLDER may hold settings.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Optional

from ..bench.run.quiesce import Quiesce
from ..ceph.client import open_client
from ..ceph.clock import SystemClock
from ..ceph.mons import Mons
from ..ceph.restore_helper import DONE
from ..errors import NotNow
from ..model.quiesce import Contents, Entry
from ..settings.journal import Journal
from ..settings.kinds import ClusterSettings
from ..settings.undo import Access

_EVERY = 5.0
_LIMIT = 15.0
# Seconds after the round's time in which it retries, for example without monitors.
_RETRY_SECONDS = 86400.0


class Succession:
    """The helper's Authority: it may act if the active mgr lacks the module, or time is up."""

    def __init__(self, mons: Mons, deadline: float) -> None:
        """``deadline`` is in seconds of ``time.monotonic``."""
        self._mons = mons
        self._deadline = deadline

    @property
    def writer(self) -> str:
        return f"helper-{os.getpid()}-{time.time_ns()}"  # unused: it adds nothing to the journal

    def check(self) -> None:
        """Raises NotNow while the active mgr has the module, CommandFailed without monitors."""
        if time.monotonic() >= self._deadline:
            return
        mgr_map = self._mons.command_json("mgr dump")
        loadable = {module["name"] for module in mgr_map.get("available_modules", ())}
        if mgr_map["available"] and "perf_bench" in loadable and "perf_bench" in mgr_map["modules"]:
            raise NotNow("the active mgr has the module and puts settings back itself")


class RoundsJournal(Journal):
    """The entries of one round and those that are there at first; later rounds have own helpers."""

    def __init__(self, mons: Mons, holder: str) -> None:
        super().__init__(mons)
        self._holder = holder
        self._holders: Optional[frozenset[str]] = None
        self._others: Sequence[Entry] = ()

    def read(self) -> Contents:
        found = super().read()
        if self._holders is None:
            self._holders = frozenset((self._holder, *(entry.holder for entry in found.entries)))
        ours = tuple(entry for entry in found.entries if entry.holder in self._holders)
        self._others = [entry for entry in found.entries if entry.holder not in self._holders]
        return replace(found, entries=ours)

    def tidy(self, entries: Sequence[Entry]) -> None:
        super().tidy([*entries, *self._others])


def main(name: str, keyring: str, mon_host: str, seconds: str, holder: str = "") -> int:
    """Wait for the mgr to end, then put settings back unless a mgr does; returns the exit code.

    A mgr that runs since before an upgrade of these files names no holder: then only the entries
    that are there at first are put back.
    """
    began = time.monotonic()
    if sys.stdin.buffer.read() == DONE:
        return 0
    mons = Mons(lambda: open_client(name, keyring, mon_host, _LIMIT))
    quiesce = helper_quiesce(mons, Succession(mons, began + float(seconds)), holder)
    while time.monotonic() < began + float(seconds) + _RETRY_SECONDS:
        # Any error is retried: no other process may be left to put the settings back.
        with contextlib.suppress(Exception):
            if is_done(quiesce):
                return 0
        time.sleep(_EVERY)
    return 1


def helper_quiesce(mons: Mons, authority: Succession, holder: str) -> Quiesce:
    """A Quiesce that puts settings back and holds none."""
    log = logging.getLogger(__name__)
    journal = RoundsJournal(mons, holder)
    access = Access(journal, ClusterSettings(mons), authority, SystemClock(), log)
    return Quiesce(access, _nobody, every=0.0)


def is_done(quiesce: Quiesce) -> bool:
    """Put back what may be put back now; returns whether the journal is empty.

    Raises CommandFailed from the monitors.
    """
    quiesce.tick()
    return quiesce.is_empty


def _nobody() -> Optional[str]:
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:6]))
