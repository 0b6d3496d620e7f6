"""Creates the parts of the bench journey: round safety, bench and scheduler."""

from __future__ import annotations

from typing import Callable, Optional

from ..bench.context import LoadServices, RoundContext
from ..bench.held import Access
from ..bench.held_kinds import ClusterSettings
from ..bench.leftovers import Leftovers
from ..bench.safety import RoundSafety, SafetyDeps
from ..bench.scheduler_service import RoundScheduler
from ..bench.service import Bench
from ..ceph.notifier import MgrProgress
from ..ceph.pools import MgrPools
from ..ceph.traces import MonLeftovers
from ..clients.loader import ClientLoader
from .shared import SharedServices


class RoundParts:
    """Round safety, bench and round scheduler."""

    def __init__(
        self, services: SharedServices, client_seconds: Callable[[], Optional[float]]
    ) -> None:
        """``client_seconds`` returns the mean seconds of client operations; None if unknown."""
        mgr, mons, options = services.mgr, services.mons, services.options
        settings = ClusterSettings(mons)
        access = Access(
            mons, settings, services.authority, services.clock, services.log, services.workers
        )
        self.round_safety = RoundSafety(
            SafetyDeps(
                services.outlook,
                access,
                settings,
                client_seconds,
                services.loop,
            ),
            options.care,
        )
        pools = MgrPools(mgr, mons, services.osd_map)
        loader = ClientLoader(services.access.credentials, pools, services.clock)
        context = RoundContext(
            cluster=services.cluster,
            open_commands=lambda: services.access.commands(options.bench_timeout),
            loop=services.loop,
            workers=services.workers,
            store_thread=services.store_thread,
            progress=MgrProgress(mgr, services.clock),
            clock=services.clock,
            log=services.log,
            round_safety=self.round_safety,
            loads=LoadServices(
                loader,
                pools,
                Leftovers(MonLeftovers(mons), loader, services.workers, services.log),
            ),
            benched=services.benched,
        )
        self.bench = Bench(context, lambda: options.max_parallel)
        self.round_scheduler = RoundScheduler(
            self.bench,
            services.loop,
            services.store_thread,
            services.notifier,
            services.clock,
            services.log,
        )

    def reread(self) -> None:
        """Read everything again, because another database is in use."""
        self.round_scheduler.forget()
        self.bench.reread()

    def running(self) -> Optional[int]:
        """Return the ID of the running round."""
        active = self.bench.active
        return None if active is None else active.round.id
