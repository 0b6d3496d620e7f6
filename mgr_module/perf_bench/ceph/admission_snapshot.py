"""Read the cluster's present state from the mgr's maps, as admission's input."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from mgr_module import MgrModule

from ..core.clock import Clock
from ..errors import PerfBenchError
from ..model.admission import GuardSnapshot, HealthCheck, Load, Situation, Space
from ..model.rados import COPIES_OF_A_NEW_POOL, POOL
from .inventory import InventoryReader
from .mons import Mons
from .osd_map import OsdMap, OsdMapReader
from .reports import MgrOsdHealth, checks_of

# Pools without clients: the bench's, and the mgr's of 17 and newer and of 16.
_NO_CLIENTS = frozenset((POOL, ".mgr", "device_health_metrics"))
# The key in which cephadm keeps an unfinished upgrade.
_UPGRADE = "mgr/cephadm/upgrade_state"


class MgrAdmissionSource:
    """Implements AdmissionSource on a ceph-mgr.

    ``health`` has the slow operations, ``mons`` the state of an upgrade.
    """

    def __init__(
        self,
        mgr: MgrModule,
        clock: Clock,
        inventory: InventoryReader,
        maps: OsdMapReader,
        health: MgrOsdHealth,
        mons: Mons,
    ) -> None:
        self._mgr = mgr
        self._clock = clock
        self._inventory = inventory
        self._maps = maps
        self._health = health
        self._mons = mons

    def look(self, osds: Sequence[int]) -> Situation:
        """The whole state. May take 0.4 s at 10,000 OSDs: call it for a round, not on a timer."""
        osd_map, reports = self._maps.look(), self._health.reports()
        entries = osd_map.osds
        return Situation(
            at=self._clock.now(),
            checks=self._checks(),
            flags=osd_map.flags,
            pgs=_pgs(self._mgr.get("pg_status")),
            slow_ops=self._health.slow_ops(),
            fullness=osd_map.fullness(osds),
            space={
                osd: Space(reports[osd].size, reports[osd].used)
                for osd in osds
                if osd in reports and reports[osd].size
            },
            nearfull_ratio=osd_map.nearfull_ratio,
            full_ratio=osd_map.full_ratio,
            pool_available=_available(osd_map, self._mgr.get("df")),
            down_in=tuple(
                osd for osd, entry in entries.items() if entry.in_cluster and not entry.up
            ),
            releases=self._releases(),
            upgrading=self._upgrading(),
            client=_client(self._mgr.get("osd_pool_stats")["pool_stats"]),
            endurance_used=_endurance_used(self._mgr.get("devices")),
        )

    def epoch(self) -> int:
        return self._maps.epoch()

    def up(self) -> frozenset[int]:
        return self._inventory.look().up

    def glance(self) -> GuardSnapshot:
        pgs, inventory = _pgs(self._mgr.get("pg_status")), self._inventory.look()
        return GuardSnapshot(pgs, self._health.slow_ops(), inventory.up, epoch=inventory.epoch)

    def copies(self) -> float:
        """Bytes on devices for each byte of clients: the mean of all pools, weighted by data."""
        osd_map = self._maps.look()
        profiles, usage = osd_map.erasure_code_profiles, self._mgr.get("df")
        # One byte is added to each, so that empty pools have equal weights.
        weights = [
            (stats_of(pool, usage).get("stored", 0) + 1, copies_of(pool, profiles))
            for pool in osd_map.pools
        ]
        total = sum(weight for weight, _ in weights)
        return sum(weight * copies for weight, copies in weights) / total if total else 1.0

    def _checks(self) -> Optional[tuple[HealthCheck, ...]]:
        checks = checks_of(self._mgr)
        if checks is None:
            return None
        return tuple(
            HealthCheck(
                code,
                check["summary"]["message"],
                check["severity"] == "HEALTH_ERR",
                bool(check.get("muted")),
            )
            for code, check in checks.items()
        )

    def _releases(self) -> dict[str, int]:
        """The number of OSDs of each release; the metadata of OSDs that are down is outdated."""
        inventory = self._inventory.look()
        releases = Counter(one.release for one in inventory.members if one.osd.up and one.release)
        return dict(releases)

    def _upgrading(self) -> Optional[bool]:
        """Whether cephadm is upgrading the cluster; None if unknown, False without cephadm."""
        if "cephadm" not in self._mgr.get("mgr_map")["modules"]:
            return False
        try:
            text = self._mons.key(_UPGRADE)
            return bool(text and json.loads(text))
        except (PerfBenchError, ValueError) as error:
            self._mgr.log.info("it is unknown whether an upgrade is running: %s", error)
            return None


def _pgs(pgs: Mapping[str, Any]) -> dict[str, int]:
    return {state["state_name"]: state["count"] for state in pgs["pgs_by_state"]}


def _client(pools: Sequence[Mapping[str, Any]]) -> Load:
    """The load of clients in all pools except the bench's and the mgr's, which has our database.

    The bench pool is left out because the mgr smooths rates over some 20 s, so that the load of a
    round that has just ended would still show. A missing rate counts as zero.
    """
    rates: list[Mapping[str, float]] = [
        pool["client_io_rate"] for pool in pools if pool["pool_name"] not in _NO_CLIENTS
    ]

    def total(what: str) -> float:
        return sum(rate.get(f"read_{what}", 0) + rate.get(f"write_{what}", 0) for rate in rates)

    return Load(total("bytes_sec"), total("op_per_sec"))


def _available(osd_map: OsdMap, usage: Mapping[str, Any]) -> Optional[int]:
    """The bytes that can still be written to the bench pool, or to a new one."""
    pool = osd_map.pool(POOL)
    if pool is None:
        return int(usage["stats"]["total_avail_bytes"] / COPIES_OF_A_NEW_POOL)
    return stats_of(pool, usage).get("max_avail")


def stats_of(pool: Mapping[str, Any], usage: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is in a pool; ``usage`` is the mgr's "df", which may not have a new one yet."""
    return next((one["stats"] for one in usage["pools"] if one["id"] == pool["pool"]), {})


def _endurance_used(found: Optional[Mapping[str, Any]]) -> dict[int, float]:
    """By OSD the highest wear of its drives, as far as Ceph's device monitoring has read it."""
    used: dict[int, float] = {}
    for device in (found or {}).get("devices", ()):
        wear = device.get("wear_level")
        if not isinstance(wear, (int, float)):
            continue
        for daemon in device.get("daemons", ()):
            if daemon.startswith("osd.") and daemon[4:].isdigit():
                osd = int(daemon[4:])
                if wear >= used.get(osd, 0.0):
                    used[osd] = float(wear)
    return used


def copies_of(pool: Mapping[str, Any], profiles: Mapping[str, Mapping[str, str]]) -> float:
    """Bytes on devices for each byte of clients in a pool; ``profiles`` are erasure code's."""
    profile = profiles.get(pool.get("erasure_code_profile", ""), {})
    # The size counts all chunks, of the plugin lrc also the local ones; "D" are those of data.
    data = int(profile.get("k", 0)) or profile.get("mapping", "").count("D")
    return float(pool["size"]) / (data or 1)
