"""An OSD map that changes all the time: a new one during a bench can hang an OSD."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cluster.api import DevCluster
from scenarios.operator import Operator

pytestmark = [pytest.mark.cluster, pytest.mark.long]
# So many benches that they take a while, and more than 40 of them would get a map.
_LONG = ("osd-throughput", "--repeats", "60")
_LIMIT = ("mgr", "mgr/perf_bench/admission_map_changes")
# Minutes in which maps come before rounds are refused, and some for those that begin and end.
_MINUTES = 4


@contextmanager
def _changing(cluster: DevCluster) -> Iterator[None]:
    """About one new map a second, as another program changes it."""
    stop = threading.Event()

    def change() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            cluster.ceph("osd", "primary-affinity", "osd.0", "0.9" if turn % 2 else "1")

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        cluster.ceph("osd", "primary-affinity", "osd.0", "1")


def _refusals(operator: Operator) -> set[str]:
    plan = operator.asks("round", "start", *_LONG, "--dry-run")
    return {one["code"] for one in plan["admission"]["refusals"]}


def test_rounds_are_ended_and_refused_where_the_map_changes_all_the_time(
    operator: Operator, cluster: DevCluster
) -> None:
    cluster.ceph("config", "set", *_LIMIT, "40")
    number = operator.starts(*_LONG)
    operator.sees_samples_of(number, 1)
    with _changing(cluster):
        shown = operator.sees_the_end_of(number, 180)
        assert (shown["state"], shown["verdict"]) == ("aborted", "aborted")
        (conclusion,) = [one for one in shown["conclusions"] if one["code"] == "guard-osd-maps"]
        assert conclusion["evidence"]["maps"] * 3 > 100
        until = time.monotonic() + 60 * _MINUTES
        while "osd-maps" not in _refusals(operator):
            assert time.monotonic() < until
            time.sleep(5)
        reply = operator.refused("round", "start", *_LONG)
        assert "the OSD map changed" in reply.err
    # few benches meet few maps
    shown = operator.sees_the_end_of(operator.starts("osd-throughput", "--repeats", "1"))
    assert shown["state"] == "done"
    # as it is in other scenarios
    cluster.ceph("config", "set", *_LIMIT, "0")
    operator.sees_it_ready()
