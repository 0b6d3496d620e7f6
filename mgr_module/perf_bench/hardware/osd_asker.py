"""Asks OSDs for counters that they do not send: errors in turn, checksums when somebody wants them.

No release sends how many reads failed for good, and 16 does not send the time of checksums.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from functools import partial
from typing import Optional, Protocol

from ..core.clock import Clock
from ..core.loop import Loop, reply, sleep
from ..core.workers import Executor
from ..errors import CommandFailed
from ..model.hardware import ChecksumAnswer
from .checksums import ChecksumMonitor

EVERY = 5.0
# Seconds between two questions to one OSD, and after one that it did not answer.
_AGAIN, _AFTER_FAILURE = 15.0, 300.0
# Seconds between the two questions of which a share is made, and until it is known or will not be:
# the judgement comes every 15 s, and OSDs that hang take no longer than this.
_APART, _ASKING = 10.0, 30.0
# Questions at the same time: the mgr's process has other work.
_AT_ONCE = 4


class OsdQuery(Protocol):
    """A connection to the OSDs."""

    def open(self) -> None:
        """Connect if not connected yet. Raises CommandFailed."""

    def ask(self, osd: int) -> ChecksumAnswer:
        """Read an OSD's counters. Waits some seconds at most. Raises CommandFailed."""


class OsdAsker:
    """Decides on the loop; the questions are asked by the workers, who wait for the answers."""

    def __init__(
        self,
        query: OsdQuery,
        monitor: ChecksumMonitor,
        budget: Callable[[], int],
        clock: Clock,
        loop: Loop,
        workers: Executor,
    ) -> None:
        """``budget`` returns how many OSDs to ask every five seconds; 0 for none."""
        self._query = query
        self._monitor = monitor
        self._budget = budget
        self._clock = clock
        self._loop = loop
        self._workers = workers
        # By OSD from when on it may be asked in turn (monotonic).
        self._due: dict[int, float] = {}
        # Until when it is asked for checksums (unix seconds).
        self._until: Optional[float] = None

    async def step(self) -> None:
        """Ask the OSDs whose turn it is; call it every ``EVERY`` seconds.

        Not those that run a bench, which would answer late.
        """
        count = self._budget()
        up = [one.osd.id for one in self._monitor.roster() if one.osd.up]
        if count <= 0 or not up:
            return
        now, busy = self._clock.monotonic(), self._monitor.busy()
        self._due = {osd: self._due.get(osd, 0.0) for osd in up}
        waiting = [(at, osd) for osd, at in self._due.items() if at <= now and osd not in busy]
        chosen = [osd for _, osd in heapq.nsmallest(count, waiting)]
        self._due.update(dict.fromkeys(chosen, now + _AGAIN))
        silent = await reply(self._workers.submit(lambda: self._ask(chosen)))
        self._due.update(dict.fromkeys(silent, self._clock.monotonic() + _AFTER_FAILURE))

    async def ask_checksums(self) -> Optional[float]:
        """Ask the OSDs whose share is not known; returns until when (unix seconds).

        None if there are none.
        """
        now, unknown = self._clock.now(), self._monitor.unknown()
        if self._until is not None and now < self._until <= now + _ASKING:
            return self._until
        if not unknown:
            return None
        self._until = now + _ASKING
        self._loop.spawn(self._twice(sorted(unknown)))
        return self._until

    async def _twice(self, osds: Sequence[int]) -> None:
        """Ask twice; where nobody can be asked, the turns fail too, and that is told."""
        ends = self._clock.monotonic() + _ASKING
        parts = [osds[begin::_AT_ONCE] for begin in range(min(_AT_ONCE, len(osds)))]
        asks = [partial(self._ask, part, ends) for part in parts]
        for pause in (0.0, _APART):
            await sleep(pause)
            for future in [self._workers.submit(ask) for ask in asks]:
                await reply(future)

    def _ask(self, osds: Sequence[int], ends: Optional[float] = None) -> Sequence[int]:
        """Ask one after the other; returns those that did not answer. Runs on a worker."""
        self._query.open()
        silent = []
        for osd in osds:
            if ends is not None and self._clock.monotonic() >= ends:
                break
            try:
                self._monitor.take_answer(self._query.ask(osd))
            except CommandFailed:
                silent.append(osd)
        return silent
