"""Creates all parts of the active module once, and passes them to each other."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Callable, Optional, Protocol

from mgr_module import MgrModule

from ..api import Api, ApiDeps
from ..bench.held import Access
from ..bench.held_kinds import ClusterSettings
from ..ceph.cluster import fsid_of, release_of
from ..ceph.config_log import MonConfigLog
from ..ceph.doctor_snapshot import MgrDoctorSource
from ..ceph.installation import InstallationMark
from ..ceph.module_options import OptionResets
from ..ceph.orchestrator import MgrOrchestrator
from ..core.failing_parts import SERVE, WATCH
from ..core.loop import reply
from ..core.reconcile import Reconciler, Reconcilers
from ..doctor.mclock_tuning import MclockTuning
from ..doctor.relief import OsdRelief
from ..doctor.service import Doctor
from ..errors import PerfBenchError
from ..hardware.orchestrator_facts import OrchestratorFacts
from ..store.care import Care
from ..watch.context import OtherPart
from .module_options import module_options
from .rounds import RoundParts
from .shared import SharedServices
from .watch import WatchParts

_CLOSE_LIMIT = 5.0
_LEAVE_LIMIT = 10.0
# Seconds between two looks of the guard, within which a harmful round is ended.
_GUARD_SECONDS = 2.0
_LEFTOVERS_SECONDS = 60.0
_SCHEDULES_SECONDS = 15.0
# After this time without the database, settings that an earlier round changed are restored.
_ROUND_PATIENCE = 60.0


class Periodic(Protocol):
    """A part that is called every few seconds and decides itself whether its work is due."""

    def tick(self) -> None: ...


class Application:
    """The shared services, the parts of the watch and of rounds, and the parts that use both."""

    def __init__(self, mgr: MgrModule, changed: Callable[[], None]) -> None:
        """``changed`` is called when an option may have changed."""
        self.services = services = SharedServices(mgr)
        # When it began to serve (monotonic).
        self._began: Optional[float] = None
        self._left = False
        self.rounds = rounds = RoundParts(services, self._client_seconds)
        self._watching = WatchParts(services, rounds, self._others)
        self._doctor = Doctor(
            MgrDoctorSource(
                mgr,
                services.cluster,
                services.osds,
                services.osd_map,
                services.mons,
                self._watching.builds.seen,
            ),
            rounds.bench,
            services.hosts,
            services.clock,
            self._watch_tick,
        )
        orchestrator = MgrOrchestrator(mgr, services.log)
        orchestrated = OrchestratorFacts(
            orchestrator,
            services.hosts,
            services.cluster,
            services.clock,
            services.log,
        )
        defaults = OptionResets(mgr, services.mons, services.clock, services.log, changed)
        self._care = Care(
            services.store_thread,
            lambda: rounds.bench.occupied,
            rounds.reread,
            services.clock,
            services.failing,
            services.options.retention,
        )
        self._relief = OsdRelief(self._access())
        mark = InstallationMark(services.mons, services.clock, services.log)
        self._reconcilers = Reconcilers(services.loop, services.clock.monotonic, services.failing)
        bench, safety = rounds.bench, rounds.round_safety
        self._parts = (
            Reconciler("serve", _GUARD_SECONDS, self._show_life),
            Reconciler("guard", _GUARD_SECONDS, safety.guard),
            Reconciler("safety", _GUARD_SECONDS, self._settings),
            Reconciler("bench", _GUARD_SECONDS, bench.step),
            Reconciler("regressions", _GUARD_SECONDS, bench.regressions.step),
            Reconciler("leftovers", _LEFTOVERS_SECONDS, bench.sweep),
            Reconciler("schedules", _SCHEDULES_SECONDS, rounds.round_scheduler.step),
            Reconciler("store", _GUARD_SECONDS, self._care.step),
            self._waiting("doctor", self._doctor),
            self._waiting("options", defaults),
            self._waiting("orchestrator-facts", orchestrated),
            self._waiting("relief", self._relief),
            self._waiting("installation-mark", mark),
        )
        self.api = Api(
            ApiDeps(
                round_scheduler=rounds.round_scheduler,
                watch=self._watching.watch,
                hosts=services.hosts,
                doctor=self._doctor,
                inventory=services.inventory,
                crc=self._watching.crc,
                breakdowns=self._watching.breakdowns,
                mclock_tuning=MclockTuning(self._doctor, self._access()),
                relief=self._relief,
                options=module_options(mgr, services.mons, self._watching.thresholds),
                cluster=services.cluster,
                store_thread=services.store_thread,
                care=self._care,
                clock=services.clock,
                release=lambda: release_of(mgr),
                fsid=lambda: fsid_of(mgr),
                orchestrator=orchestrator.backend,
                config_log=MonConfigLog(services.mons, services.clock).read,
                placed=services.health.placed,
                passes=lambda: self._reconcilers.passes,
            )
        )

    def serve(self, stopped: threading.Event) -> None:
        """Run the watch and the loop until the module leaves."""
        if stopped.is_set():
            return
        self._watching.begin(stopped)
        self._began = self.services.clock.monotonic()
        self.services.loop.post(lambda: self._reconcilers.begin(self._parts))
        self.services.loop.run()

    def leave(self) -> None:
        """Leave a running round to the next active mgr and close the database.

        Returns within seconds.
        """
        services = self.services
        if self._left:
            return
        self._left = True
        self._watching.leave()
        if self._began is not None:
            for leave in (self.rounds.bench.leave, self.rounds.round_safety.leave):
                try:
                    services.loop.ask(leave, _LEAVE_LIMIT)
                except PerfBenchError as error:
                    services.log.warning("a round may not be left in order: %s", error)
        services.loop.stop()  # also where it is about to begin
        services.workers.close(_CLOSE_LIMIT)
        services.mons.close()
        services.access.close()
        services.store_thread.close(_CLOSE_LIMIT)

    def _waiting(self, name: str, part: Periodic) -> Reconciler:
        """A part that decides itself whether its work is due, and may wait: it has a worker."""

        async def step() -> None:
            await reply(self.services.workers.submit(part.tick))

        return Reconciler(name, _GUARD_SECONDS, step)

    async def _show_life(self) -> None:
        """Show a sign of life, and tell if the watch's thread shows none."""
        failing = self.services.failing
        failing.alive(SERVE)
        if failing.stalled(WATCH):
            self._watching.watch.show_failing()

    async def _settings(self) -> None:
        """Put back settings that no round holds.

        Not before it is known which round this mgr carries on; without the database none can be.
        """
        waited = self.services.clock.monotonic() - (self._began or 0.0)
        if self.rounds.bench.ready or waited > _ROUND_PATIENCE:
            await self.rounds.round_safety.put_back()

    def _others(self) -> Sequence[OtherPart]:
        """Return the parts that the watch does not tick."""
        safety, schedules = self.rounds.round_safety, self.rounds.round_scheduler
        return (
            OtherPart("doctor", self._doctor.claims, self._doctor.looks),
            OtherPart("schedules", schedules.claims, schedules.looks),
            OtherPart("safety", safety.claims, safety.looks),
            OtherPart("store", self._care.claims, self._care.looks),
        )

    def _watch_tick(self) -> Optional[tuple[float, float]]:
        """Return the duration of the watch's newest tick and its interval, in seconds."""
        watch = self._watching.watch
        took = watch.tick_stats.seconds
        return None if took is None else (took, watch.options().tick_seconds)

    def _client_seconds(self) -> Optional[float]:
        return self._watching.watch.client_seconds()

    def _access(self) -> Access:
        """Access to the settings that are put back on request only."""
        services = self.services
        settings = ClusterSettings(services.mons, services.clock)
        return Access(services.mons, settings, services.authority, services.clock, services.log)
