"""Read the cluster's state from the mgr's maps; no daemon is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

from mgr_module import MgrModule

from ..model.cluster import Members, Memo
from ..model.history import CohortSetup
from ..model.osd import Member, Osd, Wal
from ..model.plan import BenchLimits
from ..model.rados import COPIES_OF_A_NEW_POOL, POOL
from .inventory import NO_FACTS, InventoryReader
from .osd_map import OsdMapReader
from .osd_options import bench_limits_of, options_of, wal_of
from .reports import MgrOsdHealth, health_of

# Above this number of OSDs only some are asked for options: the mgr computes each option of each
# OSD from the whole configuration (80 us), while the operator waits.
_ASK_EVERY_OSD = 256
# Seconds: a round's environment is read right after its plan, from the same maps.
_JUST_READ = 5.0
# What an OSD is on changes only when it is made anew.
_DISKS_AGE = 3600.0
_MEMBERS_AGE = 60.0


def _osds_of(members: Sequence[Member]) -> Sequence[Osd]:
    return [member.osd for member in members]


class MgrCluster:
    """Implements Cluster on a ceph-mgr."""

    def __init__(
        self,
        mgr: MgrModule,
        inventory: InventoryReader,
        maps: OsdMapReader,
        members: Optional[Members] = None,
    ) -> None:
        """``members`` has the same OSDs as ``inventory`` with more in their locations."""
        self._mgr = mgr
        self._members = members or inventory
        self._osds = Memo(_osds_of)
        self._inventory = inventory
        self._maps = maps

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        """All OSDs by ID; those that have not changed are the same objects as before."""
        return self._osds(self._members.members(max_age))

    def down(self, osds: Sequence[int]) -> set[int]:
        return set(osds) - self._inventory.look().up

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        """The tightest limits among the OSDs, from the mgr's copy of the configuration."""
        return bench_limits_of(self._mgr, self._representatives(osds))

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        """The OSDs' write-ahead logs, from metadata and the mgr's copy of the configuration."""
        facts = self._inventory.look(_DISKS_AGE).facts
        return {osd: wal_of(self._mgr, osd, facts.get(osd, NO_FACTS).log) for osd in osds}

    def bench_copies(self) -> int:
        """The size of the bench pool; Ceph's default if the pool does not exist yet."""
        pool = self._maps.look().pool(POOL)
        return round(COPIES_OF_A_NEW_POOL) if pool is None else int(pool["size"])

    def _representatives(self, osds: Sequence[int]) -> Sequence[int]:
        """The OSDs to read options of: all, or of very many one of each device class.

        A limit that is set for a host or an OSD alone is missed then: these OSDs refuse the bench
        and name the option, which their samples have.
        """
        if len(osds) <= _ASK_EVERY_OSD:
            return osds
        chosen, known = set(osds), self._inventory.look(_DISKS_AGE).osds
        return list({osd.device_class: osd.id for osd in known if osd.id in chosen}.values())

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        """The environment that is stored with a result, for later comparisons.

        ``options`` are those of the given OSDs.
        """
        measured, inventory = set(osds), self._inventory.look(_JUST_READ)
        known, facts = inventory.osds, inventory.facts.values()
        osd_map, pgs = self._maps.look(), self._mgr.get("pg_status")
        health = health_of(self._mgr)
        total = pgs.get("bytes_total") or 0
        return {
            "release": release_of(self._mgr),
            "mgr": self._mgr.get_mgr_id(),
            "fsid": osd_map.fsid,
            "osd_releases": _counts(one.release for one in facts if one.release),
            "osds": len(known),
            "osds_up": len(inventory.up),
            "osds_in": sum(osd.in_cluster for osd in known),
            "hosts": len({osd.host for osd in known}),
            "device_classes": _counts(osd.device_class or "unknown" for osd in known),
            "options": options_of(self._mgr, [osd for osd in known if osd.id in measured]),
            "flags": sorted(osd_map.flags),
            "health": None if health is None else health["status"],
            "health_checks": None if health is None else sorted(health.get("checks", {})),
            "pools": len(osd_map.pools),
            "pgs": pgs.get("num_pgs"),
            "pgs_by_state": {s["state_name"]: s["count"] for s in pgs.get("pgs_by_state", [])},
            "fill_percent": round(100 * pgs["bytes_used"] / total, 2) if total else None,
            "client_read_bytes_per_second": pgs.get("read_bytes_sec", 0),
            "client_write_bytes_per_second": pgs.get("write_bytes_sec", 0),
        }


class MgrCohortSetups:
    """Implements CohortSetups on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, members: Members, health: MgrOsdHealth) -> None:
        self._mgr = mgr
        self._members = members
        self._health = health

    def setup(self, osds: Sequence[int]) -> CohortSetup:
        wanted = set(osds)
        members = [one for one in self._members.members(_MEMBERS_AGE) if one.osd.id in wanted]
        words = {
            "Ceph": _told(member.release for member in members),
            "separate DB or WAL": _told(member.separate or "none" for member in members),
            "processor": _told(member.cpu for member in members),
            **options_of(self._mgr, [member.osd for member in members]),
        }
        known = {name: value for name, value in words.items() if value is not None}
        inside = sum(member.osd.in_cluster for member in members)
        return CohortSetup(inside, self._health.fill(wanted), known)


def _told(values: Iterable[Optional[str]]) -> Optional[str]:
    """The values, without counts: those change with each OSD of a rolling upgrade."""
    return ", ".join(sorted({value for value in values if value is not None})) or None


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


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
