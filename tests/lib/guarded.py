"""RoundSafety over a cluster that is well."""

from __future__ import annotations

import logging

from fakes.checksums import FakeOpThreads
from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.members import FakeMembers
from fakes.outlook import FakeAdmissionSource
from fakes.senses import FakeVoice
from fakes.settings import FakeSettings, an_access
from perf_bench.bench.context import OsdsUnderBench
from perf_bench.bench.safety import RoundSafety
from perf_bench.bench.schedules import RoundScheduler
from perf_bench.bench.service import Bench
from perf_bench.core.loop import Loop
from perf_bench.hardware.checksums import ChecksumMonitor, OsdSources
from perf_bench.hardware.enclosures import EnclosureInventory
from perf_bench.hardware.host_facts import HostFactsRegistry
from perf_bench.model.admission import Rules
from perf_bench.store.sqlite import StoreThread


def a_round_safety(cluster: FakeCluster, clock: FakeClock) -> RoundSafety:
    settings = FakeSettings()
    access = an_access(settings, clock=clock)
    outlook = FakeAdmissionSource(cluster, clock)
    return RoundSafety(outlook, access, lambda: None, Rules)


def a_round_scheduler(
    bench: Bench, loop: Loop, store_thread: StoreThread, clock: FakeClock
) -> RoundScheduler:
    """One that nobody ticks but a test."""
    log = logging.getLogger("guarded")
    return RoundScheduler(bench, loop, store_thread, FakeVoice(), clock, log)


def idle_crc(
    hosts: HostFactsRegistry, inventory: EnclosureInventory, clock: FakeClock
) -> ChecksumMonitor:
    """What is known of checksums where no OSD has told of any."""
    osds = OsdSources(FakeMembers(()), FakeOpThreads(), OsdsUnderBench())
    return ChecksumMonitor(osds, hosts, inventory, clock)
