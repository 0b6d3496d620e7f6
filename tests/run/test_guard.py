"""What a round is ended for, and what only spoils its figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from perf_bench.model.guard import Glance, GuardRules
from perf_bench.run.guard import Guard, Limit

BEFORE = Glance(
    pgs={"active+clean": 60, "active+clean+laggy": 2, "active+clean+scrubbing": 2},
    slow_ops={1: 3},
    up=frozenset(range(6)),
    client_seconds=0.004,
)
LIMIT = Limit(1000.0, "too late")


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        # as before, or better
        ({}, []),
        ({"pgs": {"active+clean": 64}, "slow_ops": {}}, []),
        # peering alone is what an OSD that comes or goes brings
        ({"pgs": {"active+clean": 62, "peering": 2}}, []),
        ({"pgs": {"active+clean": 61, "active+clean+laggy": 3}}, ["laggy-pgs!"]),
        ({"pgs": {"active+clean": 62, "down+remapped": 2}}, ["lost-pgs!"]),
        ({"pgs": {"active+clean": 62, "active+recovery_wait+degraded": 2}}, ["recovery"]),
        ({"slow_ops": {1: 3, 2: 1}}, ["slow-ops!"]),
        # one OSD may be what the round finds out
        ({"up": frozenset(range(5))}, ["osd-down"]),
        ({"up": frozenset(range(4))}, ["osds-down!"]),
        # one that came is no harm
        ({"up": frozenset(range(7))}, []),
        # three times as long, and felt
        ({"client_seconds": 0.012}, []),
        ({"client_seconds": 0.015}, ["client-latency!"]),
        ({"client_seconds": None}, []),
        # a mgr that knows no PG yet
        ({"pgs": {}}, []),
    ],
)
def test_alarms(fields: dict[str, Any], codes: list[str]) -> None:
    guard = Guard(BEFORE, GuardRules(), LIMIT)
    ended = guard.look(replace(BEFORE, **fields), 999.0)
    assert [f"{one.code}{'!' if one.ends else ''}" for one in guard.alarms] == codes
    assert (ended is not None) == any(code.endswith("!") for code in codes)


def test_the_clock() -> None:
    guard = Guard(BEFORE, GuardRules(), LIMIT)
    assert guard.look(BEFORE, 999.9) is None
    ended = guard.look(BEFORE, 1000.0)
    assert ended is not None
    assert (ended.code, ended.message) == ("clock", "too late")


def test_an_alarm_is_told_once() -> None:
    guard = Guard(BEFORE, GuardRules(), LIMIT)
    slow = replace(BEFORE, slow_ops={1: 9})
    assert guard.look(slow, 1.0) is not None
    assert guard.look(slow, 2.0) is None
    assert len(guard.alarms) == 1


@pytest.mark.parametrize(
    ("rules", "fields"),
    [
        (GuardRules(laggy_pgs=1), {"pgs": {"active+clean+laggy": 3}}),
        (GuardRules(slow_ops=5), {"slow_ops": {1: 8}}),
        (GuardRules(osds_down=6), {"up": frozenset()}),
        (GuardRules(client_times=0), {"client_seconds": 9.0}),
    ],
)
def test_what_the_operator_allows(rules: GuardRules, fields: dict[str, Any]) -> None:
    assert Guard(BEFORE, rules, LIMIT).look(replace(BEFORE, **fields), 1.0) is None
