"""Sandwiches laid out: which OSDs, in which phases, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

import pytest

from fakes.cluster import FakeCluster
from nouns import an_osd, some_osds
from perf_bench.bench.plan.osds import Draft, Last, prepare
from perf_bench.errors import InvalidValue
from perf_bench.model.plan import MIB, READ, Request

ASKED = Request("osd-sandwich")
GIB = 1024 * MIB


def _prepare(cluster: Optional[FakeCluster] = None, most: int = 64, **asked: Any) -> Draft:
    cluster = cluster or FakeCluster(some_osds(6, hosts=2))
    return prepare(replace(ASKED, **asked), cluster, most, Last())


def test_the_whole_sandwich() -> None:
    prepared = _prepare(rests=2, rest="25m", osds="host=host-1")
    plan = prepared.plan
    alone, together = ((1,),), ((1, 3, 5),)
    assert [(p.name, p.waves, p.rest_seconds) for p in plan.phases] == [
        ("before-write", alone, 0),
        ("before-read", alone, 0),
        ("together-write", together, 0),
        ("together-read", together, 0),
        ("after-write", alone, 0),
        ("after-read", alone, 0),
        ("rested-1-write", alone, 1500),
        ("rested-1-read", alone, 0),
        ("rested-2-write", alone, 1500),
        ("rested-2-read", alone, 0),
    ]
    assert (plan.repeats, plan.most, plan.leading.name) == (3, 3, "together-write")
    assert [osd.id for osd in prepared.targets] == [1, 3, 5]
    # 10.24 s at most for each of ten samples, thrice, and two rests
    assert plan.seconds == pytest.approx(10 * 10.24 * 3 + 3000)
    # all copies of what it is read by count as written to it
    assert (plan.copies, plan.bytes_per_osd) == (3, 5 * 3 * GIB + 3 * 256 * MIB)
    assert plan.kept_bytes == 3 * 256 * MIB
    assert plan.phases[1].step.operation == READ
    assert plan.notes == (
        "alone: osd.1 (the lowest ID of its host, so that it is the same in every round)",
    )


def _uneven() -> FakeCluster:
    """Two OSDs on host-a, three on host-b, one on host-c."""
    hosts = ("host-a", "host-a", "host-b", "host-b", "host-b", "host-c")
    return FakeCluster([an_osd(number, host) for number, host in enumerate(hosts)])


def test_who_is_measured() -> None:
    cases: list[Any] = [
        # who names no OSDs gets the host with the most
        ({}, [2, 3, 4], [2], "one host, the one with the most OSDs: host-b"),
        ({"solo": "1"}, [0, 1], [1], "one host, that of the OSD measured alone: host-a"),
        ({"solo": "3,4"}, [2, 3, 4], [3, 4], "one host, that of the OSD"),
        ({"osds": "0,1"}, [0, 1], [0], "alone: osd.0 (the lowest ID"),
        # hosts side by side; one OSD has nobody to be set against
        ({"osds": "all"}, [0, 1, 2, 3, 4], [0, 2], "no OSDs to compare: host-c"),
        ({"osds": "all", "solo": "1,3"}, [0, 1, 2, 3, 4], [1, 3], "no OSDs to compare: host-c"),
        # a host without an OSD of those alone is left out
        ({"osds": "all", "solo": "3"}, [2, 3, 4], [3], "compare: host-a and host-c"),
    ]
    for asked, together, alone, note in cases:
        plan = _prepare(_uneven(), **asked).plan
        phases = {phase.name: phase for phase in plan.phases}
        assert list(phases["together-write"].osds) == together
        assert list(phases["before-read"].osds) == alone
        # one after the other on a host
        hosts = [
            {osd // 2 if osd < 2 else 2 for osd in wave} for wave in phases["before-read"].waves
        ]
        assert all(len(wave) == len(own) for wave, own in zip(phases["before-read"].waves, hosts))
        assert note in "; ".join(plan.notes)


def test_an_osd_that_is_down_is_not_alone() -> None:
    cluster = _uneven()
    cluster.set_down(2)
    assert _prepare(cluster, osds="host=host-b").plan.phases[0].osds == (3,)


def test_what_is_refused() -> None:
    cases: list[Any] = [
        ({"osds": "5"}, "osds", "no chosen host has two OSDs that are up"),
        ({"osds": "0,2"}, "osds", "no chosen host has two OSDs that are up"),
        ({"osds": "0,1", "solo": "3"}, "solo", "osd.3 is not among the chosen OSDs that are up"),
        ({"solo": "x"}, "osds", "x"),
        ({"rest": "1s"}, "rest", "--rest 1s is not within 2s to 2h"),
        ({"rest": "3h"}, "rest", "--rest 3h is not within 2s to 2h"),
        ({"rest": "7201s"}, "rest", "--rest 7201s is not within 2s to 2h"),
        ({"rest": "20"}, "rest", "'20' is not a duration"),
        ({"rests": -1}, "rests", "--rests -1 is not within 0 to 12"),
        ({"rests": 13}, "rests", "--rests 13 is not within 0 to 12"),
        ({"size": "4K"}, "size", "--size does not apply to rounds of osd-sandwich"),
        (
            {"max_repeats": 9},
            "max_repeats",
            "--max-repeats does not apply to rounds of osd-sandwich",
        ),
    ]
    for asked, field, sentence in cases:
        with pytest.raises(InvalidValue) as caught:
            _prepare(_uneven(), **asked)
        assert sentence in str(caught.value)
        assert caught.value.field == field


@pytest.mark.parametrize(("rest", "seconds"), [("2s", 2), ("2h", 7200)])
def test_the_shortest_and_the_longest_rest(rest: str, seconds: int) -> None:
    rests = [phase.rest_seconds for phase in _prepare(_uneven(), rest=rest, rests=1).plan.phases]
    assert [one for one in rests if one] == [seconds]


def test_too_many_together_are_refused() -> None:
    with pytest.raises(InvalidValue, match="3 OSDs would run at the same time"):
        _prepare(_uneven(), most=2)
