"""Read Ceph's options of OSDs, from the mgr's copy of the configuration.

Reading one takes some 50 us: the mgr computes it from the whole configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Optional

from mgr_module import MgrModule

from ..model.osd import (
    BENCH_DURATION,
    BENCH_LARGE_MAX_THROUGHPUT,
    BENCH_MAX_BLOCK_SIZE,
    BENCH_SMALL_MAX_IOPS,
    Osd,
    Wal,
)
from ..model.plan import BenchLimits

_LIMITS = {
    "max_block_size": BENCH_MAX_BLOCK_SIZE,
    "small_max_iops": BENCH_SMALL_MAX_IOPS,
    "large_max_throughput": BENCH_LARGE_MAX_THROUGHPUT,
    "duration": BENCH_DURATION,
}
# Options that affect the speed of OSDs, and are stored with results. Left out are the osd_bench_*
# limits, which are in the plan, options that differ on each OSD (osd_mclock_max_capacity_iops_*),
# and those of recovery, which shows in the states of placement groups.
OPTIONS = (
    # queues and threads
    "osd_op_queue",
    "osd_mclock_profile",
    "osd_op_num_shards_hdd",
    "osd_op_num_shards_ssd",
    "osd_op_num_threads_per_shard_hdd",
    "osd_op_num_threads_per_shard_ssd",
    "ms_async_op_threads",
    # memory and caches
    "osd_memory_target",
    "bluefs_buffered_io",
    "bluestore_cache_size",
    # writes
    "bluestore_prefer_deferred_size_hdd",
    "bluestore_prefer_deferred_size_ssd",
    "bluestore_throttle_bytes",
    "bluestore_throttle_deferred_bytes",
    "bluestore_csum_type",
    "bluestore_compression_mode",
    "bluestore_rocksdb_options",
    "bluestore_rocksdb_options_annex",
    "bdev_enable_discard",
    # logging of every operation
    "debug_osd",
    "debug_bluestore",
    "debug_ms",
)
# Seconds that a number of threads is cached. An OSD makes its threads when it starts, which may
# be missed.
_THREADS_AGE = 3600.0


def option_of(mgr: MgrModule, osd: int, name: str) -> Optional[str]:
    """The value of an option; None if this release lacks it or it is set to nonsense.

    ``ceph config set --force`` sets any text; of an option that is a number the OSD ignores it.
    """
    try:
        value = mgr.get_foreign_ceph_option(f"osd.{osd}", name)
    except (KeyError, ValueError):
        return None
    return None if value is None else str(value)


def number_of(mgr: MgrModule, osd: int, name: str) -> Optional[int]:
    """The value of an option that is a whole number; None as of ``option_of``."""
    try:
        return int(option_of(mgr, osd, name) or "")
    except ValueError:
        return None


def options_of(mgr: MgrModule, osds: Sequence[Osd]) -> dict[str, str]:
    """By option its value on these OSDs; if classes differ, as "hdd: 64K, ssd: 0".

    Each is read from the first OSD of each device class: a value for a single OSD or host does not
    change a median.
    """
    first: dict[str, int] = {}
    for osd in osds:
        first.setdefault(osd.device_class or "unknown", osd.id)
    options: dict[str, str] = {}
    for name in OPTIONS:
        by_class = {kind: option_of(mgr, osd, name) for kind, osd in sorted(first.items())}
        values = {value for value in by_class.values() if value is not None}
        if len(values) == 1:
            options[name] = values.pop()
        elif values:
            options[name] = ", ".join(f"{kind}: {value}" for kind, value in by_class.items())
    return options


def bench_limits_of(mgr: MgrModule, osds: Sequence[int]) -> BenchLimits:
    """The tightest limits among the OSDs; Ceph's defaults where none is known."""
    limits: dict[str, int] = {}
    for field, option in _LIMITS.items():
        values = [number_of(mgr, osd, option) for osd in osds]
        known = [value for value in values if value is not None]
        if known:
            limits[field] = min(known)
    return BenchLimits(**limits)


def wal_of(mgr: MgrModule, osd: int, log: Wal) -> Wal:
    """The write-ahead log with the sizes that options set; one that is 0 is that of its kind."""
    size = "bluestore_prefer_deferred_size"
    kind = "hdd" if log.spinning else "ssd"
    both = number_of(mgr, osd, size) or number_of(mgr, osd, f"{size}_{kind}")
    return replace(log, deferred_bytes=both or 0)


class MgrOpThreads:
    """Implements OpThreads on a ceph-mgr; an option that is 0 is replaced by its _hdd or _ssd."""

    def __init__(self, mgr: MgrModule, now: Callable[[], float]) -> None:
        """``now`` returns a monotonic time."""
        self._mgr = mgr
        self._now = now
        self._known: dict[int, tuple[float, Optional[int]]] = {}

    def of(self, osd: Osd) -> Optional[int]:
        known = self._known.get(osd.id)
        if known is None or self._now() - known[0] >= _THREADS_AGE:
            shards = self._count(osd, "osd_op_num_shards")
            threads = self._count(osd, "osd_op_num_threads_per_shard")
            known = (self._now(), shards * threads or None)
            self._known[osd.id] = known
        return known[1]

    def forget(self, osd: int) -> None:
        self._known.pop(osd, None)

    def _count(self, osd: Osd, option: str) -> int:
        own = number_of(self._mgr, osd.id, option)
        return own or number_of(self._mgr, osd.id, f"{option}_{osd.option_suffix}") or 0
