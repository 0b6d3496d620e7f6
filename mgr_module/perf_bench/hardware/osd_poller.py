"""Ask OSDs for what they count and do not send: few at a time, one after the other, all day."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ..errors import CommandFailed, PerfBenchError
from ..model.checksum import ChecksumAnswer
from ..model.osd import Member
from ..ports import BenchSpans, Clock

_EVERY = 5.0


class OsdQuery(Protocol):
    """The way to OSDs that are asked."""

    def open(self) -> None:
        """Connect, unless it is. Raises CommandFailed."""

    def ask(self, osd: int) -> ChecksumAnswer:
        """Waits at most some seconds. Raises CommandFailed."""

    def tcmalloc(self, osd: int) -> bool:
        """Whether it was built with it. Waits and raises as the other."""

    def close(self) -> None: ...


class Listener(Protocol):
    """Who knows whom to ask, and wants the answers; called from the thread that asks."""

    def roster(self) -> Sequence[Member]:
        """The OSDs, by ID."""

    def heard(self, answer: ChecksumAnswer) -> None:
        """An OSD has answered."""

    def started(self) -> Iterator[int]:
        """Those that were started anew since this was asked last."""


class Turns:
    """Whose turn it is: round the cluster, but for those that did not answer of late."""

    # Nobody is asked more often (seconds); who failed to answer is left alone for so long.
    EVERY, SHUNNED = 15.0, 300.0

    def __init__(self) -> None:
        self._asked: dict[int, float] = {}
        self._last = -1

    def next(self, osds: Sequence[int], count: int, now: float) -> list[int]:
        """At most so many of these OSDs, which are in order; ``now`` is a monotonic time."""
        begin = next((place for place, osd in enumerate(osds) if osd > self._last), 0)
        found: list[int] = []
        for osd in [*osds[begin:], *osds[:begin]]:
            if len(found) == count:
                break
            if now >= self._asked.get(osd, now):
                found.append(osd)
        if found:
            self._last = found[-1]
        for osd in found:
            self._asked[osd] = now + self.EVERY
        return found

    def backoff(self, osd: int, now: float) -> None:
        """It did not answer."""
        self._asked[osd] = now + self.SHUNNED

    def reset(self, osd: int) -> None:
        """It was started anew, so that it did not answer is of the past."""
        self._asked.pop(osd, None)


class OsdPoller:
    """Asks OSDs, one after the other, so many every five seconds, on a thread of its own."""

    def __init__(
        self,
        asker: OsdQuery,
        listener: Listener,
        budget: Callable[[], int],
        benched: BenchSpans,
        clock: Clock,
        log: logging.Logger,
    ) -> None:
        """``budget`` is how many are asked every five seconds; 0 for none."""
        self._listener = listener
        self._asker = asker
        self._budget = budget
        self._benched = benched
        self._clock = clock
        self._log = log
        self._turns = Turns()
        self._others: list[Callable[[OsdQuery, set[int]], None]] = []

    def also(self, ask: Callable[[OsdQuery, set[int]], None]) -> None:
        """Somebody else asks now and then: over the same way, but not those that bench for us."""
        self._others.append(ask)

    def run(self, stop: threading.Event) -> None:
        """Go on until told to stop."""
        while not stop.wait(_EVERY):
            try:
                self.step(stop)
            except PerfBenchError as error:
                self._log.debug("no OSD can be asked now: %s", error)
            except Exception:  # noqa: BLE001 - whatever it is, the next five seconds come
                self._log.exception("asking OSDs for their checksums failed")
        self._asker.close()

    def step(self, stop: threading.Event) -> None:
        """Ask those whose turn it is; an OSD that benches for us would answer after it only."""
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
                self._listener.heard(self._asker.ask(osd))
            except CommandFailed as error:
                self._turns.backoff(osd, self._clock.monotonic())
                self._log.debug("osd.%d was not asked: %s", osd, error)
        for ask in self._others:
            ask(self._asker, busy)
