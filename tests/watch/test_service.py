"""The watch as a whole: what an operator is told of OSDs that are slow, and what outlives a mgr."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, Optional

import pytest

import threads
from asked import ask, asking
from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.database import Faults, file_store
from fakes.operation_dumps import FakeOperationDumps, breakdowns
from fakes.senses import CLEAN
from fakes.store_thread import ImpatientStoreThread
from lookout import Lookout, hosts
from nouns import some_osds
from operations import STALLED, recorded
from perf_bench.answers import findings as findings_text
from perf_bench.answers import status, text
from perf_bench.answers.api import Api
from perf_bench.answers.findings import finding_text
from perf_bench.answers.shape import to_json
from perf_bench.answers.status import LATE_TICKS
from perf_bench.core.workers import Here
from perf_bench.errors import InvalidValue, NotConfirmed, NotFound, StoreUnavailable
from perf_bench.model.admission import TOLERATED, WatchOptions
from perf_bench.model.finding import (
    Acknowledgement,
    Claim,
    Detector,
    Finding,
    FindingState,
    Gauge,
    Look,
    Severity,
    Target,
    WatchTick,
)
from perf_bench.model.hardware import HardwareSnapshot
from perf_bench.model.verdict import CephAlert, OsdState
from perf_bench.store import write_buffer

SLOW = "PERF_BENCH_SLOW_OSD"
LAGGY = "active+clean+laggy"
MINUTE = 60.0


class Place:
    """One cluster and its database; ``lookout`` is the mgr that is active."""

    def __init__(self, path: Path) -> None:
        self.faults = Faults()
        self.store_thread = ImpatientStoreThread(
            file_store(path, self.faults), patience=threads.PATIENCE
        )
        self.lookout = Lookout(self.store_thread, FakeClock(), hosts(6, 4))

    def fails_over(self) -> None:
        """Another mgr becomes active; this one had no time for anything."""
        self.lookout.watch = self.lookout.another()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / "main.db")
    yield made
    made.faults.unblock()
    made.store_thread.close(threads.PATIENCE)


def _codes(lookout: Lookout) -> dict[str, str]:
    """By code the first detail line of what is in health."""
    return {code: check["detail"][0] for code, check in lookout.notifier.checks.items()}


def test_a_healthy_cluster_is_silent(place: Place) -> None:
    place.lookout.passes(40 * MINUTE)
    assert place.lookout.notifier.checks == {}
    assert place.lookout.notifier.lines == []
    states = {verdict.state for verdict in place.lookout.watch.osd_snapshot().verdicts.values()}
    assert states == {OsdState.OK}
    assert place.lookout.pgs.asked == 0


def _asked(lookout: Lookout) -> Api:
    return asking(
        watch=lookout.watch,
        clock=lookout.clock,
        cluster=FakeCluster(()),
        inventory=SimpleNamespace(view=lambda _max_age: HardwareSnapshot(0.0, (), {})),
        safety=SimpleNamespace(tolerated=TOLERATED),
        store=SimpleNamespace(call=lambda *_: {}),
    )


def test_a_slow_osd_is_named_in_health_and_log_and_cleared_when_it_is_well(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    assert "osd.7" in _codes(lookout)[SLOW]
    assert lookout.notifier.checks[SLOW]["count"] == 1
    ((severity, line),) = lookout.notifier.lines
    assert severity is Severity.WARNING
    assert "osd.7" in line
    (finding,) = lookout.watch.findings()
    assert (finding.target.kind, finding.target.id) == ("osd", "7")
    assert lookout.watch.osd_snapshot().verdict(7).state is OsdState.SLOW
    assert "osd.7" in " ".join(lookout.watch.explain(7))
    asked = _asked(lookout)
    assert [ask(asked, "finding ls", search=word)[1] for word in ("warn", "error", "OSD.7")] == [
        1,
        0,
        1,
    ]
    place.lookout.slow_down(7, 1 / 5.0)
    lookout.passes(15 * MINUTE)
    assert lookout.notifier.checks == {}
    assert lookout.watch.findings()[0].state is FindingState.CLOSED
    assert lookout.notifier.lines[-1][1].startswith("PERF_BENCH_SLOW_OSD cleared: osd.7 after ")


def test_the_status_says_how_many_osds_are_judged_and_whether_it_is_late(place: Place) -> None:
    lookout = place.lookout
    api = _asked(lookout)

    def asked() -> Any:
        return to_json(status.watch(api))

    assert (asked()["judged"], asked()["late_seconds"]) == (0, 0)
    lookout.passes(5)
    now = asked()
    assert now["since"] == now["last_tick_at"]
    lookout.passes(10 * MINUTE)
    now = asked()
    assert now["judged"] == len(lookout.pulses)
    due = LATE_TICKS * now["tick_seconds"]
    lookout.clock.advance(due)
    assert asked()["late_seconds"] == 0
    lookout.clock.advance(40)
    late = asked()
    assert late["late_seconds"] == 40
    said = replace(status.watch(api), osds=12)
    assert "but the next look is 40 s late" in status.watch_text(said)
    lookout.options = replace(lookout.options, on=False)
    assert (asked()["judged"], asked()["late_seconds"]) == (0, 0)


def test_the_status_tells_suspects_before_there_is_a_finding(place: Place) -> None:
    lookout = place.lookout
    api = _asked(lookout)

    def suspects() -> Any:
        return to_json(status.suspects(api))

    lookout.passes(10 * MINUTE, suspects)
    assert suspects() == {"osds": 0, "worst": []}
    place.lookout.slow_down(7, 5.0)
    began, told = lookout.clock.now(), suspects()
    while not told["worst"]:
        lookout.passes(15)
        told = suspects()
    assert not lookout.notifier.checks
    (worst,) = told["worst"]
    assert (told["osds"], worst["osd"]) == (1, 7)
    assert worst["ratio"] == pytest.approx(5.0, rel=0.2)
    assert lookout.clock.now() - began < 5 * MINUTE
    said = status._suspect(status.suspects(api).worst[0])
    assert said.startswith("osd.7 is suspect, ")
    assert said.endswith(" times its peers")
    lookout.options = replace(lookout.options, on=False)
    assert suspects() == {"osds": 0, "worst": []}


def test_cephs_alert_is_joined_to_the_finding_about_its_osd(place: Place) -> None:
    lookout = place.lookout
    code = "BLUESTORE_SLOW_OP_ALERT"
    lookout.alerts.standing = [CephAlert(code, "2 OSD(s)", {7: 1, 8: 1}, lines=2)]
    lookout.passes(10 * MINUTE)
    asked = _asked(lookout)
    (alone,) = ask(asked, "alert ls")
    assert (alone.osds, alone.slow) == ((7, 8), ())
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    lookout.watch.recall()
    (alert,) = ask(asked, "alert ls")
    assert alert.slow == (7,)
    assert "osd.7 slower than the peers; osd.8 as fast as the peers" in alert.peers_text
    assert any(code in line for line in lookout.watch.explain(8))
    assert max(map(len, findings_text.alerts_text([alert]).splitlines())) <= 80


def test_a_finding_outlives_its_mgr(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(12 * MINUTE)
    (before,) = lookout.watch.findings()
    place.fails_over()
    lookout.notifier.checks = {}
    lookout.passes(MINUTE)
    (after,) = lookout.watch.findings()
    assert (after.id, after.first_seen) == (before.id, before.first_seen)
    assert "osd.7" in _codes(lookout)[SLOW]
    lookout.passes(20 * MINUTE)
    assert [one.id for one in lookout.watch.findings()] == [before.id]


def test_a_mgr_that_leaves_writes_all_rows(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a part of them, as while it goes on."""
    monkeypatch.setattr(write_buffer, "_SLICE", 1)
    place.lookout.passes(4 * MINUTE)
    place.lookout.leave()
    assert place.lookout.watch.journal.waiting == 0


def test_the_osd_of_a_new_finding_is_asked_why_and_the_answer_is_kept(place: Place) -> None:
    lookout = place.lookout
    recording = recorded("pacific", STALLED)
    dumps = FakeOperationDumps({7: recording[1], 8: recording[2], 9: recording[5]})
    lookout.breakdowns = breakdowns(
        FakeCluster(some_osds(12)), lookout.clock, dumps, loop=lookout.loop, workers=Here()
    )
    lookout.watch = lookout.another()
    lookout.passes(10 * MINUTE)
    assert dumps.asked == []
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    (finding,) = lookout.watch.findings()
    assert finding.evidence["why"][0] == "The slowest operations of osd.7 are held up by osd.3."
    assert finding.evidence["ratio"] > 2  # and what the detector has
    assert {osd for osd, _ in dumps.asked} == {3, 7, 8, 9}
    count = len(dumps.asked)
    asked = _asked(lookout)
    sheet = " ".join(finding_text(ask(asked, "finding show", id=finding.id)).split())
    assert "held up by osd.3." in sheet

    place.fails_over()
    lookout.passes(MINUTE)
    (after,) = lookout.watch.findings()
    assert after.evidence["why"] == finding.evidence["why"]
    assert len(dumps.asked) == count  # asked once for each finding


def test_a_mute_is_saved_before_it_is_confirmed(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    (finding,) = lookout.watch.findings()
    muted = lookout.watch.mute(finding.id, lookout.clock.now() + 3600)
    assert muted.state is FindingState.MUTED
    assert lookout.notifier.checks == {}
    place.fails_over()
    lookout.watch.recall()  # before its first tick
    assert lookout.watch.findings()[0].state is FindingState.MUTED
    lookout.passes(MINUTE)
    assert lookout.watch.findings()[0].state is FindingState.MUTED
    assert lookout.notifier.checks == {}
    with pytest.raises(NotFound):
        lookout.watch.mute(99, lookout.clock.now() + 60)


def test_a_note_is_saved_before_it_is_confirmed_and_health_keeps_the_finding(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    (finding,) = lookout.watch.findings()
    noted = ask(_asked(lookout), "finding ack", id=finding.id, text="  disk ordered ", by="alice")
    note = Acknowledgement("disk ordered", lookout.clock.now(), "alice")
    assert (noted.acknowledged, noted.state) == (note, FindingState.OPEN)
    assert findings_text.acknowledged_text(noted).endswith("its health check stays")
    assert SLOW in _codes(lookout)
    place.fails_over()
    lookout.passes(MINUTE)
    asked = _asked(lookout)
    ((shown,), total) = ask(asked, "finding ls", search="ordered")
    assert (shown.acknowledged, total) == (note, 1)
    assert ask(asked, "finding ls", search="nobody")[1] == 0
    assert SLOW in _codes(lookout)
    minute = text.minute(note.at)
    line = f"acknowledged {minute} UTC by alice: disk ordered"
    assert line in findings_text.findings_text([shown])
    assert f"{minute} UTC by alice: disk ordered" in finding_text(
        ask(asked, "finding show", id=shown.id)
    )
    gone = ask(asked, "finding ack", id=finding.id, remove=True)
    assert gone.acknowledged is None
    assert (
        findings_text.acknowledged_text(gone)
        == f"finding {finding.id} is not acknowledged any more"
    )
    place.fails_over()
    assert ask(_asked(place.lookout), "finding show", id=finding.id).acknowledged is None


@pytest.mark.parametrize(
    ("words", "by", "said"),
    [
        ("  ", None, "text has 0 characters, 1 to 500 are kept"),
        ("x" * 501, None, "text has 501 characters, 1 to 500 are kept"),
        ("seen", "x" * 101, "by has 101 characters, 1 to 100 are kept"),
    ],
)
def test_a_note_is_a_short_text(words: str, by: Optional[str], said: str, place: Place) -> None:
    with pytest.raises(InvalidValue, match=said):
        ask(_asked(place.lookout), "finding ack", id=1, text=words, by=by)


def test_the_longest_note_is_taken_and_what_is_over_is_not_acknowledged(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    asked = _asked(lookout)
    noted = ask(asked, "finding ack", id=1, text="x" * 500).acknowledged
    assert noted is not None
    assert noted.by is None
    place.lookout.slow_down(7, 1 / 5.0)
    lookout.passes(60 * MINUTE)
    assert lookout.watch.findings()[0].state is FindingState.CLOSED
    with pytest.raises(InvalidValue, match="finding 1 is closed"):
        ask(asked, "finding ack", id=1, text="seen")
    with pytest.raises(InvalidValue, match="finding 1 is closed"):
        ask(asked, "finding ack", id=1, remove=True)
    with pytest.raises(NotFound, match="no finding 2"):
        ask(asked, "finding ack", id=2, text="seen")


def test_a_note_that_is_not_saved_yet_is_told(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    place.faults.failing = -1
    with pytest.raises(StoreUnavailable, match="finding 1 is acknowledged, but that could not be"):
        ask(_asked(place.lookout), "finding ack", id=1, text="seen")


def test_a_mute_that_is_not_saved_in_time_is_not_called_saved_and_is_saved_later(
    place: Place,
) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    place.faults.block()
    assert lookout.watch.journal.write(lookout.clock.now(), {}, None)  # without the mute
    lookout.loop.patience = 0.1
    with pytest.raises(NotConfirmed):
        lookout.watch.mute(1, lookout.clock.now() + 3600)
    place.faults.unblock()
    lookout.loop.patience = threads.PATIENCE
    lookout.passes(10)
    stored, _ = place.store_thread.call(lambda store: store.watch.findings())
    assert [one.state for one in stored] == [FindingState.MUTED]


def test_laggy_groups_are_told_with_the_osd_behind_them(place: Place) -> None:
    lookout = place.lookout
    lookout.round_id = 5
    lookout.passes(MINUTE)
    lookout.pgs.states = {CLEAN: 58, LAGGY: 6}
    lookout.pgs.osds = {
        0: {CLEAN: 46, LAGGY: 2}, 1: {CLEAN: 41, LAGGY: 4}, 2: {CLEAN: 31, LAGGY: 6},
    }  # fmt: skip
    lookout.passes(MINUTE)
    assert "osd.2" in _codes(lookout)["PERF_BENCH_LAGGY_PGS"]
    now, osds, _, episodes = lookout.watch.laggy_groups()
    assert now.laggy == 6
    assert osds[0].osd == 2
    assert episodes[0].round_id == 5
    lookout.pgs.states = {CLEAN: 64}
    lookout.passes(3 * MINUTE)
    assert lookout.notifier.checks == {}


def test_a_store_that_is_away_stops_no_alarm(place: Place) -> None:
    lookout = place.lookout
    place.faults.failing = -1
    lookout.passes(12 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    assert "osd.7" in _codes(lookout)[SLOW]
    place.faults.failing = 0
    lookout.passes(3 * MINUTE)
    (finding,) = lookout.watch.findings()
    assert finding.id == 1
    (stored,), _ = place.store_thread.call(lambda store: store.watch.findings())
    assert stored.target.id == "7"


def test_nobody_is_told_that_all_is_well_before_it_is_known(place: Place) -> None:
    place.faults.failing = -1
    with pytest.raises(StoreUnavailable, match="not read yet"):
        place.lookout.watch.recall()
    place.faults.failing = 0
    place.lookout.watch.recall()


def test_switched_off_it_shows_nothing(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    lookout.notifier.checks = {SLOW: {}}
    lookout.options = WatchOptions(on=False, tick_seconds=0.1, codes=frozenset())
    ticks = lookout.loop.spawn(lookout.watch.run())
    lookout.loop.run_for(1)
    assert lookout.notifier.checks == {}
    assert lookout.watch.tick_stats.at is None
    ticks.cancel("the test ends")
    lookout.loop.settle()


def test_the_latency_of_clients_is_not_that_of_before_the_watch_was_off(place: Place) -> None:
    """The guard would compare a round with yesterday."""
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    assert lookout.watch.client_seconds() == pytest.approx(0.01, rel=0.5)
    lookout.options = replace(lookout.options, on=False)
    lookout.tick(on=False)
    lookout.clock.advance(24 * 60 * MINUTE)
    lookout.options = replace(lookout.options, on=True)
    lookout.tick()
    assert lookout.watch.client_seconds() is None
    lookout.passes(2 * MINUTE)
    assert lookout.watch.client_seconds() is not None


def test_the_latency_of_clients_is_not_told_while_no_osd_reports(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    for _ in range(120):
        lookout.clock.advance(5)
        lookout.tick()
    assert lookout.watch.client_seconds() is None


class Knows(Detector):
    """Claims what it is told to; knows at once what is over if it may."""

    name = "knows"

    def __init__(self) -> None:
        self.found: list[Claim] = []
        self.sure = False

    def tick(self, tick: WatchTick) -> None:
        pass

    def claims(self) -> list[Claim]:
        return self.found

    def knows(self, finding: Finding) -> bool:
        del finding
        return self.sure

    def looks(self) -> list[Look]:
        return [Look("x", "what it looks at", "enclosure", 1, ("X",))]


def _add(place: Place, detector: Detector) -> None:
    detectors = place.lookout.watch.detectors
    detectors.all = (*detectors.all, detector)


@pytest.mark.parametrize(
    ("code", "sure", "closed"),
    [("X", True, True), ("X", False, False), ("OF_ANOTHER_DETECTOR", True, False)],
)
def test_a_restored_finding_that_its_detector_knows_is_over_closes_at_once(
    place: Place, code: str, sure: bool, closed: bool
) -> None:
    knows = Knows()
    _add(place, knows)
    knows.found = [Claim(code, Severity.ERROR, Target("enclosure", "0x1"), "bad", {}, 0.0)]
    place.lookout.passes(MINUTE)
    assert [one.code for one in place.lookout.watch.findings()] == [code]
    place.fails_over()
    after = Knows()
    after.sure = sure
    _add(place, after)
    place.lookout.passes(MINUTE)
    place.lookout.watch.recall()
    states = [one.state for one in place.lookout.watch.findings()]
    assert states == [FindingState.CLOSED if closed else FindingState.OPEN]


@pytest.mark.parametrize("seconds", [-172_800.0])
def test_a_restored_finding_has_its_time_also_where_the_clock_is_set(
    place: Place, seconds: float
) -> None:
    knows = Knows()
    _add(place, knows)
    knows.found = [Claim("X", Severity.ERROR, Target("enclosure", "0x1"), "bad", {}, 0.0)]
    place.lookout.passes(MINUTE)
    place.fails_over()
    _add(place, Knows())
    place.lookout.passes(MINUTE)
    place.lookout.clock.set_by(seconds)
    # Two hours, as the detector of slow OSDs had saved nothing yet.
    place.lookout.passes(118 * MINUTE)
    assert [one.state for one in place.lookout.watch.findings()] == [FindingState.OPEN]
    place.lookout.passes(2 * MINUTE)
    place.lookout.watch.recall()
    assert [one.state for one in place.lookout.watch.findings()] == [FindingState.CLOSED]


@pytest.mark.parametrize("ahead", [3600.0])
def test_an_episode_that_was_saved_while_it_went_on_is_known_as_it_was_stored_in_the_end(
    ahead: float, place: Place
) -> None:
    lookout = place.lookout
    lookout.passes(7 * MINUTE)
    lookout.pgs.states = {CLEAN: 58, LAGGY: 6}
    lookout.passes(30)  # a finding after 15 s, with which the detectors' states are saved
    lookout.pgs.states = {CLEAN: 64}
    lookout.passes(40)  # too soon after that to save them again
    before = lookout.watch.laggy_groups()[3]
    assert [one.laggy_pg_seconds for one in before] == [180.0]
    lookout.clock.set_by(-ahead)  # the clock of the mgr that takes over is right
    place.fails_over()
    lookout.passes(2 * MINUTE)
    assert lookout.watch.laggy_groups()[3] == before
    stored = place.store_thread.call(lambda store: store.watch.episodes())
    assert stored == (before, 1)


class Clocked(Detector):
    """Notes by how much the clock was set at its ticks."""

    name = "clocked"

    def __init__(self) -> None:
        self.steps: list[float] = []

    def tick(self, tick: WatchTick) -> None:
        self.steps.append(tick.clock_step)

    def claims(self) -> list[Claim]:
        return []


def test_detectors_are_told_of_a_clock_that_was_set(place: Place) -> None:
    lookout = place.lookout
    lookout.detectors = [clocked] = [Clocked()]
    lookout.watch = lookout.another()
    lookout.passes(MINUTE)
    assert set(clocked.steps) == {0.0}
    for seconds, step in ((172_800.0, 172_800.0), (-172_800.0, -172_800.0), (9.9, 0), (9.9, 19.8)):
        clocked.steps.clear()
        lookout.clock.set_by(seconds)
        lookout.passes(MINUTE)
        assert [one for one in clocked.steps if one] == ([pytest.approx(step)] if step else [])


def test_a_tick_that_fails_is_told_once_and_followed_by_the_next(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    lookout = place.lookout
    lookout.passes(MINUTE)

    def broken() -> NoReturn:
        raise KeyError("osd_map_tree")

    lookout.watch.detectors.collect = broken  # type: ignore[method-assign]
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            lookout.tick(on=True)
    assert len([r for r in caplog.records if "'collector' failed" in r.message]) == 1
    assert lookout.watch.tick_stats.errors == 3
    assert "osd_map_tree" in (lookout.watch.problem() or "")
    assert lookout.watch.tick_stats.since is None


def test_it_is_known_since_when_every_tick_has_succeeded(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(MINUTE)
    watch, now = lookout.watch, lookout.clock.now
    first = watch.tick_stats.since
    assert first is not None
    lookout.passes(10)
    lookout.tick(on=True)
    assert (watch.tick_stats.since, watch.tick_stats.at) == (first, now())
    lookout.tick(on=False)
    assert watch.tick_stats.since is None
    lookout.tick(on=True)
    assert watch.tick_stats.since == now() > first


class Paced(Detector):
    """Answers when it is asked."""

    name = "paced"

    def tick(self, tick: WatchTick) -> None:
        del tick

    def claims(self) -> list[Claim]:
        return []

    def explain(self, osd: int) -> Sequence[str]:
        del osd
        return ["Paced explains"]

    def metrics(self) -> Sequence[Gauge]:
        return [Gauge("paced", "How it is paced.", [])]


class Silent(Detector):
    """Fails when it is asked, not when it looks."""

    name = "silent"

    def tick(self, tick: WatchTick) -> None:
        del tick

    def claims(self) -> list[Claim]:
        return []

    def explain(self, osd: int) -> Sequence[str]:
        raise ValueError(f"osd.{osd}")

    def metrics(self) -> Sequence[Gauge]:
        raise ValueError("gauges")


def test_a_detector_that_fails_when_it_is_asked_leaves_the_others_told(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    lookout = place.lookout
    lookout.detectors = [Silent(), Paced()]
    lookout.watch = watch = lookout.another()
    lookout.passes(10 * MINUTE)
    assert watch.explain(7) == [
        *watch.detectors.slow.explain(7),
        "Paced explains",
    ]
    for _ in range(3):
        assert [one.name for one in watch.gauges(per_osd=True)] == ["paced"]
    assert watch.detectors.failures["silent"] == 4
    assert len([one for one in caplog.records if "'silent' failed" in one.message]) == 2


def test_what_was_seen_can_be_read_back(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(20 * MINUTE)
    now = lookout.clock.now()
    minutes = lookout.watch.minutes(3, "commit", now - 600, now)
    assert minutes
    assert {round(one.mean, 4) for one in minutes} == {0.01}
    stored = place.store_thread.call(
        lambda store: store.watch.series(3, ["commit"], 300, now - 1200, now)["commit"]
    )
    assert stored
    assert stored[0].mean == pytest.approx(0.01, rel=0.01)
