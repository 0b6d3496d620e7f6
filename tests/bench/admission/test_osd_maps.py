"""New OSD maps, counted by looking now and then, and the rounds that they prevent."""

from __future__ import annotations

from perf_bench.bench.admission import FLAP_SPAN, MapChanges, check_maps
from perf_bench.model.admission import AdmissionRefusal, Ask, NewMaps, Rules, Situation, Unknown

Look = tuple[float, int, bool]


def _looked(*looks: Look) -> MapChanges:
    counter = MapChanges()
    for at, epoch, round_runs in looks:
        counter.look(at, (), epoch, round_runs)
    return counter


def test_maps_are_counted() -> None:
    for looks, now, found in [
        ([], 9.0, None),
        # what was before the first look is not known
        ([(100.0, 40, False)], 101.0, NewMaps(0, 0, 0.0)),
        ([(100.0, 40, False), (105.0, 42, False), (110.0, 42, False)], 111.0, NewMaps(2, 1, 10.0)),
        # of two minutes; one of them does not look long enough to see the next
        ([(100.0, 40, False), (119.0, 41, False), (120.0, 43, False)], 121.0, NewMaps(3, 2, 20.0)),
        # the maps of a round's own settings, up to 15 s after it
        (
            [(100.0, 40, False), (105.0, 42, True), (119.0, 44, False), (125.0, 45, False)],
            126.0,
            NewMaps(1, 1, 6.0),
        ),
        # a database of the monitors that was set back
        ([(100.0, 40, False), (105.0, 30, False), (110.0, 31, False)], 111.0, NewMaps(1, 1, 10.0)),
        # ten minutes are looked back on
        ([(0.0, 1, False), (5.0, 2, False), (9.0, 3, False)], 604.9, NewMaps(2, 1, 9.0)),
        ([(0.0, 1, False), (5.0, 2, False), (9.0, 3, False)], 605.0, NewMaps(1, 1, 4.0)),
        ([(0.0, 1, False), (5.0, 2, False), (605.0, 2, False)], 606.0, NewMaps(0, 0, 600.0)),
    ]:
        assert _looked(*looks).maps(now) == found


def test_rounds_that_would_meet_many_maps_are_refused() -> None:
    for benches, seconds, maps, answer in [
        # 80 benches of 5 s, a map every 10 s: 40 of them get one
        (80, 5.0, NewMaps(60, 10, 600.0), None),
        (81, 5.0, NewMaps(60, 10, 600.0), AdmissionRefusal),
        (80, 5.1, NewMaps(60, 10, 600.0), AdmissionRefusal),
        (80, 5.0, NewMaps(61, 10, 600.0), AdmissionRefusal),
        # where no round has measured it 2 s
        (200, None, NewMaps(60, 10, 600.0), None),
        (201, None, NewMaps(60, 10, 600.0), AdmissionRefusal),
        # bursts of one and two minutes
        (10**6, 5.0, NewMaps(60, 2, 600.0), None),
        (10**6, 5.0, NewMaps(3, 3, 600.0), AdmissionRefusal),
        # few benches, all of which get maps
        (40, 5.0, NewMaps(6000, 10, 600.0), None),
        (41, 5.0, NewMaps(6000, 10, 600.0), AdmissionRefusal),
        # no osd bench at all
        (0, None, NewMaps(600, 10, 600.0), None),
        (0, None, None, None),
        (60, None, None, Unknown),
        # a mgr that has just become active
        (60, None, NewMaps(0, 0, 179.0), Unknown),
        (60, None, NewMaps(0, 0, 180.0), None),
        (10**6, None, NewMaps(30, 3, 180.0), AdmissionRefusal),
    ]:
        ask = Ask((0,), 1, 1, benches=benches, bench_seconds=seconds)
        now = Situation(at=0.0, maps=maps)
        found = list(check_maps(ask, now, Rules()))
        assert [type(one) for one in found] == ([answer] if answer else [])
        assert not list(check_maps(ask, now, Rules(maps_met=None)))
        for one in found:
            if isinstance(one, AdmissionRefusal):
                assert maps is not None
                assert one.forceable
                assert one.message.startswith(f"the OSD map changed {maps.maps} times in ")


# --- oSDs that come and go, seen by looking now and then ------------------------------------------


SPAN = 600.0
ALL = {0, 1, 2}


def _watched(*looks: tuple[float, set[int]]) -> MapChanges:
    changes = MapChanges()
    for at, up in looks:
        changes.look(at, up, 1, round_runs=False)
    return changes


def test_counts() -> None:
    for looks, now, counts in [
        # too short a look says nothing, unless it saw something
        ([], 0.0, None),
        ([(0.0, ALL)], 10.0, None),
        ([(0.0, ALL), (5.0, ALL)], SPAN - 1, None),
        ([(0.0, ALL), (5.0, {0, 1})], 10.0, {2: 1}),
        ([(0.0, ALL), (5.0, ALL)], SPAN, {}),
        # down and up; two of them; a new one
        ([(0.0, ALL), (5.0, {0, 1}), (10.0, ALL)], 11.0, {2: 2}),
        ([(0.0, ALL), (5.0, {0}), (10.0, {0, 1})], 11.0, {2: 1, 1: 2}),
        ([(0.0, ALL), (5.0, ALL | {7})], 11.0, {7: 1}),
        # what is long ago is forgotten
        ([(0.0, ALL), (5.0, {0, 1}), (100.0, ALL)], SPAN + 50, {2: 1}),
        ([(0.0, ALL), (5.0, {0, 1}), (100.0, ALL)], SPAN + 100, {}),
    ]:
        assert _watched(*looks).counts(now, SPAN) == counts


def test_what_is_seen_late_is_forgotten_too() -> None:
    changes = _watched((0.0, ALL), (10.0, {0, 1}), (FLAP_SPAN + 17.0, {0, 1}))
    assert changes.counts(FLAP_SPAN + 17.0, 2 * FLAP_SPAN) is None
