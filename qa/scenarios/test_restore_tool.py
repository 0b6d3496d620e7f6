"""Settings are put back from any host where every mgr is gone."""

from __future__ import annotations

import json
import re
from contextlib import suppress

import pytest

from cluster.errors import ClusterError
from scenarios.fingerprint import Fingerprints
from scenarios.held import LONG_ROUND, Settings, host_tool, settings
from scenarios.operator import Operator

__all__ = ["settings"]
pytestmark = pytest.mark.cluster
SCRUBS = {"noscrub", "nodeep-scrub"}


def end_all_mgrs(operator: Operator) -> None:
    operator.cluster.fault("kill-mgr", "all")
    for name in operator.cluster.spec.mgrs:
        with suppress(ClusterError):  # the monitors may have seen it themselves
            operator.cluster.ceph("mgr", "fail", name)
    operator.sees("no mgr", lambda: operator.active_mgr() == "" or None)


@pytest.mark.long
def test_without_any_mgr_it_is_put_back_from_a_host(
    operator: Operator, settings: Settings, fingerprints: Fingerprints
) -> None:
    number = operator.starts(*LONG_ROUND)
    operator.sees_samples_of(number, 1)
    held = host_tool(operator, "restore")
    assert held.code == 2, held
    assert held.err.startswith(
        f"ceph-perf-bench: round {number} is running and holds these settings: "
    )
    assert settings.flags() >= SCRUBS

    end_all_mgrs(operator)
    planned = host_tool(operator, "restore", "--dry-run")
    assert "\n    ceph osd unset noscrub\n" in planned.out
    done = host_tool(operator, "restore")
    assert done.code == 1, done
    said = done.out.splitlines()
    assert any(re.match(r"flag/noscrub: (put-back|later), was unset, is unset", x) for x in said)
    assert any(re.match(r"balancer: waiting, .*: no mgr is active, ", x) for x in said)
    assert not SCRUBS & settings.flags()
    assert "balancer" in settings.journal()

    # a mgr is back, without the module
    operator.cluster.ceph("mgr", "module", "disable", "perf_bench")
    try:
        operator.cluster.fault("clear", "all")
        assert not fingerprints.daemons.mgr("balancer status")["active"]
        done = host_tool(operator, "restore", "--format", "json")
        rows = json.loads(done.out)["settings"]
        fates = {one["what"]: one["fate"] for one in rows}
        # why: a mgr that was killed in a scenario before may have sent a command late
        assert fates["balancer"] in {"put-back", "later"}
        assert set(fates.values()) <= {"put-back", "later"}
        assert done.code == int(any(one["why"] for one in rows)), done
        assert fingerprints.daemons.mgr("balancer status")["active"]
    finally:
        operator.cluster.ceph("mgr", "module", "enable", "perf_bench", "--force")
    # the round goes on, and holds what it needs again
    operator.sees("the round", lambda: operator.asks("status")["active_round"], 120)
    assert operator.types("round", "abort").code == 0
    operator.sees_the_end_of(number)
