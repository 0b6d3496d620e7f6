"""What survives a failover, a change of the roster, gaps, and clocks and figures gone mad."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farm import DAWN, HOUR, MINUTE, SEGMENT, Farm, of_some, roster, settled, slower
from perf_bench.model.finding import COMMIT, Frame, Roster, Watched, WatchTick
from perf_bench.model.verdict import OsdState
from perf_bench.watch.slow_osd.detector import SlowDetector
from perf_bench.watch.slow_osd.thresholds import Thresholds

NAN = math.nan


def failover(farm: Farm) -> None:
    """Another mgr goes on, two minutes later."""
    state = json.loads(json.dumps(farm.detector.save(), allow_nan=False))
    farm.detector = SlowDetector(farm.settings)
    farm.detector.restore(state, farm.start + farm.at * 15 + 120)
    assert farm.detector.restored


@pytest.mark.parametrize(
    ("ratio", "path", "frames"),
    [
        (5.0, "acute", 10 * MINUTE),
        (1.5, "sustained", 4 * SEGMENT + 1),
    ],
)
def test_a_failover_keeps_verdicts(ratio: float, path: str, frames: int) -> None:
    farm = settled(roster(4, 12), 5 * SEGMENT).run(frames, slower({7}, ratio))
    before = farm.detector.verdicts()[7]
    assert before.path == path
    claims = farm.detector.claims()
    failover(farm)
    after = farm.detector.verdicts()[7]
    assert (after.state, after.path, after.since) == (OsdState.SLOW, path, before.since)
    assert farm.detector.claims() == claims
    farm.at += 2 * MINUTE
    assert farm.run(SEGMENT).named == {"osd.7"}
    assert farm.detector.verdicts()[7].since == before.since
    farm.run(6 * SEGMENT, slower(set(), 1))
    assert farm.named == set()


def test_a_failover_keeps_the_bursts_counted() -> None:
    farm = Farm(roster(2, 12))
    farm.fault = of_some({7}, lambda at, osd: 4.0 if at % (30 * MINUTE) < 2 else 1.0)
    farm.run(8 * HOUR)
    assert farm.named == set()
    failover(farm)
    assert farm.run(5 * HOUR).named == {"osd.7"}, "neither half is enough alone"
    failover(farm)
    assert farm.named == {"osd.7"}


def test_a_failover_keeps_the_past_of_small_cohorts_and_hosts() -> None:
    farm = Farm(roster(3, 1)).run(7 * HOUR)
    failover(farm)
    assert farm.run(4 * SEGMENT + 1, slower({2}, 1.6)).named == {"osd.2"}
    farm = settled(roster(6, 12), 7 * HOUR)
    failover(farm)
    assert farm.run(4 * SEGMENT + 1, slower(set(range(12)), 1.3)).named == {"host host-0"}


@pytest.mark.parametrize(("later", "ago"), [(120.0, 120.0), (0.0, 0.0), (-60.0, 0.0)])
def test_a_state_that_is_restored_is_as_old_as_it_is_and_never_of_the_future(
    later: float, ago: float
) -> None:
    farm = Farm(roster(2, 12)).run(3 * MINUTE)
    now = farm.detector.now + later
    again = SlowDetector(farm.settings)
    again.restore(farm.detector.save(), now)
    assert now - (again.now + again.offset) == ago


def test_what_was_saved_twice_is_the_same() -> None:
    farm = Farm(roster(4, 12)).run(3 * HOUR, slower({7}, 1.5))
    failover(farm)
    first = farm.detector.save()
    failover(farm)
    assert farm.detector.save() == first


@pytest.mark.parametrize("state", [{}, {"format": 99, "roster": "?"}, {"format": 1}])
def test_a_foreign_state_is_left_alone(state: dict[str, object]) -> None:
    detector = SlowDetector(Thresholds())
    detector.restore(state, DAWN)
    assert detector.claims() == []
    assert dict(detector.verdicts()) == {}


def test_a_new_roster_keeps_what_is_known_by_osd() -> None:
    farm = settled(roster(4, 12), 5 * SEGMENT).run(4 * SEGMENT + 1, slower({7, 20}, 1.5))
    assert farm.named == {"osd.7", "osd.20"}
    since = farm.detector.verdicts()[7].since
    kept = [member for member in farm.roster.members if member.osd not in {0, 20}]
    moved = [
        replace(member, host="host-new") if member.osd == 7 else member
        for member in (*kept, *roster(5, 12).members[48:])
    ]
    farm.roster = Roster(tuple(moved))
    farm.run(1)
    assert farm.named == {"osd.7"}, "removed is gone, moved is kept"
    assert farm.detector.verdicts()[7].since == since
    assert 20 not in farm.detector.verdicts()
    assert len(farm.detector.verdicts()) == 58
    assert farm.run(SEGMENT).named == {"osd.7"}


def test_osds_join_and_leave_every_minute() -> None:
    farm = Farm(roster(4, 12))
    whole = farm.roster
    for turn in range(90):
        farm.roster = Roster(whole.members[: 40 + turn % 8])
        farm.run(MINUTE, slower({7}, 1.0))
    assert farm.named == set()
    farm.roster = Roster(())
    farm.run(2)
    assert dict(farm.detector.verdicts()) == {}


def test_a_slow_osd_is_found_while_others_are_added() -> None:
    """An OSD more every seven minutes, for hours: each is a new roster."""
    farm = settled(roster(4, 12), 5 * SEGMENT)
    whole = roster(6, 12).members
    farm.fault = slower({7}, 1.6)
    for count in range(49, 65):
        farm.roster = Roster(whole[:count])
        farm.run(7 * MINUTE)
    assert farm.named == {"osd.7"}


def test_minutes_count_although_the_roster_changes_within_each() -> None:
    """Every half a minute, and not at its begin: its first and its last frame are alone."""
    farm = settled(roster(4, 12), 2 * HOUR).run(1)
    whole = roster(6, 12).members
    for turn in range(20 * MINUTE // 2):
        farm.roster = Roster(whole[: 48 + turn % 2])
        farm.run(2)
    assert farm.detector.verdicts()[3].state is OsdState.OK


def of_releases(upgraded: int) -> Roster:
    """48 OSDs, of which the first are of a newer release."""
    return _upgraded(roster(4, 12).members, upgraded)


def _upgraded(members: Sequence[Watched], upgraded: int) -> Roster:
    return Roster(
        tuple(
            replace(one, cohort=f"hdd ceph-{20 if one.osd < upgraded else 18} default")
            for one in members
        )
    )


@pytest.mark.parametrize(("ratio", "path"), [(1.6, "sustained"), (5.0, "acute")])
def test_a_slow_osd_stays_so_while_it_is_upgraded(ratio: float, path: str) -> None:
    farm = settled(of_releases(0), 5 * SEGMENT).run(5 * SEGMENT, slower({2}, ratio))
    since = farm.detector.verdicts()[2].since
    for upgraded in range(1, 24):
        farm.roster = of_releases(upgraded)
        farm.run(2 * MINUTE)
        assert farm.named == {"osd.2"}, upgraded
        assert farm.detector.verdicts()[2].since == since
    assert farm.run(2 * HOUR).named == {"osd.2"}


@pytest.mark.parametrize("upgraded", [3, 5, 12])
def test_an_osd_that_the_upgrade_made_well_is_told_so(upgraded: int) -> None:
    """Also if its new peers are few: then nobody else can be found slow for two days."""
    farm = settled(of_releases(0), 5 * SEGMENT).run(5 * SEGMENT, slower({2}, 1.6))
    assert farm.named == {"osd.2"}
    farm.roster = of_releases(upgraded)
    assert farm.run(2 * HOUR, slower({2}, 1.0)).named == set()


def test_an_upgrade_does_not_make_the_osds_of_a_slow_host_slow_by_themselves() -> None:
    """Its OSDs are too few to be compared with each other, so each has a flag of its own."""
    whole = roster(12, 4).members
    farm = Farm(_upgraded(whole, 0)).run(5 * SEGMENT).run(4 * SEGMENT + 1, slower(range(4), 1.6))
    assert farm.named == {"host host-0"}
    for count in range(1, 4):
        farm.roster = _upgraded(whole, count)
        farm.run(8 * MINUTE)
        assert not farm.named & {f"osd.{osd}" for osd in range(count)}


def test_an_upgrade_does_not_make_the_osds_of_a_slow_cohort_slow_by_themselves() -> None:
    """More are slow than are ever accused one by one."""
    whole = roster(12, 4).members
    slow = range(0, 48, 5)
    farm = Farm(_upgraded(whole, 0)).run(5 * SEGMENT).run(4 * SEGMENT + 1, slower(slow, 1.6))
    assert farm.named == {"cohort hdd ceph-18 default"}
    for count in range(1, 8):
        farm.roster = _upgraded(whole, count)
        farm.run(2 * MINUTE)
        assert farm.named == {"cohort hdd ceph-18 default"}, count


def test_an_osd_that_was_upgraded_alone_is_not_slow_for_ever() -> None:
    """It has no peers until others are upgraded, which can take weeks: nobody knows how it is."""
    farm = settled(of_releases(0), 5 * SEGMENT).run(5 * SEGMENT, slower({2}, 1.6))
    members = of_releases(0).members
    farm.roster = Roster(
        tuple(
            replace(one, cohort="hdd ceph-20 default") if one.osd == 2 else one for one in members
        )
    )
    assert farm.run(HOUR, slower({2}, 1.0)).named == {"osd.2"}, "as long as one that is idle"
    assert farm.run(HOUR + SEGMENT + 1).named == set()
    assert "no peers" in farm.detector.explain(2)[0]


def test_gaps_reset_nothing() -> None:
    """An hour, a night, three days without a frame, with the fault going on."""
    farm = Farm(roster(4, 12), fault=slower({7}, 1.5)).run(9 * SEGMENT + 1)
    assert farm.named == {"osd.7"}
    for gap in (HOUR, 10 * HOUR, 72 * HOUR):
        farm.at += gap - farm.at % SEGMENT
        farm.run(SEGMENT)
        assert farm.named == {"osd.7"}


def test_a_verdict_stays_until_the_next_segment_can_speak() -> None:
    """Every two hours the segments become the past; figures just before may be missing."""
    farm = Farm(roster(4, 12)).run(2 * HOUR + SEGMENT - 2 * MINUTE)
    farm.idle = frozenset({3})
    farm.run(MINUTE)
    while farm.at < 4 * HOUR + SEGMENT:
        farm.idle = frozenset({3}) if farm.at % SEGMENT > SEGMENT - 2 * MINUTE else frozenset()
        farm.run(1)
        assert farm.detector.verdicts()[3].state is OsdState.OK, farm.at


def test_a_gap_counts_as_no_time_without_data() -> None:
    farm = settled(roster(4, 12), 2 * HOUR)
    assert farm.detector.verdicts()[3].state is OsdState.OK
    farm.idle = frozenset({3})
    assert farm.run(20 * MINUTE).detector.verdicts()[3].state is OsdState.NO_DATA


def test_a_frame_twice_counts_once() -> None:
    farm, twice = Farm(roster(4, 12)), Farm(roster(4, 12))
    for _ in range(2 * HOUR):
        farm.run(1)
        frame = twice.frame()
        twice.detector.step(frame)
        twice.detector.step(frame)
    assert twice.detector.save() == farm.detector.save()


def test_a_clock_that_is_set_back_stops_nothing() -> None:
    farm = settled(roster(4, 12), 2 * HOUR)
    farm.at -= HOUR
    assert farm.run(10 * MINUTE, slower({7}, 5)).named == {"osd.7"}
    since = farm.detector.verdicts()[7].since
    assert since is not None
    assert since <= farm.detector.now


def test_late_frames_are_left_out() -> None:
    farm = Farm(roster(4, 12)).run(10 * MINUTE)
    before = farm.detector.save()
    farm.at -= 2 * MINUTE
    assert farm.run(MINUTE).detector.save() == before


@pytest.mark.parametrize(
    "figure",
    [
        lambda osd: 0.0,
        lambda osd: NAN,
        lambda osd: math.inf,
        lambda osd: -0.001,
        lambda osd: 0.010,  # all the same: a MAD of 0
        lambda osd: 1e-300,
        lambda osd: 1e300 if osd == 1 else 1e-300,
        lambda osd: 0.010 if osd else NAN,
        lambda osd: NAN if osd else 0.010,
    ],
)
@pytest.mark.parametrize("osds", [1, 3, 30])
def test_mad_figures_break_nothing(figure: Callable[[int], float], osds: int) -> None:
    farm = Farm(roster(osds, 1))
    for _ in range(80 * MINUTE):
        frame = farm.frame()
        latency = {COMMIT: [figure(osd) for osd in range(osds)]}
        farm.detector.step(
            Frame(frame.start, frame.end, frame.roster, latency, {}, frame.load, frame.marks)
        )
    assert farm.named == set()
    for osd in range(osds):
        assert farm.detector.explain(osd)
        assert farm.detector.verdicts()[osd].osd == osd
    json.dumps(farm.detector.save(), allow_nan=False)
    json.dumps([claim.evidence for claim in farm.detector.claims()], allow_nan=False)


@pytest.mark.parametrize("osds", [1, 2])
def test_alone_or_as_two(osds: int) -> None:
    farm = Farm(roster(osds, 1)).run(20 * MINUTE).run(10 * MINUTE, slower({0}, 20))
    if osds == 1:
        assert farm.named == set()
        assert "no peers" in farm.detector.explain(0)[0]
    else:
        assert farm.named == {"osd.0"}


def test_an_idle_cluster_is_unknown() -> None:
    farm = Farm(roster(4, 3), idle=frozenset(range(12))).run(30 * MINUTE)
    assert {verdict.state for verdict in farm.detector.verdicts().values()} == {OsdState.NO_DATA}
    (report,) = farm.detector.cohorts()
    assert (report.judged, report.minimum_detectable_ratio) == (0, None)


def test_figures_without_operations_count_as_enough() -> None:
    farm = settled(roster(4, 12), 2 * HOUR)
    for _ in range(5 * MINUTE):
        farm.fault = slower({7}, 4)
        frame = farm.frame()
        farm.detector.step(replace(frame, ops={COMMIT: [NAN] * 48}))
    assert farm.named == {"osd.7"}


_FIGURES = st.one_of(st.just(NAN), st.floats(-1, 10), st.just(0.0), st.just(math.inf))


@given(
    st.lists(
        st.tuples(
            st.integers(-2000, 100_000),
            st.lists(_FIGURES, min_size=5, max_size=5),
            st.lists(st.one_of(st.just(NAN), st.floats(0, 1e6)), min_size=5, max_size=5),
            st.lists(st.integers(0, 511), min_size=5, max_size=5),
        ),
        max_size=40,
    )
)
def test_no_frame_raises(rows: list[tuple[int, list[float], list[float], list[int]]]) -> None:
    detector = SlowDetector(Thresholds())
    at = DAWN
    members = roster(5, 1)
    for step, latency, ops, marks in rows:
        at += step
        for part in range(4):
            start = at + 15 * part
            frame = Frame(start, start + 15, members, {COMMIT: latency}, {COMMIT: ops}, ops, marks)
            detector.step(frame)
    json.dumps([claim.evidence for claim in detector.claims()], allow_nan=False)
    again = SlowDetector(Thresholds())
    again.restore(json.loads(json.dumps(detector.save(), allow_nan=False)), at)
    assert [detector.explain(osd) for osd in range(5)]


# --- a clock that is set while the mgr runs ---------------------------------------------------


def set_clock(farm: Farm, seconds: float) -> None:
    """The watch tells by how much; later frames have the new time."""
    farm.start += seconds
    farm.detector.tick(WatchTick(farm.start + farm.at * 15, clock_step=seconds))


BACK = [-130.0, -300.0, -599.0, -2 * 3600.0, -86400.0]


@pytest.mark.parametrize("step", BACK)
def test_frames_count_at_once_when_the_clock_was_set_back(step: float) -> None:
    farm = settled(roster(4, 12), 2 * HOUR)
    set_clock(farm, step)
    assert farm.run(5 * MINUTE, slower({7}, 5)).named == {"osd.7"}


@pytest.mark.parametrize("step", [-130.0, -86400.0, 300.0])
@pytest.mark.parametrize("more", [0, 2, 3])
def test_an_osd_is_without_data_for_as_long_as_it_is_whatever_the_clock_says(
    step: float, more: int
) -> None:
    """Also if a part of a minute is not closed yet when the clock is set."""
    farm = settled(roster(4, 12), 2 * HOUR).run(more)
    set_clock(farm, step)
    assert farm.detector.verdicts()[3].state is OsdState.OK
    farm.idle = frozenset({3})
    for _ in range(14):
        assert farm.run(MINUTE).detector.verdicts()[3].state is OsdState.OK
    assert farm.run(3 * MINUTE).detector.verdicts()[3].state is OsdState.NO_DATA


# --- a state that is damaged -----------------------------------------------------------------


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(node, dict):
        for key, one in node.items():
            yield from _places(one, (*path, key))
    elif isinstance(node, list):
        for at, one in enumerate(node):
            yield from _places(one, (*path, at))
    yield path


@pytest.mark.parametrize("damage", [None, "x", [], 5, -1.5])
def test_a_damaged_state_is_taken_as_a_whole_or_not_at_all(damage: object) -> None:
    """Each field in turn: what was taken works; of what was not nothing is there."""
    farm = settled(roster(2, 6), 8 * SEGMENT).run(12 * MINUTE, slower({7}, 5))
    good = json.dumps(farm.detector.save())
    frame, refused = farm.frame(), 0
    for path in list(_places(json.loads(good)))[::3]:
        state = json.loads(good)
        if not path or path == ("format",):
            continue
        node = state
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = damage
        detector = SlowDetector(farm.settings)
        try:
            detector.restore(state, frame.end)
        except ValueError:
            refused += 1
            assert (detector.layout.cohorts, list(detector.states())) == ([], [])
            assert not detector.restored
        detector.step(frame)
        detector.claims()
        assert len(dict(detector.verdicts())) == 12
    assert refused > 20
