"""Capacities of mClock: what was before our first change comes back, and what others set stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from cluster.api import DevCluster
from scenarios.operator import Operator

pytestmark = [pytest.mark.cluster, pytest.mark.long]
KINDS = ("hdd", "ssd")
EOPNOTSUPP = 95
HIGHEST = 5


class Applied(NamedTuple):
    """What was set, by OSD as (option, IOPS), and what the database had before."""

    by_osd: dict[int, tuple[str, float]]
    before: dict[tuple[str, str], float]


NOTHING_LEFT = {"left": 0, "needs_consent": [], "theirs": [], "waiting": []}


def _threshold(kind: str) -> str:
    return f"osd_mclock_iops_capacity_threshold_{kind}"


def _own(cluster: DevCluster) -> dict[tuple[str, str], float]:
    """The capacities that the configuration database has, by OSD and option."""
    return {
        (row["section"], row["name"]): float(row["value"])
        for row in cluster.ceph_json("config", "dump")
        if row["name"].startswith("osd_mclock_max_capacity_iops")
    }


def _proposed(operator: Operator) -> dict[int, tuple[str, float]]:
    return {
        one["osd"]: (one["option"], one["proposed"]) for one in operator.asks("mclock", "propose")
    }


def _used(cluster: DevCluster, osd: int, option: str) -> float:
    return float(cluster.ceph_json("tell", f"osd.{osd}", "config", "get", option)[option])


@pytest.fixture
def applied(operator: Operator) -> Iterator[Applied]:
    """Proposals that were just applied; no OSD of Ceph 16 uses mClock."""
    cluster = operator.cluster
    if {one["verdict"] for one in operator.asks("mclock", "ls")} == {"unused"}:
        assert operator.refused("mclock", "propose").code == EOPNOTSUPP
        pytest.skip("no OSD uses mClock")
    before = _own(cluster)
    # files on this machine do far more than Ceph believes of a disk, which is 500
    for kind in KINDS:
        cluster.ceph("config", "set", "osd", _threshold(kind), "10000000")
    try:
        operator.measures("osd-iops", "--repeats", "1")
        found = operator.sees("proposals", lambda: _proposed(operator))
        assert operator.asks("mclock", "propose", "--apply")["changed"] == sorted(found)
        assert HIGHEST in found
        yield Applied(found, before)
    finally:
        for kind in KINDS:
            cluster.ceph("config", "rm", "osd", _threshold(kind))
        operator.types("mclock", "restore")
        cluster.fault("clear", "all")
        _set_again(cluster, before)


def _set_again(cluster: DevCluster, before: dict[tuple[str, str], float]) -> None:
    """What a scenario that failed has left; an OSD that was started has found its own."""
    for (who, option), value in _own(cluster).items():
        if (who, option) not in before:
            cluster.ceph("config", "rm", who, option)
        elif before[who, option] != value:
            cluster.ceph("config", "set", who, option, str(before[who, option]))


def _far_from(proposed: float) -> int:
    """A capacity for which there is a proposal again, however fast the machine is just now."""
    return round(proposed / 3)


def test_what_an_operator_sets_in_between_is_gone_back_to(
    operator: Operator, applied: Applied
) -> None:
    cluster, all_osds = operator.cluster, sorted(applied.by_osd)
    option, proposed = applied.by_osd[HIGHEST]
    place, by_hand = (f"osd.{HIGHEST}", option), _far_from(proposed)
    cluster.ceph("config", "set", *place, str(by_hand))
    operator.sees("the one by hand", lambda: _used(cluster, HIGHEST, option) == by_hand)
    operator.sees("a proposal", lambda: list(_proposed(operator)) == [HIGHEST])
    assert operator.asks("mclock", "propose", "--apply")["changed"] == [HIGHEST]
    operator.sees("it", lambda: _used(cluster, HIGHEST, option) == proposed)
    done = operator.asks("mclock", "restore")
    assert done == {"changed": all_osds, **NOTHING_LEFT}
    operator.sees("the one by hand", lambda: _used(cluster, HIGHEST, option) == by_hand)
    assert _own(cluster) == {**applied.before, place: by_hand}
    assert operator.asks("mclock", "restore")["changed"] == []
    assert _own(cluster) == {**applied.before, place: by_hand}


def test_what_an_operator_has_set_since_stays(operator: Operator, applied: Applied) -> None:
    cluster, others = operator.cluster, sorted(applied.by_osd.keys() - {HIGHEST})
    option, proposed = applied.by_osd[HIGHEST]
    place, by_hand = (f"osd.{HIGHEST}", option), _far_from(proposed)
    cluster.ceph("config", "set", *place, str(by_hand))
    done = operator.asks("mclock", "restore")
    assert done["changed"] == others
    assert [one["what"] for one in done["theirs"]] == ["config/" + "/".join(place)]
    operator.sees("the one by hand", lambda: _used(cluster, HIGHEST, option) == by_hand)
    assert _own(cluster) == {**applied.before, place: by_hand}


def test_an_osd_that_is_down_is_put_back_too(operator: Operator, applied: Applied) -> None:
    cluster = operator.cluster
    option, proposed = applied.by_osd[HIGHEST]
    assert _own(cluster)[f"osd.{HIGHEST}", option] == proposed
    cluster.fault("down", f"osd.{HIGHEST}")
    done = operator.asks("mclock", "restore")
    assert done == {"changed": sorted(applied.by_osd), **NOTHING_LEFT}
    assert _own(cluster) == applied.before
    assert "mgr/perf_bench/held/mclock" not in cluster.ceph("config-key", "ls")
