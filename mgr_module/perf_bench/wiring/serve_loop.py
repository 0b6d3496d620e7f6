"""Calls the periodic parts, on the thread that ceph-mgr gives the module."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from typing import Protocol

from ..bench.safety import RoundSafety
from ..bench.scheduler_service import RoundScheduler
from ..bench.service import Bench
from ..errors import StoreUnavailable

# Seconds between attempts to read the database: in the first minute, and after that.
_WAKE_SOON = 2.0
_WAKE_EVERY = 5.0
# Interval of the safety checks, within which a harmful round is ended.
_CARE_EVERY = 2.0
# After this time without the database, settings that an earlier round changed are restored:
# without the database that round cannot be resumed.
_ROUND_PATIENCE = 60.0


class Periodic(Protocol):
    """A part that is called every few seconds and decides itself whether its work is due."""

    def tick(self) -> None: ...


class ServeLoop:
    """Reads the database as soon as it answers, then calls all parts every few seconds."""

    def __init__(
        self,
        bench: Bench,
        round_safety: RoundSafety,
        round_scheduler: RoundScheduler,
        periodics: Sequence[Periodic],
        keeper: Periodic,
        log: logging.Logger,
    ) -> None:
        """``keeper`` is also called while the database does not answer: it can replace it."""
        self._bench = bench
        self._round_safety = round_safety
        self._round_scheduler = round_scheduler
        self._periodics = (bench, *periodics, keeper)
        self._keeper = keeper
        self._log = log
        self._trouble = ""

    def run(self, stopped: threading.Event) -> None:
        """Run until ``stopped`` is set. An error in one call does not prevent the next one."""
        self._wake(stopped)
        while not stopped.is_set():
            self._care()
            self._keep_time()
            for periodic in self._periodics:
                guarded(periodic, self._log)
            stopped.wait(_CARE_EVERY)

    def _wake(self, stopped: threading.Event) -> None:
        logged, began = "", time.monotonic()
        while not stopped.is_set():
            try:
                self._bench.wake()
                return
            except Exception as error:  # noqa: BLE001 - any error may be temporary
                if str(error) != logged:  # once, not every few seconds of an outage
                    self._log.warning("the database is not there yet: %s", error)
                    logged = str(error)
            guarded(self._keeper, self._log)
            if time.monotonic() - began > _ROUND_PATIENCE:
                self._care()
                stopped.wait(_WAKE_EVERY)
            else:
                stopped.wait(_WAKE_SOON)

    def _care(self) -> None:
        try:
            self._round_safety.tick()
            self._trouble = ""
        except Exception as error:  # noqa: BLE001 - the next look comes
            if str(error) != self._trouble:
                self._log.exception("a look at the cluster failed")
                self._trouble = str(error)

    def _keep_time(self) -> None:
        try:
            self._round_scheduler.tick()
        except StoreUnavailable as error:
            self._log.warning("schedules wait for the database: %s", error)
        except Exception:  # noqa: BLE001 - the next look comes
            self._log.exception("a look at the schedules failed")


def guarded(periodic: Periodic, log: logging.Logger) -> None:
    """Call ``tick`` and log any error."""
    try:
        periodic.tick()
    except Exception:
        log.exception("%s failed", type(periodic).__name__)
