"""The database, and the queue of calls to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Callable, Optional, Protocol, TypeVar

from ..model.cluster_span import ClusterSpan
from ..model.cohort_span import CohortSpan
from ..model.damage import (
    Key,
    StoreChecked,
    StoreJob,
    StoreMark,
    StoreState,
    UnreadableRow,
)
from ..model.finding import Finding
from ..model.history import SavedState, SeriesPoint, WatchBatch
from ..model.laggy import Episode
from ..model.peer_band import BandPoint, Compared
from ..model.rados import LoadSample
from ..model.retention import (
    KindSize,
    RemovedRound,
    RetentionRules,
    Sizes,
    StoreUsage,
    Tended,
)
from .round_store import RoundStore

T = TypeVar("T")

# How far a check of all rows is: the table's number, and the key of the last row.
RowPlace = tuple[int, Key]


class WatchStore(Protocol):
    """The watch's data. Every method is one transaction; errors as for RoundStore."""

    def write(self, batch: WatchBatch) -> None:
        """Write all of the batch or nothing; writing it again changes nothing."""

    def findings(self) -> tuple[list[Finding], int]:
        """All findings by ID, and the next unused ID."""

    def state(self, name: str) -> Optional[SavedState]:
        """The state saved under that name; None also if it cannot be read."""

    def episodes(self, limit: int = 50, offset: int = 0) -> tuple[list[Episode], int]:
        """The laggy episodes, newest first, and how many there are."""

    def series(
        self, osd: int, channel: str, level: int, begin: float, end: float
    ) -> list[SeriesPoint]:
        """One OSD's points of ``level`` seconds that start in ``begin`` … ``end``, in order.

        Spans without data are left out, and so are rows that are damaged.
        """

    def all_series(
        self, osd: int, channels: Collection[str], level: int, begin: float, end: float
    ) -> dict[str, list[SeriesPoint]]:
        """The points of several channels, with each row read and unpacked only once."""

    def cluster_spans(self, level: int, begin: float, end: float) -> list[ClusterSpan]:
        """The cluster's spans of ``level`` seconds (five minutes or an hour), in order.

        Those that start in ``begin`` … ``end``; rows that are damaged are left out.
        """

    def peer_band(self, of: Compared, level: int, begin: float, end: float) -> list[BandPoint]:
        """OSDs against peers, by spans of ``level`` seconds that start in ``begin`` … ``end``.

        All rows of 64 OSDs are read where one of them is wanted: choose peers that are close.
        """

    def cohort_spans(
        self, cohorts: Sequence[Collection[int]], level: int, begin: float, end: float
    ) -> list[list[CohortSpan]]:
        """By cohort (OSD IDs) its spans of ``level`` seconds that start in ``begin`` … ``end``.

        About 1 ms for 64 OSDs and a span; of more than 1,000 OSDs some are read.
        """


# By host when its facts came (unix seconds), their document (None if it is damaged), and the
# host's history.
SavedFacts = Mapping[str, tuple[float, Any, Mapping[str, Any]]]


class FactsStore(Protocol):
    """The facts of hosts. Every method is one transaction; errors as for RoundStore."""

    def put(
        self,
        host: str,
        received_at: float,
        document: Mapping[str, Any],
        memory: Mapping[str, Any],
    ) -> None:
        """Replace a host's facts and its history (JSON-ready)."""

    def all(self) -> SavedFacts:
        """The newest facts of every host."""


class LoadStore(Protocol):
    """The repeats of rounds of clients. One transaction a method; errors as for RoundStore."""

    def add(self, round_id: int, sample: LoadSample) -> None:
        """Store a repeat; an existing one is kept, and one of a removed round is ignored."""

    def of(self, round_id: int) -> list[LoadSample]:
        """A round's repeats, in order."""


class StorePlace(Protocol):
    """Where the files of databases lie, and the mark of them at the monitors."""

    def open(self, file: str, raw: bool = False) -> sqlite3.Connection:
        """A fresh connection, usable from any thread; ``raw``: without looking into the file.

        Raises sqlite3.Error or StoreUnavailable.
        """

    def trim(self, file: str) -> None:
        """Free what the pool still holds beyond the end of a file; nobody else may write to it."""

    def remove(self, file: str) -> None:
        """Remove a file that no connection is open to; one that is not there is no error."""

    def pool(self) -> Optional[int]:
        """The ID of the pool; None where it is not known."""

    def read_mark(self) -> Optional[StoreMark]:
        """The mark; None where there is none yet. Raises StoreUnavailable."""

    def write_mark(self, mark: StoreMark) -> None:
        """Keep the mark. Raises StoreUnavailable."""


class StoreFiles(Protocol):
    """The database's file as a whole. A copy goes on with ``copy_piece``; one at a time."""

    def state(self) -> StoreState:
        """How it is, as far as that is known: asks no database."""

    def usage(self) -> StoreUsage:
        """The size of the file in use; its rounds are not counted. Raises StoreUnavailable."""

    def check_pages(self) -> Optional[bool]:
        """SQLite's own check, at most 1 s; None where it did not end within that."""

    def take_over(self) -> None:
        """Begin to copy what can be read of a damaged file into a new one."""

    def backup(self) -> str:
        """Begin a copy of the file in use; returns its name."""

    def restore(self, file: str) -> None:
        """Begin to put a backup in the place of the file in use. Raises NotFound."""

    def reset(self) -> None:
        """Put an empty file in the place of the one in use; IDs go on."""

    def compact(self) -> None:
        """Begin to copy the file in use into one that can give unused space back.

        Until the copy ends nothing can be written. Raises Busy while a round is unfinished.
        """

    def tidy(self) -> None:
        """Remove files that were copied whole into the one in use."""

    def copy_piece(self) -> bool:
        """Go on for 0.1 s; whether there is more. At the end the new file is in use.

        Raises StoreUnavailable if there is no copy any more.
        """

    def cancel(self) -> None:
        """Give the copy up."""


class RetentionStore(Protocol):
    """Keeps the history within the operator's limits."""

    def tend(self, rules: RetentionRules, now: float) -> Tended:
        """Do one short step of removing rounds and giving space back."""

    def remove(self, round_id: int, why: str, now: float) -> Optional[RemovedRound]:
        """Remove a round at once, and its rows step by step; None if it does not exist."""

    def removed(self, limit: int) -> Sequence[RemovedRound]:
        """The rounds that were removed last, newest first."""


class StoreCare(Protocol):
    """Who looks after the database. What it is asked to do waits at most 3 s for its end."""

    job: Optional[StoreJob]
    checked: Optional[StoreChecked]
    unreadable: Sequence[UnreadableRow]
    state: StoreState
    usage: Optional[StoreUsage]
    removed: int
    history: Sequence[RemovedRound]
    sizes: Optional[Sizes]

    @property
    def rules(self) -> RetentionRules:
        """The operator's limits."""

    @property
    def integrity(self) -> str:
        """In a word or two how it is."""

    def looking(self, order: Callable[[Store], T]) -> Callable[[Store], T]:
        """The order, and then a look, whatever becomes of it."""

    def check(self) -> StoreJob:
        """Check all of it. Raises Busy."""

    def backup(self) -> StoreJob:
        """Copy it within its pool. Raises Busy."""

    def restore(self, file: str) -> StoreJob:
        """Put a backup in its place. Raises Busy, NotFound, InvalidValue."""

    def reset(self) -> None:
        """Begin with an empty one. Raises Busy and StoreUnavailable."""


class Store(RoundStore, Protocol):
    """Everything that is stored."""

    @property
    def watch(self) -> WatchStore: ...

    @property
    def facts(self) -> FactsStore: ...

    @property
    def loads(self) -> LoadStore: ...

    @property
    def files(self) -> StoreFiles: ...

    @property
    def retention(self) -> RetentionStore: ...

    @property
    def writes(self) -> int:
        """Rises with all that may change what is read."""

    def reading(self) -> AbstractContextManager[None]:
        """Let the reads in the block share one transaction, until something else is done."""

    def check_rows(self, place: Optional[RowPlace]) -> Optional[RowPlace]:
        """Read rows for 50 ms from ``place`` on (None: the first), for ``unreadable``.

        Returns where to go on, None when all were read.
        """

    def kinds(self) -> Sequence[KindSize]:
        """What each kind of data takes, by the newest check of all rows; largest first."""


class StoreQueue(Protocol):
    """Runs functions on the store's one thread, with a time limit for callers that wait."""

    @property
    def busy(self) -> Optional[str]:
        """Why whoever comes now would wait for long; None while the database keeps up."""

    def call(
        self,
        question: Callable[[Store], T],
        limit: float = 5.0,
        size: int = 0,
        *,
        key: Hashable = None,
    ) -> T:
        """Run ``question``; returns its result. Raises StoreUnavailable after ``limit`` s.

        ``size`` is how many bytes of text it holds while it waits. Under a ``key`` the answer is
        remembered for some seconds, until the next write; nobody may change it.
        """

    def submit(
        self,
        order: Callable[[Store], None],
        done: Callable[[Optional[Exception]], None],
    ) -> None:
        """Run ``order`` later; ``done`` gets None or the error."""
