"""The doctor's checks: pure functions of a snapshot that yield advice.

``CHECKS`` lists all of them with what they need. A check yields nothing if a value it needs is
unknown; ``look`` tells which checks could not look, and what would help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...model.coverage import Gap, Look, gap
from ...model.doctor_snapshot import Advice, DoctorSnapshot
from ...model.finding import Severity
from ...model.finding_kinds import CONFIG_RISK
from ...model.said import say
from . import builds, cluster, devices, hosts, mclock, needs, rocksdb, settings
from .needs import Lack, Need, of_facts


class Check(NamedTuple):
    """A check: the code of its advice, the function, and what that needs."""

    code: str
    advise: Callable[[DoctorSnapshot], Iterator[Advice]]
    needs: Sequence[Need] = (needs.osds_up,)


_FROM_METADATA = (needs.osds_up, needs.metadata)
_FROM_COUNTERS = (needs.osds_up, needs.metadata, needs.counters)
CHECKS: Sequence[Check] = (
    Check("ROCKSDB_NO_WAL_LIMIT", rocksdb.no_wal_limit),
    Check("DB_ON_ROTATIONAL", rocksdb.slow_database, _FROM_METADATA),
    Check("DB_NOT_ON_FLASH", rocksdb.missing_database, _FROM_METADATA),
    Check("DB_SPILLS_OVER", rocksdb.spill_over, _FROM_COUNTERS),
    Check("SLOW_COMPACTION", rocksdb.slow_compaction, _FROM_COUNTERS),
    Check("DEBUG_BUILD", builds.debug_build, (needs.osds_up, needs.build_type)),
    Check("NO_TCMALLOC", builds.other_allocator, (needs.osds_up, needs.allocators)),
    Check(
        "SUICIDE_AFTER_IO_TIMEOUT",
        settings.suicide_after_io_timeout,
        (
            needs.osds_up,
            of_facts(
                say("section-nvme-timeout", "the kernel's NVMe timeout"),
                lambda facts: facts.kernel and facts.kernel.nvme_io_timeout_seconds,
                needs.has_nvme,
            ),
        ),
    ),
    Check("MEMORY_TARGET_TOO_LARGE", settings.memory_target, (needs.osds_up, needs.host_memory)),
    Check("DEBUG_LOGGING", settings.debug_logging, ()),
    Check("MESSAGES_ENCRYPTED", settings.encrypted_messages, ()),
    Check("BENCH_TOO_SHORT", settings.short_benches, (needs.any_round,)),
    Check("MCLOCK_CAPACITY", mclock.mclock_capacity, (needs.osds_up, needs.small_writes)),
    Check("MCLOCK_OUT_OF_RANGE", mclock.mclock_out_of_range, (needs.osds_up, needs.small_writes)),
    Check("SCRUB_OFF", cluster.scrub_flags, ()),
    Check("TOO_MANY_PGS", cluster.placement_groups, _FROM_COUNTERS),
    Check(
        "UNEVEN_PGS",
        cluster.uneven_placement_groups,
        (*_FROM_COUNTERS, needs.alike_sizes),
    ),
    Check("MIXED_RELEASES", cluster.mixed_releases, _FROM_METADATA),
    Check("CLOCK_SKEW", cluster.clock_skew, (needs.health,)),
    Check("MGR_BUSY", cluster.busy_mgr, (needs.ticks,)),
    Check(
        "DEEP_C_STATES",
        hosts.deep_sleep,
        (
            needs.osds_up,
            of_facts(
                say("section-cstate", "the idle states"),
                needs.cpu("deepest_cstate"),
            ),
        ),
    ),
    Check(
        "CPU_GOVERNOR",
        hosts.governor,
        (
            needs.osds_up,
            of_facts(
                say("section-governor", "the CPU governor"),
                needs.cpu("governor"),
            ),
        ),
    ),
    Check(
        "IOMMU_TRANSLATES",
        hosts.iommu,
        (
            needs.osds_up,
            of_facts(
                say("section-iommu", "the IOMMU"),
                needs.cpu("iommu"),
                needs.has_nvme,
            ),
        ),
    ),
    Check(
        "SWAP_IN_USE",
        hosts.swap,
        (
            needs.osds_up,
            of_facts(
                say("section-swap", "the swap in use"),
                lambda one: one.memory and one.memory.swap_used_bytes,
            ),
        ),
    ),
    Check(
        "NUMA_MISSES",
        hosts.numa_misses,
        (
            needs.osds_up,
            of_facts(
                say("section-numa", "NUMA misses"), lambda one: one.numa and one.numa.miss_percent
            ),
        ),
    ),
    Check(
        "FEW_CORES",
        hosts.few_cores,
        (
            needs.osds_up,
            of_facts(
                say("section-cores", "the number of cores"),
                needs.cpu("cores"),
            ),
        ),
    ),
    Check(
        "SLOW_CHECKSUM",
        hosts.slow_checksum,
        (
            needs.osds_up,
            of_facts(
                say("section-crc32c", "the rate of CRC32C"),
                lambda one: one.crc32c and one.crc32c.bytes_per_second,
            ),
            of_facts(say("section-cpu-model", "the model of the processor"), needs.cpu("model")),
            needs.alike_hosts,
        ),
    ),
    Check("STALLED_READS", devices.stalled_reads, (needs.health, needs.stalled_alerts)),
    Check(
        "OLD_MULTIPATH",
        devices.old_multipath,
        (
            *_FROM_METADATA,
            of_facts(
                say("section-multipath", "multipath devices"),
                lambda one: one.multipath,
                needs.is_before_multipath,
            ),
        ),
    ),
    Check("OLD_CRC32C", devices.old_checksum, (needs.health, needs.hot_checksums)),
)
RANK = tuple(Severity)


def advise(snapshot: DoctorSnapshot) -> list[Advice]:
    """All advice, worst first."""
    found = [advice for check in CHECKS for advice in check.advise(snapshot)]
    return sorted(found, key=lambda one: (RANK.index(one.severity), one.code, str(one.target)))


def look(snapshot: DoctorSnapshot) -> Look:
    """How many of the checks could look, and what the others need."""
    by_lack: dict[Lack, list[str]] = {}
    for check in CHECKS:
        missing = needs.lacks(check.needs, snapshot)
        if missing:
            by_lack.setdefault(missing[0], []).append(check.code)
    gaps = [_gap(lack, codes) for lack, codes in by_lack.items()]
    gaps.sort(key=lambda one: (one.partly, -one.count))
    what = say("look-doctor", "settings and hosts")
    return Look("doctor", what, "check", len(CHECKS), (CONFIG_RISK.code,), tuple(gaps))


def _gap(lack: Lack, codes: Sequence[str]) -> Gap:
    return gap(lack.code, lack.why, codes, lack.help, lack.since, partly=not lack.whole)
