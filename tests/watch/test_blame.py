"""What is at fault, as a table: which OSDs are in trouble, and what that points at."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from perf_bench.model.finding import Target, Watched
from perf_bench.watch.blame import CLUSTER, causes, units_of

# Four hosts of five OSDs in two racks; osd.0 and osd.1 share a device.
MEMBERS = [
    Watched(
        osd,
        f"osd.{osd}",
        f"host{osd // 5}",
        "hdd",
        rack=f"rack{osd // 10}",
        device="nvme0" if osd < 2 else f"disk{osd}",
    )
    for osd in range(20)
]
HOST1 = Target("host", "host1")


def osd(number: int) -> Target:
    return Target("osd", str(number))


def named(osds: Collection[int], members: Sequence[Watched] = MEMBERS) -> list[Target]:
    return [one.target for one in causes(osds, units_of(members))]


@pytest.mark.parametrize(
    ("osds", "targets"),
    [
        ([7], [osd(7)]),
        ([0, 1], [osd(0)]),  # one device
        ([5, 6], [osd(5), osd(6)]),  # two of five: not the host
        ([5, 6, 7], [HOST1]),
        (range(5, 10), [HOST1]),
        ([*range(5, 10), 12], [HOST1, osd(12)]),
        (range(10), [Target("rack", "rack0")]),
        # six of the rack's ten, but one host
        ([*range(5), 5], [Target("host", "host0"), osd(5)]),
        ([*range(3), *range(5, 8)], [Target("rack", "rack0")]),
        (range(20), [CLUSTER]),
        ([99], [osd(99)]),  # not watched
        ([], []),
    ],
)
def test_who_is_blamed(osds: Collection[int], targets: list[Target]) -> None:
    assert named(osds) == targets


def test_each_osd_in_trouble_is_in_one_cause() -> None:
    found = causes([*range(5, 10), 12, 13], units_of(MEMBERS))
    assert [(one.target, sorted(one.osds)) for one in found] == [
        (HOST1, [5, 6, 7, 8, 9]),
        (Target("osd", "12"), [12]),
        (Target("osd", "13"), [13]),
    ]
    assert found[0].unit is not None
    assert found[0].unit.kind == "host"


def test_units_with_the_same_osds_have_the_narrower_name() -> None:
    members = [Watched(osd, f"osd.{osd}", "host0", "hdd", rack="rack0") for osd in range(3)]
    assert [unit.kind for unit in units_of(members)] == ["host"]
    assert named([0, 1], members) == [Target("host", "host0")]


def test_a_rack_of_hosts_with_one_osd_each() -> None:
    members = [
        Watched(osd, f"osd.{osd}", f"host{osd}", "hdd", rack=f"rack{osd // 3}") for osd in range(6)
    ]
    assert named([0, 1, 2], members) == [Target("rack", "rack0")]
