"""The doctor's checks: pure functions of a snapshot that yield advice.

``CHECKS`` lists all of them. A check yields nothing if a value it needs is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...model.doctor_snapshot import Advice, DoctorSnapshot
from ...model.finding import Severity
from . import builds, cluster, devices, hosts, mclock, rocksdb, settings

CHECKS: Sequence[Callable[[DoctorSnapshot], Iterator[Advice]]] = (
    rocksdb.no_wal_limit,
    rocksdb.slow_database,
    rocksdb.missing_database,
    rocksdb.spill_over,
    rocksdb.slow_compaction,
    builds.debug_build,
    builds.other_allocator,
    settings.suicide_after_io_timeout,
    settings.memory_target,
    settings.debug_logging,
    settings.encrypted_messages,
    settings.short_benches,
    mclock.mclock_capacity,
    cluster.scrub_flags,
    cluster.placement_groups,
    cluster.uneven_placement_groups,
    cluster.mixed_releases,
    cluster.clock_skew,
    cluster.busy_mgr,
    hosts.deep_sleep,
    hosts.governor,
    hosts.iommu,
    hosts.swap,
    hosts.numa_misses,
    hosts.few_cores,
    hosts.slow_checksum,
    devices.stalled_reads,
    devices.old_multipath,
    devices.old_checksum,
)
RANK = tuple(Severity)


def advise(snapshot: DoctorSnapshot) -> list[Advice]:
    """All advice, worst first."""
    found = [advice for check in CHECKS for advice in check(snapshot)]
    return sorted(found, key=lambda one: (RANK.index(one.severity), one.code, str(one.target)))
