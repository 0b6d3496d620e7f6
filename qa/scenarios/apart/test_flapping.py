"""OSDs that are marked down and come back: told, kept over a killed mgr, joined on their host."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from scenarios.operator import Operator
from scenarios.throwaway import watched

pytestmark = pytest.mark.cluster
CODE = "PERF_BENCH_OSD_FLAPPING"


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Iterator[DevCluster]:
    """One of its own: an OSD that flaps keeps rounds from starting for ten minutes."""
    with watched(request.config, osds=6, hosts=3) as made:
        yield made


def _findings(operator: Operator) -> list[Any]:
    found: list[Any] = operator.asks("finding", "ls")
    return [one for one in found if one["code"] == CODE]


def _up(operator: Operator) -> dict[int, int]:
    """By OSD that is up the epoch since which it is."""
    osds = json.loads(operator.cluster.ceph("osd", "dump", "--format", "json"))["osds"]
    return {one["osd"]: one["up_from"] for one in osds if one["up"]}


def _flaps(operator: Operator, osd: int) -> Optional[float]:
    """How often it came back, as the metrics say."""
    name = f'ceph_perf_bench_osd_flaps{{ceph_daemon="osd.{osd}"}} '
    lines = operator.types("metrics").out.splitlines()
    return next((float(line[len(name) :]) for line in lines if line.startswith(name)), None)


def _flap(operator: Operator, osds: Sequence[int], counts: Sequence[int]) -> None:
    """Mark them down and wait until they are back, until each of these counts is told."""
    for count in counts:
        before = _up(operator)
        operator.cluster.ceph("osd", "down", *map(str, osds))
        operator.sees("that they are back", partial(_are_back, operator, osds, before), 120.0)
        # Two returns between two looks at the map count as one.
        operator.sees(f"{count} in the metrics", partial(_told, operator, osds, count))


def _are_back(operator: Operator, osds: Sequence[int], before: Mapping[int, int]) -> bool:
    now = _up(operator)
    return all(now.get(osd, 0) > before[osd] for osd in osds)


def _told(operator: Operator, osds: Sequence[int], count: int) -> bool:
    return all(_flaps(operator, osd) == count for osd in osds)


@pytest.mark.leaves("*")
def test_an_osd_then_a_host_that_flap_are_told(operator: Operator) -> None:
    operator.sees(
        "that the watch knows all OSDs",
        lambda: sum(one["members"] for one in operator.asks("cohort", "ls")) == len(_up(operator)),
        120.0,
    )
    hosts = {one["osd"]: one["host"] for one in operator.asks("osd", "ls")}
    _flap(operator, [4], (1, 2))
    assert _findings(operator) == []
    _flap(operator, [4], (3,))
    (found,) = operator.sees("the finding", lambda: _findings(operator))
    assert found["target"] == {"kind": "osd", "id": "4"}
    assert f"osd.4 on {hosts[4]} went down and came back 3 times in 6 h" in found["message"]
    assert "on its host none did" in found["message"]
    assert len(found["evidence"]["times"]) == 3
    assert "osd.4" in operator.sees_in_health(CODE)
    assert "came back 3 times" in operator.asks("osd", "show", "4")["explain"]

    operator.cluster.fault("kill-mgr", "active")
    operator.sees_it_ready()
    operator.sees("what was counted", lambda: _flaps(operator, 4) == 3)
    assert [one["id"] for one in _findings(operator)] == [found["id"]]

    host, *_ = sorted({name for osd, name in hosts.items() if name != hosts[4]})
    both = [osd for osd, name in hosts.items() if name == host]
    _flap(operator, both, (1, 2, 3))
    operator.sees(
        "the host's finding",
        lambda: {"kind": "host", "id": host} in [one["target"] for one in _findings(operator)],
    )
    assert len(_findings(operator)) == 2, "the host's OSDs have none of their own"
