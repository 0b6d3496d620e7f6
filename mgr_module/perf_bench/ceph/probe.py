"""Small reads and writes of a client, to objects on chosen OSDs.

An object's placement group follows from its name (``object_placement.py``), and its acting primary
from the mgr's map, also after a group has moved. An OSD that is primary of no group of the pool
cannot be probed.
"""

from __future__ import annotations

import errno
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Optional

import rados
from mgr_module import MgrModule

from ..errors import CommandFailed, NotNow
from ..model.pool import POOL, Groups
from ..model.said import say
from .object_placement import names_in
from .osd_map import OsdMapReader
from .pool import check_grown, check_ours, complete, is_half_made, make_pool, order

_NAMESPACE = "probe"
_SIZE = 4096
# Seconds after which a probe is given up.
LIMIT = 10
# Objects on each OSD, in different groups, so that a slow replica affects only some of its writes.
_OBJECTS = 4


class RadosProber:
    """Implements Prober with a librados client and objects in the bench pool."""

    def __init__(self, mgr: MgrModule, client: rados.Rados, maps: OsdMapReader) -> None:
        """``close`` closes ``client``, whose time limit should be ``LIMIT``."""
        self._mgr = mgr
        self._maps = maps
        self._client = client
        self._groups: dict[str, int] = {}
        self._pg_num = 0
        self._data = b"\0" * _SIZE
        self._ioctx: Optional[rados.Ioctx] = None
        # The ID of its pool: one that was removed and made again has another.
        self._pool_id: Optional[int] = None

    def place(self) -> Mapping[int, Sequence[str]]:
        """By OSD the names of objects whose acting primary it is; makes the pool if needed.

        Raises NotNow for a pool that is new or still grows and for one of another application,
        CommandFailed if the pool cannot be made.
        """
        osd_map = self._maps.look()
        pool = osd_map.pool(POOL)
        if pool is None:
            make_pool(partial(order, self._client), osd_map.up_and_in)
            raise NotNow(
                say(
                    "probe-pool-new",
                    "the pool {pool} has just been made; its placement groups are peering",
                    pool=POOL,
                )
            )
        if is_half_made(pool, self._mgr.get("df")):
            complete(partial(order, self._client))
        else:
            check_ours(pool)
        check_grown(pool)
        if self._ioctx is None or self._pool_id != pool["pool"]:
            # One in use is not closed here: probes in flight use it. It closes itself after them.
            # By its number: its name may be another pool's in the client's own map, which is older.
            ioctx = self._client.open_ioctx2(pool["pool"])
            ioctx.set_namespace(_NAMESPACE)
            self._ioctx, self._pool_id = ioctx, pool["pool"]
        if pool["pg_num"] != self._pg_num:
            self._name_objects(pool["pg_num"])
            self._pg_num = pool["pg_num"]
        return self._primaries(pool["pool"])

    def write(self, name: str) -> None:
        try:
            self._opened().write_full(name, self._data)
        except rados.Error as error:
            raise CommandFailed(error.errno or errno.EIO, str(error)) from error

    def read(self, name: str) -> None:
        try:
            self._opened().read(name, _SIZE)
        except rados.Error as error:
            raise CommandFailed(error.errno or errno.EIO, str(error)) from error

    def clear(self) -> None:
        # All objects in the namespace: the names depend on the number of groups and the version.
        if self._ioctx is not None:
            for listed in self._ioctx.list_objects():
                with suppress(rados.Error):  # an OSD hangs; the next call may remove the object
                    self._ioctx.remove_object(listed.key)

    def close(self) -> None:
        if self._ioctx is not None:
            self._ioctx.close()
        self._client.shutdown()

    def _opened(self) -> rados.Ioctx:
        if self._ioctx is None:
            raise CommandFailed(errno.ENOTCONN, "the probe has no pool yet")
        return self._ioctx

    def _name_objects(self, groups: int) -> None:
        """Find an object name for each group."""
        every = Groups(groups, {group: (group,) for group in range(groups)})
        named = names_in(every, 1, _NAMESPACE, "osd-probe")
        self._groups = {name: group for group, (name,) in named.items()}

    def _primaries(self, pool_id: int) -> Mapping[int, Sequence[str]]:
        names: dict[int, list[str]] = defaultdict(list)
        osd_map = self._mgr.get_osdmap()
        for name, group in self._groups.items():
            primary = osd_map.pg_to_up_acting_osds(pool_id, group)["acting_primary"]
            if primary >= 0 and len(names[primary]) < _OBJECTS:
                names[primary].append(name)
        return names
