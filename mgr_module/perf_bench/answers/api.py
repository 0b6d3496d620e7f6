"""What questions are put to: the services, and what is kept from one question to the next."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Optional, TypeVar

from ..bench.comparisons import Comparisons
from ..bench.safety import RoundSafety
from ..bench.schedules import RoundScheduler
from ..bench.service import Bench
from ..bench.stored_rounds import StoredRounds
from ..core.clock import Clock
from ..core.reconcile import Pass
from ..doctor.on_request import MclockTuning, OsdRelief
from ..doctor.service import Doctor
from ..errors import StoreUnavailable
from ..hardware.checksums import ChecksumMonitor
from ..hardware.enclosures import EnclosureInventory
from ..hardware.host_facts import HostFactsRegistry
from ..model.admission import ModuleOption, Threshold
from ..model.cluster import Cluster
from ..model.finding import ConfigLog
from ..model.osd import Osd
from ..store.care import Care
from ..store.sqlite import Store, StoreThread
from ..watch.osd_breakdown import OsdBreakdowns
from ..watch.service import Watch

T = TypeVar("T")
# When the calls of a thread have to end (monotonic seconds): each thread has its own.
_UNTIL: ContextVar[Optional[float]] = ContextVar("until", default=None)
# Seconds: the greatest age of the maps in lists. Starting a round reads them anew.
MAPS_AGE = 10.0
# Answers that are used again for a while: a month of the cluster's latencies has 300 KiB.
_KEPT_ANSWERS = 100


@dataclass(eq=False)
class Api:
    """The services that questions are put to. Built once by ``wiring``; any thread may ask.

    options -- Those that operators may set; thresholds -- those in effect on this mgr.
    release -- As "16.2.15 pacific".
    orchestrator -- The name of its backend, None without one.
    config_log -- The newest changes of the configuration; may raise CommandFailed.
    passes -- The newest pass of each reconciler.
    ask_crc -- Lets OSDs be asked for the time of checksums that they do not send; returns until
        when.
    """

    round_scheduler: RoundScheduler
    watch: Watch
    hosts: HostFactsRegistry
    doctor: Doctor
    inventory: EnclosureInventory
    crc: ChecksumMonitor
    breakdowns: OsdBreakdowns
    mclock_tuning: MclockTuning
    relief: OsdRelief
    options: Callable[[], Sequence[ModuleOption]]
    thresholds: Callable[[], Sequence[Threshold]]
    cluster: Cluster
    store_thread: StoreThread
    care: Care
    clock: Clock
    release: Callable[[], str]
    fsid: Callable[[], str]
    orchestrator: Callable[[], Optional[str]] = lambda: None
    config_log: Callable[[], ConfigLog] = ConfigLog
    passes: Callable[[], Sequence[Pass]] = tuple
    ask_crc: Callable[[], Optional[float]] = lambda: None

    @cached_property
    def bench(self) -> Bench:
        return self.round_scheduler.bench

    @cached_property
    def safety(self) -> RoundSafety:
        return self.bench.round_safety

    @cached_property
    def store(self) -> StoreBudget:
        """The database."""
        return StoreBudget(self.store_thread, self.clock)

    @cached_property
    def kept(self) -> KeptAnswers:
        return KeptAnswers(self.clock, _KEPT_ANSWERS)

    @cached_property
    def stored(self) -> StoredRounds:
        return StoredRounds(self.bench, self.store, self.clock)

    @cached_property
    def comparisons(self) -> Comparisons:
        def created_at() -> Mapping[int, Optional[float]]:
            return {osd.id: osd.created_at for osd in self.osds()}

        return Comparisons(self.store, self.clock, self.bench.regressions, created_at)

    def osds(self) -> Sequence[Osd]:
        """The cluster's OSDs."""
        return self.cluster.osds(MAPS_AGE)


class StoreBudget(StoreThread):
    """Calls on this thread within ``within`` wait as long together as it says.

    While the database is busy they are refused at once, instead of waiting behind each other.
    """

    def __init__(self, queue: StoreThread, clock: Clock) -> None:
        self._queue = queue
        self._clock = clock

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit all calls of this thread together; after that they raise StoreUnavailable."""
        before = _UNTIL.set(self._clock.monotonic() + seconds)
        try:
            yield
        finally:
            _UNTIL.reset(before)

    def call(
        self,
        question: Callable[[Store], T],
        limit: float = 5.0,
        size: int = 0,
        *,
        key: Hashable = None,
    ) -> T:
        until = _UNTIL.get()
        if until is not None:
            limit = min(limit, until - self._clock.monotonic())
            if limit <= 0:
                raise StoreUnavailable("the database in the cluster did not tell all in time")
        if (why := self._queue.busy) is not None:
            raise StoreUnavailable(why)
        return self._queue.call(question, limit, size, key=key)

    def ask(self, question: Callable[[Store], T]) -> Future[T]:
        return self._queue.ask(question)


class KeptAnswers:
    """The newest ``most`` answers, by question; safe to use from any thread."""

    def __init__(self, clock: Clock, most: int) -> None:
        self._clock = clock
        self._most = most
        # By question when it was answered (monotonic seconds), and the answer.
        self._answers: dict[Hashable, tuple[float, Any]] = {}

    def of(self, question: Hashable, fresh: float, answer: Callable[[], T]) -> T:
        """The answer, at most ``fresh`` seconds old; others do not wait while it is made."""
        now = self._clock.monotonic()
        asked_at, kept = self._answers.get(question, (-math.inf, None))
        if now - asked_at < fresh:
            known: T = kept
            return known
        made = answer()
        self.keep(question, made)
        return made

    def keep(self, question: Hashable, answer: Any) -> None:
        """Use this answer from now on."""
        self._answers.pop(question, None)
        self._answers[question] = self._clock.monotonic(), answer
        # The oldest first; a copy, because others may add theirs meanwhile.
        for one in list(self._answers)[: -self._most]:
            self._answers.pop(one, None)

    def newest(self, question: Hashable) -> Any:
        """The newest answer, however old; None if there is none."""
        return self._answers.get(question, (0.0, None))[1]
