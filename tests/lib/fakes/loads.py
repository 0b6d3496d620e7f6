"""Clients, pools and what is noted of them, as a test scripts them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Callable, Optional

from perf_bench.errors import CommandFailed
from perf_bench.model.json_fields import Json
from perf_bench.model.plan import MIB
from perf_bench.model.rados import (
    APPLICATION,
    POOL,
    ClientRun,
    Groups,
    LoadOrder,
    Pool,
    Row,
    Worker,
)

Run = Callable[[LoadOrder, Callable[[], bool]], Sequence[ClientRun]]


def a_pool(name: str = POOL, **changes: object) -> Pool:
    """An empty pool of the bench's on six OSDs; ``changes`` are fields of it."""
    pool = Pool(
        name=name,
        kind="replicated",
        copies=3.0,
        size=3,
        pg_num=64,
        applications=(APPLICATION,),
        flags=("hashpspool",),
        objects=0,
        stored_bytes=0,
        available_bytes=1 << 40,
        quota_bytes=0,
        quota_objects=0,
        compression="none",
        osds=tuple(range(6)),
    )
    return replace(pool, **changes)  # type: ignore[arg-type]


def steady(rate: float = 100.0, latency: float = 0.01, began: float = 1000.0) -> Run:
    """All clients do so many operations a second for their whole time."""

    def run(order: LoadOrder, _ended: Callable[[], bool]) -> Sequence[ClientRun]:
        rows = tuple(Row(s, int(rate * s), latency) for s in range(order.seconds + 1))
        one = ClientRun(
            op_size=order.size,
            seconds=float(order.seconds),
            operations=int(rate * order.seconds),
            mean_latency=latency,
            min_latency=latency / 2,
            max_latency=latency * 2,
            rows=rows,
            started_at=began,
        )
        return [one] * order.clients

    return run


class FakeLoader:
    """The Loader port over pools that hold objects by namespace."""

    def __init__(self) -> None:
        self.runs: list[Run] = [steady()]
        self.orders: list[LoadOrder] = []
        # By (pool, namespace) how many objects stand there.
        self.objects: dict[tuple[str, str], int] = {}
        self.swept: list[tuple[str, str]] = []
        self.sweep_fails: Optional[CommandFailed] = None
        self.there: list[Worker] = []

    def run(
        self,
        order: LoadOrder,
        on_row: Callable[[int, Row], None],
        ended: Callable[[], bool],
    ) -> Sequence[ClientRun]:
        act = self.runs[min(len(self.orders), len(self.runs) - 1)]
        self.orders.append(order)
        if order.operation == "write":
            self.objects[order.pool, order.namespace] = 100
        elif not self.objects.get((order.pool, order.namespace)):
            raise CommandFailed(2, "Must write data before running a read benchmark!")
        found = act(order, ended)
        for number, run in enumerate(found):
            for row in run.rows:
                on_row(number, row)
        return found

    def workers(self) -> Sequence[Worker]:
        return list(self.there)

    def worker_next(self, worker: str, text: str) -> Json:
        return {"ask_in": 5.0}

    def worker_tell(self, worker: str, text: str) -> Json:
        return {"ask_in": 5.0}

    def sweep(self, pool: str, namespace: str) -> int:
        if self.sweep_fails is not None:
            raise self.sweep_fails
        self.swept.append((pool, namespace))
        return self.objects.pop((pool, namespace), 0)


class FakePools:
    """The Pools port; the bench's own pool is made when it is missing."""

    def __init__(self, *pools: Pool) -> None:
        self.pools = {pool.name: pool for pool in pools}
        self.ensured: list[str] = []

    def look(self, name: str) -> Optional[Pool]:
        return self.pools.get(name)

    def flags(self, name: str) -> Optional[Collection[str]]:
        pool = self.pools.get(name)
        return None if pool is None else pool.flags

    def ensure(self, name: str, ended: Callable[[], bool]) -> str:
        self.ensured.append(name)
        self.pools.setdefault(name, a_pool(name))
        return name

    def groups(self, name: str, osds: Collection[int]) -> Groups:
        return Groups(64, {osd: [osd] for osd in osds})

    def free_bytes(self) -> int:
        return 6 << 40

    def largest_object(self) -> int:
        return 90 * MIB

    def messenger_modes(self) -> Mapping[str, str]:
        return {"ms_client_mode": "crc secure"}


class FakeTraces:
    """The LeftoverKeeper."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def load(self) -> Mapping[str, str]:
        return dict(self.kept)

    def add(self, namespace: str, pool: str) -> None:
        self.kept[namespace] = pool

    def remove(self, namespace: str) -> None:
        self.kept.pop(namespace, None)
