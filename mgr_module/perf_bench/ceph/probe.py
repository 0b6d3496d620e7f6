"""Small reads and writes through the client path, to objects that stand on chosen OSDs.

An object's placement group follows from its name (``object_placement.py``), and its acting primary
from the mgr's own map, also when a group has moved. An OSD that is the primary of no group of the
pool is out of reach.
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
from .object_placement import names_in
from .pool import check_ours, make_pool, order

_NAMESPACE = "probe"
_SIZE = 4096
# A probe that takes longer than this is given up: slow requests are called so at 30 s.
LIMIT = 10
# Objects of each OSD, in as many groups, so that a slow replica spoils some of its writes, not all.
_OBJECTS = 4


class RadosProber:
    """The Prober port: a librados client, a pool of our own in it, names by OSD."""

    def __init__(self, mgr: MgrModule, client: rados.Rados) -> None:
        """``client`` is closed with it; its time limit should be ``LIMIT``."""
        self._mgr = mgr
        self._client = client
        self._groups: dict[str, int] = {}
        self._pg_num = 0
        self._data = b"\0" * _SIZE
        self._ioctx: Optional[rados.Ioctx] = None

    def place(self) -> Mapping[int, Sequence[str]]:
        """By OSD the names of objects whose acting primary it is; makes the pool if it must.

        Raises NotNow when the pool is somebody else's, CommandFailed when it cannot be made.
        """
        osd_map = self._mgr.get("osd_map")
        up = sum(1 for osd in osd_map["osds"] if osd["up"] and osd["in"])
        pool = next((p for p in osd_map["pools"] if p["pool_name"] == POOL), None)
        if pool is None:
            make_pool(partial(order, self._client), up)
            raise NotNow(f"the pool {POOL} has just been made, its placement groups come up")
        check_ours(pool)
        if self._ioctx is None:
            self._ioctx = self._client.open_ioctx(POOL)
            self._ioctx.set_namespace(_NAMESPACE)
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
        # All that is in the namespace: the names change with the number of groups and with mgrs.
        if self._ioctx is not None:
            for found in self._ioctx.list_objects():
                with suppress(rados.Error):  # an OSD that hangs; its next probe may be cleared
                    self._ioctx.remove_object(found.key)

    def close(self) -> None:
        if self._ioctx is not None:
            self._ioctx.close()
        self._client.shutdown()

    def _opened(self) -> rados.Ioctx:
        if self._ioctx is None:
            raise CommandFailed(errno.ENOTCONN, "the probe has no pool yet")
        return self._ioctx

    def _name_objects(self, groups: int) -> None:
        """Have a name in every group."""
        every = Groups(groups, {group: (group,) for group in range(groups)})
        named = names_in(every, 1, _NAMESPACE, "osd-probe")
        self._groups = {name: group for group, (name,) in named.items()}

    def _primaries(self, pool_id: int) -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = defaultdict(list)
        osd_map = self._mgr.get_osdmap()
        for name, group in self._groups.items():
            primary = osd_map.pg_to_up_acting_osds(pool_id, group)["acting_primary"]
            if primary >= 0 and len(found[primary]) < _OBJECTS:
                found[primary].append(name)
        return found
