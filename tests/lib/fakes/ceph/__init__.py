"""Ceph's own Python modules as far as we use them, on data captured from real clusters.

``installed`` puts them where ceph-mgr has the real ones. What they do not know they raise on,
also where the real ones answer None: a misspelt name must not pass.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Optional

from . import rados
from .mgr import mgr_module_of
from .world import RELEASES, MgrWorld

__all__ = ["RELEASES", "MgrWorld", "cluster_in", "doctor_in", "installed", "inventory_in", "mgr_in"]

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.cluster import MgrCluster
    from perf_bench.ceph.doctor_snapshot import MgrDoctorSource
    from perf_bench.ceph.inventory import InventoryReader
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.core.clock import Clock


@contextmanager
def installed(world: MgrWorld) -> Iterator[None]:
    """While this lasts, ``mgr_module`` and ``rados`` are those of the world's release.

    Our modules that know Ceph are imported anew for it, and forgotten afterwards: their classes
    derive from Ceph's.
    """
    before = _taken_out()
    sys.modules["mgr_module"] = mgr_module_of(world.release)
    sys.modules["rados"] = rados.module_for(world)
    try:
        yield
    finally:
        _taken_out()
        _put_back(before)


def mgr_in(world: MgrWorld) -> MgrModule:
    """A module of no behaviour in an installed world, as the parts in ceph/ want one."""
    from mgr_module import MgrModule  # noqa: PLC0415 - there only while it is installed

    return MgrModule("perf_bench", object(), world)


def cluster_in(mgr: MgrModule, clock: Clock) -> MgrCluster:
    """The maps of that mgr, with readers of their own."""
    from perf_bench.ceph.cluster import MgrCluster  # noqa: PLC0415 - as above
    from perf_bench.ceph.osd_map import OsdMapReader  # noqa: PLC0415

    maps = OsdMapReader(mgr)
    return MgrCluster(mgr, inventory_in(mgr, clock, maps), maps)


def doctor_in(mgr: MgrModule, clock: Clock) -> MgrDoctorSource:
    """The doctor's source on that mgr."""
    from perf_bench.ceph.client import open_client  # noqa: PLC0415 - as above
    from perf_bench.ceph.cluster import MgrCluster  # noqa: PLC0415
    from perf_bench.ceph.doctor_snapshot import MgrDoctorSource  # noqa: PLC0415
    from perf_bench.ceph.mons import Mons  # noqa: PLC0415
    from perf_bench.ceph.osd_map import OsdMapReader  # noqa: PLC0415

    mons = Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))
    maps = OsdMapReader(mgr)
    inventory = inventory_in(mgr, clock, maps)
    cluster = MgrCluster(mgr, inventory, maps)
    return MgrDoctorSource(mgr, cluster, inventory, maps, mons)


def inventory_in(
    mgr: MgrModule, clock: Clock, maps: Optional[OsdMapReader] = None
) -> InventoryReader:
    """The OSDs of that mgr."""
    from perf_bench.ceph.inventory import InventoryReader  # noqa: PLC0415 - as above
    from perf_bench.ceph.osd_map import OsdMapReader  # noqa: PLC0415

    return InventoryReader(mgr, clock, maps or OsdMapReader(mgr))


def _taken_out() -> dict[str, ModuleType]:
    names = [
        name
        for name in sys.modules
        if name in {"mgr_module", "rados", "perf_bench.module"}
        or name.startswith(
            (
                "perf_bench.ceph",
                "perf_bench.programs",
                "perf_bench.wiring",
                "perf_bench.clients.connect",
                "perf_bench.clients.loader",
            )
        )
    ]
    taken = {name: sys.modules.pop(name) for name in names}
    for name in names:
        package, _, child = name.rpartition(".")
        # `from perf_bench import module` would find it there
        if package in sys.modules:
            delattr(sys.modules[package], child)
    return taken


def _put_back(taken: dict[str, ModuleType]) -> None:
    sys.modules.update(taken)
    for name, module in taken.items():
        package, _, child = name.rpartition(".")
        if package in sys.modules:
            setattr(sys.modules[package], child, module)
