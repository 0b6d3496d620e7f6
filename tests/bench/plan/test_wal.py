"""Which OSDs two benches can tell the log of, and with which sizes."""

from __future__ import annotations

import pytest

from fakes.cluster import FakeCluster
from nouns import some_osds
from perf_bench.bench.plan.osds import Last, prepare
from perf_bench.errors import InvalidValue
from perf_bench.model.osd import Wal
from perf_bench.model.plan import KIB, Plan, Request

SPINNING = Wal(spinning=True, on_flash=True, deferred_bytes=64 * KIB, dedicated="db")
FLASH = Wal(spinning=False, on_flash=True)


def _plan(logs: dict[int, Wal]) -> Plan:
    cluster = FakeCluster(some_osds(4, hosts=2))
    cluster.logs = logs
    return prepare(Request("osd-wal"), cluster, 64, Last()).plan


@pytest.mark.parametrize(
    ("deferred", "above"),
    [(64 * KIB, 128 * KIB), (32 * KIB, 64 * KIB), (5000, 12 * KIB), (256 * KIB, 512 * KIB)],
)
def test_a_size_below_and_one_above(deferred: int, above: int) -> None:
    wal = Wal(spinning=True, deferred_bytes=deferred)
    plan = _plan(dict.fromkeys(range(4), wal))
    assert [(p.name, p.step.block_size, p.waves) for p in plan.phases] == [
        ("deferred-write", 4 * KIB, ((0, 1), (2, 3))),
        ("direct-write", above, ((0, 1), (2, 3))),
    ]
    assert plan.phases[1].step.block_size > deferred
    assert all(phase.step.prefilled for phase in plan.phases)
    assert [phase.step.operations for phase in plan.phases] == [3000, 3000]
    assert (plan.repeats, plan.rest_seconds, plan.kept_bytes) == (3, 0, 0)


def test_osds_on_flash_are_left_out() -> None:
    plan = _plan({0: SPINNING, 1: FLASH, 2: FLASH, 3: SPINNING})
    assert plan.osds == (0, 3)
    assert plan.notes == ("2 OSDs left out: data on flash, or nothing is deferred",)


@pytest.mark.parametrize(
    "wal",
    [
        FLASH,
        Wal(),
        # nothing is deferred, or so little that no size is below
        Wal(spinning=True, deferred_bytes=0),
        Wal(spinning=True, deferred_bytes=4 * KIB),
        # no size of small writes is above
        Wal(spinning=True, deferred_bytes=300 * KIB),
        Wal(spinning=True, deferred_bytes=1024 * KIB),
    ],
)
def test_where_it_does_not_apply_it_says_so(wal: Wal) -> None:
    with pytest.raises(InvalidValue, match="osd-wal does not apply: "):
        _plan(dict.fromkeys(range(4), wal))
