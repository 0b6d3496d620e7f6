"""The pool of our own, for probes, reads and clients; made when it is needed first."""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from typing import Any, Callable, Optional

import rados

from ..errors import CommandFailed, NotNow
from ..model.pool import APPLICATION, POOL

# About 24 copies of groups an OSD with three replicas: a quarter of what one should have in all,
# and enough that no OSD gets twice the load of another. What an OSD is read by lies in the groups
# whose primary it is; of 4,096 OSDs three in 10,000 have none (e^-8), of 10,000 four in 100.
_GROUPS_PER_OSD = 8
_LEAST_GROUPS, _MOST_GROUPS = 8, 32768

# An order to the monitors: its prefix and arguments. Raises CommandFailed.
Order = Callable[..., Any]


def order(client: rados.Rados, prefix: str, **arguments: Any) -> Any:
    """Give the monitors an order that answers in JSON. Raises CommandFailed."""
    words = json.dumps({"prefix": prefix, **arguments, "format": "json"})
    code, out, message = client.mon_command(words, b"")
    if code:
        raise CommandFailed(-code, f"{prefix}: {message}")
    return json.loads(out) if out.strip() else None


def make_pool(give: Order, osds: int) -> None:
    """Make it for a cluster of so many OSDs. Raises CommandFailed.

    The number of its groups stays as it is, for one that moves spoils a figure.
    """
    groups = _LEAST_GROUPS
    while groups < min(_GROUPS_PER_OSD * osds, _MOST_GROUPS):
        groups *= 2
    _create(give, groups)
    give("osd pool application enable", pool=POOL, app=APPLICATION)
    give("osd pool set", pool=POOL, var="compression_mode", val="none")


def _create(give: Order, groups: int) -> None:
    """With so many groups, or as many as the OSDs may still have (mon_max_pg_per_osd)."""
    while True:
        try:
            give("osd pool create", pool=POOL, pg_num=groups, autoscale_mode="off")
            return
        except CommandFailed as error:
            if error.errno != errno.ERANGE or groups <= _LEAST_GROUPS:
                raise
            groups //= 2


def check_ours(pool: Optional[Mapping[str, Any]]) -> None:
    """Raise NotNow for a pool of this name that is somebody else's."""
    if pool is not None and APPLICATION not in pool["application_metadata"]:
        raise NotNow(
            f"there is a pool {POOL} without the application {APPLICATION}: it is not ours, "
            "rename it or enable the application on it"
        )
