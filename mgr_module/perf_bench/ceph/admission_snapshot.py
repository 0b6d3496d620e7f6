"""How the cluster is at this moment, from the mgr's maps: what admission decides on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from mgr_module import MgrModule

from ..errors import PerfBenchError
from ..model.admission import Fullness, HealthCheck, Load, Situation, Space
from ..model.guard import GuardSnapshot
from ..model.pool import COPIES_OF_A_NEW_POOL, POOL
from ..ports import Clock, OsdHealth
from .mons import Mons

_KIB = 1 << 10
# The bench's own, and the mgr's: of 17 and newer, and of 16.
_NO_CLIENTS = frozenset((POOL, ".mgr", "device_health_metrics"))
# The fullest first: an OSD has all words below its own, too.
_FULLNESS = (Fullness.FULL, Fullness.BACKFILLFULL, Fullness.NEARFULL)
# Where cephadm keeps an upgrade that is not over.
_UPGRADE = "mgr/cephadm/upgrade_state"


class MgrAdmissionSource:
    """The Outlook port on a ceph-mgr. ``health`` tells of slow operations, ``mons`` of upgrades."""

    def __init__(self, mgr: MgrModule, clock: Clock, health: OsdHealth, mons: Mons) -> None:
        self._mgr = mgr
        self._clock = clock
        self._health = health
        self._mons = mons
        self._epoch = -1
        self._up: frozenset[int] = frozenset()

    def look(self, osds: Sequence[int]) -> Situation:
        """The whole picture; 0.4 s at 10,000 OSDs, so once a round and not on a timer."""
        osd_map = self._mgr.get("osd_map")
        entries = {entry["osd"]: entry for entry in osd_map["osds"]}
        return Situation(
            at=self._clock.now(),
            checks=self._checks(),
            flags=frozenset(osd_map["flags_set"]),
            pgs=_pgs(self._mgr.get("pg_status")),
            slow_ops=self._health.slow_ops(),
            fullness=_fullness([entries[osd] for osd in osds if osd in entries]),
            space=self._space(set(osds)),
            nearfull_ratio=osd_map["nearfull_ratio"],
            full_ratio=osd_map["full_ratio"],
            pool_available=_room(osd_map, self._mgr.get("df")),
            down_in=tuple(
                sorted(osd for osd, entry in entries.items() if entry["in"] and not entry["up"])
            ),
            releases=self._releases({osd for osd, entry in entries.items() if entry["up"]}),
            upgrading=self._upgrading(),
            client=_client(self._mgr.get("osd_pool_stats")["pool_stats"]),
        )

    def up(self) -> frozenset[int]:
        epoch = self._mgr.get_osdmap().get_epoch()
        if epoch != self._epoch:
            # The tree costs a tenth of the map at 10,000 OSDs.
            tree = self._mgr.get("osd_map_tree")
            nodes = [*tree["nodes"], *tree.get("stray", ())]
            found = (node["id"] for node in nodes if node.get("status") == "up")
            self._epoch, self._up = epoch, frozenset(found)
        return self._up

    def glance(self) -> GuardSnapshot:
        return GuardSnapshot(_pgs(self._mgr.get("pg_status")), self._health.slow_ops(), self.up())

    def copies(self) -> float:
        """How many bytes on devices a byte of clients is: of all pools, by what they hold."""
        osd_map = self._mgr.get("osd_map")
        profiles = osd_map.get("erasure_code_profiles", {})
        stored = {entry["id"]: entry["stats"]["stored"] for entry in self._mgr.get("df")["pools"]}
        # A byte more for each, so that pools which are all empty count alike.
        weights = [
            (stored.get(pool["pool"], 0) + 1, copies_of(pool, profiles))
            for pool in osd_map["pools"]
        ]
        total = sum(weight for weight, _ in weights)
        return sum(weight * copies for weight, copies in weights) / total if total else 1.0

    def _checks(self) -> Optional[tuple[HealthCheck, ...]]:
        text = self._mgr.get("health")["json"]
        if not text:  # the mons have not sent it yet
            return None
        return tuple(
            HealthCheck(
                code,
                check["summary"]["message"],
                check["severity"] == "HEALTH_ERR",
                bool(check.get("muted")),
            )
            for code, check in json.loads(text).get("checks", {}).items()
        )

    def _space(self, osds: set[int]) -> dict[int, Space]:
        return {
            entry["osd"]: Space(entry["kb"] * _KIB, entry["kb_used"] * _KIB)
            for entry in self._mgr.get("osd_stats")["osd_stats"]
            if entry["osd"] in osds and entry["kb"] > 0
        }

    def _releases(self, up: set[int]) -> dict[str, int]:
        """Of OSDs that are up: one that is down says what it was when it went."""
        found: dict[str, int] = {}
        for number, entry in (self._mgr.get("osd_metadata") or {}).items():
            release = entry.get("ceph_version_short")
            if int(number) in up and release:
                found[release] = found.get(release, 0) + 1
        return found

    def _upgrading(self) -> Optional[bool]:
        """What cephadm says; without it there is nobody who upgrades by itself."""
        if "cephadm" not in self._mgr.get("mgr_map")["modules"]:
            return False
        try:
            found = self._mons.key(_UPGRADE)
            return bool(found and json.loads(found))
        except (PerfBenchError, ValueError) as error:
            self._mgr.log.info("whether an upgrade is under way is not known: %s", error)
            return None


def _pgs(pgs: Mapping[str, Any]) -> dict[str, int]:
    return {state["state_name"]: state["count"] for state in pgs["pgs_by_state"]}


def _client(pools: Sequence[Mapping[str, Any]]) -> Load:
    """What clients do in all pools but the bench's and the mgr's, where our database is.

    What the mgr says is smoothed over some 20 s, so after a round that reads or writes like a
    client its own load would seem to be that of others. What is not there is zero.
    """
    rates: list[Mapping[str, float]] = [
        pool["client_io_rate"] for pool in pools if pool["pool_name"] not in _NO_CLIENTS
    ]

    def total(what: str) -> float:
        return sum(rate.get(f"read_{what}", 0) + rate.get(f"write_{what}", 0) for rate in rates)

    return Load(total("bytes_sec"), total("op_per_sec"))


def _room(osd_map: Mapping[str, Any], usage: Mapping[str, Any]) -> Optional[int]:
    """Bytes that the bench pool takes still; what one would take that is still to be made."""
    pool = next((pool for pool in osd_map["pools"] if pool["pool_name"] == POOL), None)
    if pool is None:
        return int(usage["stats"]["total_avail_bytes"] / COPIES_OF_A_NEW_POOL)
    stats: Mapping[str, Any] = next(
        (one["stats"] for one in usage["pools"] if one["id"] == pool["pool"]), {}
    )
    return stats.get("max_avail")


def _fullness(entries: Sequence[Mapping[str, Any]]) -> dict[int, Fullness]:
    found: dict[int, Fullness] = {}
    for entry in entries:
        words = set(entry["state"])
        worst = next((one for one in _FULLNESS if one.value in words), None)
        if worst is not None:
            found[entry["osd"]] = worst
    return found


def copies_of(pool: Mapping[str, Any], profiles: Mapping[str, Mapping[str, str]]) -> float:
    """How many bytes on devices a byte of clients is in a pool; ``profiles`` are the map's."""
    profile = profiles.get(pool.get("erasure_code_profile", ""))
    if profile and int(profile.get("k", 0)):
        return (int(profile["k"]) + int(profile.get("m", 0))) / int(profile["k"])
    return float(pool["size"])
