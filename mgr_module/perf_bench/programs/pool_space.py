"""Check whether a pool is full, for clients without progress: on a full pool they wait for ever."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from ..ceph.client import open_client
from ..errors import CommandFailed
from ..loadgen.workers.rados_channel import NoRoom, RadosChannel
from ..model.rados import LoadOrder

# Seconds. Short, because the clients' output is not read meanwhile.
_LIMIT = 5.0


def check_room(order: LoadOrder, access: Mapping[str, str]) -> None:
    """Raise NoRoom if the pool refuses writes because it is full."""
    try:
        client = open_client(access["name"], access["keyring"], access["mon_host"], _LIMIT)
        try:
            with contextlib.closing(RadosChannel(client, order.pool, order.namespace)) as place:
                place.check_room()
        finally:
            client.shutdown()
    except NoRoom:
        raise
    except CommandFailed:  # the clients report any other error themselves
        return
