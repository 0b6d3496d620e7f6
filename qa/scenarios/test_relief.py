"""Relief of an OSD: seen in the OSD map, kept over a killed mgr, and put back exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cluster.api import DevCluster
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
SURE = "--yes-i-really-mean-it"
JOURNAL = "mgr/perf_bench/held/relief"
EINVAL, ENOENT = 22, 2


def _of(cluster: DevCluster, osd: int) -> tuple[float, float]:
    """Primary affinity and reweight as the OSD map has them."""
    osds = cluster.ceph_json("osd", "dump")["osds"]
    (found,) = [one for one in osds if one["osd"] == osd]
    return found["primary_affinity"], found["weight"]


@pytest.fixture(autouse=True)
def as_made(operator: Operator) -> Iterator[None]:
    """After a scenario that failed, too."""
    yield
    cluster = operator.cluster
    for osd in (1, 2):
        if _of(cluster, osd) != (1, 1):
            cluster.ceph("osd", "primary-affinity", str(osd), "1")
            cluster.ceph("osd", "reweight", str(osd), "1")
    for key in cluster.ceph_json("config-key", "ls"):
        if key.startswith(JOURNAL):
            cluster.ceph("config-key", "rm", key)


def _reliefs(operator: Operator) -> list[Any]:
    found: list[Any] = operator.asks("relief", "ls")
    return found


def test_a_relief_outlives_a_killed_mgr_and_is_put_back_exactly(operator: Operator) -> None:
    cluster = operator.cluster
    cluster.ceph("osd", "primary-affinity", "1", "0.7")
    before, _ = _of(cluster, 1)
    refused = operator.refused("osd", "relieve", "1")
    assert (refused.code, SURE in refused.err) == (EINVAL, True)
    assert _of(cluster, 1) == (before, 1)

    assert operator.asks("osd", "relieve", "1", "--affinity", "0", SURE)["in_effect"]
    assert _of(cluster, 1) == (0, 1)
    cluster.fault("kill-mgr", "active")
    operator.sees_it_ready()
    (listed,) = _reliefs(operator)
    assert (listed["osd"], listed["was"], listed["in_effect"]) == (1, before, True)
    assert _of(cluster, 1) == (0, 1)
    operator.sees("it in the OSD", lambda: operator.asks("osd", "show", "1")["relieved"], 90.0)
    assert operator.asks("osd", "show", "1")["primary_affinity"] == 0

    (back,) = operator.asks("osd", "relieve", "1", "--undo")["put_back"]
    assert float(back["was"]) == before
    assert _of(cluster, 1) == (before, 1)
    assert _reliefs(operator) == []
    assert JOURNAL not in cluster.ceph("config-key", "ls")
    cluster.fault("clear", "all")


def test_what_an_operator_changed_meanwhile_stays(operator: Operator) -> None:
    cluster = operator.cluster
    operator.asks("osd", "relieve", "2", "--reweight", "0.9", SURE)
    operator.asks("osd", "relieve", "2", "--affinity", "0.5", SURE)
    cluster.ceph("osd", "primary-affinity", "2", "0.25")
    told = {one["what"]: one["in_effect"] for one in _reliefs(operator)}
    assert told == {"primary_affinity": False, "reweight": True}
    done = operator.asks("osd", "relieve", "2", "--undo")
    assert [one["what"] for one in done["put_back"]] == ["osd/2/reweight"]
    (theirs,) = done["theirs"]
    assert (theirs["what"], float(theirs["now"])) == ("osd/2/primary_affinity", 0.25)
    assert _of(cluster, 2) == (0.25, 1)
