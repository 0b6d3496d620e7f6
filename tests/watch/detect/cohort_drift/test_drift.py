"""Cohorts that become slower than they were: when it opens, when it ends, and who says so."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drifting import BEGAN, USUAL, World, step, tide
from perf_bench.errors import StoreUnavailable
from perf_bench.model.finding import QUEUE, Frame, Mark, Roster, Severity
from perf_bench.model.history import DAY, HOUR, CohortSetup, without_release
from perf_bench.watch.detect.cohort_drift.detector import LATE_SECONDS, MOST_COHORTS
from perf_bench.watch.detect.cohort_drift.drift import (
    UNKNOWN_LOAD,
    Comparison,
    Past,
    Point,
    compare,
)

COHORT = "hdd ACME ceph-18 default"
NAME = "hdd ACME default"
# The cohort becomes slower then, after twenty days.
AT = BEGAN + 20 * DAY


def slow(ratio: float, until: float = math.inf) -> World:
    return World(slower={COHORT: step(ratio, AT, until)})


def after(world: World, hours: float) -> None:
    """Go on until so many hours of the drift have been read."""
    if world.now < AT:
        world.jump(AT)
    world.jump(AT + LATE_SECONDS + hours * HOUR)


# --- the boundaries --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratio", "severity"),
    [
        (0.5, None),  # faster is no drift
        (1.19, None),
        (1.2, Severity.INFO),
        (1.49, Severity.INFO),
        (1.5, Severity.WARNING),
    ],
)
def test_the_ratio_decides(ratio: float, severity: Severity | None) -> None:
    world = slow(ratio)
    after(world, 48)
    assert [claim.severity for claim in world.claims()] == ([severity] if severity else [])
    assert world.ratio() == pytest.approx(ratio, rel=1e-3)


@pytest.mark.parametrize(("hours", "count"), [(35, 0), (36, 1)])
def test_it_opens_when_three_quarters_of_two_days_are_slower(hours: int, count: int) -> None:
    world = slow(1.6)
    after(world, hours)
    assert len(world.claims()) == count


def test_the_claim_says_who_since_when_and_by_how_much() -> None:
    world = slow(1.6)
    after(world, 36)
    (claim,) = world.claims()
    assert claim.key == ("PERF_BENCH_COHORT_DRIFT", "cohort", NAME)
    assert claim.since == AT - 12 * HOUR  # two days before it was found
    assert "1.60 times as long (commit) as before at equal load" in claim.message
    assert claim.evidence["ratio"] == pytest.approx(1.6)
    assert claim.evidence["latency_ms"] == pytest.approx(
        1.6 * claim.evidence["before_ms"], rel=0.01
    )
    assert claim.evidence["judged"] == 48
    assert claim.evidence["past"] == 19 * 24
    json.dumps(claim.evidence)


@pytest.mark.parametrize(("ratio", "ends"), [(1.1, False), (1.09, True)])
def test_it_ends_when_most_of_two_days_are_below_the_calm_ratio(ratio: float, ends: bool) -> None:
    world = World(
        slower={COHORT: lambda at: 1.0 if at < AT else 1.6 if at < AT + 2 * DAY else ratio}
    )
    after(world, 48)
    assert world.claims()
    after(world, 48 + 23)  # the median is of the slow hours
    assert world.claims()
    after(world, 48 + 48)
    assert bool(world.claims()) is not ends


@pytest.mark.parametrize(("ratio", "severity"), [(1.41, Severity.WARNING), (1.39, Severity.INFO)])
def test_a_warning_becomes_an_info_only_well_below(ratio: float, severity: Severity) -> None:
    world = World(
        slower={COHORT: lambda at: 1.0 if at < AT else 1.6 if at < AT + 2 * DAY else ratio}
    )
    after(world, 47)
    assert [claim.severity for claim in world.claims()] == [Severity.WARNING]
    after(world, 48 + 48)
    (claim,) = world.claims()
    assert claim.severity is severity


def test_an_info_becomes_a_warning() -> None:
    world = World(slower={COHORT: lambda at: 1.0 if at < AT else 1.3 if at < AT + 2 * DAY else 1.5})
    after(world, 47)
    assert [claim.severity for claim in world.claims()] == [Severity.INFO]
    after(world, 48 + 48)
    assert [claim.severity for claim in world.claims()] == [Severity.WARNING]


# --- how much past is needed -----------------------------------------------------------------


@pytest.mark.parametrize(("hours", "judged"), [(9 * 24 - 1, False), (9 * 24, True)])
def test_it_needs_seven_days_before_the_newest_two(hours: int, judged: bool) -> None:
    world = World()
    world.jump(BEGAN + LATE_SECONDS + hours * HOUR)
    assert (world.ratio() is not None) is judged
    assert [code for code, _ in world.gaps()] == ([] if judged else ["past"])


@pytest.mark.parametrize(("hours", "judged"), [(23, False), (24, True)])
def test_it_needs_half_of_the_newest_hours(hours: int, judged: bool) -> None:
    world = World(known=lambda at: at < AT - 2 * DAY or at >= AT - hours * HOUR)
    world.jump(AT + LATE_SECONDS)
    assert (world.ratio() is not None) is judged
    if not judged:
        why = (
            "no judgement: of the newest 48 hours 23 have data, and it needs 24; hours with "
            "recovery do not count"
        )
        assert world.gaps() == [("recent", why)]


def test_before_all_is_read_it_says_so_and_a_store_that_is_away_too() -> None:
    world = World()
    world.now = BEGAN + 20 * DAY
    assert world.gaps() == [("unread", "the watch has not read the OSDs yet")]
    world.broken = StoreUnavailable("the pool is full")
    world.jump(world.now)
    assert world.gaps() == [
        ("database", "their past cannot be read from the database: the pool is full")
    ]
    orders = world.orders
    world.jump(world.now + 30)
    assert world.orders == orders  # it waits a minute
    world.broken = None
    world.jump(world.now + 60)
    assert world.gaps() == []


def test_small_and_surplus_cohorts_are_named() -> None:
    assert World(osds=2).jump(AT) == []
    world = World(osds=2)
    world.jump(AT)
    assert world.gaps() == [("few", "fewer than 3 OSDs are no cohort")]
    for osds in (3, 4):
        world = World(cohorts=tuple(f"kind-{at}" for at in range(MOST_COHORTS + 1)), osds=osds)
        world.jump(BEGAN + 10 * DAY)
        assert ("many", f"only the {MOST_COHORTS} largest cohorts are judged") in world.gaps()


# --- load ------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1.25, 10.0])
@pytest.mark.parametrize("slope", [-0.5, 0.6, 2.2])
def test_more_or_less_of_the_same_load_opens_nothing(factor: float, slope: float) -> None:
    """Latency follows load up to a power of 2.2: no other tells it, and none is told as drift."""
    for change in (factor, 1 / factor):
        times = step(change, AT)
        world = World(load=lambda at, times=times: tide(at) * times(at), slope=slope)  # type: ignore[misc]
        after(world, 48)
        assert world.claims() == []


def test_a_load_that_was_never_seen_is_not_judged() -> None:
    world = slow(2.0)
    world.load = lambda at: tide(at) * (30.0 if at >= AT else 1.0)
    after(world, 48)
    assert world.claims() == []
    ((code, why),) = world.gaps()
    assert code == "load"
    assert "for 0 of the newest hours there is a past of like load, and it needs 24" in why


@pytest.mark.parametrize(("times", "alike"), [(1.249, True), (1.251, False)])
def test_like_load_is_within_a_quarter(times: float, alike: bool) -> None:
    past = [Point(BEGAN + at * HOUR, 0.0, (1.0,)) for at in range(200)]
    point = Point(BEGAN + 300 * HOUR, 1.0, (1.0 + math.log(times),))
    found = Past(past).excess(point)
    assert (found is not None) is alike


def test_a_load_that_is_not_known_is_like_one_that_is_not_and_like_no_other() -> None:
    past = Past([Point(BEGAN + at * HOUR, 0.0, (1.0, UNKNOWN_LOAD)) for at in range(200)])
    assert past.excess(Point(BEGAN, 0.5, (1.0, UNKNOWN_LOAD))) == 0.5
    assert past.excess(Point(BEGAN, 0.5, (1.0, 7.0))) is None


# --- what days differ by ---------------------------------------------------------------------


def _reference(level: float = 0.0) -> Past:
    points = [
        Point(BEGAN + at * HOUR, level + 0.02 * math.sin(at), (math.sin(at / 4),))
        for at in range(24 * 14)
    ]
    return Past(points)


@given(
    st.lists(st.floats(-0.3, 0.6), min_size=48, max_size=48),
    st.lists(st.floats(0.0, 0.4), min_size=48, max_size=48),
)
@settings(deadline=None, max_examples=60)
def test_more_latency_never_makes_it_less(own: list[float], more: list[float]) -> None:
    past = _reference()
    now = BEGAN + 17 * DAY
    starts = [now - (48 - at) * HOUR for at in range(48)]
    mild = [Point(at, one, (math.sin(at / 4),)) for at, one in zip(starts, own)]
    bad = [one._replace(level=one.level + extra) for one, extra in zip(mild, more)]
    first, second = (compare(past, points, now, -math.inf) for points in (mild, bad))
    if isinstance(first, Comparison):
        assert isinstance(second, Comparison)
        assert second.excess >= first.excess
        assert second.drifted >= first.drifted


# --- its end ---------------------------------------------------------------------------------


def test_after_fourteen_days_it_is_the_level() -> None:
    world = slow(1.6)
    after(world, 36)
    opened = world.now
    world.jump(opened + 13 * DAY)
    assert world.until(opened + 14 * DAY - HOUR)
    assert world.until(opened + 14 * DAY) == []
    world.jump(opened + 20 * DAY)
    assert world.claims() == []
    assert world.ratio() == pytest.approx(1.0)  # compared with the new level
    assert world.detector.explain(0) == []


def test_while_it_is_open_the_past_ends_where_it_began() -> None:
    world = slow(1.6)
    after(world, 36)
    after(world, 10 * 24)
    (claim,) = world.claims()
    # Of the 30 days that are kept; when it opened the past ended a day before it began.
    assert claim.evidence["past"] == 19 * 24
    assert claim.evidence["ratio"] == pytest.approx(1.6)


def test_from_the_new_level_on_it_is_judged_anew() -> None:
    again = AT + 25 * DAY
    world = World(slower={COHORT: lambda at: 1.0 if at < AT else 1.6 if at < again else 2.4})
    after(world, 36)
    world.jump(AT + LATE_SECONDS + 16 * DAY)
    assert world.claims() == []
    world.jump(again)
    (claim,) = world.jump(again + LATE_SECONDS + 40 * HOUR)
    assert claim.evidence["ratio"] == pytest.approx(1.5, rel=0.01)


@pytest.mark.parametrize(("cohorts", "osds"), [(("ssd",), 6), ((COHORT,), 2)])
def test_a_cohort_that_is_not_there_any_more_or_too_small_has_no_claim(
    cohorts: tuple[str, ...], osds: int
) -> None:
    """The table of kinds says how long its finding stays: metadata may be away for a moment."""
    world = slow(1.6)
    after(world, 36)
    assert world.claims()
    world.cohorts, world.osds = cohorts, osds
    assert world.until(world.now + 2 * HOUR) == []


# --- gaps, restarts, failovers ---------------------------------------------------------------


def test_an_open_drift_stays_while_nobody_watches() -> None:
    world = slow(1.6)
    after(world, 36)
    (claim,) = world.claims()
    world.known = lambda at: at < AT + 36 * HOUR
    (still,) = world.until(AT + 4 * DAY)
    assert (still.severity, still.since) == (claim.severity, claim.since)
    assert world.gaps()[0][0] == "recent"


def _up_and_down() -> World:
    """An info that becomes a warning, and ends."""

    def slower(at: float) -> float:
        return 1.0 if at < AT else 1.3 if at < AT + 2 * DAY else 1.7 if at < AT + 4 * DAY else 1.0

    return World(slower={COHORT: slower})


def test_failovers_at_any_time_change_nothing() -> None:
    """The state goes through JSON, eight times, beside a mgr that stays."""
    world, other = _up_and_down(), _up_and_down()
    for hour in range(0, 136, 4):
        after(world, hour)
        after(other, hour)
        if hour in {0, 20, 32, 36, 48, 80, 100, 132}:
            other.fails_over(json.loads(json.dumps(other.detector.save())))
        assert other.claims() == world.claims(), hour


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: state["cohorts"][NAME].update(drift=7),
        lambda state: state["cohorts"][NAME]["drift"].update(ratios={}),
        lambda state: state.pop("recovery"),
    ],
)
def test_a_damaged_state_is_refused_whole(spoil: object) -> None:
    world = slow(1.6)
    after(world, 36)
    state = json.loads(json.dumps(world.detector.save()))
    spoil(state)  # type: ignore[operator]
    fresh = world.another()
    with pytest.raises((KeyError, TypeError, ValueError, IndexError)):
        fresh.restore(state, world.now)
    assert fresh.save() == world.another().save()
    assert fresh.claims() == []


# --- who says it -----------------------------------------------------------------------------


def test_each_cohort_is_a_finding() -> None:
    world = World(cohorts=("hdd", "ssd", "nvme"), slower={"hdd": step(2, AT), "ssd": step(2, AT)})
    after(world, 40)
    assert sorted(claim.target.id for claim in world.claims()) == ["hdd", "ssd"]


def test_an_upgrade_does_not_begin_another_past() -> None:
    assert without_release(COHORT) == NAME
    world = World(slower={COHORT: step(1.6, AT), COHORT.replace("18", "20"): step(1.6, AT)})
    world.jump(AT)
    world.cohorts = (COHORT.replace("18", "20"),)
    after(world, 36)
    assert len(world.claims()) == 1


@pytest.mark.parametrize(
    ("cohort", "name"),
    [
        ("hdd ACME ceph-18 ceph-archive", "hdd ACME ceph-archive"),
        ("hdd ACME ceph-archive", "hdd ACME ceph-archive"),  # the release is not known
        ("hdd ACME ceph-18 ceph-2", "hdd ACME ceph-2"),
    ],
)
def test_roots_that_are_named_like_a_release_are_cohorts_of_their_own(
    cohort: str, name: str
) -> None:
    assert without_release(cohort) == name


def test_osd_show_and_metrics_tell_it() -> None:
    world = slow(1.6)
    after(world, 36)
    (line,) = world.detector.explain(3)
    assert "1.60 times as long (commit)" in line
    assert not world.detector.explain(99)
    assert world.ratio() == pytest.approx(1.6)


# --- what changed ----------------------------------------------------------------------------


def test_changes_of_the_setup_are_named() -> None:
    world = slow(1.6)
    world.jump(AT - 5 * DAY)
    world.until(AT - DAY)
    world.setup_of = CohortSetup(6, 40.0, {"Ceph": "20.2.0", "debug_osd": "1/5"})
    after(world, 40)
    (claim,) = world.claims()
    assert claim.message.endswith("; changed meanwhile: Ceph from 18.2.7 to 20.2.0")
    (change,) = claim.evidence["changes"]
    assert (change["name"], change["was"], change["now"]) == ("Ceph", "18.2.7", "20.2.0")


def test_that_nothing_changed_and_that_it_is_not_known_differ() -> None:
    world = slow(1.6)
    world.jump(AT - 5 * DAY)
    after(world, 40)
    assert "no change of setup was seen on 6 OSDs; firmware is not" in world.claims()[0].message
    world = slow(1.6)
    after(world, 40)
    assert "what changed before 2023-12-10 00:00 UTC is not known" in world.claims()[0].message


@pytest.mark.parametrize(
    ("setup", "names"),
    [
        (CohortSetup(6, 49.0), []),
        (CohortSetup(6, 50.0), ["fill"]),
        (CohortSetup(7, 40.0), ["OSDs"]),
        (CohortSetup(6, 40.0, {"other": "x"}), []),
    ],
)
def test_which_changes_count(setup: CohortSetup, names: list[str]) -> None:
    world = slow(1.6)
    world.jump(AT - 5 * DAY)
    world.setup_of = setup
    after(world, 40)
    assert [one["name"] for one in world.claims()[0].evidence["changes"]] == names


def test_a_fill_that_grows_slowly_adds_up() -> None:
    world = slow(1.6)
    world.jump(AT - 5 * DAY)
    for at in range(1, 25):
        world.setup_of = CohortSetup(6, 40.0 + at / 2)
        world.until(AT - 2 * DAY + at * HOUR)
    after(world, 40)
    (change,) = world.claims()[0].evidence["changes"]
    assert (change["name"], change["was"], change["now"]) == ("fill", "40 %", "50 %")


# --- recovery --------------------------------------------------------------------------------


def _frame(world: World, start: float, recovering: int) -> Frame:
    members = tuple(world.members)
    marks = [int(Mark.RECOVERING) if at < recovering else 0 for at in range(len(members))]
    return Frame(start, start + 15.0, Roster(members), {}, {}, [math.nan] * len(members), marks)


@pytest.mark.parametrize(("recovering", "count"), [(1, 1), (2, 0)])
def test_hours_of_recovery_are_not_compared(recovering: int, count: int) -> None:
    """A quarter of the OSDs' frames: 1 of 6 is less, 2 are more."""
    world = slow(1.6)
    world.jump(AT)
    for hour in range(48):
        start = AT + hour * HOUR
        world.now = start + HOUR
        world.until(world.now, [_frame(world, start + 15 * at, recovering) for at in range(4)])
    after(world, 48)
    assert len(world.claims()) == count
    saved = json.loads(json.dumps(world.detector.save()))
    world.fails_over(saved)
    after(world, 49)
    assert len(world.claims()) == count


# --- bounds ----------------------------------------------------------------------------------


def test_all_that_is_kept_is_read_once() -> None:
    world = World()
    world.jump(AT)
    orders = world.orders
    world.jump(AT + 1800)
    assert world.orders == orders
    world.jump(AT + HOUR)
    assert world.orders == orders + 1


def test_waits_in_the_queue_below_a_millisecond_are_alike() -> None:
    """From 0.1 to 0.25 ms is no drift, from 5 to 12.5 ms is."""
    world = slow(2.5)
    world.channel = QUEUE
    after(world, 40)
    (claim,) = world.claims()
    assert claim.evidence["ratio"] == pytest.approx((2.5 * USUAL + 1e-3) / (USUAL + 1e-3), rel=0.1)
    world = slow(2.5)
    world.channel = QUEUE
    usual = world.latency
    world.latency = lambda cohort, at: usual(cohort, at) / 50  # type: ignore[method-assign]
    after(world, 40)
    assert world.claims() == []


@pytest.mark.parametrize("format_", [1])
def test_a_state_of_any_other_format_is_left(format_: object) -> None:
    world = slow(1.6)
    after(world, 36)
    fresh = world.another()
    fresh.restore({**world.detector.save(), "format": format_}, world.now)
    assert fresh.save() == {}
