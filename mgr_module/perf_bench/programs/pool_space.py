"""Whether a pool has room: asked for clients that stand still, which would wait for ever."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from ..ceph.client import open_client
from ..errors import CommandFailed
from ..loadgen.workers.rados_channel import NoRoom, RadosChannel
from ..model.rados import LoadOrder

# While it is asked nothing is heard of the clients; a cluster may be slow without being full.
_LIMIT = 5.0


def check_room(order: LoadOrder, access: Mapping[str, str]) -> None:
    """Raise NoRoom where the pool refuses what would grow it."""
    try:
        client = open_client(access["name"], access["keyring"], access["mon_host"], _LIMIT)
        try:
            with contextlib.closing(RadosChannel(client, order.pool, order.namespace)) as place:
                place.check_room()
        finally:
            client.shutdown()
    except NoRoom:
        raise
    except CommandFailed:  # of what else is wrong the clients tell
        return
