"""Pools as rounds of clients need them, and the bench pool, which reads and clients use."""

from __future__ import annotations

import errno
import math
import time
from collections.abc import Collection, Mapping
from typing import Any, Callable, Optional

from mgr_module import MgrModule

from ..errors import CommandFailed, NotNow
from ..model.phrases import span
from ..model.rados import APPLICATION, POOL, Groups, Pool
from .admission_snapshot import copies_of, stats_of
from .mons import Mons
from .osd_map import OsdMapReader

_ERASURE = 3
_KINDS = {1: "replicated", _ERASURE: "erasure"}
_MIB = 1 << 20
# Seconds for new groups to peer, and groups that peer in a second.
_PEERING_LIMIT, _PEERING_RATE = 60.0, 100
_PEERING_POLL = 0.5
# Seconds for which a round waits for placement groups to be split, with its flags set.
_LONGEST_GROWTH = 600.0


class MgrPools:
    """Implements Pools on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, mons: Mons, maps: OsdMapReader) -> None:
        self._mgr = mgr
        self._mons = mons
        self._maps = maps

    def look(self, name: str) -> Optional[Pool]:
        """The pool of that name, from the mgr's maps; None if there is none."""
        osd_map = self._maps.look()
        entry = osd_map.pool(name)
        if entry is None:
            return None
        stats = stats_of(entry, self._mgr.get("df"))
        return Pool(
            name=name,
            kind=_KINDS.get(entry["type"], str(entry["type"])),
            copies=copies_of(entry, osd_map.erasure_code_profiles),
            size=entry["size"],
            pg_num=entry["pg_num"],
            applications=tuple(entry["application_metadata"]),
            flags=tuple(entry["flags_names"].split(",")),
            objects=stats.get("objects", 0),
            stored_bytes=stats.get("stored", 0),
            available_bytes=stats.get("max_avail"),
            quota_bytes=entry["quota_max_bytes"],
            quota_objects=entry["quota_max_objects"],
            compression=entry.get("options", {}).get("compression_mode", "as the OSDs are set"),
            osds=self._osds(entry),
            stripe_bytes=entry.get("stripe_width", 0) if entry["type"] == _ERASURE else 0,
        )

    def flags(self, name: str) -> Optional[Collection[str]]:
        """The flags of the pool of that name, from the mgr's maps; None if there is none."""
        entry = self._maps.look().pool(name)
        return None if entry is None else entry["flags_names"].split(",")

    def ensure(self, name: str, ended: Callable[[], bool]) -> str:
        """Make the bench pool if it is missing or half made, and wait until the pool can be used.

        Returns its number, which a renamed pool keeps; returns early once ``ended`` returns True.
        Raises CommandFailed, and NotNow for a pool of another application and for one that will
        still grow for more than 10 minutes.
        """
        if name == POOL:
            osd_map = self._maps.look()
            pool = osd_map.pool(name)
            if pool is None:
                make_pool(self._mons.command, osd_map.up_and_in)
            elif is_half_made(pool, self._mgr.get("df")):
                complete(self._mons.command)
            else:
                check_ours(pool)
        began, limit = time.monotonic(), _PEERING_LIMIT
        while not ended() and not self._active(name):
            pool = self._maps.look().pool(name) or {}
            growth = growth_seconds(pool) if name == POOL else 0.0
            groups = pool.get("pg_num_target", pool.get("pg_num", 0))
            limit = max(limit, _PEERING_LIMIT + groups / _PEERING_RATE + growth)
            late = time.monotonic() > began + limit
            if growth and (late or growth > _LONGEST_GROWTH):
                check_grown(pool)
            if late:
                raise CommandFailed(
                    errno.ETIMEDOUT,
                    f"the placement groups of pool {name} are not active after {limit:.0f} s",
                )
            time.sleep(_PEERING_POLL)
        pool = self._maps.look().pool(name)
        if pool is None:
            raise NotNow(f"the pool {name} has been removed")
        return str(pool["pool"])

    def groups(self, name: str, osds: Collection[int]) -> Groups:
        """By OSD the groups of which it is acting primary. Takes 10 us a group. Raises NotNow."""
        entry = self._maps.look().pool(name)
        if entry is None:
            raise NotNow(f"the pool {name} has been removed")
        osd_map = self._mgr.get_osdmap()
        by_primary: dict[int, list[int]] = {osd: [] for osd in osds}
        for group in range(entry["pg_num"]):
            primary = osd_map.pg_to_up_acting_osds(entry["pool"], group)["acting_primary"]
            if primary in by_primary:
                by_primary[primary].append(group)
        return Groups(entry["pg_num"], by_primary)

    def free_bytes(self) -> int:
        """The free bytes of all devices."""
        return int(self._mgr.get("df")["stats"]["total_avail_bytes"])

    def largest_object(self) -> int:
        """The largest write of a client in bytes."""
        return min(
            int(str(self._mgr.get_ceph_option("osd_max_write_size"))) * _MIB,
            int(str(self._mgr.get_ceph_option("osd_max_object_size"))),
        )

    def messenger_modes(self) -> Mapping[str, str]:
        """The messenger modes by option: with checksums only, or encrypted."""
        names = ("ms_cluster_mode", "ms_service_mode", "ms_client_mode")
        return {name: str(self._mgr.get_ceph_option(name)) for name in names}

    def _active(self, name: str) -> bool:
        entry = self._maps.look().pool(name)
        if entry is None or (name == POOL and growth_seconds(entry)):
            return False
        states = self._mgr.get("pg_summary")["by_pool"].get(str(entry["pool"]), {})
        active = sum(count for state, count in states.items() if "active" in state.split("+"))
        return bool(active >= entry["pg_num"])

    def _osds(self, entry: Mapping[str, Any]) -> tuple[int, ...]:
        osd_map = self._mgr.get_osdmap()
        osds: set[int] = set()
        for group in range(entry["pg_num"]):
            osds.update(osd_map.pg_to_up_acting_osds(entry["pool"], group)["acting"])
        # A missing copy has a number outside this range.
        return tuple(sorted(osd for osd in osds if 0 <= osd < 0x7FFFFFFF))


# --- the bench pool ----------------------------------------------------------------------------


# With three replicas 24 copies of placement groups per OSD: a quarter of the recommended total, and
# enough that no OSD has twice the load of another. An OSD is read through the groups of which it is
# primary; of 4,096 OSDs three in 10,000 have none (e^-8), of 10,000 OSDs four in 100.
_GROUPS_PER_OSD = 8
_LEAST_GROUPS, _MOST_GROUPS = 8, 32768
# The default of ``mgr_max_pg_num_change``, and what such a step took on six OSDs: the next one
# waits until the groups are active and reported.
_GROWTH_STEP, _STEP_SECONDS = 128, 10.0
_GROUP_COUNTS = ("pg_num", "pg_placement_num")

# Runs a command of the monitors, given its prefix and arguments. Raises CommandFailed.
Order = Callable[..., Any]


def make_pool(give: Order, osds: int) -> None:
    """Make the pool for a cluster with ``osds`` OSDs. Raises CommandFailed.

    Autoscaling is off, because a change of the number of groups would disturb measurements.
    """
    groups = _LEAST_GROUPS
    while groups < min(_GROUPS_PER_OSD * osds, _MOST_GROUPS):
        groups *= 2
    _create(give, groups)
    complete(give)


def complete(give: Order) -> None:
    """Give a new pool its settings. Raises CommandFailed."""
    give("osd pool set", pool=POOL, var="compression_mode", val="none")
    # The last: a pool that has it has all.
    give("osd pool application enable", pool=POOL, app=APPLICATION)


def is_half_made(pool: Mapping[str, Any], usage: Mapping[str, Any]) -> bool:
    """Whether the bench pool belongs to nobody and is empty; ``usage`` is the mgr's "df".

    So it is between the commands that make it, and stays where their mgr ended or a command had no
    answer: the monitors may have carried it out later.
    """
    return not pool["application_metadata"] and not stats_of(pool, usage).get("objects", 0)


def _create(give: Order, groups: int) -> None:
    """Create the pool with ``groups`` groups, or fewer if mon_max_pg_per_osd requires it."""
    while True:
        try:
            give("osd pool create", pool=POOL, pg_num=groups, autoscale_mode="off")
            return
        except CommandFailed as error:
            if error.errno != errno.ERANGE or groups <= _LEAST_GROUPS:
                raise
            groups //= 2


def growth_seconds(pool: Mapping[str, Any]) -> float:
    """About how long it takes until a pool has all its placement groups; 0 if it has them.

    The monitors make a pool with ``mon_osd_max_initial_pgs`` (1024) groups at most. Then the mgr
    splits them, 128 at a time, for minutes at 1,000 OSDs: objects move, and each step is a new map.
    """
    missing = max(
        abs(int(pool.get(f"{what}_target", pool.get(what, 0))) - int(pool.get(what, 0)))
        for what in _GROUP_COUNTS
    )
    return _STEP_SECONDS * (1 + math.ceil(missing / _GROWTH_STEP)) if missing else 0.0


def check_grown(pool: Mapping[str, Any]) -> None:
    """Raise NotNow for a pool that does not have all its placement groups yet."""
    if growth_seconds(pool):
        raise NotNow(
            f"the pool {POOL} is still growing, it has "
            f"{min(pool[what] for what in _GROUP_COUNTS)} of {pool['pg_num_target']} "
            f"placement groups: try again in about {span(growth_seconds(pool))}; 'ceph osd "
            "pool ls detail' shows when it has all"
        )


def check_ours(pool: Mapping[str, Any]) -> None:
    """Raise NotNow for a pool of this name that belongs to another application."""
    if APPLICATION not in pool["application_metadata"]:
        raise NotNow(
            f"the pool {POOL} exists without the application {APPLICATION}, so it is not the "
            "bench's: rename it, or enable the application on it"
        )
