"""What the watch finds on a cluster that works, and whether it lets go of it again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from scenarios.clients import writing
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster

# An acute fault must last for three minutes, as the detector looks at it.
FOUND = 900.0
CLEARED = 900.0


@pytest.fixture(autouse=True, scope="module")
def watched(cluster: DevCluster) -> Iterator[None]:
    """Clients at work."""
    with writing(cluster):
        yield


def _open(operator: Operator, code: str) -> Optional[Any]:
    """The open finding of that code, if there is one."""
    return next((f for f in operator.asks("finding", "ls") if f["code"] == code), None)


def _watched(operator: Operator) -> bool:
    """Whether every OSD has enough operations to be judged."""
    states = {osd["state"] for osd in operator.asks("osd", "ls")}
    return "no-data" not in states


def _line(metrics: str, osd: int, channel: str) -> str:
    wanted = (f'ceph_daemon="osd.{osd}"', f'channel="{channel}"')
    return next((line for line in metrics.splitlines() if all(part in line for part in wanted)), "")


# The first two do not need a detector that knows what is normal: it learns meanwhile.


@pytest.mark.long
def test_a_stalled_osd_is_named_muted_over_a_killed_mgr_and_let_go(operator: Operator) -> None:
    operator.sees("that every OSD is judged", lambda: _watched(operator), FOUND)
    operator.cluster.fault("stall", "osd.3")
    code = "PERF_BENCH_SLOW_OSD"
    found = operator.sees("the finding", lambda: _open(operator, code), FOUND)
    assert found["target"] == {"kind": "osd", "id": "3"}, found
    assert "osd.3" in found["message"]

    health = operator.sees_in_health(code)
    assert "osd.3" in health, health
    shown = operator.asks("osd", "show", "3")
    assert shown["state"] == "slow"
    assert shown["ratio"] > 2
    assert "osd.3" in shown["explain"]
    assert [finding["id"] for finding in shown["findings"]] == [found["id"]]
    assert 'ceph_perf_bench_osd_slow{ceph_daemon="osd.3"' in operator.types("metrics").out

    steps = found["next_steps"]
    # The OSDs of a host are on one disk here, so they go with it.
    assert "ceph osd ok-to-stop 0 3" in [step["command"] for step in steps["replace"]]
    noted = operator.asks("finding", "ack", str(found["id"]), "disk ordered", "--by", "alice")
    assert noted["acknowledged"]["by"] == "alice"
    operator.sees_in_health(code)

    assert operator.types("finding", "mute", str(found["id"]), "1d").code == 0
    operator.sees_gone_from_health(code)
    operator.cluster.fault("kill-mgr", "active")
    operator.sees_it_ready()
    after = _open(operator, code)
    assert after is not None
    assert (after["id"], after["state"]) == (found["id"], "muted"), after
    assert after["first_seen"] == found["first_seen"]
    assert after["acknowledged"] == noted["acknowledged"]
    assert code not in operator.cluster.ceph("health", "detail")

    operator.cluster.fault("clear", "all")
    operator.sees("that it is over", lambda: not _open(operator, code), CLEARED)
    refused = operator.refused("finding", "mute", str(found["id"]), "1d")
    assert "is closed" in refused.err
    (closed,) = [f for f in operator.asks("finding", "ls", "--all") if f["id"] == found["id"]]
    assert closed["state"] == "closed"
    assert closed["closed_at"] is not None
