"""Why an OSD is slow: from its own operations and those of its peers."""

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


@pytest.fixture(autouse=True, scope="module")
def clients(cluster: DevCluster) -> Iterator[None]:
    with writing(cluster, threads=8):
        yield
    remove_pool(cluster, POOL)


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

    text = operator.types("osd", "why", str(primary)).out
    assert f"held up by osd.{STALLED}" in text, text
    assert "sub operations" in text, text

    # And from the other side.
    itself = operator.sees("that it is at fault itself", lambda: _complete(operator, STALLED), 60.0)
    assert itself["waited_for_by"], itself


def test_an_osd_that_cannot_be_asked_is_refused(operator: Operator) -> None:
    assert "no such OSD" in operator.refused("osd", "why", "99").err
    assert "is not an OSD" in operator.refused("osd", "why", "x").err
