"""Read the options of OSDs that affect their speed, from the mgr's copy of the configuration.

Each option is read from the first OSD of each device class: reading one takes some 50 us, and a
value for a single OSD or host does not change a median. Left out are the ``osd_bench_*`` limits,
which are in the plan, options that differ on each OSD (``osd_mclock_max_capacity_iops_*``), and
those of recovery, which shows in the states of placement groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from mgr_module import MgrModule

from ..model.osd import Osd

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


def options_of(mgr: MgrModule, osds: Sequence[Osd]) -> dict[str, str]:
    """By option its value on these OSDs; if classes differ, as "hdd: 64K, ssd: 0"."""
    first: dict[str, int] = {}
    for osd in osds:
        first.setdefault(osd.device_class or "unknown", osd.id)
    options: dict[str, str] = {}
    for name in OPTIONS:
        by_class = {kind: _value(mgr, osd, name) for kind, osd in sorted(first.items())}
        values = {value for value in by_class.values() if value is not None}
        if len(values) == 1:
            options[name] = values.pop()
        elif values:
            options[name] = ", ".join(f"{kind}: {value}" for kind, value in by_class.items())
    return options


def _value(mgr: MgrModule, osd: int, name: str) -> Optional[str]:
    """The value of an option; None if this release lacks it or it is set to nonsense."""
    try:
        value = mgr.get_foreign_ceph_option(f"osd.{osd}", name)
    except (KeyError, ValueError):
        return None
    return None if value is None else str(value)
