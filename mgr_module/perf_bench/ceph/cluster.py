"""Read the cluster's state from the mgr's maps; no daemon is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

from mgr_module import MgrModule

from ..model.bench import BenchLimits
from ..model.osd import Osd
from ..model.osd_options import (
    BENCH_DURATION,
    BENCH_LARGE_MAX_THROUGHPUT,
    BENCH_MAX_BLOCK_SIZE,
    BENCH_SMALL_MAX_IOPS,
)
from ..model.pool import COPIES_OF_A_NEW_POOL, POOL
from ..model.wal import Wal
from ..ports import Clock
from .crush_tree import NOWHERE, Place, crush_nodes, crush_places
from .osd_facts import NO_FACTS, OsdFacts, OsdFactsReader
from .osd_map import OsdEntry, OsdMap, OsdMapReader
from .osd_options import options_of

_FULL_STATES = frozenset(("nearfull", "backfillfull", "full"))
_LIMIT_OPTIONS = {
    "max_block_size": BENCH_MAX_BLOCK_SIZE,
    "small_max_iops": BENCH_SMALL_MAX_IOPS,
    "large_max_throughput": BENCH_LARGE_MAX_THROUGHPUT,
    "duration": BENCH_DURATION,
}
# Above this number of OSDs only some are asked for options: the mgr computes each option of each
# OSD from the whole configuration, while the operator waits.
_ASK_EVERY_OSD = 256
# Seconds: a round's environment is read right after its plan, from the same maps.
_JUST_READ = 5.0
# What an OSD is on changes only when it is made anew.
_DISKS_AGE = 3600.0


class MgrCluster:
    """Implements Cluster on a ceph-mgr."""

    def __init__(
        self, mgr: MgrModule, clock: Clock, maps: OsdMapReader, facts: OsdFactsReader
    ) -> None:
        self._mgr = mgr
        self._clock = clock
        self._maps = maps
        self._facts_reader = facts
        self._lock = threading.Lock()
        self._osds: Sequence[Osd] = ()
        self._map: Optional[OsdMap] = None
        self._facts: Mapping[int, OsdFacts] = {}
        # Each OSD as it was made last, with what it was made of.
        self._made: dict[int, tuple[_Parts, Osd]] = {}
        self._places: dict[int, Place] = {}
        self._crush_version: Optional[int] = None
        self._read_at: Optional[float] = None

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        """All OSDs by ID; those that have not changed are the same objects as before."""
        with self._lock:
            now = self._clock.monotonic()
            if self._read_at is None or now - self._read_at >= max_age:
                self._take()
                self._read_at = now
            return self._osds

    def down(self, osds: Sequence[int]) -> set[int]:
        entries = self._maps.look().osds
        return {osd for osd in osds if osd not in entries or not entries[osd].up}

    def over_nearfull(self, osds: Sequence[int]) -> Sequence[int]:
        entries = self._maps.look().osds
        return [
            osd
            for osd in osds
            if osd in entries and not _FULL_STATES.isdisjoint(entries[osd].state)
        ]

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        """The tightest limits among the OSDs, from the mgr's copy of the configuration."""
        limits: dict[str, int] = {}
        asked = self._representatives(osds)
        for field, option in _LIMIT_OPTIONS.items():
            values = [self._mgr.get_foreign_ceph_option(f"osd.{osd}", option) for osd in asked]
            limits[field] = min(int(str(value)) for value in values)
        return BenchLimits(**limits)

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        """The OSDs' write-ahead logs, from metadata and the mgr's copy of the configuration."""
        self.osds(_DISKS_AGE)
        facts = self._facts
        return {osd: self._sized(osd, facts.get(osd, NO_FACTS).log) for osd in osds}

    def bench_copies(self) -> int:
        """The size of the bench pool; Ceph's default if the pool does not exist yet."""
        pool = self._maps.look().pool(POOL)
        return round(COPIES_OF_A_NEW_POOL) if pool is None else int(pool["size"])

    def _sized(self, osd: int, log: Wal) -> Wal:
        kind = "hdd" if log.spinning else "ssd"
        sizes = [
            int(str(self._mgr.get_foreign_ceph_option(f"osd.{osd}", option) or 0))
            for option in (
                "bluestore_prefer_deferred_size",
                f"bluestore_prefer_deferred_size_{kind}",
            )
        ]
        return replace(log, deferred_bytes=sizes[0] or sizes[1])

    def _representatives(self, osds: Sequence[int]) -> Sequence[int]:
        """The OSDs to read options of: all, or of very many one per host and device class.

        Options are set for all OSDs, by class, by host, or for one OSD. Only the last may be
        missed; then that OSD refuses the bench, and the sample has its error.
        """
        if len(osds) <= _ASK_EVERY_OSD:
            return osds
        chosen = set(osds)
        return list(
            {
                (osd.host, osd.device_class): osd.id for osd in self._osds if osd.id in chosen
            }.values()
        )

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        """The environment that is stored with a result, for later comparisons.

        ``options`` are those of the given OSDs.
        """
        measured, known = set(osds), self.osds(_JUST_READ)
        osd_map, pgs = self._maps.look(), self._mgr.get("pg_status")
        text = self._mgr.get("health")["json"]  # empty until the monitors have sent it
        health = json.loads(text) if text else {}
        total = pgs.get("bytes_total") or 0
        return {
            "release": release_of(self._mgr),
            "mgr": self._mgr.get_mgr_id(),
            "fsid": osd_map.fsid,
            "osd_releases": _counts([one.release for one in self._facts.values() if one.release]),
            "osds": len(known),
            "osds_up": sum(osd.up for osd in known),
            "osds_in": sum(osd.in_cluster for osd in known),
            "hosts": len({osd.host for osd in known}),
            "device_classes": _counts([osd.device_class or "unknown" for osd in known]),
            "options": options_of(self._mgr, [osd for osd in known if osd.id in measured]),
            "flags": sorted(osd_map.flags),
            "health": health.get("status"),
            "health_checks": sorted(health.get("checks", {})),
            "pools": len(osd_map.pools),
            "pgs": pgs.get("num_pgs"),
            "pgs_by_state": {s["state_name"]: s["count"] for s in pgs.get("pgs_by_state", [])},
            "fill_percent": round(100 * pgs["bytes_used"] / total, 2) if total else None,
            "client_read_bytes_per_second": pgs.get("read_bytes_sec", 0),
            "client_write_bytes_per_second": pgs.get("write_bytes_sec", 0),
        }

    def _take(self) -> None:
        """Make the OSDs anew if anything that they are made of has changed."""
        osd_map, before = self._maps.look(), self._map
        facts = self._facts_reader.of_map(osd_map)
        if osd_map is before and facts is self._facts:
            return
        self._map, self._facts = osd_map, facts
        self._take_places(osd_map.crush_version)
        made: dict[int, tuple[_Parts, Osd]] = {}
        for number, entry in osd_map.osds.items():
            parts = (entry, facts[number], self._places.get(number, NOWHERE))
            known = self._made.get(number)
            if known is None or known[0] != parts:
                known = (parts, _osd(number, *parts))
            made[number] = known
        self._made = made
        self._osds = [osd for _, osd in made.values()]

    def _take_places(self, version: Optional[int]) -> None:
        """Read the CRUSH tree, unless it is of the version that was read last."""
        if version is None or version != self._crush_version:
            self._places = crush_places(crush_nodes(self._mgr))
            self._crush_version = version


_Parts = tuple[OsdEntry, OsdFacts, Place]


def _osd(number: int, entry: OsdEntry, facts: OsdFacts, place: Place) -> Osd:
    return Osd(
        id=number,
        host=facts.host or place.location.get("host") or "unknown",
        device_class=place.device_class,
        up=entry.up,
        in_cluster=entry.in_cluster,
        devices=facts.devices,
        data_device=facts.data_device,
        model=facts.model,
        rotational=facts.rotational,
        location=place.location,
        also_in=place.also_in,
        expander=facts.expander,
        device_id=facts.device_id,
        primary_affinity=entry.primary_affinity,
        reweight=entry.reweight,
        created_at=facts.created_at,
    )


def release_of(mgr: MgrModule) -> str:
    """The release as "16.2.15 pacific", from "ceph version 16.2.15 (…) pacific (stable)"."""
    words = mgr.version.split()
    number = words[2] if len(words) > 2 else mgr.version
    return f"{number} {mgr.release_name}"


def fsid_of(mgr: MgrModule) -> str:
    """The cluster's ID."""
    return str(mgr.get("mon_map")["fsid"])


def mon_hosts(mgr: MgrModule) -> str:
    """The monitors' addresses in the form of the option ``mon_host``, from the mgr's map."""
    hosts = []
    for mon in mgr.get("mon_map")["mons"]:
        addresses = [f"{a['type']}:{a['addr']}" for a in mon["public_addrs"]["addrvec"]]
        hosts.append(f"[{','.join(addresses)}]")
    return ",".join(hosts)


def _counts(values: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return dict(sorted(counts.items()))
