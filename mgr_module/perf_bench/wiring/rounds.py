"""The bench journey's parts: who may start rounds, who conducts them, who starts them in time."""

from __future__ import annotations

from typing import Callable, Optional

from ..bench import Bench
from ..bench.world import Loads, World
from ..ceph.loader import ProcessLoader
from ..ceph.pools import MgrPools
from ..ceph.progress import MgrProgress
from ..ceph.settings import MonJournal, MonSettings, MonTraces
from ..heir import Heir
from ..run.load import Traces
from ..timetable import Timetable
from ..warden import Grounds, Warden
from .ground import Ground


class Rounds:
    """Warden, bench and timetable."""

    def __init__(self, ground: Ground, client_seconds: Callable[[], Optional[float]]) -> None:
        """``client_seconds``: how long clients' operations take now; None where nobody knows."""
        mgr, mons, options = ground.mgr, ground.mons, ground.options
        self.warden = Warden(
            Grounds(
                ground.outlook,
                MonJournal(mons),
                MonSettings(mons),
                lambda: Heir(**ground.access.words()),
                client_seconds,
                ground.clock,
                ground.log,
            ),
            options.care,
        )
        loader = ProcessLoader(ground.access.words)
        world = World(
            cluster=ground.cluster,
            open_commands=lambda: ground.access.commands(options.bench_timeout),
            desk=ground.desk,
            progress=MgrProgress(mgr, ground.clock),
            clock=ground.clock,
            log=ground.log,
            warden=self.warden,
            loads=Loads(loader, MgrPools(mgr, mons), Traces(MonTraces(mons), loader, ground.log)),
            benched=ground.benched,
        )
        self.bench = Bench(world, lambda: options.max_parallel)
        self.timetable = Timetable(self.bench, ground.desk, ground.voice, ground.clock, ground.log)

    def running(self) -> Optional[int]:
        """The ID of the round that runs now."""
        active = self.bench.active
        return None if active is None else active.round.id
