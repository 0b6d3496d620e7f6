"""Buffers the data that the watch writes to the store, one transaction at a time."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Callable, Optional

from ..errors import StoreUnavailable
from ..model.finding import Finding
from ..model.history import KEPT_SECONDS, SpanRow, WatchBatch
from ..model.verdict import Episode
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


def merged(older: WatchBatch, newer: WatchBatch) -> WatchBatch:
    """What both write; what is newer replaces the same of the older one."""
    findings = {one.id: one for one in (*older.findings, *newer.findings)}
    forgotten = dict.fromkeys((*older.forgotten, *newer.forgotten))
    episodes = {one.start: one for one in (*older.episodes, *newer.episodes)}
    return replace(
        newer,
        spans=(*older.spans, *newer.spans),
        findings=tuple(one for number, one in findings.items() if number not in forgotten),
        forgotten=tuple(forgotten),
        states={**older.states, **newer.states},
        episodes=tuple(episodes[start] for start in sorted(episodes)[-_WAITING_EPISODES:]),
    )


class WriteBuffer:
    """Collects for the database's thread; neither waits for the other.

    Only one thread at a time may call it, but for ``problem``. One batch is pending
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
        self._waiting = WatchBatch(0.0)
        # Episodes as they came last: the tracker passes all of them at every tick.
        self._episodes: Mapping[float, Episode] = {}
        # The batch that is written, and its answer.
        self._batch = WatchBatch(0.0)
        self.pending: Optional[Future[None]] = None
        # Number of dropped rows, and whether the log has a warning about those of this outage.
        self.lost, self._losing = 0, False
        # Number of batches that could not be written.
        self.errors = 0
        self._error: Optional[BaseException] = None

    @property
    def problem(self) -> Optional[str]:
        """The error of the last batch; None if it was written."""
        pending = self.pending
        error = pending.exception() if pending is not None and pending.done() else self._error
        return None if error is None else str(error)

    @property
    def is_pending(self) -> bool:
        """Whether a batch is being written."""
        return self.pending is not None and not self.pending.done()

    @property
    def waiting(self) -> int:
        """The number of rows that wait to be written."""
        return len(self._waiting.spans)

    def put(
        self,
        rows: Iterable[SpanRow] = (),
        findings: Sequence[Finding] = (),
        forgotten: Sequence[int] = (),
        episodes: Sequence[Episode] = (),
    ) -> None:
        """Add data to the next batch; a newer finding or episode replaces the older one.

        ``forgotten`` are IDs of findings to remove.
        """
        self._settle()
        changed = [one for one in episodes if self._episodes.get(one.start) != one]
        if changed:
            self._episodes = {one.start: one for one in episodes}
        new = WatchBatch(0.0, tuple(rows), findings, forgotten, episodes=changed)
        self._wait(merged(self._waiting, new))

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
        if self.pending is not None:
            return False
        rows = self._waiting.spans
        count = max(_SLICE, -(-len(rows) // parts))
        if settled is not None:
            settled = min([settled, *(row.start for row in rows[count:])])
        self._batch = batch = replace(
            self._waiting,
            at=at,
            spans=rows[:count],
            states={**self._waiting.states, **states},
            settled=settled,
            kept=self._kept(),
        )
        self._waiting = WatchBatch(0.0, spans=rows[count:])
        self.pending = self._store_thread.ask(lambda store: store.watch.write(batch))
        return True

    def _settle(self) -> None:
        """Handle the result of the batch before, if it is there."""
        if self.pending is None or not self.pending.done():
            return
        self._error, batch, self.pending = self.pending.exception(), self._batch, None
        self.errors += self._error is not None
        if self._error is None:
            self._losing = False
        elif isinstance(self._error, StoreUnavailable):  # which the care of the database tells
            self._wait(merged(batch, self._waiting))
        else:
            # A bug and no outage: the batch would fail again, and block all later ones.
            self.lost += len(batch.spans)
            told = "the watch could not write %d rows"
            self._log.error(told, len(batch.spans), exc_info=self._error)

    def _wait(self, batch: WatchBatch) -> None:
        """Let all of this wait, without the oldest rows if there are too many."""
        rows = batch.spans
        size, first = sum(map(_size, rows)), 0
        while size > _WAITING_BYTES:
            size -= _size(rows[first])
            first += 1
        self._waiting = replace(batch, spans=rows[first:])
        self.lost += first
        if first and not self._losing:
            self._losing = True
            self._log.warning("the database is away for too long: rows of the watch are lost")


def _size(row: SpanRow) -> int:
    return len(row.data) + _ROW_BYTES
