"""An OSD that is made anew under its ID, as after a new drive: the past of the ID is not its."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from scenarios.operator import Operator
from scenarios.throwaway import watched

pytestmark = pytest.mark.cluster
OSD, PROFILE = 2, "osd-iops"


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Iterator[DevCluster]:
    """One of its own: one of its OSDs is another one afterwards."""
    with watched(request.config, osds=3, hosts=3) as made:
        yield made


def _shown(operator: Operator, osd: int) -> Any:
    return operator.asks("osd", "show", str(osd))


def _figure(operator: Operator, osd: int) -> Optional[float]:
    """What `osd ls` has of the newest round."""
    (row,) = [one for one in operator.asks("osd", "ls") if one["osd"] == osd]
    found: Optional[float] = row["last_bench"] and row["last_bench"]["iops"]
    return found


def test_an_osd_made_anew_has_not_the_figures_of_the_one_before(operator: Operator) -> None:
    number = operator.measures(PROFILE, "--repeats", "1")["id"]
    operator.sees("figures of all OSDs", lambda: all(_figure(operator, osd) for osd in range(3)))
    operator.cluster.replace(f"osd.{OSD}")
    operator.sees("that it was made anew", lambda: _figure(operator, OSD) is None)
    assert all(_figure(operator, osd) for osd in range(3) if osd != OSD)
    shown = _shown(operator, OSD)
    assert f"Rounds up to {number} measured another OSD with the ID {OSD}" in str(shown["explain"])
    # The mgr that takes over finds the same in the database.
    operator.cluster.ceph("mgr", "fail", operator.active_mgr())
    operator.sees_it_ready()
    operator.sees("the others", lambda: _figure(operator, 0) is not None)
    assert _figure(operator, OSD) is None
    # Its own figures count.
    operator.measures(PROFILE, "--repeats", "1")
    operator.sees("its own", lambda: _figure(operator, OSD) is not None)
