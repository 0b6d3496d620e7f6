"""The pool of our own, for small probes and for reads; made when it is needed first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Optional

import rados

from ..errors import CommandFailed, NotNow

POOL = "perf_bench"
_APPLICATION = "perf_bench"
# About 4 groups an OSD, as a pool of its own that holds next to nothing may have.
_MOST_PGS = 512


def order(client: rados.Rados, prefix: str, **arguments: Any) -> Any:
    """Give the monitors an order that answers in JSON. Raises CommandFailed."""
    words = json.dumps({"prefix": prefix, **arguments, "format": "json"})
    code, out, message = client.mon_command(words, b"")
    if code:
        raise CommandFailed(-code, f"{prefix}: {message}")
    return json.loads(out) if out.strip() else None


def make_pool(client: rados.Rados, osds: int) -> None:
    """Make it for a cluster of so many OSDs. Raises CommandFailed."""
    groups = 8
    while groups < min(4 * osds, _MOST_PGS):
        groups *= 2
    order(client, "osd pool create", pool=POOL, pg_num=groups)
    order(client, "osd pool application enable", pool=POOL, app=_APPLICATION)


def check_ours(pool: Optional[Mapping[str, Any]]) -> None:
    """Raise NotNow for a pool of this name that is somebody else's."""
    if pool is not None and _APPLICATION not in pool["application_metadata"]:
        raise NotNow(
            f"there is a pool {POOL} without the application {_APPLICATION}: it is not ours, "
            "rename it or enable the application on it"
        )
