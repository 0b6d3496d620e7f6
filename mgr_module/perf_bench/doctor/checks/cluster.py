"""Checks of the cluster: its settings, placement groups, scrubs and mgr."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Optional

from ...model.doctor_snapshot import CLUSTER, DoctorSnapshot, OsdDetails
from ...model.finding import CLIENT_READ, CLIENT_WRITE, Gap, Target
from ...model.history import ALL_OSDS, WORK, ClusterSpan
from ...model.phrases import gib, listed
from . import commands
from .hosts import may_be_nvme
from .seen import (
    BLOOMBERG,
    CLYSO,
    DOCS,
    INFO,
    PAWSEY,
    WARNING,
    Found,
    Seen,
    Unknown,
    check,
    names,
    target_of,
)

# --- settings that do not fit the hardware or the purpose ------------------------------------

_SUICIDE = "osd_op_thread_suicide_timeout"
# Seconds; under a shorter timeout OSDs would end for load alone.
_LEAST_SUICIDE = 10
_TARGET = "osd_memory_target"
_MODES = ("ms_cluster_mode", "ms_service_mode", "ms_client_mode")
# The default levels; higher ones write a line for every operation.
_QUIET = {"debug_osd": 1, "debug_bluestore": 1, "debug_ms": 0, "debug_rocksdb": 4, "debug_bdev": 1}
# The share of a host's memory for OSDs; the rest is for the page cache and for recovery.
_MOST_MEMORY = 0.9
# The least value that Ceph accepts.
_LEAST_TARGET = 896 << 20
_NO_MEMORY = Gap("no-metadata", "the OSDs' metadata do not tell the memory of their host")


@check("SUICIDE_AFTER_IO_TIMEOUT", INFO, BLOOMBERG)
def suicide_after_io_timeout(seen: Seen) -> Iterator[Found]:
    """OSDs on NVMe have a suicide timeout that is longer than the kernel's I/O timeout."""
    waits = seen.hosts(
        "the kernel's NVMe timeout",
        lambda facts: facts.kernel and facts.kernel.nvme_io_timeout_seconds,
        may_be_nvme,
    )
    late = [
        (wait, limit, p)
        for host, wait in waits
        for p in host.osds
        for limit in [seen.snapshot.number(p, _SUICIDE) or 0.0]
        if wait and "nvme" in (p.osd.devices or "") and limit > max(wait, _LEAST_SUICIDE)
    ]
    if late:
        have = [p for *_, p in late]
        least, timeout = min((wait, limit) for wait, limit, _ in late)
        value = max(_LEAST_SUICIDE, round(least) - 5)
        # Drives of other kinds in a class keep their timeout.
        mixed = {p.osd.device_class for p in seen.snapshot.osds.values() if not may_be_nvme(p)}
        yield Found(
            f"{names(have)}: a suicide timeout of {timeout:.0f} s, though an NVMe drive that "
            f"misses an interrupt hangs for {least:.0f} s",
            commands.set_for_all(
                seen.snapshot,
                have,
                _SUICIDE,
                value,
                lambda osd: osd.name if osd.device_class in mixed else commands.of_class(osd),
            ),
            have,
            {"nvme_io_timeout_seconds": least, "suicide_timeout_seconds": timeout},
        )


@check("MEMORY_TARGET_TOO_LARGE", WARNING, f"{DOCS}: osd_memory_target", risk=True)
def memory_target(seen: Seen) -> Iterator[Found]:
    """The OSDs of a host may use more memory than there is."""
    snapshot = seen.snapshot
    seen.known(_NO_MEMORY, lambda osd: osd.host_memory)
    for host, osds, _ in snapshot.hosts():
        memory = next((p.host_memory for p in osds if p.host_memory), None)
        targets = [snapshot.number(details, _TARGET) or 0.0 for details in osds]
        if not memory or sum(targets) <= memory:
            continue
        fit = max(_LEAST_TARGET, int(_MOST_MEMORY * memory / len(osds)) >> 20 << 20)
        message = (
            f"{names(osds)} may use {gib(sum(targets))} of memory, but {host} has {gib(memory)}: "
            "when it runs out, the kernel kills an OSD"
        )
        # The mask takes the name of the CRUSH bucket; OSDs of one host may be in several.
        typed = commands.set_for_all(
            snapshot, osds, _TARGET, fit, lambda osd: commands.in_host_bucket(snapshot, osd)
        )
        if fit * len(osds) > memory:
            message += f"; Ceph takes no target under {fit >> 20} MiB: use fewer OSDs there"
            if max(targets) <= fit:
                typed = ["ceph osd df tree"]
        evidence = {"targets_bytes": int(sum(targets)), "memory_bytes": memory}
        yield Found(message, typed, osds, evidence, target=Target("host", host))


@check("DEBUG_LOGGING", WARNING, f"{DOCS}: logging and debugging")
def debug_logging(seen: Seen) -> Iterator[Found]:
    """Debug levels log every operation."""
    snapshot = seen.snapshot
    for setting in snapshot.settings:
        if not _is_loud(setting.name, setting.value):
            continue
        # Not where a narrower section has a quiet value, nor of an OSD that was removed.
        loud = [
            details
            for details in snapshot.osds.values()
            if setting.concerns(details.osd)
            and _is_loud(setting.name, snapshot.option(details, setting.name) or setting.value)
        ]
        if not loud:
            continue
        have = [details for details in loud if details.osd.up]
        of_one = setting.section.startswith("osd.") and have
        yield Found(
            f"{setting.name} of {setting.who} is {setting.value}: logging every operation slows "
            "OSDs",
            [commands.config_rm(setting.who, setting.name)],
            have,
            {"section": setting.who, "option": setting.name, "value": setting.value},
            target=target_of(have) if of_one else CLUSTER,
        )


def _is_loud(option: str, value: str) -> bool:
    """Whether it is a debug level of OSDs at which every operation is logged."""
    quiet = _QUIET.get(option)
    level = value.partition("/")[0].strip()
    return quiet is not None and level.isdigit() and int(level) > quiet


@check("MESSAGES_ENCRYPTED", INFO, CLYSO)
def encrypted_messages(seen: Seen) -> Iterator[Found]:
    """Messages are encrypted, which costs throughput."""
    secure = [
        setting
        for setting in seen.snapshot.settings
        if setting.name in _MODES and setting.value.split()[:1] == ["secure"]
    ]
    if secure:
        on = {setting.name: setting.value for setting in secure}
        yield Found(
            f"{listed(sorted(on))}: encryption is preferred, which cost a quarter of the read "
            "throughput in the largest published test",
            [commands.config_set(setting.who, setting.name, "crc secure") for setting in secure],
            evidence=on,
        )


# --- the cluster as a whole -------------------------------------------------------------------

_PGS = "mon_target_pg_per_osd"
# Multiple of the target: the autoscaler acts from three times on.
_FAR = 3.0
# Multiple of the median that is uneven, and the least median for which that matters.
_UNEVEN, _ENOUGH = 1.5, 32
# OSDs of a class that can be compared.
_ALIKE = 3
_NOT_ALIKE = Gap(
    "not-alike",
    f"OSDs are compared only where a class has at least {_ALIKE}, all of one size",
)
# The read balance score from which on the documentation takes reads for uneven is 1.5, as above.
# Where OSDs are the primary of fewer placement groups of a pool, the score cannot be near 1.
_PRIMARIES = 4
_NO_SCORE = Gap("no-score", "versions before 18 have no read balance score")
_FEW_PGS = Gap(
    "few-pgs", f"pools without a score, or with fewer than {_PRIMARIES} placement groups an OSD"
)
# Minutes of each kind, so that chance is no reason; how many times as long operations take, and
# under how much more load the comparison is none.
_MINUTES, _SLOWER, _MORE = 15, 1.5, 1.2
_NO_SCRUBS = Gap(
    "no-comparison",
    f"the watch has fewer than {_MINUTES} minutes with scrubs, or without, in three hours that "
    "can be compared: under like load, without recovery",
)
# The option, and the value below which scrubs only take longer (the default of its minimum).
_CHUNK, _LEAST_CHUNK = "osd_scrub_chunk_max", 5
# The share of the interval between ticks from which on the mgr is too busy.
_BUSY = 0.8
_TICK = "mgr/perf_bench/watch_tick_seconds"
_NO_TICK = Gap(
    "watch-off",
    "the watch is off, or has not run yet",
    "'ceph config set mgr mgr/perf_bench/watch true' switches it on",
)
# Seconds: the largest value of the option.
_LONGEST_TICK = 60


@check(
    "TOO_MANY_PGS",
    WARNING,
    f"{DOCS}: placement groups; very fast clusters may gain from many ({CLYSO})",
)
def placement_groups(seen: Seen) -> Iterator[Found]:
    """OSDs have far more placement groups than the target."""
    have = [p for p in seen.counted() if p.osd.in_cluster]
    target = seen.snapshot.number(have[0], _PGS) if have else None
    middle = median(p.pgs or 0 for p in have) if have else 0
    if target and middle > _FAR * target:
        yield Found(
            f"OSDs have {middle:.0f} placement groups (median), {_PGS} is {target:.0f}: each takes "
            "memory, and time to peer",
            ["ceph osd pool autoscale-status"],
            evidence={"median_pgs": middle, _PGS: target},
        )


@check("UNEVEN_PGS", WARNING, f"{DOCS}: balancer")
def uneven_placement_groups(seen: Seen) -> Iterator[Found]:
    """OSDs have far more placement groups than others of their class and size."""
    every = [p for p in seen.counted() if p.osd.in_cluster]
    by_class: dict[str, list[OsdDetails]] = {}
    for details in every:
        by_class.setdefault(details.osd.device_class or "", []).append(details)
    unlike = [p for members in by_class.values() if not _is_alike(members) for p in members]
    seen.lack(_NOT_ALIKE, unlike, every)
    for name, members in sorted(by_class.items()):
        middle = median(p.pgs or 0 for p in members)
        have = [p for p in members if (p.pgs or 0) > _UNEVEN * middle]
        if middle >= _ENOUGH and _is_alike(members) and have:
            most = max(p.pgs or 0 for p in have)
            yield Found(
                f"{names(have)}: up to {most} placement groups, where peers of class {name} have "
                f"{middle:.0f} (median), which slows the whole pool",
                ["ceph balancer on", "ceph balancer status"],
                have,
                {"median_pgs": middle, "most_pgs": most},
            )


def _is_alike(members: Sequence[OsdDetails]) -> bool:
    """Whether OSDs of a class are enough and of one size, so that they can be compared."""
    sizes = {p.slow_total if p.separate_db else p.db_total for p in members}
    return len(members) >= _ALIKE and len(sizes) == 1 and None not in sizes


@check("UNEVEN_READS", INFO, f"{DOCS}: operating the read (primary) balancer")
def uneven_reads(seen: Seen) -> Iterator[Found]:
    """An OSD is the primary of far more placement groups of a pool than its share."""
    pools, osds = seen.snapshot.reads, [p for p in seen.up() if p.osd.in_cluster]
    if pools is None:
        raise Unknown(_NO_SCORE)
    least = _PRIMARIES * len(osds)
    small = sorted(name for name, one in pools.items() if one.pgs < least or one.score <= 0)
    if small:
        seen.lack_of(_FEW_PGS, listed(small), len(small) == len(pools))
    uneven = {name for name, one in pools.items() if one.score >= _UNEVEN} - set(small)
    if uneven:
        worst = max(pools[name].score for name in uneven)
        yield Found(
            f"reads of {listed(sorted(uneven))} are uneven: an OSD is the primary of up to "
            f"{worst:.2f} times its share of placement groups (read_balance_score). 'ceph balancer "
            "mode upmap-read' (19 and later) evens that out, 'osdmaptool --read' on 18; clients "
            "before 18 cannot connect afterwards",
            ["ceph features"],
            evidence={"worst_score": round(worst, 2)},
        )


@check("SCRUBS_SLOW_CLIENTS", INFO, f"{DOCS}: OSD configuration reference, scrubbing")
def scrubs_slow_clients(seen: Seen) -> Iterator[Found]:
    """Clients' operations were slower in minutes with scrubs than in minutes without."""
    quiet: list[ClusterSpan] = []
    scrubbed: list[ClusterSpan] = []
    for minute in seen.snapshot.minutes:
        work = dict(zip(WORK, minute.work))
        scrubs = work.get("scrubbing")
        # Recovery slows clients, too.
        if scrubs is not None and work["recovery_bytes"] == 0:
            (scrubbed if scrubs >= 1 else quiet).append(minute)
    if min(len(quiet), len(scrubbed)) < _MINUTES:
        raise Unknown(_NO_SCRUBS)
    ratios = [
        _slower(quiet, scrubbed, CLIENT_READ, "read_ops"),
        _slower(quiet, scrubbed, CLIENT_WRITE, "write_ops"),
    ]
    most = max((ratio for ratio in ratios if ratio is not None), default=None)
    if most is None:
        raise Unknown(_NO_SCRUBS)
    if most >= _SLOWER:
        osds = seen.up()
        chunk = seen.snapshot.number(osds[0], _CHUNK)
        command = f"ceph config get osd {_CHUNK}"
        # One that was set since is not made smaller once more by the same minutes.
        if chunk and chunk > _LEAST_CHUNK and not seen.snapshot.set_for(_CHUNK, osds):
            command = commands.config_set("osd", _CHUNK, max(_LEAST_CHUNK, round(chunk / 2)))
        yield Found(
            f"operations of clients took {most:.1f} times as long in {len(scrubbed)} minutes of "
            f"the last three hours with scrubs as in {len(quiet)} without, under no more load: a "
            f"smaller {_CHUNK} blocks for a shorter time, osd_scrub_begin_hour and "
            "osd_scrub_end_hour choose the hours",
            [command],
            evidence={"times_as_long": round(most, 2)},
        )


def _slower(
    quiet: Sequence[ClusterSpan], scrubbed: Sequence[ClusterSpan], channel: str, load: str
) -> Optional[float]:
    """How many times as long it took with scrubs; None if unknown, or the load was larger.

    Compares the medians of the minutes, and in each the median of all OSDs.
    """
    busy, took = [], []
    for minutes in (quiet, scrubbed):
        loads = [one.work[WORK.index(load)] for one in minutes]
        busy.append(median([count for count in loads if count is not None] or [math.nan]))
        known = [of[3] for one in minutes for of in one.latency if of[:2] == (ALL_OSDS, channel)]
        took.append(median(known) if len(known) >= _MINUTES else math.nan)
    alike = busy[1] <= _MORE * busy[0] and min(took) > 0  # not of NaN
    return took[1] / took[0] if alike else None


@check("MGR_BUSY", WARNING, PAWSEY)
def busy_mgr(seen: Seen) -> Iterator[Found]:
    """The mgr is too slow for the interval of the watch's ticks."""
    if seen.snapshot.tick is None:
        raise Unknown(_NO_TICK)
    took, every = seen.snapshot.tick
    if took > _BUSY * every:
        yield Found(
            f"the watch's newest tick took {took:.1f} s of {every:.0f}: the mgr is overloaded",
            _longer_ticks(seen.snapshot, took, every),
            evidence={"tick_seconds": took, "every_seconds": every},
        )


def _longer_ticks(snapshot: DoctorSnapshot, took: float, every: float) -> list[str]:
    """The commands for an interval in which such a tick fits, or the longest one."""
    longer = min(_LONGEST_TICK, max(30, 2 * round(every), math.ceil(took / _BUSY)))
    if every >= longer:
        return ["ceph mgr module ls"]  # which of the other modules may be disabled
    narrower = [one for one in snapshot.settings if one.name == _TICK and one.section != "global"]
    return [
        *(commands.config_rm(one.who, _TICK) for one in narrower if one.who != "mgr"),
        commands.config_set("mgr", _TICK, longer),
    ]
