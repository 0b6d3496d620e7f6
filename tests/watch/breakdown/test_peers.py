"""Who is asked beside an OSD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from perf_bench.model.osd import Osd
from perf_bench.watch.breakdown.peers import peers_of


def _osd(number: int, host: str, **more: Any) -> Osd:
    return Osd(number, host, **{"device_class": "hdd", **more})


SIX = [_osd(number, f"host-{number % 3}") for number in range(6)]
SAME = dict.fromkeys(range(6), "hdd")


@pytest.mark.parametrize(
    ("osds", "cohorts", "avoided", "expected"),
    [
        (SIX, SAME, (), [1, 2]),  # two other hosts
        (SIX, SAME, (1,), [2, 4]),  # one that is slow itself is left out
        (SIX, SAME, (1, 2, 4, 5), [3, 1]),  # of its own host rather than a slow one
        (SIX, {**SAME, 1: "other", 4: "other"}, (), [2, 3]),  # its cohort first
        (SIX, {}, (), [1, 2]),  # the watch is off: class and model
        ([*SIX[:1], _osd(3, "host-0")], SAME, (), [3]),  # its own host, where there is no other
        ([SIX[0], _osd(1, "b", up=False), _osd(2, "c", in_cluster=False)], SAME, (), []),
        ([SIX[0], _osd(1, "b", device_class="ssd")], SAME, (), []),
        ([SIX[0]], SAME, (), []),
    ],
)
def test_peers(
    osds: Sequence[Osd], cohorts: Mapping[int, str], avoided: tuple[int, ...], expected: list[int]
) -> None:
    assert [one.id for one in peers_of(SIX[0], osds, cohorts, avoided)] == expected


def test_the_next_ones_are_asked_and_not_always_the_first() -> None:
    assert [one.id for one in peers_of(SIX[3], SIX, SAME)] == [4, 5]
    assert [one.id for one in peers_of(SIX[5], SIX, SAME)] == [0, 1]
