"""Services of both journeys: options, store, cluster maps, host facts and enclosures."""

from __future__ import annotations

from mgr_module import MgrModule

from ..bench.osds_under_bench import OsdsUnderBench
from ..ceph.admission_snapshot import MgrAdmissionSource
from ..ceph.authority import MgrAuthority
from ..ceph.cluster import MgrCluster
from ..ceph.connections import Connections
from ..ceph.database import MgrStorePlace, backend_of
from ..ceph.inventory import InventoryReader
from ..ceph.mon_clock import MonClock
from ..ceph.mons import Mons
from ..ceph.notifier import MgrNotifier
from ..ceph.options import MgrOptions
from ..ceph.osd_map import OsdMapReader
from ..ceph.osd_up_down import MgrDownTimes
from ..ceph.reports import MgrCounters, MgrOsdHealth
from ..core.clock import SystemClock
from ..core.failing_parts import FailingParts
from ..core.loop import Loop
from ..core.workers import Workers
from ..hardware.enclosures import ClusterWithEnclosures, EnclosureInventory, MembersWithEnclosures
from ..hardware.host_facts import HostFactsRegistry
from ..store.sqlite import Store, StoreThread

# More than there are reconcilers that wait at the same time, and commands beside them.
_MOST_WORKERS = 16
# Time limit in seconds of commands to the monitors, and of questions to OSDs.
_LIMIT = 10


class SharedServices:
    """The parts that both journeys use, made once.

    Only the store thread, and the one in which clients connect, run by themselves.
    """

    def __init__(self, mgr: MgrModule) -> None:
        self.mgr = mgr
        self.log = mgr.log
        self.clock = clock = SystemClock()
        # It owns all that decides; the workers run what waits for monitors and processes.
        self.loop = Loop(clock.monotonic, self.log)
        self.workers = Workers("perf-bench-work", _MOST_WORKERS)
        # All parts of the module tell here that they fail; the watch shows it.
        self.failing = FailingParts(clock.monotonic, self.log)
        self.options = MgrOptions(mgr)
        self.osd_map = OsdMapReader(mgr)
        self.access = Connections(mgr, self.osd_map)
        self.mons = Mons(lambda: self.access.client(_LIMIT))
        self.authority = MgrAuthority(mgr, self.mons)
        self.notifier = MgrNotifier(mgr)
        place = MgrStorePlace(mgr, self.mons)
        mons = MonClock(mgr, self.osd_map, clock)
        self.store_thread = StoreThread(Store(place, backend_of(mgr), mons.now), self.log)
        self.counters = MgrCounters(mgr)
        self.health = MgrOsdHealth(mgr, clock, self.osd_map)
        self.osds = InventoryReader(mgr, clock, self.osd_map)
        self.outlook = MgrAdmissionSource(
            mgr, clock, self.osds, self.osd_map, self.health, self.mons
        )
        self.hosts = HostFactsRegistry(self.store_thread, clock, self.log, self.failing)
        maps = MgrCluster(mgr, self.osds, self.osd_map)
        falls = MgrDownTimes(self.osd_map, self.osds, self.mons, clock)
        self.inventory = EnclosureInventory(self.hosts, maps, falls, clock)
        self.cluster = ClusterWithEnclosures(maps, self.inventory)
        self.members = MembersWithEnclosures(self.osds, self.inventory)
        # The OSDs that rounds measure now: the watch ignores their data.
        self.benched = OsdsUnderBench()
