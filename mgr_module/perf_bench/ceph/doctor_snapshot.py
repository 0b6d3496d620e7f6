"""Read the doctor's snapshot from the mgr's maps and with one command to the monitors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from mgr_module import MgrModule

from ..model.cluster import Cluster
from ..model.doctor_snapshot import (
    CommitStall,
    DoctorSnapshot,
    OsdDetails,
    PoolReads,
    Setting,
    stall_of,
)
from ..model.osd import MCLOCK_CAPACITY, Osd
from .inventory import NO_FACTS, InventoryReader, OsdFacts
from .mons import Mons
from .osd_map import OsdMapReader
from .osd_options import option_of
from .reports import MgrCounters

# The options that the checks in doctor/ use.
OPTIONS = (
    "bluefs_spillover_cleaner",
    "bluestore_rocksdb_options",
    "bluestore_rocksdb_options_annex",
    "debug_bdev",
    "debug_bluestore",
    "debug_ms",
    "debug_osd",
    "debug_rocksdb",
    "mon_target_pg_per_osd",
    "osd_mclock_iops_capacity_low_threshold_hdd",
    "osd_mclock_iops_capacity_low_threshold_ssd",
    "osd_mclock_iops_capacity_threshold_hdd",
    "osd_mclock_iops_capacity_threshold_ssd",
    *MCLOCK_CAPACITY.values(),
    "osd_memory_target",
    "osd_op_num_shards_hdd",
    "osd_op_num_threads_per_shard_hdd",
    "osd_op_queue",
    "osd_op_thread_suicide_timeout",
    "osd_scrub_chunk_max",
    "thp",
)
_COUNTERS = {
    "pgs": "osd.numpg",
    "db_total": "bluefs.db_total_bytes",
    "db_used": "bluefs.db_used_bytes",
    "slow_used": "bluefs.slow_used_bytes",
    "slow_total": "bluefs.slow_total_bytes",
    "wal_used": "bluefs.wal_used_bytes",
}
# OSDs of 16, 18 and 20 send these counters to the mgr; that of slow commits only 18 and 20.
_SYNC, _FLUSH = "bluestore.kv_sync_lat", "bluestore.kv_flush_lat"
_SLOW, _TABLES = "bluestore.slow_committed_kv_count", "bluefs.bytes_written_sst"
_OF_STALLS = frozenset((_SYNC, _FLUSH, _TABLES))
_NONE = (0.0, 0.0, 0)
# Flushes within 100 s of which the mean is that of the drive.
_ENOUGH_FLUSHES = 100
_REPLICATED = 1
# Bytes written to tables within 100 s from which on a database compacts.
_COMPACTS = 1 << 20
_MAPS_AGE = 10.0
# OSDs whose counter names are read in a look, 0.5 ms each, until they have sent any.
_MOST_ASKED = 10


class MgrDoctorSource:
    """Implements DoctorSource on a ceph-mgr."""

    def __init__(
        self,
        mgr: MgrModule,
        cluster: Cluster,
        inventory: InventoryReader,
        maps: OsdMapReader,
        mons: Mons,
    ) -> None:
        """``cluster`` knows enclosures, too."""
        self._mgr = mgr
        self._cluster = cluster
        self._inventory = inventory
        self._maps = maps
        self._mons = mons
        self._counters = MgrCounters(mgr)
        # By release the counters that its OSDs send.
        self._names: dict[Optional[str], frozenset[str]] = {}
        self._asked = 0

    def look(self) -> DoctorSnapshot:
        self._asked = 0
        osds, settings = self._cluster.osds(_MAPS_AGE), self._settings()
        facts, osd_map = self._inventory.look(_MAPS_AGE).facts, self._maps.look()
        fsids = {osd: entry.fsid for osd, entry in osd_map.osds.items()}
        details = {
            osd.id: self._details(osd, facts.get(osd.id, NO_FACTS), fsids.get(osd.id))
            for osd in osds
        }
        return DoctorSnapshot(
            osds=details,
            options=self._options(osds, settings),
            placed=self._placed(osds, settings),
            settings=settings,
            reads=_reads(osd_map.pools),
        )

    def _settings(self) -> list[Setting]:
        return [
            Setting(entry["section"], entry["mask"], entry["name"], str(entry["value"]))
            for entry in self._mons.command_json("config dump")
        ]

    def _options(
        self, osds: Sequence[Osd], settings: Sequence[Setting]
    ) -> dict[str, dict[str, str]]:
        """By device class the options, read from the first OSD without a value of its own."""
        set_ = {(setting.section, setting.name) for setting in settings}
        by_class: dict[str, list[Osd]] = {}
        for osd in osds:
            by_class.setdefault(osd.device_class or "", []).append(osd)
        options: dict[str, dict[str, str]] = {}
        for name, members in by_class.items():
            options[name] = {}
            for option in OPTIONS:
                plain = next((osd for osd in members if (osd.name, option) not in set_), None)
                value = None if plain is None else option_of(self._mgr, plain.id, option)
                if value is not None:
                    options[name][option] = value
        return options

    def _placed(
        self, osds: Sequence[Osd], settings: Sequence[Setting]
    ) -> dict[str, dict[int, str]]:
        """By OSD the options that are set for hosts or other buckets, read from one OSD in each."""
        set_ = {(setting.section, setting.name) for setting in settings}
        kinds: dict[str, frozenset[str]] = {}
        for setting in settings:
            if setting.name in OPTIONS and setting.places:
                kinds[setting.name] = kinds.get(setting.name, frozenset()) | setting.places
        placed: dict[str, dict[int, str]] = {}
        for option, types in kinds.items():
            asked: dict[tuple[Optional[str], ...], Optional[str]] = {}
            placed[option] = {}
            for osd in osds:
                if (osd.name, option) in set_:
                    continue
                place = (osd.device_class, *(osd.location.get(kind) for kind in sorted(types)))
                if place not in asked:
                    asked[place] = option_of(self._mgr, osd.id, option)
                value = asked[place]
                if value is not None:
                    placed[option][osd.id] = value
        return placed

    def _details(self, osd: Osd, facts: OsdFacts, fsid: Optional[str]) -> OsdDetails:
        release = facts.release
        # An OSD that has not reported to this mgr yet has no counters: the next one is asked.
        if not self._names.get(release) and osd.up and self._asked < _MOST_ASKED:
            self._asked += 1
            self._names[release] = self._counters.names(osd.id)
        sent = self._names.get(release, frozenset())
        counts = {
            field: self._newest(osd.id, name) if name in sent else None
            for field, name in _COUNTERS.items()
        }
        return OsdDetails(
            osd=osd,
            release=release,
            build=facts.build,
            fsid=fsid,
            host_memory=facts.host_memory,
            separate_db="db" in facts.separate,
            db_rotational=facts.db_rotational,
            min_alloc=facts.min_alloc,
            optimal_io=facts.optimal_io,
            # Of a disk every flush takes milliseconds.
            flush_seconds=None if osd.rotational or _FLUSH not in sent else self._flush(osd.id),
            stall=self._stall(osd.id, sent) if osd.up and sent.issuperset(_OF_STALLS) else None,
            **counts,
        )

    def _stall(self, osd: int, sent: frozenset[str]) -> Optional[CommitStall]:
        """None while the database writes no tables, and so does not compact."""
        tables = self._written(osd, _TABLES)
        if tables < _COMPACTS:
            return None
        syncs, flushes, slows = (
            self._counters.points(osd, name) if name in sent else ()
            for name in (_SYNC, _FLUSH, _SLOW)
        )
        return stall_of(syncs, flushes, slows, tables)

    def _flush(self, osd: int) -> Optional[float]:
        """The mean of the flushes within the points that the mgr keeps; None of too few."""
        points = self._counters.points(osd, _FLUSH)
        (_, before, first), (_, after, last) = (points[0], points[-1]) if points else 2 * (_NONE,)
        return (after - before) / (last - first) if last - first >= _ENOUGH_FLUSHES else None

    def _written(self, osd: int, name: str) -> int:
        """The growth of a counter within the points that the mgr keeps (100 s)."""
        points = self._counters.raw(osd, name)
        return int(points[-1][1] - points[0][1]) if points else 0

    def _newest(self, osd: int, name: str) -> Optional[int]:
        points = self._counters.raw(osd, name)
        return int(points[-1][1]) if points else None


def _reads(pools: Sequence[Mapping[str, Any]]) -> Optional[Mapping[str, PoolReads]]:
    """The replicated pools by name; None if this release gives no scores.

    ``score_acting`` is 0 where Ceph cannot calculate it.
    """
    replicated = [pool for pool in pools if pool["type"] == _REPLICATED]
    scored = [pool for pool in replicated if "read_balance" in pool]
    if replicated and not scored:
        return None
    return {
        pool["pool_name"]: PoolReads(pool["read_balance"]["score_acting"], pool["pg_num"])
        for pool in scored
    }
