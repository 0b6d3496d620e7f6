"""What the watch finds while clients work: a stalled OSD, named in time, and why others are slow.

A whole host, and that a fault is let go of: qa/scenarios/vigil.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from scenarios.clients import POOL, remove_pool, writing
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster

STALLED = 3
CODE = "PERF_BENCH_SLOW_OSD"
# Minutes with data, after minutes until the clients have begun and are seen.
_JUDGED = 1200.0
# Three of five minutes, and at most a minute until the watch has read them.
_PROMISED = 360.0


@pytest.fixture(autouse=True, scope="module")
def watched(cluster: DevCluster) -> Iterator[None]:
    """Clients at work."""
    with writing(cluster, threads=8):
        yield
    remove_pool(cluster, POOL)


def _warnings(operator: Operator) -> list[Any]:
    """Of OSDs, hosts and enclosures that are slow; an info accuses nobody."""
    codes = {CODE, "PERF_BENCH_SLOW_HOST", "PERF_BENCH_SLOW_ENCLOSURE"}
    found = operator.asks("finding", "ls")
    return [one for one in found if one["code"] in codes and one["severity"] != "info"]


def _judged(operator: Operator) -> bool:
    """Whether every OSD has enough operations to be judged."""
    return "no-data" not in {osd["state"] for osd in operator.asks("osd", "ls")}


def test_a_stalled_osd_is_named_in_time_and_nobody_else(operator: Operator) -> None:
    operator.sees("that every OSD is judged", lambda: _judged(operator), _JUDGED)
    assert _warnings(operator) == []
    operator.cluster.fault("stall", f"osd.{STALLED}")
    (found,) = operator.sees("the finding", lambda: _warnings(operator), _PROMISED)
    assert found["target"] == {"kind": "osd", "id": str(STALLED)}, found
    assert found["evidence"]["path"] == "acute", found
    assert f"osd.{STALLED}" in found["message"]

    assert f"osd.{STALLED}" in operator.sees_in_health(CODE)
    shown = operator.asks("osd", "show", str(STALLED))
    assert shown["state"] == "slow"
    assert shown["ratio"] > 2
    assert [finding["id"] for finding in shown["findings"]] == [found["id"]]
    slow = f'ceph_perf_bench_osd_slow{{ceph_daemon="osd.{STALLED}"'
    assert slow in operator.answered("metrics").out
    # The OSDs of a host are on one disk here, so they go with it.
    steps = [step["command"] for step in found["next_steps"]["replace"]]
    assert f"ceph osd ok-to-stop 0 {STALLED}" in steps


def _primary(cluster: DevCluster) -> Optional[int]:
    """The OSD that is primary of most groups which the stalled one is a replica of."""
    groups = cluster.ceph_json("pg", "ls-by-pool", POOL)["pg_stats"]
    counts = Counter(
        group["acting_primary"]
        for group in groups
        if group["acting_primary"] != STALLED and STALLED in group["acting"]
    )
    return counts.most_common(1)[0][0] if counts else None


def _complete(operator: Operator, osd: int) -> Any:
    found = operator.asks("osd", "why", str(osd))
    return found if found["state"] == "complete" else None


@pytest.mark.long
def test_the_primary_names_its_stalled_replica(operator: Operator) -> None:
    cluster = operator.cluster
    cluster.fault("stall", f"osd.{STALLED}")
    primary = operator.sees("its groups", lambda: _primary(cluster), 60.0)

    wanted = f"The slowest operations of osd.{primary} are held up by osd.{STALLED}."

    def named() -> Any:
        # Until they are the slowest of ten minutes, those of before are told, too.
        found = _complete(operator, primary)
        return found if found and found["sentences"][0] == wanted else None

    found = operator.sees("the replica at fault", named, 240.0)
    assert found["waits_for"][0]["osd"] == STALLED
    assert found["waits_for"][0]["share"] > 0.5
    assert found["operations"]["sub_operations"] > 1 / 3
    assert sum(found["operations"].values()) == pytest.approx(1.0, abs=0.01)
    assert STALLED in {peer["osd"] for peer in found["peers"]}

    # And from the other side.
    itself = operator.sees("that it is at fault itself", lambda: _complete(operator, STALLED), 60.0)
    assert itself["waited_for_by"], itself
