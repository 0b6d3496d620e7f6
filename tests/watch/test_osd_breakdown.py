"""Asking OSDs where their operations spend their time."""

from __future__ import annotations

import errno
import json
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Optional

import pytest

from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.operation_dumps import IDLE, AskedHere, FakeOperationDumps, Hanging, breakdowns
from nouns import some_osds
from operations import STALLED, recorded
from perf_bench.bench.context import OsdsUnderBench
from perf_bench.core.failing_parts import WHY, FailingParts
from perf_bench.errors import CommandFailed, NotFound, NotNow
from perf_bench.model.finding import Target
from perf_bench.model.json_fields import iso
from perf_bench.model.osd import Osd
from perf_bench.model.verdict import EVIDENCE, OsdWhy
from perf_bench.watch.osd_breakdown import (
    FRESH,
    LOOK_SECONDS,
    MOST_AT_ONCE,
    PATIENCE,
    choose,
)


class Asking:
    """The service on fakes, and the loop's time."""

    def __init__(
        self, answers: Optional[Mapping[int, Mapping[str, Any]]] = None, osds: int = 6
    ) -> None:
        self.clock = FakeClock()
        self.loop = AskedHere(self.clock)
        self.workers = Hanging(self.loop)
        self.cluster = FakeCluster(some_osds(osds))
        self.dumps = FakeOperationDumps(
            dict.fromkeys(range(osds), IDLE) if answers is None else answers
        )
        self.benched = OsdsUnderBench()
        self.failing = FailingParts(self.clock.monotonic, logging.getLogger("why"))
        self.service = breakdowns(
            self.cluster,
            self.clock,
            self.dumps,
            self.benched,
            self.failing,
            self.loop,
            self.workers,
        )

    def why(self, osd: int) -> OsdWhy:
        return self.service.why(osd)

    def whole(self, osd: int) -> OsdWhy:
        """The answer when all was asked."""
        self.why(osd)
        self.loop.run_for(LOOK_SECONDS)
        found = self.why(osd)
        assert found.is_complete
        return found

    def counts(self) -> dict[int, int]:
        """How often each OSD was asked for its counters."""
        asked = [osd for osd, what in self.dumps.asked if what == "counters"]
        return {osd: asked.count(osd) for osd in asked}


@pytest.fixture
def stalled() -> Asking:
    return Asking({osd: recorded("pacific", STALLED).get(osd, IDLE) for osd in range(6)})


def test_the_first_answer_names_the_replica_and_the_whole_comes_in_three_seconds(
    stalled: Asking,
) -> None:
    begun = stalled.clock.now()
    found = stalled.why(1)
    assert found.sentences[0] == "The slowest operations of osd.1 are held up by osd.3."
    assert stalled.clock.now() - begun < PATIENCE
    times = (iso(begun), iso(begun + LOOK_SECONDS))
    assert (found.is_complete, found.asked_at, found.until) == (False, *times)
    stalled.loop.run_for(begun + LOOK_SECONDS - stalled.clock.now())
    again = stalled.why(1)
    assert again.is_complete
    assert again.asked_at == found.asked_at
    assert stalled.counts() == {1: 2, 2: 2, 3: 2}


def test_who_is_waited_for_is_asked_too(stalled: Asking) -> None:
    found = stalled.whole(5)  # beside osd.0 and osd.1
    assert [(peer.osd, peer.role) for peer in found.peers] == [
        (0, "peer"), (1, "peer"), (3, "suspect"),
    ]  # fmt: skip
    assert any("osd.3 stands out in: " in one for one in found.sentences)


@pytest.mark.parametrize(("later", "again"), [(FRESH - 1.0, False), (FRESH + 1.0, True)])
def test_an_answer_is_given_again_for_a_minute(stalled: Asking, later: float, again: bool) -> None:
    begun, told = stalled.clock.now(), stalled.whole(1).asked_at
    stalled.clock.advance(begun + later - stalled.clock.now())
    assert (stalled.why(1).asked_at > told) is again


def test_an_osd_that_does_not_exist_or_is_down_is_not_asked(stalled: Asking) -> None:
    with pytest.raises(NotFound):
        stalled.why(99)
    stalled.cluster.set_down(4)
    with pytest.raises(NotNow, match=r"osd\.4 is down"):
        stalled.why(4)
    assert stalled.dumps.asked == []


def test_an_osd_that_hangs_holds_nobody_up(stalled: Asking) -> None:
    stalled.workers.osds, begun = {1}, stalled.clock.now()
    found = stalled.why(1)
    assert stalled.clock.now() - begun <= PATIENCE
    assert found.sentences == ["osd.1 has not answered yet."]
    stalled.loop.run_for(LOOK_SECONDS)
    found = stalled.why(1)
    assert found.is_complete
    assert found.sentences == found.not_told == ["osd.1 did not answer within 3 s."]


def test_an_osd_that_hangs_at_the_second_time_is_told_so(stalled: Asking) -> None:
    stalled.why(1)
    stalled.workers.osds = {1}
    stalled.loop.run_for(LOOK_SECONDS)
    found = stalled.why(1)
    assert found.sentences[0] == "The slowest operations of osd.1 are held up by osd.3."
    assert "osd.1 did not answer again within 3 s." in found.not_told


def test_an_osd_is_not_accused_where_none_could_be_asked(stalled: Asking) -> None:
    stalled.workers.osds, stalled.workers.full = {1}, True
    assert stalled.whole(1).sentences == ["osd.1 was not asked: others do not answer."]


def test_an_osd_that_refuses_is_told(stalled: Asking) -> None:
    del stalled.dumps.answers[1]
    assert stalled.whole(1).sentences == ["osd.1 did not answer: no answer."]
    assert {what for osd, what in stalled.dumps.asked if osd == 1} == {"historic"}


def test_an_osd_that_runs_a_bench_is_not_asked() -> None:
    made = Asking()
    made.benched.began(1, made.clock.now() - 5)
    found = made.whole(1)
    assert 1 not in made.counts()
    assert found.not_told == ["osd.1 runs a bench of a round and was not asked."]


@pytest.mark.parametrize(
    ("key", "out", "told"),
    [
        ("historic", b"op_tracker tracking is not enabled now", "gave no dump"),
        ("in_flight", b"", "the answer is empty"),
        ("counters", b'{"osd": NaN}', "gave no dump"),
        ("historic", json.dumps({"ops": [7]}).encode(), "osd.1 gave 1 operation not read here"),
    ],
)
def test_what_cannot_be_read_is_told_once(stalled: Asking, key: str, out: bytes, told: str) -> None:
    stalled.dumps.answers[1] = {**recorded("pacific", STALLED)[1], key: out}
    assert sum(told in one for one in stalled.whole(1).not_told) == 1


def test_an_osd_without_an_op_tracker_tells_its_counters(stalled: Asking) -> None:
    refusal = CommandFailed(errno.EINVAL, "op_tracker tracking is not enabled now")
    told = recorded("pacific", STALLED)[1]
    stalled.dumps.answers[1] = {**told, "historic": refusal, "in_flight": refusal}
    found = stalled.whole(1)
    assert found.operations == {}
    assert found.counters
    assert found.sentences[0] == "osd.1 refused to tell: op_tracker tracking is not enabled now."


def test_counters_are_those_between_the_first_and_the_second_answer(stalled: Asking) -> None:
    told = recorded("pacific", STALLED)[1]
    stalled.dumps.answers[1] = {**told, "counters": told["earlier"]}
    assert stalled.why(1).counter_seconds is None
    stalled.dumps.answers[1] = told
    stalled.loop.run_for(LOOK_SECONDS)
    assert stalled.why(1).counter_seconds == pytest.approx(2.0, abs=0.1)


def test_no_more_than_a_few_are_asked_about_at_once() -> None:
    made = Asking(osds=12)
    for osd in range(MOST_AT_ONCE):
        made.why(osd)
    with pytest.raises(NotNow, match=r"osd\.0, osd\.1.* are being asked"):
        made.why(11)
    made.loop.run_for(LOOK_SECONDS)
    assert made.why(11).osd == 11


def test_an_error_ends_one_asking_and_is_told(
    stalled: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_osd: int) -> bytes:
        raise RuntimeError("no memory")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(stalled.dumps, "slowest", broken)
        with pytest.raises(RuntimeError, match="no memory"):
            stalled.why(1)
    assert WHY in stalled.failing.problems()
    assert stalled.why(1).sampled.operations > 0


# --- whom to ask --------------------------------------------------------------------------------


def _osd(number: int, host: str, **more: Any) -> Osd:
    return Osd(number, host, **{"device_class": "hdd", **more})


SIX = [_osd(number, f"host-{number % 3}") for number in range(6)]


@pytest.mark.parametrize(
    ("osds", "number", "expected"),
    [
        (SIX, 0, [1, 2]),  # two other hosts
        (SIX, 3, [4, 5]),  # the next ones, not always the first
        ([SIX[0], _osd(1, "b", model="other"), *SIX[2:]], 0, [2, 4]),  # its model first
        ([*SIX[:1], _osd(3, "host-0")], 0, [3]),  # its own host, where there is no other
        ([SIX[0], _osd(1, "b", up=False), _osd(2, "c", in_cluster=False)], 0, []),
        ([SIX[0], _osd(1, "b", device_class="ssd")], 0, []),
    ],
)
def test_peers(osds: Sequence[Osd], number: int, expected: list[int]) -> None:
    chosen = choose(FakeCluster(list(osds)), lambda _osd: (), number)
    assert [one.id for one in chosen.peers] == expected


# --- findings -----------------------------------------------------------------------------------


def _asked(made: Asking, *targets: Target) -> list[Future[Mapping[str, Any]]]:
    return [made.loop.spawn(made.service.explain(one)).done for one in targets]


def _osds(*numbers: int) -> list[Target]:
    return [Target("osd", str(number)) for number in numbers]


def test_a_finding_gets_its_evidence_when_all_was_asked(stalled: Asking) -> None:
    (one, other) = _asked(stalled, *_osds(1, 1))  # two findings on one OSD are one asking
    stalled.loop.run_for(LOOK_SECONDS / 2)
    assert not one.done()
    stalled.loop.run_for(LOOK_SECONDS / 2)
    evidence = one.result()
    assert evidence == other.result()
    assert set(evidence) <= set(EVIDENCE)
    assert evidence["waits_for"][0]["waits_osd"] == 3
    assert evidence["time_spent"][0]["stage"] == "sub operations"
    assert evidence["time_spent"][0]["stage_share"] > 0.8
    assert "held up by osd.3" in evidence["why"][0]
    assert len(json.dumps(evidence)) < 8000
    assert stalled.counts() == {1: 2, 2: 2, 3: 2}


def test_findings_on_other_things_or_on_an_osd_that_went_away_have_none(stalled: Asking) -> None:
    stalled.cluster.set_down(1)
    others = [Target("host", "host-0"), Target("osd", "all"), Target("cluster", "osds")]
    asked = _asked(stalled, *others, *_osds(1, 99))
    stalled.loop.run_for(LOOK_SECONDS)
    assert [one.result() for one in asked] == [{}] * 5
    assert stalled.dumps.asked == []
    assert WHY not in stalled.failing.problems()


def test_many_findings_wait_and_too_many_are_left() -> None:
    made = Asking(osds=60)
    asked = _asked(made, *_osds(*range(60)))
    made.loop.run_for(60.0)
    assert 20 <= sum(bool(one.result()) for one in asked) < 60
