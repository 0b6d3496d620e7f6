"""Stores the data of the watch in the database of the rounds."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Callable, Optional, TypeVar

from ..model.cluster_span import ClusterSpan
from ..model.cohort_span import CohortSpan
from ..model.finding import Finding
from ..model.history import SavedState, SeriesPoint, WatchBatch
from ..model.laggy import Episode
from ..model.peer_band import BandPoint, Compared
from . import cohort_spans, findings, peer_band, series, spans, states
from .cluster_spans import CLUSTER
from .database import Database
from .spans import Period, Table

T = TypeVar("T")

_KINDS = {kind.name: kind for kind in (series.SERIES, CLUSTER)}


class WatchStore:
    """The watch's data. Every method is one transaction; errors as for Store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._unreadable = database.unreadable
        self._tended = spans.FIRST

    def write(self, batch: WatchBatch) -> None:
        """Write all of the batch or nothing; writing it again changes nothing."""

        def work(db: sqlite3.Connection) -> tuple[str, int]:
            spans.put(db, batch.spans)
            findings.put(db, batch.findings, batch.forgotten)
            states.put(db, batch.at, batch.states)
            states.put_episodes(db, batch.at, batch.episodes)
            return spans.tend(Table(db, self._unreadable), _KINDS, self._tended, batch)

        self._tended = self._database.write(work)
        if batch.findings:
            self._database.reserve(findings=max(finding.id for finding in batch.findings))

    def findings(self) -> tuple[list[Finding], int]:
        """All findings by ID, and the next unused ID."""
        return self._database.read(lambda db: findings.load(db, self._unreadable))

    def state(self, name: str) -> Optional[SavedState]:
        """The state saved under that name; None also if it cannot be read."""
        return self._database.read(lambda db: states.load(db, name, self._unreadable))

    def episodes(self, limit: int = 50, offset: int = 0) -> tuple[list[Episode], int]:
        """The laggy episodes, newest first, and how many there are."""
        return self._database.read(lambda db: states.episodes(db, limit, offset, self._unreadable))

    def series(
        self, osd: int, channel: str, level: int, begin: float, end: float
    ) -> list[SeriesPoint]:
        """One OSD's points of ``level`` seconds that start in ``begin`` … ``end``, in order.

        Spans without data are left out, and so are rows that are damaged.
        """
        return self.all_series(osd, (channel,), level, begin, end)[channel]

    def all_series(
        self, osd: int, channels: Collection[str], level: int, begin: float, end: float
    ) -> dict[str, list[SeriesPoint]]:
        """The points of several channels, with each row read and unpacked only once."""
        period = Period(level, begin, end)
        return self._read(lambda table: series.read(table, osd, channels, period))

    def cluster_spans(self, level: int, begin: float, end: float) -> list[ClusterSpan]:
        """The cluster's spans of ``level`` seconds (five minutes or an hour), in order.

        Those that start in ``begin`` … ``end``; rows that are damaged are left out.
        """
        period = Period(level, begin, end)
        found = self._read(lambda table: spans.read(table, CLUSTER, 0, period))
        return [span for _, span in found]

    def peer_band(self, of: Compared, level: int, begin: float, end: float) -> list[BandPoint]:
        """OSDs against peers, by spans of ``level`` seconds that start in ``begin`` … ``end``.

        All rows of 64 OSDs are read where one of them is wanted: choose peers that are close.
        """
        return self._read(lambda table: peer_band.read(table, of, Period(level, begin, end)))

    def cohort_spans(
        self, cohorts: Sequence[Collection[int]], level: int, begin: float, end: float
    ) -> list[list[CohortSpan]]:
        """By cohort (OSD IDs) its spans of ``level`` seconds that start in ``begin`` … ``end``.

        About 1 ms for 64 OSDs and a span; of more than 1,000 OSDs some are read.
        """
        period = Period(level, begin, end)
        return self._read(lambda table: cohort_spans.read(table, cohorts, period))

    def _read(self, query: Callable[[Table], T]) -> T:
        return self._database.read(lambda db: query(Table(db, self._unreadable)))
