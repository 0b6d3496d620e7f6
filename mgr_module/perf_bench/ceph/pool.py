"""Make and check the bench pool, which probes, reads and clients use."""

from __future__ import annotations

import errno
import json
import math
from collections.abc import Mapping
from typing import Any, Callable

import rados

from ..errors import CommandFailed, NotNow
from ..model.phrases import span
from ..model.rados import APPLICATION, POOL

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


def order(client: rados.Rados, prefix: str, **arguments: Any) -> Any:
    """Run a command of the monitors; returns its JSON output. Raises CommandFailed."""
    words = json.dumps({"prefix": prefix, **arguments, "format": "json"})
    code, out, message = client.mon_command(words, b"")
    if code:
        raise CommandFailed(-code, f"{prefix}: {message}")
    return json.loads(out) if out.strip() else None


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
    objects = sum(
        one["stats"].get("objects", 0) for one in usage["pools"] if one["id"] == pool["pool"]
    )
    return not pool["application_metadata"] and not objects


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


def is_grown(pool: Mapping[str, Any]) -> bool:
    """Whether a pool has all its placement groups.

    The monitors make a pool with ``mon_osd_max_initial_pgs`` (1024) groups at most. Then the mgr
    splits them, 128 at a time, for minutes at 1,000 OSDs: objects move, and each step is a new map.
    """
    return not _missing_groups(pool)


def growth_seconds(pool: Mapping[str, Any]) -> float:
    """About how long it takes until a pool has all its placement groups; 0 if it has them."""
    missing = _missing_groups(pool)
    return _STEP_SECONDS * (1 + math.ceil(missing / _GROWTH_STEP)) if missing else 0.0


def _missing_groups(pool: Mapping[str, Any]) -> int:
    return max(
        abs(int(pool.get(f"{what}_target", pool.get(what, 0))) - int(pool.get(what, 0)))
        for what in _GROUP_COUNTS
    )


def check_grown(pool: Mapping[str, Any]) -> None:
    """Raise NotNow for a pool that does not have all its placement groups yet."""
    if not is_grown(pool):
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
