"""What questions are put to: the services, and what is kept from one question to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Callable, Optional, Protocol

from ..bench.comparisons import Comparisons
from ..bench.safety import RoundSafety
from ..bench.schedules import RoundScheduler
from ..bench.service import Bench
from ..bench.stored_rounds import StoredRounds
from ..core.clock import Clock
from ..core.reconcile import Pass
from ..doctor.on_request import MclockTuning, OsdRelief
from ..doctor.service import Doctor
from ..hardware.checksums import ChecksumMonitor
from ..hardware.enclosures import EnclosureInventory
from ..hardware.host_facts import HostFactsRegistry
from ..model.admission import ModuleOption, Threshold
from ..model.cluster import Cluster
from ..model.finding import ConfigLog, Placed
from ..model.osd import Osd
from ..store.care import Care
from ..store.sqlite import StoreThread
from ..watch.osd_breakdown import OsdBreakdowns
from ..watch.service import Watch
from .reading import KeptAnswers, StoreBudget

# Seconds: the greatest age of the maps in lists. Starting a round reads them anew.
MAPS_AGE = 10.0
# Answers that are used again for a while: a month of the cluster's latencies has 300 KiB.
_KEPT_ANSWERS = 100


class ModuleOptions(Protocol):
    """The options, and the thresholds that one of them changes."""

    def all(self) -> Sequence[ModuleOption]:
        """Every option that operators may set."""

    def thresholds(self) -> Sequence[Threshold]:
        """The thresholds in effect on this mgr."""

    def check(self, option: ModuleOption, value: str) -> None:
        """Raise InvalidValue if a text is not what the option's users understand."""

    def set(self, name: str, value: Optional[str]) -> None:
        """Set an option at the monitors; None for its default. Raises CommandFailed."""


@dataclass(eq=False)
class Api:
    """The services that questions are put to. Built once by ``wiring``; any thread may ask.

    release -- As "16.2.15 pacific".
    orchestrator -- The name of its backend, None without one.
    config_log -- The newest changes of the configuration; may raise CommandFailed.
    placed -- By OSD what is placed on it.
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
    options: ModuleOptions
    cluster: Cluster
    store_thread: StoreThread
    care: Care
    clock: Clock
    release: Callable[[], str]
    fsid: Callable[[], str]
    orchestrator: Callable[[], Optional[str]] = lambda: None
    config_log: Callable[[], ConfigLog] = ConfigLog
    placed: Callable[[], Mapping[int, Placed]] = dict
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
        return StoredRounds(self.bench, self.store, self.clock, self.osds)

    @cached_property
    def comparisons(self) -> Comparisons:
        def created_at() -> Mapping[int, Optional[float]]:
            return {osd.id: osd.created_at for osd in self.osds()}

        return Comparisons(self.store, self.clock, self.bench.regressions, created_at)

    def osds(self) -> Sequence[Osd]:
        """The cluster's OSDs."""
        return self.cluster.osds(MAPS_AGE)
