"""The questions that users can ask, a method each; answers are public JSON.

The CLI prints these answers; the dashboard's back end gets the very same through
``mgr.remote``. Every method returns within the store's limit and raises one of the error family.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from dataclasses import dataclass
from functools import partial
from typing import Callable, Optional

from ..bench.comparisons import Comparisons
from ..bench.planning import limits
from ..bench.scheduler_service import RoundScheduler
from ..core.clock import Clock
from ..core.reconcile import Pass
from ..doctor.mclock_tuning import MclockTuning
from ..doctor.relief import OsdRelief
from ..doctor.service import Doctor
from ..errors import PerfBenchError
from ..hardware.checksums import ChecksumMonitor
from ..hardware.enclosures import EnclosureInventory
from ..hardware.host_facts import HostFactsRegistry
from ..model.cluster import Cluster
from ..model.finding import ConfigLog, Placed
from ..model.json_fields import Json
from ..model.plan import PROFILES, profile_named
from ..store.care import Care
from ..store.sqlite import Store, StoreThread
from ..version import VERSION
from ..watch.osd_breakdown import OsdBreakdowns
from ..watch.service import Watch
from .budget import StoreBudget
from .cluster import ClusterAnswers
from .coverage import CoverageAnswers
from .doctor import DoctorAnswers, MclockAnswers, ReliefAnswers
from .events import Events
from .export import RoundFiles
from .findings import FindingAnswers
from .hardware import HardwareAnswers
from .hosts import HostAnswers
from .incidents import IncidentAnswers, IncidentDeps
from .laggy import Laggy, laggy_answer
from .metrics import Metrics, RoundCounts
from .next_steps import steps_of
from .options import ModuleOptions, OptionAnswers
from .osds import OsdAnswers
from .paging import MAPS_AGE
from .period import PeriodAnswers, PeriodDeps
from .plans import Profile, profile_answer
from .problems import Harm, Problems
from .quiesce import QuiesceAnswers
from .rounds import RoundAnswers
from .schedules import ScheduleAnswers
from .series import SeriesAnswers
from .shape import to_json
from .status import WatchApi, passes
from .store import StoreAnswers
from .text import iso

_STORE_AGE = 10.0
# How long a look at the store may take.
_LOOK_SECONDS = 2.0
# The OSDs that a round waits for which ``status`` names.
_LONGEST = 3


@dataclass(frozen=True)
class ApiDeps:
    """The services that the questions are put to."""

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
    # As "16.2.15 pacific".
    release: Callable[[], str]
    fsid: Callable[[], str]
    # The name of the orchestrator's backend, None without one.
    orchestrator: Callable[[], Optional[str]] = lambda: None
    # The newest changes of the configuration; may raise CommandFailed.
    config_log: Callable[[], ConfigLog] = ConfigLog
    # By OSD what is placed on it.
    placed: Callable[[], Mapping[int, Placed]] = dict
    # The newest pass of each reconciler.
    passes: Callable[[], Sequence[Pass]] = tuple
    # Lets OSDs be asked for the time of checksums that they do not send; returns until when.
    ask_crc: Callable[[], Optional[float]] = lambda: None


class Api:
    """The questions. Built once by ``wiring``; safe to call from any thread."""

    def __init__(self, parts: ApiDeps) -> None:
        bench, watch, cluster = parts.round_scheduler.bench, parts.watch, parts.cluster
        clock, release = parts.clock, parts.release
        store_thread = StoreBudget(parts.store_thread, clock)
        comparisons = Comparisons(
            store_thread,
            clock,
            bench.regressions,
            lambda: {osd.id: osd.created_at for osd in cluster.osds(MAPS_AGE)},
        )
        self.rounds = RoundAnswers(bench, store_thread, cluster, clock, comparisons)
        self.files = RoundFiles(self.rounds.stored, comparisons, store_thread, clock)
        self.schedules = ScheduleAnswers(parts.round_scheduler, store_thread)
        self.comparing = comparisons
        self.safety = safety = bench.round_safety
        self.quiesce = QuiesceAnswers(safety, store_thread)
        events = Events(watch, store_thread, parts.config_log)
        self.cluster = ClusterAnswers(watch, store_thread, clock, events)
        harm = Harm(watch, self.cluster.spans_of, clock)
        self.problems = Problems(watch, parts.doctor, parts.inventory, harm, clock)
        self.findings = FindingAnswers(
            watch,
            clock,
            lambda: safety.tolerated,
            partial(steps_of, parts.inventory, cluster, parts.orchestrator),
            harm.told,
        )
        self.watch = WatchApi(watch, cluster, clock)
        self.series = SeriesAnswers(watch, cluster, store_thread, clock)
        self.metrics = Metrics(
            bench,
            watch,
            parts.crc,
            parts.care,
            cluster,
            RoundCounts(store_thread, clock),
            release,
        )
        self.relief = ReliefAnswers(parts.relief)
        self.options = OptionAnswers(parts.options)
        self.osds = OsdAnswers(
            bench, watch, cluster, store_thread, self.findings, parts.relief, parts.hosts.serials
        )
        self.breakdowns = parts.breakdowns
        self.hosts = HostAnswers(parts.hosts, cluster, clock, store_thread, self.findings)
        self.incidents = IncidentAnswers(
            IncidentDeps(
                watch,
                self.findings,
                self.cluster,
                events,
                parts.doctor,
                parts.placed,
                store_thread,
                clock,
            )
        )
        self.hardware = HardwareAnswers(parts.inventory, watch, parts.crc, parts.ask_crc)
        self.mclock = MclockAnswers(parts.mclock_tuning)
        self.doctor = DoctorAnswers(parts.doctor)
        self.coverage = CoverageAnswers(watch)
        self.period = PeriodAnswers(
            PeriodDeps(
                watch,
                self.watch,
                self.cluster,
                self.coverage,
                self.rounds.stored,
                comparisons,
                store_thread,
                clock,
                release,
                parts.fsid,
            )
        )
        self.store = StoreAnswers(parts.care, store_thread)
        self.loader = bench.loader
        self._bench, self._watch = bench, watch
        self._round_scheduler = parts.round_scheduler
        self._care = parts.care
        self._store_thread = store_thread
        self._clock = clock
        self._release = release
        self._passes = parts.passes
        # When the store was read last, and its answer.
        self._stored: tuple[float, Json] = (-math.inf, {})
        self._looking: Optional[Future[Json]] = None

    # --- the whole ---------------------------------------------------------------------------

    def status(self) -> Json:
        """The module's state. Answers without the database, too; then ``store.error`` says why.

        ``store.ready``: this mgr has read the database; before that no round can be started.
        """
        problems, left_out = self.problems.ls()
        return {
            "version": VERSION,
            "release": self._release(),
            "active_round": self._active_round(),
            "scheduler": {"enabled": True, "next": iso(self._round_scheduler.next())},
            "findings": self.findings.counts(),
            "problems": to_json(problems),
            "problems_left_out": left_out,
            "suspects": self.watch.suspects(),
            "slow_in_rounds": self.osds.slow_in_rounds(self._clock.now()),
            "coverage": self.coverage.brief(),
            "watch": self.watch.status(),
            "store": {
                **self._store(),
                **self._size(),
                "ready": self._bench.ready,
                "integrity": self._care.integrity,
            },
            "quiesce": {"state": self.safety.state() or None},
            "relieved_osds": self.relief.count(),
            "limits": {**limits(), **self.watch.limits()},
            "reconcilers": passes(self._passes(), self._clock.now() - self._clock.monotonic()),
        }

    def _active_round(self) -> Optional[Json]:
        active = self._bench.active
        if active is None:
            return None
        now = self._clock.monotonic()
        eta, waits_for = active.eta(now), active.waits_for(now)
        longest = [
            {"osd": osd, "seconds": round(seconds, 1)} for osd, seconds in waits_for[:_LONGEST]
        ]
        return {
            "id": active.round.id,
            "profile": active.round.profile,
            "phase": active.phase,
            "progress": round(active.progress(), 4),
            "eta_seconds": None if eta is None else round(eta, 1),
            "samples": active.done,
            "samples_planned": active.samples,
            "waits_for": {"osds": len(waits_for), "longest": longest},
        }

    def _store(self) -> Json:
        """The state of the store; while a round runs, at most ``_STORE_AGE`` seconds old.

        A look costs the cluster two writes (SQLite's lock on RADOS), and who waits for a round
        looks often: the OSDs that are being measured would feel it.
        """
        asked_at, seen = self._stored
        now = self._clock.monotonic()
        recent = now - asked_at < _STORE_AGE
        if recent and self._bench.active is not None and seen["error"] is None:
            return seen
        if recent and self._looking is not None and not self._looking.done():
            return seen
        seen = self._look()
        self._stored = now, seen
        return seen

    def _look(self) -> Json:
        """Ask the store, for at most 2 s; those who ask while one look goes on share it."""

        def read(store: Store) -> Json:
            return {
                "backend": store.backend,
                "rounds": store.rounds(limit=0)[1],
                "schema_version": store.schema_version(),
                "error": None,
            }

        looking = self._looking
        if looking is None or looking.done():
            looking = self._looking = self._store_thread.ask(read)
        try:
            return looking.result(_LOOK_SECONDS)
        except NoAnswer:
            why = f"the database gave no answer within {_LOOK_SECONDS:g} s"
        except PerfBenchError as error:
            why = str(error)
        return {"backend": None, "rounds": None, "schema_version": None, "error": why}

    def _size(self) -> Json:
        """The size of the database as retention saw it last, within the last minute."""
        usage = self._care.usage
        return {
            "bytes": usage.bytes if usage else None,
            "free_bytes": usage.free if usage else None,
            "limit_bytes": self._care.rules.bytes,
        }

    def laggy(self) -> Laggy:
        """Laggy placement groups now, and the newest episodes."""
        return laggy_answer(*self._watch.laggy_groups(), self._watch.host_of)

    # --- profiles ----------------------------------------------------------------------------

    def profile_ls(self) -> list[Profile]:
        return [profile_answer(profile) for profile in PROFILES.values()]

    def profile_show(self, name: str) -> Profile:
        return profile_answer(profile_named(name))
