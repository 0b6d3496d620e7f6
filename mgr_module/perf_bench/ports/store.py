"""Where all is kept, and the way there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Callable, Optional, Protocol, TypeVar

from ..model.finding import Finding
from ..model.history import SavedState, SeriesPoint, WatchBatch
from ..model.laggy import Episode
from ..model.rados import LoadSample
from .round_store import RoundStore

T = TypeVar("T")


class WatchStore(Protocol):
    """What the watch keeps. Every method is one transaction; errors as for RoundStore."""

    def write(self, batch: WatchBatch) -> None:
        """Write all of it or nothing; the same batch again changes nothing."""

    def findings(self) -> tuple[list[Finding], int]:
        """All findings by ID, and the next ID that was never used."""

    def state(self, name: str) -> Optional[SavedState]:
        """What was saved under that name; None too if it cannot be read any more."""

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
        """The same of several channels: each row is read and unpacked once for all of them."""


# By host when its facts came (unix seconds), their document (None for one that is damaged), and
# what is remembered beyond them.
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
        """Store a host's facts and its memory (JSON-ready) instead of those before."""

    def all(self) -> SavedFacts:
        """The newest facts of every host."""


class LoadStore(Protocol):
    """The repeats of rounds of clients. One transaction a method; errors as for RoundStore."""

    def add(self, round_id: int, sample: LoadSample) -> None:
        """Store a repeat; one that is there is kept, and for a round that is gone none is."""

    def of(self, round_id: int) -> list[LoadSample]:
        """A round's repeats, in order."""


class Store(RoundStore, Protocol):
    """Everything that is stored."""

    @property
    def watch(self) -> WatchStore: ...

    @property
    def facts(self) -> FactsStore: ...

    @property
    def loads(self) -> LoadStore: ...


class StoreQueue(Protocol):
    """The way to the store: it is asked from one thread, and nobody waits for it unbounded."""

    def call(self, question: Callable[[Store], T], limit: float = 5.0) -> T:
        """Put the question to the store; raises StoreUnavailable after ``limit`` seconds."""

    def submit(
        self,
        order: Callable[[Store], None],
        done: Callable[[Optional[Exception]], None],
    ) -> None:
        """Carry the order out later; ``done`` gets None or what went wrong."""
