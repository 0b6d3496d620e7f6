"""A cluster that is well, until a test says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from perf_bench.model.admission import GuardSnapshot, Load, Situation, Space

TIB = 1 << 40


class FakeAdmissionSource:
    """The Outlook port over a FakeCluster. Change ``now`` with ``change``."""

    def __init__(self, cluster: FakeCluster, clock: FakeClock) -> None:
        self._cluster = cluster
        self._clock = clock
        self.epochs = 7
        self.now = Situation(
            at=0.0,
            checks=(),
            flags=frozenset({"sortbitwise"}),
            pgs={"active+clean": 64},
            slow_ops={},
            down_in=(),
            releases={"16.2.15": len(cluster.osds())},
            upgrading=False,
            client=Load(0, 0),
            running=(),
        )

    def change(self, **fields: object) -> None:
        self.now = replace(self.now, **fields)  # type: ignore[arg-type]

    def look(self, osds: Sequence[int]) -> Situation:
        nearfull = dict.fromkeys(self._cluster.nearfull.intersection(osds), "nearfull")
        return replace(
            self.now,
            at=self._clock.now(),
            fullness=nearfull,
            space={osd: Space(8 * TIB, TIB) for osd in osds},
        )

    def epoch(self) -> int:
        return self.epochs

    def up(self) -> frozenset[int]:
        return frozenset(osd.id for osd in self._cluster.osds() if osd.up)

    def glance(self) -> GuardSnapshot:
        pgs, slow_ops = dict(self.now.pgs or {}), dict(self.now.slow_ops or {})
        return GuardSnapshot(pgs, slow_ops, self.up(), epoch=self.epochs)

    def copies(self) -> float:
        return 3.0
