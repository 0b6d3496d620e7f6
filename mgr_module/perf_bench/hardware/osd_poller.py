"""Poll OSDs for counters that they do not send: a few at a time, one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ..core.clock import Clock
from ..core.failing_parts import FailingParts
from ..errors import CommandFailed
from ..model.checksum import ChecksumAnswer
from ..model.cluster import BenchSpans
from ..model.osd import Member

_EVERY = 5.0


class OsdQuery(Protocol):
    """A connection to the OSDs."""

    def open(self) -> None:
        """Connect if not connected yet. Raises CommandFailed."""

    def ask(self, osd: int) -> ChecksumAnswer:
        """Read an OSD's counters. Waits some seconds at most. Raises CommandFailed."""

    def tcmalloc(self, osd: int) -> bool:
        """Whether an OSD was built with tcmalloc. Waits and raises as ``ask``."""

    def close(self) -> None: ...


class Listener(Protocol):
    """Names the OSDs to poll and takes their answers; called from the poller's thread."""

    def roster(self) -> Sequence[Member]:
        """The OSDs, by ID."""

    def take_answer(self, answer: ChecksumAnswer) -> None:
        """An OSD has answered."""

    def started(self) -> Iterator[int]:
        """The OSDs that have restarted since the last call."""


class Turns:
    """Chooses the OSDs to poll: in turn, without those that did not answer lately."""

    # Seconds between two polls of one OSD, and after a poll that failed.
    EVERY, AFTER_FAILURE = 15.0, 300.0

    def __init__(self) -> None:
        self._due: dict[int, float] = {}
        self._last = -1

    def next(self, osds: Sequence[int], count: int, now: float) -> list[int]:
        """At most ``count`` of these OSDs, which are sorted; ``now`` is a monotonic time."""
        begin = next((place for place, osd in enumerate(osds) if osd > self._last), 0)
        chosen: list[int] = []
        for osd in [*osds[begin:], *osds[:begin]]:
            if len(chosen) == count:
                break
            if now >= self._due.get(osd, now):
                chosen.append(osd)
        if chosen:
            self._last = chosen[-1]
        for osd in chosen:
            self._due[osd] = now + self.EVERY
        return chosen

    def backoff(self, osd: int, now: float) -> None:
        """Skip an OSD that did not answer for a while."""
        self._due[osd] = now + self.AFTER_FAILURE

    def reset(self, osd: int) -> None:
        """Poll an OSD again that has restarted."""
        self._due.pop(osd, None)


class OsdPoller:
    """Polls OSDs one after the other, some every five seconds, on a thread of its own."""

    def __init__(
        self,
        asker: OsdQuery,
        listener: Listener,
        budget: Callable[[], int],
        benched: BenchSpans,
        clock: Clock,
        failing: FailingParts,
    ) -> None:
        """``budget`` returns how many OSDs to poll every five seconds; 0 for none."""
        self._listener = listener
        self._asker = asker
        self._budget = budget
        self._benched = benched
        self._clock = clock
        self._log = failing.log
        self._failing = failing
        self._turns = Turns()
        self._others: list[Callable[[OsdQuery, set[int]], None]] = []

    def also(self, ask: Callable[[OsdQuery, set[int]], None]) -> None:
        """Register a function that uses the connection after each step.

        It gets the connection and the OSDs that run a bench, which would answer late.
        """
        self._others.append(ask)

    def run(self, stop: threading.Event) -> None:
        """Poll until ``stop`` is set."""
        while not stop.wait(_EVERY):
            try:
                self.step(stop)
                self._failing.went_well("poller")
            except Exception as error:  # noqa: BLE001 - the thread must survive any error
                self._failing.failed("poller", error)
        self._asker.close()

    def step(self, stop: threading.Event) -> None:
        """Poll the next OSDs, except those that run a bench, which would answer late."""
        count = self._budget()
        if count <= 0:
            return
        self._asker.open()
        for osd in self._listener.started():
            self._turns.reset(osd)
        now = self._clock.now()
        busy = self._benched.during(now, now + _EVERY)
        osds = [
            one.osd.id for one in self._listener.roster() if one.osd.up and one.osd.id not in busy
        ]
        for osd in self._turns.next(osds, count, self._clock.monotonic()):
            if stop.is_set():
                return
            try:
                self._listener.take_answer(self._asker.ask(osd))
            except CommandFailed as error:
                self._turns.backoff(osd, self._clock.monotonic())
                self._log.debug("osd.%d could not be polled: %s", osd, error)
        for ask in self._others:
            ask(self._asker, busy)
