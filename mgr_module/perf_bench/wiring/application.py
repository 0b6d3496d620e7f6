"""Who gives what to whom: all parts of the active module, made once."""

from __future__ import annotations

import threading
from typing import Callable, Optional

from mgr_module import MgrModule

from ..api import Api, ApiDeps
from ..ceph.cluster import release_of
from ..ceph.doctor_snapshot import MgrDoctorSource
from ..ceph.option_resets import OptionResets
from ..ceph.orchestrator import MgrOrchestrator
from ..doctor.mclock_tuning import MclockTuning
from ..doctor.service import Doctor
from ..hardware.orchestrator_facts import OrchestratorFacts
from ..model.finding import Claim
from ..settings.journal import MCLOCK_JOURNAL, Journal
from ..settings.kinds import ClusterSettings
from ..settings.undo import Access
from ..store.keeper import StoreKeeper
from .rounds import RoundParts
from .serve_loop import ServeLoop
from .shared import SharedServices
from .watch import WatchParts

_CLOSE_LIMIT = 5.0


class Application:
    """The ground, the two journeys on it, and what looks after both."""

    def __init__(self, mgr: MgrModule, changed: Callable[[], None]) -> None:
        """``changed`` is called when an option may have another value."""
        self.ground = ground = SharedServices(mgr)
        self.rounds = rounds = RoundParts(ground, self._client_seconds)
        self._watching = WatchParts(ground, rounds, self._claims)
        self._doctor = Doctor(
            MgrDoctorSource(mgr, ground.cluster, ground.mons, self._watching.builds.seen),
            rounds.bench,
            ground.hosts,
            ground.clock,
            ground.log,
            self._watch_tick,
        )
        orchestrated = OrchestratorFacts(
            MgrOrchestrator(mgr, ground.log),
            ground.hosts,
            ground.cluster,
            ground.clock,
            ground.log,
        )
        defaults = OptionResets(mgr, ground.mons, ground.clock, ground.log, changed)
        self._keeper = StoreKeeper(
            ground.store_thread,
            lambda: rounds.running() is not None,
            rounds.reread,
            ground.clock,
            ground.log,
        )
        periodics = (self._doctor, defaults, orchestrated)
        self._serve_loop = ServeLoop(
            rounds.bench,
            rounds.round_safety,
            rounds.round_scheduler,
            periodics,
            self._keeper,
            ground.log,
        )
        self.api = Api(
            ApiDeps(
                round_scheduler=rounds.round_scheduler,
                watch=self._watching.watch,
                hosts=ground.hosts,
                doctor=self._doctor,
                inventory=ground.inventory,
                crc=self._watching.crc,
                mclock_tuning=self._mclock_tuning(),
                cluster=ground.cluster,
                store_thread=ground.store_thread,
                keeper=self._keeper,
                clock=ground.clock,
                release=lambda: release_of(mgr),
            )
        )

    def serve(self, stopped: threading.Event) -> None:
        """Work until ``stopped``."""
        self._watching.begin(stopped)
        self._serve_loop.run(stopped)

    def leave(self) -> None:
        """Leave a running round to the next active mgr and let go of the database. Bounded."""
        self._watching.leave()
        self.rounds.bench.leave()
        self.rounds.round_safety.leave()
        self.ground.mons.close()
        self.ground.store_thread.close(_CLOSE_LIMIT)

    def _claims(self) -> list[Claim]:
        """Claims of parts that the watch does not tick."""
        return [
            *self.rounds.round_safety.claims(),
            *self.rounds.round_scheduler.claims(),
            *self._doctor.claims(),
            *self._keeper.claims(),
        ]

    def _watch_tick(self) -> Optional[tuple[float, float]]:
        """How long the watch's newest tick took, and how often it ticks."""
        watch = self._watching.watch
        took = watch.pulse.seconds
        return None if took is None else (took, watch.options().tick_seconds)

    def _client_seconds(self) -> Optional[float]:
        return self._watching.watch.client_seconds()

    def _mclock_tuning(self) -> MclockTuning:
        ground = self.ground
        settings = ClusterSettings(ground.mons, ground.clock)
        journal = Journal(ground.mons, MCLOCK_JOURNAL)
        access = Access(journal, settings, ground.authority, ground.clock, ground.log)
        return MclockTuning(self._doctor, access)
