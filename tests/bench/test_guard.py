"""What a round is ended for, and what only spoils its figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fakes.clock import FakeClock
from perf_bench.bench.safety import Guard, Limit
from perf_bench.model.admission import GuardRules, GuardSnapshot

BEFORE = GuardSnapshot(
    pgs={"active+clean": 60, "active+clean+laggy": 2, "active+clean+scrubbing": 2},
    slow_ops={1: 3},
    up=frozenset(range(6)),
    client_seconds=0.004,
)
LIMIT = Limit(1000.0, 1000.0, "too late")


@pytest.fixture
def clock() -> FakeClock:
    """Of a host that is up for a while: what is measured does not begin at 0."""
    made = FakeClock()
    made.advance(1000.0)
    return made


def test_maps_that_come_during_benches() -> None:
    for at_once, maps, ends in [
        (100, 3, False),
        (25, 4, False),
        (26, 4, True),
        (3, 33, False),
        (3, 34, True),
        (0, 9000, False),
    ]:
        guard = Guard(replace(BEFORE, epoch=50), GuardRules(), LIMIT, at_once)
        assert guard.look(replace(BEFORE, epoch=9999), 1.0) is None  # benches have not begun
        guard.benches_begin(60)
        alarm = guard.look(replace(BEFORE, epoch=60 + maps), 2.0)
        assert (alarm is not None) == ends
        if alarm is not None:
            assert alarm.code == "guard-osd-maps"
            assert alarm.message.startswith(
                f"the OSD map changed {maps} times since the benches began"
            )
            assert alarm.evidence == {"maps": maps}


# --- a round that was forced: what was there before is no harm of the round ----------------------

UNWELL = GuardSnapshot(
    pgs={
        "active+clean": 50,
        "active+clean+laggy": 2,
        "down": 1,
        "incomplete": 1,
        "active+recovering+degraded": 1,
        "active+remapped+backfill_wait": 2,
    },
    slow_ops={1: 3, 4: 2},
    up=frozenset(range(5)),  # osd.5 is down
    client_seconds=0.1,
)
ALLOWING = GuardRules(laggy_pgs=2, slow_ops=4, osds_down=2, client_times=2.0)


def _pgs(**counts: int) -> dict[str, Any]:
    """The PGs of before with other counts."""
    words = {
        "laggy": "active+clean+laggy",
        "down": "down",
        "incomplete": "incomplete",
        "recovering": "active+recovering+degraded",
        "backfill": "active+remapped+backfill_wait",
    }
    return {"pgs": {**UNWELL.pgs, **{words[name]: count for name, count in counts.items()}}}


def test_only_what_is_worse_than_before_is_an_alarm() -> None:
    for rules, fields, codes in [
        # laggy: two before
        (GuardRules(), _pgs(laggy=0), []),
        (GuardRules(), _pgs(laggy=1), []),
        (GuardRules(), _pgs(laggy=2), []),
        (GuardRules(), _pgs(laggy=3), ["laggy-pgs!"]),
        (ALLOWING, _pgs(laggy=4), []),
        (ALLOWING, _pgs(laggy=5), ["laggy-pgs!"]),
        # down or incomplete: two before
        (GuardRules(), _pgs(down=0, incomplete=0), []),
        (GuardRules(), _pgs(down=0), []),
        # one recovered, another fell
        (GuardRules(), _pgs(down=2, incomplete=0), []),
        (GuardRules(), _pgs(down=2), ["lost-pgs!"]),
        (GuardRules(), _pgs(incomplete=2), ["lost-pgs!"]),
        # recovery and backfill: three before
        (GuardRules(), _pgs(recovering=0, backfill=0), []),
        (GuardRules(), _pgs(recovering=0), []),
        (GuardRules(), _pgs(recovering=3, backfill=0), []),
        (GuardRules(), _pgs(recovering=4, backfill=0), ["recovery"]),
        (GuardRules(), _pgs(backfill=3), ["recovery"]),
        # slow operations: five before, on two OSDs
        (GuardRules(), {"slow_ops": {}}, []),
        (GuardRules(), {"slow_ops": {1: 3, 4: 1}}, []),
        # resent to another OSD
        (GuardRules(), {"slow_ops": {1: 2, 4: 2, 0: 1}}, []),
        (GuardRules(), {"slow_ops": {1: 3, 4: 3}}, ["slow-ops!"]),
        (ALLOWING, {"slow_ops": {1: 9}}, []),
        (ALLOWING, {"slow_ops": {1: 10}}, ["slow-ops!"]),
        # five of six OSDs were up
        (GuardRules(), {"up": frozenset(range(6))}, []),
        (GuardRules(), {"up": frozenset((1, 2, 3, 4, 5))}, ["osd-down"]),
        # as many are up as before, and two have gone
        (GuardRules(), {"up": frozenset((2, 3, 4, 5, 6))}, ["osds-down!"]),
        (ALLOWING, {"up": frozenset((2, 3, 4))}, ["osd-down"]),
        (ALLOWING, {"up": frozenset((3, 4))}, ["osds-down!"]),
        # clients were slow already: 100 ms
        (GuardRules(), {"client_seconds": 0.002}, []),
        (GuardRules(), {"client_seconds": 0.299}, []),
        (GuardRules(), {"client_seconds": 0.301}, ["client-latency!"]),
        (ALLOWING, {"client_seconds": 0.199}, []),
        (ALLOWING, {"client_seconds": 0.2}, ["client-latency!"]),
        # all is well again
        (
            GuardRules(),
            {"pgs": {"active+clean": 57}, "slow_ops": {}, "up": frozenset(range(6))},
            [],
        ),
        # a mgr that knows no PG for a moment
        (GuardRules(), {"pgs": {}}, []),
    ]:
        guard = Guard(UNWELL, rules, LIMIT)
        ended = guard.look(replace(UNWELL, **fields), 999.0)
        assert [f"{one.code[6:]}{'!' if one is ended else ''}" for one in guard.alarms] == codes


WELL = GuardSnapshot({"active+clean": 57}, {}, frozenset(range(6)), 0.002)


def test_how_much_slower_clients_may_be() -> None:
    for was, now, alarm in [
        # three times as long, and 10 ms more
        (0.001, 0.0109, False),
        (0.001, 0.0111, True),
        (0.005, 0.0149, False),
        (0.005, 0.0151, True),
        (0.02, 0.0599, False),
        (0.02, 0.06, True),
        # nothing to compare with, or to compare
        (None, 9.0, False),
        (0.0, 9.0, False),
        (0.02, None, False),
    ]:
        guard = Guard(replace(WELL, client_seconds=was), GuardRules(), LIMIT)
        assert (guard.look(replace(WELL, client_seconds=now), 1.0) is not None) == alarm


HALF = {"unknown": 27, "active+clean": 29, "active+clean+laggy": 1}


def test_after_a_failover_the_first_reports_are_what_was_before() -> None:
    for first in [{}, {"unknown": 57}, {"unknown": 37, "active+clean": 20}]:
        guard = Guard(replace(UNWELL, pgs=first, slow_ops={}), GuardRules(), LIMIT)
        guard.look(replace(UNWELL, pgs=HALF, slow_ops={1: 3}), 1.0)
        guard.look(UNWELL, 2.0)
        guard.look(WELL, 3.0)
        guard.look(UNWELL, 4.0)
        assert guard.alarms == []
        guard.look(replace(UNWELL, slow_ops={1: 6}, **_pgs(laggy=3, down=2, backfill=3)), 5.0)
        assert [alarm.code for alarm in guard.alarms] == [
            "guard-laggy-pgs",
            "guard-lost-pgs",
            "guard-recovery",
            "guard-slow-ops",
        ]
