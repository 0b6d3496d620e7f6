"""One list of what is wrong, and what it does to clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Optional

import pytest

import golden
from asked import ask, asking
from fakes.clock import FakeClock
from perf_bench.answers import findings
from perf_bench.answers.findings import harm
from perf_bench.answers.problems import Problem, problems, problems_text
from perf_bench.errors import StoreUnavailable
from perf_bench.model.doctor_snapshot import CLUSTER, Advice
from perf_bench.model.finding import CLIENT_WRITE, Finding, FindingState, Severity, Target
from perf_bench.model.finding_kinds import (
    CONFIG_RISK,
    ENCLOSURE_FAULT,
    LAGGY_PGS,
    LINK_ERRORS,
    MULTIPATH_DEGRADED,
    SLOW_OSD,
    STORE,
)
from perf_bench.model.hardware import HardwareSnapshot, Multipath, OsdsOnDrive
from perf_bench.model.history import ClusterSpan
from perf_bench.model.verdict import LaggyNow

SLOW = Finding(1, SLOW_OSD.code, Severity.WARNING, Target("osd", "4"), "osd.4 is slow")


def span(start: float, milliseconds: float, operations: float) -> ClusterSpan:
    latency = (("", CLIENT_WRITE, 6, milliseconds / 1000, 1.0, 1.0),)
    work = (operations / 2, operations / 2, 0.0, 0.0, 0.0, 0.0)
    return ClusterSpan(int(start), 60, 6, latency, work)


class World:
    """What is asked; an hour of calm, and since ``at`` five minutes of trouble."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.at = self.clock.now() - 300
        self.found: list[Finding] = []
        self.now = LaggyNow(0, 0, 65, self.clock.now())
        self.advice: list[Advice] = []
        self.paths: list[Multipath] = []
        self.in_memory = 7200.0
        self.away = False
        self.api = asking(watch=self, doctor=self, inventory=self, clock=self.clock)

    def findings(self) -> Sequence[Finding]:
        return self.found

    def laggy_groups(self) -> tuple[Any, ...]:
        return self.now, (), (), ()

    def newest(self) -> Sequence[Advice]:
        return self.advice

    def view(self, _max_age: float) -> HardwareSnapshot:
        return HardwareSnapshot(self.clock.now(), (), {}, multipaths=self.paths)

    def cluster_minutes(self, begin: float, end: float) -> Sequence[ClusterSpan]:
        first = self.clock.now() - self.in_memory
        return [one for one in self._all(begin, end) if one.start >= first]

    def spans(self, _api: Any, begin: float, end: float) -> Sequence[ClusterSpan]:
        if self.away:
            raise StoreUnavailable("away")
        return self._all(begin, end)

    def _all(self, begin: float, end: float) -> Sequence[ClusterSpan]:
        times = range(int(self.at - 7200), int(self.at + 300), 60)
        return [
            span(at, 30, 100) if at >= self.at else span(at, 6, 450)
            for at in times
            if begin <= at < end
        ]

    def ls(self) -> list[Problem]:
        self.clock.advance(10)
        return problems(self.api)[0]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(findings, "spans_between", made.spans)
    return made


def at(finding: Finding, seconds: float) -> Finding:
    return replace(finding, first_seen=seconds)


TOLD = (
    "client writes: 30 ms, before it began 6.0 ms; client operations: 100/s, before it began 450/s"
)


def test_the_minutes_before_it_began_are_not_those_of_now(world: World) -> None:
    world.at = world.clock.now() - 50  # the newest minute that has ended was a calm one
    told = harm(world.api, at(SLOW, world.clock.now() - 20))
    assert told == "not known yet: it began less than two minutes ago"


def test_harm_is_now_against_the_hour_before(world: World) -> None:
    slow = at(SLOW, world.at)
    assert harm(world.api, slow) == harm(world.api, slow, reads=False) == TOLD


def test_what_was_before_is_kept_once_it_is_known(world: World) -> None:
    slow = at(SLOW, world.at)
    world.in_memory = 300
    assert harm(world.api, slow, reads=False) is None
    assert harm(world.api, slow) == TOLD
    world.away = True
    assert harm(world.api, slow, reads=False) == TOLD


@pytest.mark.parametrize(
    ("finding", "told"),
    [
        (replace(SLOW, code=STORE.code), None),
        (replace(SLOW, state=FindingState.CLOSED), None),
        (
            SLOW,
            TOLD.replace("began 6.0 ms", "began not known").replace("450/s", "not known"),
        ),
    ],
)
def test_what_is_not_known_is_not_guessed(
    finding: Finding, told: Optional[str], world: World
) -> None:
    world.in_memory, world.away = 300, True
    assert harm(world.api, at(finding, world.at)) == told


def test_without_clients_no_harm_is_made_up(world: World) -> None:
    world.at = world.clock.now() - 99_999
    told = harm(world.api, at(SLOW, world.clock.now() - 600))
    assert told == "not known: no operation of a client was seen"


def test_the_worst_comes_first_and_what_is_muted_last(world: World) -> None:
    fault = replace(SLOW, id=2, code=ENCLOSURE_FAULT.code, severity=Severity.ERROR)
    world.found = [
        replace(at(SLOW, 100), id=3, state=FindingState.MUTED, severity=Severity.ERROR),
        at(SLOW, 100),
        replace(at(SLOW, 200), id=5),
        at(fault, 50),
        replace(SLOW, id=6, state=FindingState.CLOSED),
    ]
    world.advice = [Advice("X", Severity.INFO, CLUSTER, "set it", "ceph config set x", "docs")]
    shown = world.ls()
    assert [one.finding for one in shown] == [2, 5, 1, None, 3]
    assert (shown[3].page, shown[3].action) == ("doctor", "ceph config set x")
    assert [one.kind for one in shown] == ["hardware", "slow", "slow", "advice", "slow"]
    assert shown[1].action == SLOW_OSD.action


def test_pgs_that_are_laggy_now_stand_there_before_they_are_a_finding(world: World) -> None:
    world.now = LaggyNow(1, 2, 65, 100.0)
    (one,) = world.ls()
    assert (one.text, one.page, one.finding) == ("1 PG laggy and 2 waiting, of 65", "laggy", None)
    world.found = [replace(SLOW, code=LAGGY_PGS.code)]
    assert [one.finding for one in world.ls()] == [1]


def test_lost_paths_are_told_once(world: World) -> None:
    on = OsdsOnDrive((4,))
    world.paths = [
        Multipath("host-0", "mpatha", "degraded", on, expected=2, active=1),
        Multipath("host-0", "mpathb", "ok", OsdsOnDrive((5,)), expected=2, active=2),
    ]
    (one,) = world.ls()
    assert one.text == "mpatha on host-0 is degraded: 1 of 2 paths active"
    host = Target("host", "host-0")
    world.found = [replace(SLOW, code=MULTIPATH_DEGRADED.code, target=host, evidence={"osds": [4]})]
    assert [one.finding for one in world.ls()] == [1]


def test_hardware_that_has_a_finding_is_told_once(world: World) -> None:
    world.paths = [
        Multipath("host-0", f"mpath{osd}", "bare", OsdsOnDrive((osd,)), expected=2, active=1)
        for osd in (4, 5)
    ]
    assert {(one.target.id, one.finding) for one in world.ls()} == {("4", None), ("5", None)}
    world.found = [replace(SLOW, code=LINK_ERRORS.code)]
    assert sorted((one.target.id, one.finding or 0) for one in world.ls()) == [("4", 1), ("5", 0)]


def test_advice_that_is_a_finding_is_not_told_twice(world: World) -> None:
    world.advice = [Advice("X", Severity.ERROR, CLUSTER, "set it", "", "docs", risk=True)]
    assert [one.page for one in world.ls()] == ["doctor"]
    risk = replace(SLOW, code=CONFIG_RISK.code, target=CLUSTER, evidence={"advice": ["X"]})
    world.found = [risk]
    assert [one.page for one in world.ls()] == ["finding"]


def test_the_first_ones_say_what_they_do_to_clients(world: World) -> None:
    world.found = [replace(at(SLOW, world.at), id=number) for number in range(1, 31)]
    assert [one.harm for one in world.ls()] == [TOLD] * 20 + [None] * 10


def test_the_list_says_what_is_wrong_and_what_to_do(world: World) -> None:
    world.found = [at(SLOW, world.at), replace(at(SLOW, world.at), id=2, target=Target("osd", "5"))]
    world.advice = [
        Advice("CODE", Severity.INFO, CLUSTER, "a setting is odd", "ceph config rm x", "docs")
    ]
    world.ls()
    golden.compare("problem-ls.txt", problems_text(problems(world.api)[0]) + "\n")


def test_of_many_problems_a_page_is_shown(world: World) -> None:
    world.found = [
        replace(at(SLOW, world.at), id=n, target=Target("osd", str(n))) for n in range(1, 70)
    ]
    rows, total = ask(world.api, "problem ls", limit=2, sort="since")
    assert (len(rows), total) == (2, 69)
