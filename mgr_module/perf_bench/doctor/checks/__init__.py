"""The doctor's checks: a table, each row with a pure function of a snapshot.

A check says nothing where it could not look; ``examine`` tells of which checks that holds, and what
would help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ...model.coverage import Gap, Look, gap
from ...model.doctor_snapshot import Advice, DoctorSnapshot
from ...model.finding import Severity
from ...model.finding_kinds import CONFIG_RISK
from . import cluster, hosts, mclock, osds, settings
from .seen import BLOOMBERG, CLYSO, NAMED, PAWSEY, Found, Need, Seen, Unknown, target_of

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
_DOCS = "Ceph's documentation"


class Check(NamedTuple):
    """The code and severity of its advice, the function that finds it, and where it is published.

    With ``risk`` it is also raised as a health check.
    """

    code: str
    severity: Severity
    find: Callable[[Seen], Iterable[Found]]
    source: str
    risk: bool = False


# The order has no meaning: advice is sorted by severity.
CHECKS: Sequence[Check] = (
    # databases
    Check(
        "ROCKSDB_NO_WAL_LIMIT",
        _WARNING,
        osds.no_wal_limit,
        f"{BLOOMBERG}; Ceph pull request 35277",
        risk=True,
    ),
    Check(
        "DB_ON_ROTATIONAL",
        _WARNING,
        osds.slow_database,
        f"{CLYSO} and related posts: where DB and WAL really are",
        risk=True,
    ),
    Check(
        "DB_NOT_ON_FLASH",
        _WARNING,
        osds.missing_database,
        f"{CLYSO} and related posts: bluefs_dedicated_db",
        risk=True,
    ),
    Check("DB_SPILLS_OVER", _WARNING, osds.spill_over, f"{_DOCS}: BLUEFS_SPILLOVER", risk=True),
    Check(
        "SLOW_COMPACTION",
        _WARNING,
        osds.slow_compaction,
        f"{CLYSO}, fix three; Ceph pull request 54918; RocksDB: write stalls",
    ),
    # builds and devices
    Check(
        "DEBUG_BUILD",
        _WARNING,
        osds.debug_build,
        "Ceph's README, build types; Ceph pull requests 25478 and 62333",
        risk=True,
    ),
    Check(
        "NO_TCMALLOC",
        _INFO,
        osds.other_allocator,
        f"{_DOCS}: BlueStore, automatic cache sizing; osd_memory_target",
    ),
    Check("STALLED_READS", _WARNING, osds.stalled_reads, f"{BLOOMBERG}; {_DOCS}: health checks"),
    Check("OLD_MULTIPATH", _INFO, osds.old_multipath, PAWSEY),
    Check("OLD_CRC32C", _INFO, osds.old_checksum, BLOOMBERG),
    # settings
    Check("SUICIDE_AFTER_IO_TIMEOUT", _INFO, settings.suicide_after_io_timeout, BLOOMBERG),
    Check(
        "MEMORY_TARGET_TOO_LARGE",
        _WARNING,
        settings.memory_target,
        f"{_DOCS}: osd_memory_target",
        risk=True,
    ),
    Check("DEBUG_LOGGING", _WARNING, settings.debug_logging, f"{_DOCS}: logging and debugging"),
    Check("MESSAGES_ENCRYPTED", _INFO, settings.encrypted_messages, CLYSO),
    Check(
        "BENCH_TOO_SHORT",
        _INFO,
        settings.short_benches,
        f"{_DOCS}: osd bench; docs/architecture.md",
    ),
    Check(
        "MCLOCK_CAPACITY",
        _WARNING,
        mclock.mclock_capacity,
        f"{_DOCS}: mClock config reference, OSD capacity determination",
        risk=True,
    ),
    Check(
        "MCLOCK_OUT_OF_RANGE",
        _INFO,
        mclock.mclock_out_of_range,
        f"{_DOCS}: mClock config reference; Ceph pull request 59743; Rook pull request 18144 "
        "(2026) sets benched figures in the same way",
    ),
    # the cluster
    Check(
        "SCRUB_OFF",
        _WARNING,
        cluster.scrub_flags,
        f"{BLOOMBERG}: do not leave scrubs off indefinitely",
    ),
    Check(
        "TOO_MANY_PGS",
        _WARNING,
        cluster.placement_groups,
        f"{_DOCS}: placement groups; very fast clusters may gain from many ({CLYSO})",
    ),
    Check("UNEVEN_PGS", _WARNING, cluster.uneven_placement_groups, f"{_DOCS}: balancer"),
    Check("MIXED_RELEASES", _INFO, cluster.mixed_releases, f"{_DOCS}: upgrading"),
    Check("CLOCK_SKEW", _WARNING, cluster.clock_skew, f"{_DOCS}: MON_CLOCK_SKEW"),
    Check("MGR_BUSY", _WARNING, cluster.busy_mgr, PAWSEY),
    # hosts
    Check("DEEP_C_STATES", _INFO, hosts.deep_sleep, CLYSO),
    Check("CPU_GOVERNOR", _INFO, hosts.governor, CLYSO),
    Check("IOMMU_TRANSLATES", _WARNING, hosts.iommu, CLYSO),
    Check("SWAP_IN_USE", _INFO, hosts.swap, BLOOMBERG),
    Check("NUMA_MISSES", _INFO, hosts.numa_misses, BLOOMBERG),
    Check("FEW_CORES", _INFO, hosts.few_cores, "Ceph OSD CPU Scaling (Nelson, 2022)"),
    Check("SLOW_CHECKSUM", _WARNING, hosts.slow_checksum, BLOOMBERG),
)
RANK = tuple(Severity)


class Examined(NamedTuple):
    """All advice, worst first, and what the checks could look at."""

    advice: list[Advice]
    look: Look


def examine(snapshot: DoctorSnapshot) -> Examined:
    """Make all checks."""
    advice: list[Advice] = []
    by_need: dict[Need, list[str]] = {}
    for check in CHECKS:
        seen = Seen(snapshot)
        try:
            advice += [_advice(check, found) for found in check.find(seen)]
        except Unknown as unknown:
            seen.needs.append(unknown.need)
        if seen.needs:
            worst = min(seen.needs, key=lambda need: not need.whole)
            by_need.setdefault(worst, []).append(check.code)
    advice.sort(key=lambda one: (RANK.index(one.severity), one.code, str(one.target)))
    gaps = [_gap(need, codes) for need, codes in by_need.items()]
    gaps.sort(key=lambda one: (one.partly, -one.count))
    look = Look(
        "doctor", "settings and hosts", "check", len(CHECKS), (CONFIG_RISK.code,), tuple(gaps)
    )
    return Examined(advice, look)


def _advice(check: Check, found: Found) -> Advice:
    ids = sorted(details.osd.id for details in found.osds)
    named = {"osds": ids[:NAMED], "osds_in_all": len(ids)} if ids else {}
    return Advice(
        code=check.code,
        severity=found.severity or check.severity,
        target=found.target or target_of(found.osds),
        message=found.message,
        fix=" && ".join(dict.fromkeys(found.commands)),
        source=check.source,
        osds=frozenset(ids),
        evidence={**named, **found.evidence},
        risk=check.risk,
    )


def _gap(need: Need, codes: Sequence[str]) -> Gap:
    return gap(need.code, need.why, codes, need.help, need.since, partly=not need.whole)
