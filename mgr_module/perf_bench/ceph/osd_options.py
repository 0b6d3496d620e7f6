"""The options of OSDs that their speed depends on, as the mgr's copy of the configuration has them.

An option counts as it is for the first OSD of each device class: asking for one takes the mgr
some 50 us, and what is set for a single OSD or host moves no median. The ``osd_bench_*`` limits are
not here, they are in the plan; nor is what has a value of its own on each OSD
(``osd_mclock_max_capacity_iops_*``), and nothing that concerns recovery, which is told by states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from mgr_module import MgrModule

from ..model.osd import Osd

OPTIONS = (
    # who waits for whom in the OSD
    "osd_op_queue",
    "osd_mclock_profile",
    "osd_op_num_shards_hdd",
    "osd_op_num_shards_ssd",
    "osd_op_num_threads_per_shard_hdd",
    "osd_op_num_threads_per_shard_ssd",
    # memory and caches
    "osd_memory_target",
    "bluefs_buffered_io",
    "bluestore_cache_size",
    # the way of a write
    "bluestore_prefer_deferred_size_hdd",
    "bluestore_prefer_deferred_size_ssd",
    "bluestore_throttle_bytes",
    "bluestore_throttle_deferred_bytes",
    "bluestore_csum_type",
    "bluestore_compression_mode",
    "bluestore_rocksdb_options",
    "bluestore_rocksdb_options_annex",
    "bdev_enable_discard",
    # logging in the way of every operation
    "debug_osd",
    "debug_bluestore",
    "debug_ms",
)


def options_of(mgr: MgrModule, osds: Sequence[Osd]) -> dict[str, str]:
    """By option its value on these OSDs; by class where they differ, as "hdd: 64K, ssd: 0"."""
    first: dict[str, int] = {}
    for osd in osds:
        first.setdefault(osd.device_class or "unknown", osd.id)
    found: dict[str, str] = {}
    for name in OPTIONS:
        by_class = {kind: _value(mgr, osd, name) for kind, osd in sorted(first.items())}
        values = {value for value in by_class.values() if value is not None}
        if len(values) == 1:
            found[name] = values.pop()
        elif values:
            found[name] = ", ".join(f"{kind}: {value}" for kind, value in by_class.items())
    return found


def _value(mgr: MgrModule, osd: int, name: str) -> Optional[str]:
    """None for an option that this release does not have."""
    try:
        value = mgr.get_foreign_ceph_option(f"osd.{osd}", name)
    except KeyError:
        return None
    return None if value is None else str(value)
