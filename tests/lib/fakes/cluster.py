"""A cluster as a list of OSDs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from perf_bench.model.osd import Osd, Wal
from perf_bench.model.plan import BenchLimits

FSID = "a55ec6f2-6d6c-4d58-9e3e-d1b1f9a3c001"


class FakeCluster:
    """The Cluster port. Change it with ``set_down`` and the public attributes.

    An OSD that it does not have is down, as one that was removed is.
    """

    def __init__(self, osds: Iterable[Osd]) -> None:
        self._osds = {osd.id: osd for osd in osds}
        self._newest: Sequence[Osd] = ()
        self.limits = BenchLimits()
        self.nearfull: set[int] = set()
        self.logs: dict[int, Wal] = {}
        self.copies = 3
        self.facts: dict[str, Any] = {
            "release": "16.2.15 pacific",
            "health": "HEALTH_OK",
            "fsid": FSID,
        }

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        """The same object while nothing has changed, as of a real cluster."""
        osds = sorted(self._osds.values(), key=lambda osd: osd.id)
        if osds != self._newest:
            self._newest = osds
        return self._newest

    def down(self, osds: Sequence[int]) -> set[int]:
        return {osd for osd in osds if osd not in self._osds or not self._osds[osd].up}

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        return self.limits

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        return {osd: self.logs.get(osd, Wal()) for osd in osds}

    def bench_copies(self) -> int:
        return self.copies

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        return dict(self.facts)

    def change(self, osd: int, **fields: Any) -> None:
        self._osds[osd] = replace(self._osds[osd], **fields)

    def set_down(self, *osds: int) -> None:
        for osd in osds:
            self._osds[osd] = replace(self._osds[osd], up=False)

    def set_up(self, *osds: int) -> None:
        for osd in osds:
            self._osds[osd] = replace(self._osds[osd], up=True)
