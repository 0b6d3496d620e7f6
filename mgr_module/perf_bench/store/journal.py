"""What the watch has to write, kept until it is written: one transaction a minute at most."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Optional

from ..errors import StoreUnavailable
from ..model.finding import Finding
from ..model.history import SeriesRow, WatchBatch
from ..model.laggy import Episode
from ..ports import StoreDesk

EVERY_SECONDS = 60.0
# Rows go a quarter at a time, so that the five minutes of 10,000 OSDs (157 rows in as many pages
# of 64 KiB) are four small transactions and not one that everybody else waits for.
_SLICE = 32
_PARTS = 4
# What may wait while the database is away: two hours of 10,000 OSDs.
_WAITING_BYTES = 8_000_000
_WAITING_EPISODES = 500


class Journal:
    """Collects on the watch's thread, writes on the desk's; neither waits for the other."""

    def __init__(self, desk: StoreDesk, log: logging.Logger) -> None:
        self._desk = desk
        self._log = log
        self._lock = threading.Lock()
        self._rows: deque[SeriesRow] = deque()
        self._bytes = 0
        self._findings: dict[int, Finding] = {}
        self._forgotten: set[int] = set()
        self._states: dict[str, Mapping[str, Any]] = {}
        self._episodes: dict[float, Episode] = {}
        self._writing = False
        self._last: Optional[float] = None
        # Rows that were never written, since this journal began; and whether that was said.
        self.lost = 0
        self._told = 0
        # Why the last try failed; None after one that did not.
        self.trouble: Optional[str] = None

    @property
    def waiting(self) -> int:
        """How many rows wait to be written."""
        return len(self._rows)

    def add_series(self, rows: Iterable[SeriesRow]) -> None:
        """Rows to write; while too many wait, the oldest are lost."""
        with self._lock:
            for row in rows:
                self._rows.append(row)
                self._bytes += len(row.data)
            self._make_room()

    def add_findings(self, findings: Iterable[Finding], forgotten: Iterable[int] = ()) -> None:
        """Findings as they are now, and IDs of those to remove."""
        with self._lock:
            self._findings.update((finding.id, finding) for finding in findings)
            for number in forgotten:
                self._findings.pop(number, None)
                self._forgotten.add(number)

    def add_state(self, name: str, state: Mapping[str, Any]) -> None:
        """A detector's state; it must not be changed any more."""
        with self._lock:
            self._states[name] = state

    def add_episodes(self, episodes: Iterable[Episode]) -> None:
        """Laggy episodes, new or gone on."""
        with self._lock:
            self._episodes.update((episode.start, episode) for episode in episodes)
            while len(self._episodes) > _WAITING_EPISODES:
                del self._episodes[min(self._episodes)]

    def tick(self, now: float, settled: Optional[float]) -> None:
        """Write if it is time. ``now`` is unix seconds, ``settled`` as History has it."""
        if self._last is not None and 0 <= now - self._last < EVERY_SECONDS:
            return
        with self._lock:
            if self._writing:
                return
            batch = self._take(now, settled, max(_SLICE, -(-len(self._rows) // _PARTS)))
            self._writing = True
        self._last = now
        self._tell(batch)

    def flush(self, now: float) -> None:
        """Write all there is, behind what is being written; to be called when leaving."""
        with self._lock:
            batch = self._take(now, None, len(self._rows))
        self._tell(batch)

    def _take(self, now: float, settled: Optional[float], rows: int) -> WatchBatch:
        series = tuple(islice(self._rows, rows))
        for row in series:
            self._rows.popleft()
            self._bytes -= len(row.data)
        if settled is not None and self._rows:
            settled = min(settled, *(row.start for row in self._rows))
        batch = WatchBatch(
            at=now,
            series=series,
            findings=tuple(self._findings.values()),
            forgotten=tuple(self._forgotten),
            states=self._states,
            episodes=tuple(self._episodes.values()),
            settled=settled,
        )
        self._findings, self._forgotten, self._states, self._episodes = {}, set(), {}, {}
        return batch

    def _tell(self, batch: WatchBatch) -> None:
        self._desk.tell(
            lambda store: store.watch.write(batch), lambda error: self._done(batch, error)
        )

    def _done(self, batch: WatchBatch, error: Optional[Exception]) -> None:
        """On the desk's thread."""
        with self._lock:
            self._writing = False
            if isinstance(error, StoreUnavailable):
                self._put_back(batch)
            elif error is not None:
                # No outage but a fault: the same batch would fail for ever, and all behind it.
                self.lost += len(batch.series)
            lost, self._told = self.lost - self._told, self.lost
        self._say(error, lost)

    def _put_back(self, batch: WatchBatch) -> None:
        """What has become newer meanwhile stays as it is."""
        self._rows.extendleft(reversed(batch.series))
        self._bytes += sum(len(row.data) for row in batch.series)
        self._findings = {**{f.id: f for f in batch.findings}, **self._findings}
        for number in self._forgotten:
            self._findings.pop(number, None)
        self._forgotten.update(batch.forgotten)
        self._states = {**batch.states, **self._states}
        self._episodes = {**{e.start: e for e in batch.episodes}, **self._episodes}
        self._make_room()

    def _make_room(self) -> None:
        while self._bytes > _WAITING_BYTES:
            self._bytes -= len(self._rows.popleft().data)
            self.lost += 1

    def _say(self, error: Optional[Exception], lost: int) -> None:
        """Once when it begins, once when it is over, and what was lost."""
        trouble = str(error) if error is not None else None
        if isinstance(error, StoreUnavailable):
            if self.trouble is None:
                self._log.warning("what the watch sees is not written for now: %s", error)
        elif error is not None:
            self._log.error("the watch could not write", exc_info=error)
        elif self.trouble is not None:
            self._log.info("what the watch sees is written again")
        if lost:
            self._log.warning("%d rows of the watch's series were lost, %d in all", lost, self.lost)
        self.trouble = trouble
