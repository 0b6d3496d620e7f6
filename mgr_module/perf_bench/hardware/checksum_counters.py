"""Collect the time that OSDs spend on checksums, from their reports and from polling.

18 and 20 send ``bluestore.csum_lat`` with every report; 16 returns it only when polled. The bytes
read past the cache are returned only when polled, on every release (``osd_poller.py``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional, Protocol

from ..core.clock import Clock
from ..model.checksum import ChecksumAnswer, CounterWindow
from ..model.cluster import BenchSpans, CounterPoint, Counters, Members
from ..model.osd import Member, Osd
from ..model.pacing import slice_size

TIME, RETRIES = "bluestore.csum_lat", "bluestore.reads_with_retries"
# A counter that every release sends; shows restarts of OSDs that do not send TIME.
_ALWAYS_SENT = "bluestore.kv_sync_lat"
# Seconds: a window spans three reports, 5 s apart. The mgr keeps the last 20.
_WINDOW = 14.0
# Seconds: two points further apart than this are an outage, not a window.
_GAP = 300.0
_MEMBERS_AGE = 15.0
_MOST_STARTED = 10_000
# OSDs whose counter names are read in one tick.
_ASKED_A_TICK = 10
# Seconds after a bench during which reports may still show it.
_LATE = 10.0


class OpThreads(Protocol):
    """The number of op threads of each OSD."""

    def of(self, osd: Osd) -> Optional[int]:
        """Shards times threads per shard, as configured; None if unknown."""

    def forget(self, osd: int) -> None:
        """The OSD has restarted and uses the options set by now."""


@dataclass
class _Last:
    """The last reading of an OSD that ended a window; ``seconds`` is the counter."""

    at: float
    seconds: float


class ChecksumCollector:
    """Makes windows and counts of counters and answers. Not thread-safe."""

    def __init__(
        self,
        counters: Counters,
        members: Members,
        threads: OpThreads,
        clock: Clock,
        benched: BenchSpans,
    ) -> None:
        self._counters = counters
        self._members = members
        self._threads = threads
        self._clock = clock
        self._benched = benched
        self._names: dict[Optional[str], frozenset[str]] = {}
        self._last: dict[int, _Last] = {}
        # By OSD the time of its newest report.
        self._seen: dict[int, float] = {}
        self._next = 0
        self._ticked_at = clock.monotonic()
        self.members: Sequence[Member] = ()
        self._by_osd: dict[int, Member] = {}
        # OSDs that have restarted; ChecksumMonitor.started takes them out.
        self.started: deque[int] = deque(maxlen=_MOST_STARTED)
        # By OSD its op threads, for OSDs that had a window.
        self.threads: dict[int, int] = {}

    def tick(self) -> tuple[dict[int, list[CounterWindow]], dict[int, int]]:
        """Read the next slice of OSDs: by OSD its new windows, and its count of repeated reads."""
        seen = self._members.members(_MEMBERS_AGE)
        if seen is not self.members:
            self.members = seen
            self._by_osd = there = {member.osd.id: member for member in seen}
            self._last = {osd: last for osd, last in self._last.items() if osd in there}
            self._seen = {osd: at for osd, at in self._seen.items() if osd in there}
            self.threads = {osd: n for osd, n in self.threads.items() if osd in there}
            for member in seen:
                if not member.osd.up:
                    self._threads.forget(member.osd.id)
        self._learn_names()
        windows: dict[int, list[CounterWindow]] = {}
        retries: dict[int, int] = {}
        for member in self._slice():
            osd, names = member.osd, self._names.get(member.release, frozenset())
            if not osd.up:
                continue
            sent = next((name for name in (TIME, _ALWAYS_SENT) if name in names), None)
            points = self._counters.points(osd.id, sent) if sent else ()
            self._take_session(osd.id, points)
            if sent == TIME:
                new = list(self._windows(osd, points))
                if new:
                    windows[osd.id] = new
            if RETRIES in names:
                counts = self._counters.points(osd.id, RETRIES)
                if counts:
                    retries[osd.id] = int(counts[-1][1])
        return windows, retries

    def _take_session(self, osd: int, points: Sequence[CounterPoint]) -> None:
        """Note a restart: when an OSD connects again, the mgr has dropped all its older points."""
        if points:
            if points[0][0] > self._seen.get(osd, points[0][0]):
                self._starts(osd)
            self._seen[osd] = points[-1][0]

    def _starts(self, osd: int) -> None:
        self._threads.forget(osd)
        self.started.append(osd)

    def sends(self, osd: int, name: str) -> bool:
        """Whether this OSD sends a counter with its reports."""
        member = self._by_osd.get(osd)
        return member is not None and name in self._names.get(member.release, frozenset())

    def answered(self, answer: ChecksumAnswer) -> Optional[CounterWindow]:
        """The window that an answer completes; None for OSDs that send this counter."""
        member = self._by_osd.get(answer.osd)
        if member is None or self.sends(answer.osd, TIME):
            return None
        last = self._last.get(answer.osd)
        if last is not None and answer.seconds < last.seconds:
            self._starts(answer.osd)
        self._last[answer.osd] = _Last(answer.at, answer.seconds)
        if last is None or answer.seconds < last.seconds or answer.at - last.at < _WINDOW:
            if last is not None and answer.seconds >= last.seconds:
                self._last[answer.osd] = last
            return None
        return self._window(member.osd, last, self._last[answer.osd])

    def _slice(self) -> Sequence[Member]:
        """The OSDs to read in this tick."""
        begin = self._next if self._next < len(self.members) else 0
        before, self._ticked_at = self._ticked_at, self._clock.monotonic()
        self._next = begin + slice_size(len(self.members), self._ticked_at - before)
        return self.members[begin : self._next]

    def _learn_names(self) -> None:
        """Read the names of the counters of each release, from its first OSD that reports."""
        asked = 0
        for member in self.members:
            if asked == _ASKED_A_TICK:
                return
            if member.osd.up and member.release not in self._names:
                asked += 1
                names = self._counters.names(member.osd.id)
                if names:
                    self._names[member.release] = names

    def _windows(self, osd: Osd, points: Sequence[CounterPoint]) -> Iterator[CounterWindow]:
        if points and osd.id in self._last and points[-1][0] < self._last[osd.id].at:
            del self._last[osd.id]  # the mgr's clock stepped back
        for at, seconds, _ in points:
            last = self._last.get(osd.id)
            if last is not None and at <= last.at:
                continue
            now = _Last(at, seconds)
            if last is None or seconds < last.seconds or at - last.at > _GAP:
                self._last[osd.id] = now
            elif at - last.at >= _WINDOW:
                self._last[osd.id] = now
                window = self._window(osd, last, now)
                if window is not None:
                    yield window

    def _window(self, osd: Osd, begin: _Last, end: _Last) -> Optional[CounterWindow]:
        threads = self._threads.of(osd)
        if not threads:
            return None
        self.threads[osd.id] = threads
        share = (end.seconds - begin.seconds) / ((end.at - begin.at) * threads)
        ours = self._benched.during(begin.at - _LATE, end.at)
        return CounterWindow(begin.at, end.at, share, judged=osd.id not in ours)
