"""What health says of parts of the module itself that fail, each by an error that is injected."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Any, NoReturn, Optional

import pytest

from asked import asking, json_of
from fakes.cluster import FakeCluster
from fakes.counters import Pulse
from fakes.store_thread import ImpatientStoreThread
from lookout import TICK, Lookout, hosts
from perf_bench.answers import status
from perf_bench.answers.api import Api
from perf_bench.core.failing_parts import LASTING_SECONDS, LOST, WELL_SECONDS, FailingParts
from perf_bench.core.workers import Here
from perf_bench.errors import CommandFailed, NotNow, StoreUnavailable
from perf_bench.hardware.checksums import ChecksumMonitor
from perf_bench.hardware.enclosures import EnclosureInventory
from perf_bench.model.finding import FindingState
from perf_bench.model.finding_kinds import SLOW_OSD, WATCH_FAILED
from perf_bench.watch import service
from perf_bench.watch.detect.cohort_drift.detector import CohortDriftDetector
from perf_bench.watch.detect.laggy_pgs import LaggyPgDetector
from perf_bench.watch.detect.osd_flapping import OsdFlappingDetector
from perf_bench.watch.detect.standby_mgrs import StandbyMgrDetector
from perf_bench.watch.detectors import OtherPart
from perf_bench.watch.slow_osd.detector import SlowDetector

MINUTE = 60.0
CODE = WATCH_FAILED.code


def boom(*_: Any, **__: Any) -> NoReturn:
    raise ValueError("of the part\nand a second line")


@pytest.fixture
def lookout(store_thread: ImpatientStoreThread) -> Lookout:
    made = Lookout(store_thread, members=hosts(3, 4))
    made.passes(2 * MINUTE)
    return made


def passes(lookout: Lookout, seconds: float, on: bool = True) -> None:
    lookout.passes(seconds, on=on)


def _api(lookout: Lookout) -> Api:
    return asking(watch=lookout.watch, cluster=FakeCluster(()), clock=lookout.clock)


def told(lookout: Lookout) -> list[str]:
    """The detail lines of the health check."""
    return list(lookout.notifier.checks.get(CODE, {}).get("detail", ()))


def _break_slow(lookout: Lookout) -> None:
    lookout.watch.detectors.slow.tick = boom  # type: ignore[method-assign]


def test_a_detector_that_fails_is_told_after_five_minutes_until_it_went_well_for_90_s(
    lookout: Lookout,
) -> None:
    whole = lookout.watch.detectors.slow.tick
    _break_slow(lookout)
    passes(lookout, LASTING_SECONDS)
    assert lookout.notifier.checks == {}
    passes(lookout, 2 * TICK)
    check = lookout.notifier.checks[CODE]
    assert (check["severity"], check["count"]) == ("warning", 1)
    looked = "latencies of OSDs against their peers"
    assert check["detail"] == [f"'slow' fails: not looked at: {looked} (ValueError: of the part)"]
    lookout.watch.detectors.slow.tick = whole  # type: ignore[method-assign]
    passes(lookout, WELL_SECONDS - TICK)
    assert told(lookout)
    passes(lookout, 2 * TICK)
    assert lookout.notifier.checks == {}
    (_, opened), (_, closed) = lookout.notifier.lines
    assert opened.startswith(f"{CODE}: 'slow' fails")
    assert closed.startswith(f"{CODE} cleared: slow after ")


def test_of_every_detector_it_is_known_what_is_lost_without_it() -> None:
    of_hosts = (EnclosureInventory, ChecksumMonitor)
    detectors = (*of_hosts, CohortDriftDetector, OsdFlappingDetector, StandbyMgrDetector)
    assert {one.name for one in (SlowDetector, LaggyPgDetector, *detectors)} <= LOST.keys()


def test_single_errors_with_good_looks_between_them_are_no_finding(lookout: Lookout) -> None:
    """Of a part that is only asked here, as the comparison of rounds with their past."""
    for _ in range(3):
        lookout.others = [OtherPart("schedules", boom, tuple)]
        passes(lookout, TICK)
        lookout.others = [OtherPart("schedules", list, tuple)]
        passes(lookout, 6 * MINUTE)
    assert lookout.notifier.lines == []
    assert lookout.watch.problem() is None


def _context(**parts: Any) -> Callable[[Lookout], None]:
    def fail(lookout: Lookout) -> None:
        watch = lookout.watch
        watch._context = replace(watch._context, **parts)
        watch.detectors._context = watch._context

    return fail


def _others(name: str, claims: Any, looks: Any) -> Callable[[Lookout], None]:
    def fail(lookout: Lookout) -> None:
        lookout.others = [OtherPart(name, claims, looks)]

    return fail


def _set(*path: str) -> Callable[[Lookout], None]:
    def fail(lookout: Lookout) -> None:
        owner: Any = lookout
        for name in path[:-1]:
            owner = getattr(owner, name)
        setattr(owner, path[-1], boom)

    return fail


@pytest.mark.parametrize(
    ("fail", "part", "lost"),
    [
        (_set("members", "members"), "collector", "the counters of OSDs are not read"),
        (_set("watch", "journal", "put"), "saver", "are not saved"),
        (_set("watch", "detectors", "slow", "looks"), "slow", "latencies of OSDs against"),
        (_set("regressions", "claims"), "regressions", "not compared with their own past"),
        (_set("regressions", "looks"), "regressions", "not compared with their own past"),
        (_context(running_round=boom), "watch", "nothing is looked at"),
        (_context(others=boom), "watch", "nothing is looked at"),
    ],
)
def test_a_part_that_fails_is_told(
    fail: Callable[[Lookout], None], part: str, lost: str, lookout: Lookout
) -> None:
    lookout.watch.coverage(0.0)
    fail(lookout)
    for _ in range(20):
        passes(lookout, 20)
        with suppress(ValueError):
            lookout.watch.coverage()
    (line,) = told(lookout)
    assert line.startswith(f"'{part}' fails: ")
    assert lost in line
    assert line.endswith("(ValueError: of the part)")
    assert f"{part}: ValueError: of the part" in (lookout.watch.problem() or "")


@pytest.mark.parametrize(
    "fail",
    [
        _set("notifier", "log"),
        _set("watch", "journal", "put"),
        _set("pgs", "by_state"),
        _others("doctor", boom, boom),
    ],
)
def test_a_part_that_fails_keeps_no_other_from_its_findings(
    fail: Callable[[Lookout], None], lookout: Lookout
) -> None:
    fail(lookout)
    lookout.slow_down(7, 5.0)
    passes(lookout, 20 * MINUTE)
    assert "osd.7" in lookout.notifier.checks[SLOW_OSD.code]["detail"][0]


def test_health_that_cannot_be_shown_keeps_nothing_from_being_found_and_saved(
    lookout: Lookout,
) -> None:
    whole = lookout.notifier.health
    lookout.notifier.health = boom  # type: ignore[method-assign]
    lookout.slow_down(7, 5.0)
    passes(lookout, 20 * MINUTE)
    assert "health: ValueError: of the part" in (lookout.watch.problem() or "")
    found = lookout.store_thread.call(lambda store: store.watch.findings())[0]
    assert {one.code for one in found} == {SLOW_OSD.code, CODE}
    lookout.notifier.health = whole  # type: ignore[method-assign]
    passes(lookout, TICK)
    assert set(lookout.notifier.checks) == {SLOW_OSD.code, CODE}
    passes(lookout, 2 * MINUTE)
    assert set(lookout.notifier.checks) == {SLOW_OSD.code}


def test_the_option_switches_it_off(lookout: Lookout) -> None:
    codes = frozenset(lookout.options.codes) - {CODE}
    lookout.options = replace(lookout.options, codes=codes)
    assert WATCH_FAILED.switch == "warn_watch_failed"
    _break_slow(lookout)
    passes(lookout, 6 * MINUTE)
    assert lookout.notifier.checks == {}
    assert [one.code for one in lookout.watch.findings()] == [CODE]
    _context(running_round=boom)(lookout)
    passes(lookout, 6 * MINUTE)
    assert lookout.notifier.checks == {}


def test_counters_that_do_not_come_are_told_until_they_come(lookout: Lookout) -> None:
    pulses = dict(lookout.pulses)
    lookout.pulses.clear()
    passes(lookout, 5 * MINUTE)
    assert told(lookout) == []
    passes(lookout, 2 * MINUTE)
    (line,) = told(lookout)
    assert line.startswith("'counters' fails: no latency is looked at (no OSD that is up sends ")
    lookout.pulses.update(pulses)
    passes(lookout, 2 * MINUTE)
    assert told(lookout) == []


@pytest.mark.parametrize("change", ["idle", "all down", "clock"])
def test_counters_that_need_not_come_are_not_told(change: str, lookout: Lookout) -> None:
    if change == "idle":
        lookout.pulses.update({osd: Pulse(osd, rate=0.0) for osd in lookout.pulses})
    elif change == "clock":
        lookout.clock.set_by(86400.0)
    else:
        lookout.pulses.clear()
        for osd in range(12):
            lookout.members.change(osd, up=False)
    passes(lookout, 8 * MINUTE)
    assert told(lookout) == []


def test_what_the_watch_does_not_do_while_it_is_off_does_not_fail(lookout: Lookout) -> None:
    _break_slow(lookout)
    lookout.pulses.clear()
    passes(lookout, 7 * MINUTE)
    assert len(told(lookout)) == 2
    lookout.options = replace(lookout.options, on=False)
    passes(lookout, TICK, on=False)
    assert told(lookout) == []


def test_other_parts_are_told_while_the_watch_is_off_too(lookout: Lookout) -> None:
    lookout.options = replace(lookout.options, on=False)
    lookout.others = [OtherPart("doctor", boom, tuple)]
    passes(lookout, 6 * MINUTE, on=False)
    assert "'doctor' fails" in told(lookout)[0]
    told_ = status.watch_text(status.watch(_api(lookout)))
    assert "off (0 OSDs), but: doctor: ValueError: of" in told_


@pytest.mark.parametrize(
    "error", [StoreUnavailable("the database is away"), CommandFailed(110, "no answer")]
)
def test_what_the_database_or_the_monitors_cause_is_told_elsewhere(
    error: Exception, lookout: Lookout
) -> None:
    def away() -> NoReturn:
        raise error

    lookout.others = [OtherPart("schedules", away, tuple)]
    passes(lookout, 10 * MINUTE)
    assert told(lookout) == []
    assert str(error) in (lookout.watch.problem() or "")


@pytest.mark.parametrize(
    ("error", "over"),
    [
        (StoreUnavailable("the database is away"), True),
        (CommandFailed(110, "no answer"), True),
        (ValueError("of its own"), False),
    ],
)
def test_what_another_thing_caused_is_over_with_it(
    error: Exception, over: bool, lookout: Lookout
) -> None:
    lookout.failing.failed("bench", error)
    assert "bench" in lookout.failing.problems()
    lookout.failing.went_well("bench")
    assert ("bench" not in lookout.failing.problems()) is over


def test_an_error_is_bounded_and_harmless(lookout: Lookout) -> None:
    def fails() -> NoReturn:
        raise ValueError("\x1b[2J" + "x" * 10**6)

    lookout.others = [OtherPart("doctor", fails, tuple)]
    passes(lookout, 6 * MINUTE)
    (line,) = told(lookout)
    assert line.isprintable()
    assert len(line) < 400
    assert len(lookout.watch.problem() or "") < 3000


def test_coverage_says_that_a_part_which_fails_has_not_looked(lookout: Lookout) -> None:
    regressions = lookout.regressions
    lookout.others = [OtherPart("schedules", tuple, regressions.looks)]
    lookout.failing.failed("schedules", ValueError("a row"))
    api = asking(watch=lookout.watch)
    rows = [row for row in json_of(api, "coverage ls")[0] if row["name"] == "regressions"]
    assert [[gap["code"] for gap in row["gaps"]] for row in rows] == [["unread"], ["failed"]]
    _set("members", "members")(lookout)
    passes(lookout, TICK)
    lookout.clock.advance(MINUTE)
    (slow,) = [row for row in json_of(api, "coverage ls")[0] if row["name"] == "slow_osds"]
    assert [gap["code"] for gap in slow["gaps"]] == ["failed"]
    (own,) = [row for row in json_of(api, "coverage ls")[0] if row["name"] == "parts"]
    assert own["codes"] == [CODE]


@pytest.mark.parametrize("fails", [True, False])
def test_the_mgr_that_takes_over_ends_it_once_the_part_has_gone_well_there(
    fails: bool, lookout: Lookout
) -> None:
    _break_slow(lookout)
    passes(lookout, 6 * MINUTE)
    assert told(lookout)
    lookout.watch = lookout.another()
    if fails:
        _break_slow(lookout)
    passes(lookout, MINUTE)
    assert told(lookout)  # whether it is over is not known yet
    passes(lookout, LASTING_SECONDS)
    assert bool(told(lookout)) is fails
    (finding,) = lookout.watch.findings()
    assert finding.state is (FindingState.OPEN if fails else FindingState.CLOSED)


# --- threads ---------------------------------------------------------------------------------


class Hanging:
    """The thread of the detectors: what it is given begins, and does not end before ``goes_on``."""

    def __init__(self) -> None:
        self._begun: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.hangs = False

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        if not self.hangs:
            return Here().submit(work)
        answer: Future[Any] = Future()
        self._begun.append((answer, work))
        return answer

    def goes_on(self) -> None:
        self.hangs = False
        for answer, work in self._begun:
            if answer.set_running_or_notify_cancel():
                answer.set_result(work())


def test_a_tick_that_hangs_is_told_and_stops_no_command(
    lookout: Lookout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_ANSWER_SECONDS", 0.01)
    lookout.slow_down(7, 5.0)
    passes(lookout, 20 * MINUTE)
    before = lookout.watch.findings()
    thread = Hanging()
    _context(thread=thread)(lookout)
    thread.hangs = True
    ticks = lookout.loop.spawn(lookout.watch.run())
    lookout.loop.run_for(LASTING_SECONDS + 1)
    (line,) = told(lookout)
    assert line.startswith("'watch' fails: nothing is looked at, and health checks stay as they ")
    assert line.endswith("(no sign of life for 5 min)")
    assert "osd.7" in lookout.notifier.checks[SLOW_OSD.code]["detail"][0]
    assert [one for one in lookout.watch.findings() if one.code != CODE] == before
    with pytest.raises(NotNow, match="its tick has taken longer than"):
        status.watch(_api(lookout))
    assert lookout.watch.mute(before[0].id, lookout.clock.now() + 60).muted_until
    thread.goes_on()
    lookout.loop.run_for(TICK)
    ticks.cancel("the test ends")
    lookout.loop.settle()
    passes(lookout, WELL_SECONDS - 2 * TICK)
    assert told(lookout)
    passes(lookout, MINUTE)
    assert told(lookout) == []


def test_the_watch_survives_options_that_cannot_be_read(lookout: Lookout) -> None:
    whole, lookout.watch.options = lookout.watch.options, boom
    ticks = lookout.loop.spawn(lookout.watch.run())
    lookout.loop.run_for(LASTING_SECONDS + TICK)
    assert "watch" in lookout.failing.problems()
    lookout.watch.options = whole
    lookout.loop.run_for(TICK)
    assert "'watch' fails" in told(lookout)[0]
    assert not ticks.done.done()
    ticks.cancel("the test ends")
    lookout.loop.settle()


def test_a_part_that_looks_rarely_fails_until_its_next_look_went_well(lookout: Lookout) -> None:
    failing: FailingParts = lookout.failing
    clock = lookout.clock

    def claimed() -> Optional[str]:
        found = failing.claims(clock.now())
        return found[0].target.id if found else None

    failing.failed("doctor", ValueError("once"))
    clock.advance(600)
    failing.went_well("doctor")  # nothing was due until now
    assert claimed() is None
    failing.failed("doctor", ValueError("twice"))
    assert claimed() == "doctor"
    clock.advance(600)
    failing.went_well("doctor")
    assert claimed() == "doctor"
    clock.advance(300)
    failing.went_well("doctor")
    assert claimed() is None
