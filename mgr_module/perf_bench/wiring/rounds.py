"""Creates the parts of the bench journey: round safety, bench and scheduler."""

from __future__ import annotations

from typing import Callable, Optional

from ..bench.context import LoadServices, RoundContext
from ..bench.run.client_runner import Leftovers
from ..bench.safety import RoundSafety, SafetyDeps
from ..bench.scheduler_service import RoundScheduler
from ..bench.service import Bench
from ..ceph.pools import MgrPools
from ..ceph.progress import MgrProgress
from ..ceph.restore_helper import RestoreHelperProcess
from ..ceph.traces import MonLeftovers
from ..clients.loader import ClientLoader
from ..settings.journal import Journal
from ..settings.kinds import ClusterSettings
from ..settings.undo import Access
from .shared import SharedServices


class RoundParts:
    """Round safety, bench and round scheduler."""

    def __init__(
        self, services: SharedServices, client_seconds: Callable[[], Optional[float]]
    ) -> None:
        """``client_seconds`` returns the mean seconds of client operations; None if unknown."""
        mgr, mons, options = services.mgr, services.mons, services.options
        settings = ClusterSettings(mons)
        access = Access(Journal(mons), settings, services.authority, services.clock, services.log)
        self.round_safety = RoundSafety(
            SafetyDeps(
                services.outlook,
                access,
                settings,
                lambda holder, seconds: RestoreHelperProcess(
                    **services.access.credentials(), seconds=seconds, holder=holder
                ),
                client_seconds,
            ),
            options.care,
        )
        pools = MgrPools(mgr, mons, services.osd_map)
        loader = ClientLoader(services.access.credentials, pools, services.clock)
        context = RoundContext(
            cluster=services.cluster,
            open_commands=lambda: services.access.commands(options.bench_timeout),
            store_thread=services.store_thread,
            progress=MgrProgress(mgr, services.clock),
            clock=services.clock,
            log=services.log,
            round_safety=self.round_safety,
            loads=LoadServices(
                loader,
                pools,
                Leftovers(MonLeftovers(mons), loader, services.log),
            ),
            benched=services.benched,
        )
        self.bench = Bench(context, lambda: options.max_parallel)
        self.round_scheduler = RoundScheduler(
            self.bench, services.store_thread, services.notifier, services.clock, services.log
        )

    def reread(self) -> None:
        """Read everything again, because another database is in use."""
        self.round_scheduler.forget()
        self.bench.reread()

    def running(self) -> Optional[int]:
        """Return the ID of the running round."""
        active = self.bench.active
        return None if active is None else active.round.id
