"""When the pool of workers is there for a round."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from scenarios import workers

if TYPE_CHECKING:
    from cluster.api import DevCluster


@pytest.mark.parametrize(
    ("states", "pools", "active"),
    [
        (["active+clean"], 1, True),
        (["active+clean", "active+clean+scrubbing"], 1, True),
        (["active+clean", "peering"], 1, False),
        (["active+undersized+degraded"], 1, False),
        ([], 1, False),
        (["active+clean"], 2, False),  # of which the mgr knows one
    ],
)
def test_a_pool_is_active_also_while_it_is_scrubbed(
    states: list[str], pools: int, active: bool
) -> None:
    pgmap = {"num_pools": 1, "pgs_by_state": [{"state_name": state} for state in states]}

    def answer(*words: str) -> Any:
        return {"pgmap": pgmap} if words == ("status",) else ["a pool"] * pools

    cluster = cast("DevCluster", SimpleNamespace(ceph_json=answer))
    assert workers._all_active(cluster) is active
