"""A boot, without daemons: what it waits for before it says that the cluster is there."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from cluster import boot, client, waiting
from cluster.boot import Boot
from cluster.errors import ClusterError
from cluster.spec import Spec
from fakes.clock import FakeClock

AWAY = "the database cannot be used: disk I/O error"
# What the module says of its store, look after look.
READ = {"error": None, "ready": True}
NOT_READ = {"error": None, "ready": False}
BROKEN = {"error": AWAY, "ready": False}
LOST_AGAIN = {"error": AWAY, "ready": True}


class Cluster:
    """Answers what a boot asks; ``stores`` are used up but for the last one."""

    def __init__(self, spec: Spec, stores: list[dict[str, Any]]) -> None:
        self._spec = spec
        self._stores = stores
        self.asked: list[str] = []

    def ceph_json(self, _spec: Spec, *args: str, timeout: float = 60.0) -> Any:
        assert timeout <= 60.0
        words = " ".join(args)
        self.asked.append(words)
        if words == "perf-bench status":
            store = self._stores.pop(0) if len(self._stores) > 1 else self._stores[0]
            return {"store": store}
        return {
            "status": {
                "mgrmap": {"available": True, "num_standbys": len(self._spec.mgrs) - 1},
                "osdmap": {"num_up_osds": self._spec.osds, "num_in_osds": self._spec.osds},
                "health": {"status": "HEALTH_OK"},
                "pgmap": {},
            },
            "mgr module ls": {"enabled_modules": ["perf_bench"]},
            "mgr dump": {"available_modules": [{"name": "perf_bench", "can_run": True}]},
        }[words]


Boots = Callable[..., Cluster]


@pytest.fixture
def boots(drafted: Callable[..., Spec], monkeypatch: pytest.MonkeyPatch) -> Boots:
    """Boots a cluster whose module says these things of its store."""

    def run(*stores: dict[str, Any], module: bool = True) -> Cluster:
        spec = drafted(dashboard=False, module=module)
        cluster = Cluster(spec, list(stores))
        clock = FakeClock()
        time = SimpleNamespace(monotonic=clock.monotonic, sleep=clock.advance)
        monkeypatch.setattr(waiting, "time", time)
        monkeypatch.setattr(boot, "time", time)
        monkeypatch.setattr(boot, "lay_out", lambda _spec: None)
        monkeypatch.setattr(client, "ceph_json", cluster.ceph_json)
        for start in ("_start", "_start_mons", "_start_osds"):
            monkeypatch.setattr(Boot, start, lambda *_: None)
        Boot(spec, lambda _line: None).run()
        return cluster

    return run


@pytest.mark.parametrize(
    ("stores", "looks"),
    [
        ([READ], 1),
        # it answers, and would refuse a start
        ([NOT_READ, NOT_READ, READ], 3),
        ([BROKEN, NOT_READ, READ], 3),
        ([LOST_AGAIN, READ], 2),
    ],
)
def test_it_waits_until_the_module_has_read_its_database(
    stores: list[dict[str, Any]], looks: int, boots: Boots
) -> None:
    asked = boots(*stores).asked
    assert asked.count("perf-bench status") == looks
    # its pool is made meanwhile: the health that counts is that of afterwards
    assert asked[-1] == "status"


@pytest.mark.parametrize(
    ("store", "why"), [(NOT_READ, "it has not read its database yet"), (BROKEN, AWAY)]
)
def test_a_database_that_never_comes_ends_the_boot(
    store: dict[str, Any], why: str, boots: Boots
) -> None:
    with pytest.raises(ClusterError) as caught:
        boots(store)
    assert str(caught.value) == (
        f"perf_bench with its database read did not come: {why} (waited 480 s)"
    )


def test_without_the_module_nobody_asks_it(boots: Boots) -> None:
    assert set(boots(module=False).asked) == {"status"}
