"""Buffers the data that the watch writes to the store, one transaction at a time."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, wait
from typing import Any, Callable, Optional

from ..errors import StoreUnavailable
from ..model.finding import Finding
from ..model.history import KEPT_SECONDS, SpanRow, WatchBatch
from ..model.laggy import Episode
from .sqlite import StoreThread

# A batch has a quarter of the waiting rows: five minutes of 10,000 OSDs (157 rows in as many pages
# of 64 KiB) become several short transactions, between which other calls of the store run.
_SLICE = 32
_PARTS = 4
# Maximum that waits while the database is unavailable: two hours of 10,000 OSDs.
_WAITING_BYTES = 8_000_000
_WAITING_EPISODES = 500
# Memory of a row in addition to its data, which is small in a small cluster.
_ROW_BYTES = 256


class WriteBuffer:
    """Collects for the database's thread; neither waits for the other.

    Only one thread at a time may call it, but for ``flush`` and ``problem``. One batch is pending
    at a time; new data, and data that could not be written, goes with the next batch. If too many
    rows wait, the oldest are dropped and counted; findings never are.
    """

    def __init__(
        self,
        store_thread: StoreThread,
        log: logging.Logger,
        kept: Callable[[], Mapping[int, float]] = lambda: KEPT_SECONDS,
    ) -> None:
        """``kept`` returns how long rows stay in the store, in seconds by level."""
        self._store_thread = store_thread
        self._log = log
        self._kept = kept
        self._rows: deque[SpanRow] = deque()
        self._bytes = 0
        self._findings: dict[int, Finding] = {}
        self._forgotten: set[int] = set()
        self._states: dict[str, Mapping[str, Any]] = {}
        self._episodes: dict[float, Episode] = {}
        # Episodes as they are stored: the tracker passes all of them at every tick.
        self._stored: dict[float, Episode] = {}
        # The batch that is written, and its answer.
        self._batch = WatchBatch(0.0)
        self._pending: Optional[Future[None]] = None
        # Number of dropped rows, and how many of them are in the log.
        self.lost = 0
        self._logged = 0
        # Whether the log has a warning about rows dropped while a batch is pending.
        self._losing = False
        # Number of batches that could not be written.
        self.errors = 0
        self._error: Optional[BaseException] = None

    @property
    def problem(self) -> Optional[str]:
        """The error of the last batch; None if it was written."""
        pending = self._pending
        error = pending.exception() if pending is not None and pending.done() else self._error
        return None if error is None else str(error)

    @property
    def waiting(self) -> int:
        """The number of rows that wait to be written."""
        return len(self._rows)

    def put(
        self,
        rows: Iterable[SpanRow] = (),
        findings: Iterable[Finding] = (),
        forgotten: Iterable[int] = (),
        episodes: Iterable[Episode] = (),
    ) -> None:
        """Add data to the next batch; a newer finding or episode replaces the older one.

        ``forgotten`` are IDs of findings to remove.
        """
        self._settle()
        for row in rows:
            self._rows.append(row)
            self._bytes += _size(row)
        self._findings.update((finding.id, finding) for finding in findings)
        self._forget(forgotten)
        for episode in episodes:
            if episode.start in self._episodes or self._stored.get(episode.start) != episode:
                self._episodes[episode.start] = episode
        self._make_room()
        if self._pending is not None and self.lost > self._logged and not self._losing:
            self._losing = True
            self._log.warning("the database is away for too long: rows of the watch are lost")

    def write(
        self,
        at: float,
        states: Mapping[str, Mapping[str, Any]],
        settled: Optional[float],
        parts: int = _PARTS,
    ) -> bool:
        """Send a batch to the store; returns False while the batch before is pending.

        ``at`` is unix seconds, ``states`` are the detectors' states by name, which must not change
        afterwards. ``settled`` is that of SeriesBuilder. A batch has 1 / ``parts`` of the rows.
        """
        self._settle()
        if self._pending is not None:
            return False
        self._states.update(states)
        batch = self._take(at, settled, max(_SLICE, -(-len(self._rows) // parts)))
        self._batch = batch
        self._pending = self._store_thread.ask(lambda store: store.watch.write(batch))
        return True

    def flush(self, limit: float) -> bool:
        """Wait up to ``limit`` seconds for the pending batch; True if none is pending."""
        pending = self._pending
        return pending is None or bool(wait([pending], limit).done)

    def _take(self, at: float, settled: Optional[float], most: int) -> WatchBatch:
        spans = tuple(self._rows.popleft() for _ in range(min(most, len(self._rows))))
        self._bytes -= sum(map(_size, spans))
        if settled is not None:
            settled = min([settled, *(row.start for row in self._rows)])
        batch = WatchBatch(
            at=at,
            spans=spans,
            findings=tuple(self._findings.values()),
            forgotten=tuple(self._forgotten),
            states=self._states,
            episodes=tuple(self._episodes.values()),
            settled=settled,
            kept=self._kept(),
        )
        self._findings, self._forgotten, self._states, self._episodes = {}, set(), {}, {}
        return batch

    def _settle(self) -> None:
        """Handle the result of the batch before, if it is there."""
        if self._pending is None or not self._pending.done():
            return
        before, self._error, batch = self._error, self._pending.exception(), self._batch
        self._pending = None
        if isinstance(self._error, StoreUnavailable):
            self._put_back(batch)
        elif self._error is None:
            self._stored.update((episode.start, episode) for episode in batch.episodes)
            _trim(self._stored)
        else:
            # A bug and no outage: the batch would fail again, and block all later ones.
            self.lost += len(batch.spans)
        self.errors += self._error is not None
        lost, self._logged = self.lost - self._logged, self.lost
        self._losing = False
        self._say(before, self._error, lost)

    def _put_back(self, batch: WatchBatch) -> None:
        """Put a batch back into the buffer; newer data there is kept."""
        self._rows.extendleft(reversed(batch.spans))
        self._bytes += sum(map(_size, batch.spans))
        self._findings = {**{finding.id: finding for finding in batch.findings}, **self._findings}
        self._forget((*batch.forgotten, *self._forgotten))
        self._states = {**batch.states, **self._states}
        self._episodes = {**{one.start: one for one in batch.episodes}, **self._episodes}
        self._make_room()

    def _forget(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._findings.pop(number, None)
            self._forgotten.add(number)

    def _make_room(self) -> None:
        while self._bytes > _WAITING_BYTES:
            self._bytes -= _size(self._rows.popleft())
            self.lost += 1
        _trim(self._episodes)

    def _say(
        self, before: Optional[BaseException], error: Optional[BaseException], lost: int
    ) -> None:
        """Log the begin and the end of an outage, and lost rows."""
        if isinstance(error, StoreUnavailable):
            if before is None:
                self._log.warning("what the watch sees is not written for now: %s", error)
        elif error is not None:
            self._log.error("the watch could not write", exc_info=error)
        elif before is not None:
            self._log.info("what the watch sees is written again")
        if lost:
            self._log.warning("%d rows of the watch's series were lost, %d in all", lost, self.lost)


def _size(row: SpanRow) -> int:
    return len(row.data) + _ROW_BYTES


def _trim(episodes: dict[float, Episode]) -> None:
    """Drop the oldest episodes if there are too many."""
    while len(episodes) > _WAITING_EPISODES:
        del episodes[min(episodes)]
