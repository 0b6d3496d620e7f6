"""The fingerprint itself: a setting whose record is put back and whose effect is not is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from cluster import asok
from cluster.api import DevCluster
from scenarios.fingerprint import Fingerprints
from scenarios.operator import Operator, balancer_as_made

pytestmark = pytest.mark.cluster
BALANCER = ("mgr", "mgr/balancer/active")
BALANCER_LEFT = "balancer status: active was True, is False"
JOURNAL = "mgr/perf_bench/held/round/planted"
DURATION = "osd_bench_duration"


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


def _asok(osd: str, command: str, **arguments: Any) -> Callable[[DevCluster], object]:
    return lambda cluster: asok.ask(cluster.spec, osd, command, **arguments)


def _ceph(*words: str) -> Callable[[DevCluster], object]:
    return lambda cluster: cluster.ceph(*words)


PLANTED = (
    # The balancer, whose record is clean.
    Plant(_balancer_by_record, (BALANCER_LEFT,), balancer_as_made),
    # An option of one OSD that is in no database.
    Plant(
        _asok("osd.3", "config set", var=DURATION, val=["31"]),
        (f"osd.3: {DURATION} was 30, is 31",),
        _asok("osd.3", "config unset", var=DURATION),
    ),
    # A journal.
    Plant(
        _ceph("config-key", "set", JOURNAL, "{}"),
        (
            f"config-key dump: {JOURNAL} was not there, is {{}}",
            f"config-key dump: {JOURNAL} is {{}}",
        ),
        _ceph("config-key", "rm", JOURNAL),
    ),
)


def _tells(sentences: list[str], told: tuple[str, ...]) -> bool:
    return all(any(said.startswith(one) for said in sentences) for one in told)


def test_what_is_not_put_back_is_named(operator: Operator, fingerprints: Fingerprints) -> None:
    cluster = operator.cluster
    before = fingerprints.at_rest()
    told = tuple(said for one in PLANTED for said in one.told)
    try:
        for one in PLANTED:
            one.plant(cluster)
        # an option of the database reaches an OSD a moment later
        operator.sees("the difference", lambda: _tells(fingerprints.changed(before, (), 0.0), told))
        left = fingerprints.changed(before, seconds=1.0)
        assert _tells(left, told), left
        assert [said for said in left if not said.startswith(told)] == []
    finally:
        for one in PLANTED:
            one.heal(cluster)
    assert fingerprints.changed(before) == []
