"""Creates all parts of the active module once, and passes them to each other."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Callable, Optional

from mgr_module import MgrModule

from ..api import Api, ApiDeps
from ..bench.held import Access
from ..bench.held_kinds import ClusterSettings
from ..ceph.cluster import fsid_of, release_of
from ..ceph.config_log import MonConfigLog
from ..ceph.doctor_snapshot import MgrDoctorSource
from ..ceph.installation_mark import InstallationMark
from ..ceph.option_resets import OptionResets
from ..ceph.orchestrator import MgrOrchestrator
from ..ceph.osd_placement import MgrOsdPlacement
from ..doctor.mclock_tuning import MclockTuning
from ..doctor.relief import OsdRelief
from ..doctor.service import Doctor
from ..hardware.orchestrator_facts import OrchestratorFacts
from ..store.keeper import StoreKeeper
from ..watch.context import OtherPart
from .module_options import module_options
from .rounds import RoundParts
from .serve_loop import ServeLoop
from .shared import SharedServices
from .watch import WatchParts

_CLOSE_LIMIT = 5.0


class Application:
    """The shared services, the parts of the watch and of rounds, and the parts that use both."""

    def __init__(self, mgr: MgrModule, changed: Callable[[], None]) -> None:
        """``changed`` is called when an option may have changed."""
        self.services = services = SharedServices(mgr)
        self.rounds = rounds = RoundParts(services, self._client_seconds)
        self._watching = WatchParts(services, rounds, self._others)
        self._doctor = Doctor(
            MgrDoctorSource(mgr, services.cluster, services.mons, self._watching.builds.seen),
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
        self._keeper = StoreKeeper(
            services.store_thread,
            lambda: rounds.bench.occupied,
            rounds.reread,
            services.clock,
            services.failing,
            services.options.retention,
        )
        self._relief = OsdRelief(self._access())
        mark = InstallationMark(services.mons, services.clock, services.log)
        periodics = (
            ("schedules", rounds.round_scheduler),
            ("doctor", self._doctor),
            ("options", defaults),
            ("orchestrator-facts", orchestrated),
            ("relief", self._relief),
            ("installation-mark", mark),
        )
        self._serve_loop = ServeLoop(
            rounds.bench,
            rounds.round_safety,
            periodics,
            self._keeper,
            services.failing,
            self._watching.watch.show_failing,
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
                keeper=self._keeper,
                clock=services.clock,
                release=lambda: release_of(mgr),
                fsid=lambda: fsid_of(mgr),
                orchestrator=orchestrator.backend,
                config_log=MonConfigLog(services.mons, services.clock).read,
                placed=MgrOsdPlacement(mgr, services.clock).placed,
            )
        )

    def serve(self, stopped: threading.Event) -> None:
        """Run the watch and the serve loop until ``stopped`` is set."""
        self._watching.begin(stopped)
        self._serve_loop.run(stopped)

    def leave(self) -> None:
        """Leave a running round to the next active mgr and close the database.

        Returns within seconds.
        """
        self._watching.leave()
        self.rounds.bench.leave()
        self.rounds.round_safety.leave()
        self.services.mons.close()
        self.services.access.close()
        self.services.store_thread.close(_CLOSE_LIMIT)

    def _others(self) -> Sequence[OtherPart]:
        """Return the parts that the watch does not tick."""
        safety, schedules = self.rounds.round_safety, self.rounds.round_scheduler
        return (
            OtherPart("doctor", self._doctor.claims, self._doctor.looks),
            OtherPart("schedules", schedules.claims, schedules.looks),
            OtherPart("safety", safety.claims, safety.looks),
            OtherPart("store", self._keeper.claims, self._keeper.looks),
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
