"""How OSDs are laid out in waves, and how long that will take."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.cluster import FakeCluster
from nouns import an_osd, some_osds
from perf_bench.bench.plan.osds import Last, lay_waves, prepare
from perf_bench.errors import InvalidValue
from perf_bench.model.osd import Osd, Wal
from perf_bench.model.plan import KIB, Plan, Request


def _hosts(*counts: int) -> list[Osd]:
    """So many OSDs on each of the hosts, numbered host by host."""
    hosts = [f"host-{index}" for index, count in enumerate(counts) for _ in range(count)]
    return [an_osd(number, host) for number, host in enumerate(hosts)]


def test_waves() -> None:
    for osds, most, waves in [
        ([], 8, ()),
        (_hosts(1), 8, ((0,),)),
        # one host: one at a time
        (_hosts(3), 8, ((0,), (1,), (2,))),
        # as wide as there are hosts
        (_hosts(2, 2), 8, ((0, 2), (1, 3))),
        # the host with more fills the later waves alone
        (_hosts(3, 1), 8, ((0, 3), (1,), (2,))),
        # a wave that is too wide is split into even parts: 2 and 2, not 3 and 1
        (_hosts(1, 1, 1, 1), 3, ((0, 2), (1, 3))),
        (_hosts(1, 1, 1), 1, ((0,), (1,), (2,))),
    ]:
        assert lay_waves(osds, most) == waves


def test_the_order_in_which_osds_come_makes_no_difference() -> None:
    osds = _hosts(3, 2, 1)
    assert lay_waves(list(reversed(osds)), 2) == lay_waves(osds, 2)


@given(
    st.lists(st.integers(0, 5), max_size=40).map(
        lambda hosts: [an_osd(3 * number, f"host-{host}") for number, host in enumerate(hosts)]
    ),
    st.integers(1, 8),
)
def test_every_osd_once_one_a_host_and_no_wave_too_wide(osds: list[Osd], most: int) -> None:
    waves = lay_waves(osds, most)
    host_of = {osd.id: osd.host for osd in osds}
    assert sorted(osd for wave in waves for osd in wave) == sorted(host_of)
    for wave in waves:
        assert 1 <= len(wave) <= most
        assert len({host_of[osd] for osd in wave}) == len(wave)
        assert list(wave) == sorted(wave)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12))
def test_no_more_waves_than_the_fullest_host_has_osds(counts: list[int]) -> None:
    osds = _hosts(*counts)
    assert len(lay_waves(osds, max_parallel=64)) == max(Counter(o.host for o in osds).values())


# --- which OSDs two benches can tell the log of, and with which sizes -----------------------------


SPINNING = Wal(spinning=True, on_flash=True, deferred_bytes=64 * KIB, dedicated="db")
FLASH = Wal(spinning=False, on_flash=True)


def _plan(logs: dict[int, Wal]) -> Plan:
    cluster = FakeCluster(some_osds(4, hosts=2))
    cluster.logs = logs
    return prepare(Request("osd-wal"), cluster, 64, Last()).plan


def test_a_size_below_and_one_above() -> None:
    for deferred, above in [
        (64 * KIB, 128 * KIB),
        (32 * KIB, 64 * KIB),
        (5000, 12 * KIB),
        (256 * KIB, 512 * KIB),
    ]:
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


def test_where_it_does_not_apply_it_says_so() -> None:
    for wal in [
        FLASH,
        Wal(),
        # nothing is deferred, or so little that no size is below
        Wal(spinning=True, deferred_bytes=0),
        Wal(spinning=True, deferred_bytes=4 * KIB),
        # no size of small writes is above
        Wal(spinning=True, deferred_bytes=300 * KIB),
        Wal(spinning=True, deferred_bytes=1024 * KIB),
    ]:
        with pytest.raises(InvalidValue, match="osd-wal does not apply: "):
            _plan(dict.fromkeys(range(4), wal))
