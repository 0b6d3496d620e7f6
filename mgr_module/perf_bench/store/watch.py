"""Stores the data of the watch in the database of the rounds."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection, Sequence
from typing import Optional

from ..model.cluster_span import ClusterSpan
from ..model.cohort_span import CohortSpan
from ..model.finding import Finding
from ..model.history import SavedState, SeriesPoint, WatchBatch
from ..model.laggy import Episode
from ..model.peer_band import BandPoint, Compared
from . import cluster_spans, cohort_spans, findings, peer_band, series, states
from .database import Database


class WatchStore:
    """The watch's data. Every method is one transaction; errors as for Store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._aside = database.aside
        self._tended = -1

    def write(self, batch: WatchBatch) -> None:
        """Write all of the batch or nothing; writing it again changes nothing."""
        times = self._database.clocks.times(batch.at)

        def work(db: sqlite3.Connection) -> int:
            series.put(db, batch.series, batch.kept, times)
            findings.put(db, batch.findings, batch.forgotten, batch.at, times)
            states.put(db, batch.at, batch.states)
            states.put_episodes(db, times.earlier, batch.episodes)
            cluster_spans.put(db, math.floor(batch.at), batch.cluster, batch.kept, times)
            cluster_spans.tend(db, batch, times, self._aside)
            return series.tend(db, self._tended, batch, times)

        self._tended = self._database.write(work)
        if batch.findings:
            self._database.reserve(findings=max(finding.id for finding in batch.findings))

    def findings(self) -> tuple[list[Finding], int]:
        """All findings by ID, and the next unused ID."""
        return self._database.read(lambda db: findings.load(db, self._aside))

    def state(self, name: str) -> Optional[SavedState]:
        """The state saved under that name; None also if it cannot be read."""
        return self._database.read(lambda db: states.load(db, name, self._aside))

    def episodes(self, limit: int = 50, offset: int = 0) -> tuple[list[Episode], int]:
        """The laggy episodes, newest first, and how many there are."""
        return self._database.read(lambda db: states.episodes(db, limit, offset, self._aside))

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
        return self._database.read(lambda db: series.read(db, osd, channels, level, begin, end))

    def cluster_spans(self, level: int, begin: float, end: float) -> list[ClusterSpan]:
        """The cluster's spans of ``level`` seconds (five minutes or an hour), in order.

        Those that start in ``begin`` … ``end``; rows that are damaged are left out.
        """
        return self._database.read(
            lambda db: cluster_spans.read(db, level, begin, end, self._aside)
        )

    def peer_band(self, of: Compared, level: int, begin: float, end: float) -> list[BandPoint]:
        """OSDs against peers, by spans of ``level`` seconds that start in ``begin`` … ``end``.

        All rows of 64 OSDs are read where one of them is wanted: choose peers that are close.
        """
        return self._database.read(lambda db: peer_band.read(db, of, level, begin, end))

    def cohort_spans(
        self, cohorts: Sequence[Collection[int]], level: int, begin: float, end: float
    ) -> list[list[CohortSpan]]:
        """By cohort (OSD IDs) its spans of ``level`` seconds that start in ``begin`` … ``end``.

        About 1 ms for 64 OSDs and a span; of more than 1,000 OSDs some are read.
        """
        return self._database.read(lambda db: cohort_spans.read(db, cohorts, level, begin, end))
