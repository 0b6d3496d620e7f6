"""What breaks while a round runs, and what the operator is told."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from scenarios.operator import Operator
from scenarios.stored_file import stored

pytestmark = pytest.mark.cluster

_GIB = 1 << 30
# Bytes of small writes that an OSD takes as it is configured.
_SMALL = 12_288_000


@contextmanager
def _short_limit(operator: Operator, seconds: int = 10) -> Iterator[None]:
    """So many seconds for each command to an OSD."""
    operator.cluster.ceph("config", "set", "mgr", "mgr/perf_bench/bench_timeout", str(seconds))
    # a frozen OSD makes placement groups laggy, for which the guard would end the round
    operator.cluster.ceph("config", "set", "mgr", "mgr/perf_bench/guard", "false")
    try:
        yield
    finally:
        # set first, for what is removed is noticed only after a while
        for option, default in {"bench_timeout": "300", "guard": "true"}.items():
            operator.cluster.ceph("config", "set", "mgr", f"mgr/perf_bench/{option}", default)
            operator.cluster.ceph("config", "rm", "mgr", f"mgr/perf_bench/{option}")


@pytest.mark.long
def test_no_bench_waits_inside_an_osd_that_does_not_get_to_it(operator: Operator) -> None:
    at_first = _written(operator)
    rate = _bench_by_hand(operator, _SMALL)["iops"]
    own = _written(operator) - at_first - _SMALL  # the objects that a bench makes before it writes
    option = "osd_bench_small_size_max_iops"
    operator.cluster.ceph("tell", "osd.0", "config", "set", option, str(2 * int(rate)))
    # Half a minute, and an OSD runs one command after the other.
    long = 4096 * int(30 * rate)
    with _short_limit(operator), ThreadPoolExecutor(1) as hands:
        busy = hands.submit(_bench_by_hand, operator, long)
        number = operator.starts("osd-throughput", "--osds", "0,1", "--repeats", "1")
        shown = operator.sees_the_end_of(number, 60)
        assert not busy.done()
        busy.result()
    operator.cluster.ceph("tell", "osd.0", "config", "unset", option)
    assert [(one["target"], one["why"]) for one in shown["samples"]] == [
        ("osd.0", "osd.0 gave no answer within 10 s"),
        ("osd.1", None),
    ]
    # This question waited behind all commands before it: a bench of the round would have written
    # a gigabyte more than the two by hand.
    by_hand = own + _SMALL + own + long
    assert _written(operator) - at_first == pytest.approx(by_hand, abs=_GIB / 4)


def _bench_by_hand(operator: Operator, count: int) -> Any:
    """Small writes on osd.0, as `osd-iops` does them."""
    words = ("bench", str(count), "4096", "4194304", "100")
    return operator.cluster.ceph_json("tell", "osd.0", *words, timeout=300)


def _written(operator: Operator) -> int:
    """Bytes that osd.0 wrote in writes of at least an allocation unit, which is 4 KiB."""
    counters = operator.cluster.ceph_json("tell", "osd.0", "perf", "dump", timeout=120)["bluestore"]
    (found,) = (value for name, value in counters.items() if name.endswith("write_big_bytes"))
    return int(found)


@pytest.mark.long
def test_two_osds_that_die_end_a_round_within_seconds(operator: Operator) -> None:
    number = operator.starts("osd-throughput", "--repeats", "40")
    operator.sees_samples_of(number, 6)
    # Of one host: the database keeps two of its three copies.
    operator.cluster.fault("down", "osd.1")
    operator.cluster.fault("down", "osd.4")
    shown = operator.sees_the_end_of(number, 60)
    assert (shown["state"], shown["verdict"]) == ("aborted", "aborted")
    assert shown["reasons"][0].startswith("ended by the guard: ")
    codes = {conclusion["code"]: conclusion for conclusion in shown["conclusions"]}
    ended = codes.keys() & {"guard-osds-down", "guard-lost-pgs", "guard-laggy-pgs"}
    assert ended, codes
    assert len(shown["samples"]) < 240
    assert operator.asks("quiesce", "status")["state"] == "idle"


def test_a_killed_mgr_loses_nothing_and_its_round_is_carried_on(operator: Operator) -> None:
    number = operator.starts("osd-throughput", "--repeats", "4", "--label", "carried")
    before = operator.sees_samples_of(number, 6)
    killed = operator.active_mgr()
    operator.cluster.fault("kill-mgr", "active")
    operator.sees("the standby", lambda: operator.active_mgr() not in {"", killed})
    shown = operator.sees_the_end_of(number)

    assert shown["state"] == "done"
    assert shown["resumed"] == 1
    pairs = [(sample["target"], sample["repeat"]) for sample in shown["samples"]]
    assert sorted(pairs) == sorted({(f"osd.{osd}", n) for osd in range(6) for n in range(1, 5)})
    assert all(sample in shown["samples"] for sample in before)


def test_a_cluster_that_does_not_write_confirms_late_and_recovers(operator: Operator) -> None:
    before = stored(operator)["rounds"]
    pids = [osd["pid"] for osd in operator.cluster.info()["osds"]]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        refused = operator.types("round", "start", "osd-throughput", "--repeats", "1")
        operator.sees("the error", lambda: operator.asks("status")["store"]["error"], 60.0)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    assert refused.code == 11
    assert "not confirmed within 5 s" in refused.err
    operator.sees_it_ready()
    # what was not confirmed is begun as soon as it is stored, and the database goes on in order
    operator.sees("the round", lambda: stored(operator)["rounds"] == before + 1)
    (begun,) = operator.asks("round", "ls", "--limit", "1")
    operator.sees_the_end_of(begun["id"])
    assert operator.measures("osd-throughput", "--osds", "0", "--repeats", "1")["state"] == "done"
