"""The fingerprint itself: a setting whose record is put back and whose effect is not is named."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from cluster import asok
from cluster.api import DevCluster
from scenarios.clients import remove_pool
from scenarios.fingerprint import Fingerprints, difference, held
from scenarios.operator import Operator, balancer_as_made

pytestmark = pytest.mark.cluster
BALANCER = ("mgr", "mgr/balancer/active")
BALANCER_LEFT = "balancer status: active was True, is False"
JOURNAL = "mgr/perf_bench/held/round/planted"
DURATION = "osd_bench_duration"
MCLOCK = "osd_mclock_max_capacity_iops_hdd"
POOL = "planted"
OSDS_FLAGS = "flags of its map"


class Plant(NamedTuple):
    """A change that nobody takes back, the sentences that must tell of it, and its cure."""

    plant: Callable[[DevCluster], object]
    told: tuple[str, ...]
    heal: Callable[[DevCluster], object]


def _balancer_by_record(cluster: DevCluster) -> None:
    """As a round would that puts the record back and nothing else."""
    cluster.ceph("balancer", "off")
    cluster.ceph("config", "rm", *BALANCER)
    rows = cluster.ceph_json("config", "dump")
    assert BALANCER[1] not in [row["name"] for row in rows]


def _balancer_in_a_minute(cluster: DevCluster) -> None:
    """As a short round leaves it: active, until the balancer reads an option that is gone."""
    cluster.ceph("config", "set", *BALANCER, "false")
    cluster.ceph("config", "rm", *BALANCER)


def _asok(osd: str, command: str, **arguments: Any) -> Callable[[DevCluster], object]:
    return lambda cluster: asok.ask(cluster.spec, osd, command, **arguments)


def _ceph(*words: str) -> Callable[[DevCluster], object]:
    return lambda cluster: cluster.ceph(*words)


PLANTED = {
    "the balancer, whose record is clean": Plant(
        _balancer_by_record,
        (BALANCER_LEFT,),
        balancer_as_made,
    ),
    "the balancer, which has not read its option yet": Plant(
        _balancer_in_a_minute,
        (BALANCER_LEFT,),
        balancer_as_made,
    ),
    "an option of one OSD that is in no database": Plant(
        _asok("osd.3", "config set", var=DURATION, val=["31"]),
        (f"osd.3: {DURATION} was 30, is 31",),
        _asok("osd.3", "config unset", var=DURATION),
    ),
    "a capacity of mClock that nobody measured": Plant(
        _ceph("config", "set", "osd.4", MCLOCK, "777"),
        ("config dump: osd.4 " + MCLOCK, "osd.4: " + MCLOCK),
        _ceph("config", "rm", "osd.4", MCLOCK),
    ),
    "a flag": Plant(
        _ceph("osd", "set", "nodeep-scrub"),
        (
            "osd dump: flag nodeep-scrub was not there, is set",
            f"osd.0: {OSDS_FLAGS} was ",
        ),
        _ceph("osd", "unset", "nodeep-scrub"),
    ),
    "a pool's mode": Plant(
        _ceph("osd", "pool", "set", POOL, "pg_autoscale_mode", "off"),
        (
            f"pool {POOL}: autoscale-status was on, is off",
            f"pool {POOL}: pg_autoscale_mode was on, is off",
        ),
        _ceph("osd", "pool", "set", POOL, "pg_autoscale_mode", "on"),
    ),
    "a journal": Plant(
        _ceph("config-key", "set", JOURNAL, "{}"),
        (
            f"config-key dump: {JOURNAL} was not there, is {{}}",
            f"config-key dump: {JOURNAL} is {{}}",
        ),
        _ceph("config-key", "rm", JOURNAL),
    ),
}


@pytest.fixture(scope="module", autouse=True)
def pool(cluster: DevCluster) -> Iterator[None]:
    cluster.ceph("osd", "pool", "create", POOL, "8")
    cluster.ceph("osd", "pool", "application", "enable", POOL, "rados")
    cluster.ceph("osd", "pool", "set", POOL, "pg_autoscale_mode", "on")
    Operator(cluster).sees_it_ready()
    yield
    remove_pool(cluster, POOL)


def _tells(sentences: list[str], told: tuple[str, ...]) -> bool:
    return all(any(said.startswith(one) for said in sentences) for one in told)


@pytest.mark.parametrize("planted", PLANTED)
def test_what_is_not_put_back_is_named(
    planted: str, operator: Operator, fingerprints: Fingerprints
) -> None:
    cluster = operator.cluster
    before = fingerprints.at_rest()
    plant, told, heal = PLANTED[planted]
    plant(cluster)
    try:
        # an option of the database reaches an OSD a moment later
        operator.sees("the difference", lambda: _tells(fingerprints.changed(before, (), 0.0), told))
        left = fingerprints.changed(before, seconds=5.0)
        assert _tells(left, told), left
        # OSDs hear of a flag within seconds, one by one
        rest = [said for said in left if not said.startswith(told) and OSDS_FLAGS not in said]
        assert rest == []
    finally:
        heal(cluster)
    assert fingerprints.changed(before) == []


def test_a_scenario_that_puts_back_the_record_alone_fails(
    operator: Operator, fingerprints: Fingerprints
) -> None:
    """As ``unchanged`` looks at it, which waits for five minutes and not for two seconds."""
    before = fingerprints.at_rest()
    _balancer_by_record(operator.cluster)
    try:
        assert fingerprints.changed(before, seconds=2.0) == [BALANCER_LEFT]
        # also for somebody who may leave something else
        assert fingerprints.changed(before, ["auth ls: *"], 2.0) == [BALANCER_LEFT]
    finally:
        balancer_as_made(operator.cluster)


def test_it_is_the_same_twice(fingerprints: Fingerprints) -> None:
    first = fingerprints.at_rest()
    began = time.monotonic()
    second = fingerprints.take()
    print(f"a fingerprint of 6 OSDs took {time.monotonic() - began:.3f} s")
    assert difference(first, second) == held(second) == []
    assert set(second["OSDs"]) == {f"osd.{osd}" for osd in range(6)}
    assert second["balancer"]["balancer status"]["active"] is True


def test_a_capacity_that_an_osd_finds_when_it_starts_is_its_own(
    operator: Operator, fingerprints: Fingerprints
) -> None:
    """That it is excused only then is what ``a capacity of mClock`` above says."""
    before = fingerprints.at_rest()
    operator.cluster.restart("osd.5")
    assert fingerprints.changed(before) == []
