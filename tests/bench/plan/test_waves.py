"""How OSDs are laid out in waves, and how long that will take."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nouns import an_osd
from perf_bench.bench.plan.osds import lay_waves
from perf_bench.model.osd import Osd


def _hosts(*counts: int) -> list[Osd]:
    """So many OSDs on each of the hosts, numbered host by host."""
    hosts = [f"host-{index}" for index, count in enumerate(counts) for _ in range(count)]
    return [an_osd(number, host) for number, host in enumerate(hosts)]


@pytest.mark.parametrize(
    ("osds", "most", "waves"),
    [
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
    ],
)
def test_waves(osds: list[Osd], most: int, waves: tuple[tuple[int, ...], ...]) -> None:
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
