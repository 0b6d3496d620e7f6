"""Calls the periodic parts, on the thread that ceph-mgr gives the module."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Callable, Protocol

from ..bench.safety import RoundSafety
from ..bench.service import Bench
from ..errors import StoreUnavailable
from ..model.failing_parts import SERVE, WATCH, FailingParts

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
        periodics: Sequence[tuple[str, Periodic]],
        keeper: Periodic,
        failing: FailingParts,
        show_failing: Callable[[], None] = lambda: None,
    ) -> None:
        """``periodics`` have their names in ``failing``.

        ``keeper`` is also called while the database does not answer: it can replace it.
        ``show_failing`` is called while the watch's thread stands still, which shows it else.
        """
        self._bench = bench
        self._round_safety = round_safety
        self._keeper = keeper
        self._periodics = (("bench", bench), *periodics, ("store", keeper))
        self._log = failing.log
        self._failing = failing
        self._show_failing = show_failing

    def run(self, stopped: threading.Event) -> None:
        """Run until ``stopped`` is set. An error in one call does not prevent the next one."""
        self._wake(stopped)
        while not stopped.is_set():
            self._show_life()
            self._care()
            for name, periodic in self._periodics:
                self._run(name, periodic.tick)
            stopped.wait(_CARE_EVERY)

    def _wake(self, stopped: threading.Event) -> None:
        logged, began = "", time.monotonic()
        while not stopped.is_set():
            self._show_life()
            try:
                self._bench.wake()
                return
            except StoreUnavailable as error:
                if str(error) != logged:  # once, not every few seconds of an outage
                    self._log.warning("the database is not there yet: %s", error)
                    logged = str(error)
            except Exception as error:  # noqa: BLE001 - any error may be temporary
                self._failing.failed("bench", error)
            self._run("store", self._keeper.tick)
            if time.monotonic() - began > _ROUND_PATIENCE:
                self._care()
                stopped.wait(_WAKE_EVERY)
            else:
                stopped.wait(_WAKE_SOON)

    def _show_life(self) -> None:
        """Show a sign of life, and tell if the watch's thread shows none."""
        self._failing.alive(SERVE)
        if self._failing.stalled(WATCH):
            self._show_failing()

    def _care(self) -> None:
        self._run("safety", self._round_safety.tick)

    def _run(self, part: str, tick: Callable[[], None]) -> None:
        try:
            tick()
        except Exception as error:  # noqa: BLE001 - the next look comes
            self._failing.failed(part, error)
        else:
            self._failing.went_well(part)
