"""Ceph's own alerts: which OSDs, what they share, whether they go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import pytest

from fakes.clock import FakeClock
from perf_bench.model.ceph_alerts import (
    ALERTS,
    MOST_OSDS,
    CephAlert,
    ExplainedAlert,
    Lasts,
    Ongoing,
)
from perf_bench.model.cluster import CounterPoint
from perf_bench.model.detector import WatchTick
from perf_bench.model.frame import Watched
from perf_bench.model.verdict import OsdState, OsdVerdict
from perf_bench.report import ceph_alerts
from perf_bench.watch.detect.ceph_alerts import CephAlertDetector, spread_of

SLOW, STALLED, PING = (
    "BLUESTORE_SLOW_OP_ALERT",
    "DB_DEVICE_STALLED_READ_ALERT",
    "OSD_SLOW_PING_TIME_BACK",
)
COUNTER = "bluestore.slow_committed_kv_count"
DAY = 86400.0


def members(hosts: int = 4, each: int = 3) -> list[Watched]:
    """OSDs 0, 1, 2 on host-0 and so on; every third is of the model B."""
    return [
        Watched(
            osd,
            f"osd.{osd}",
            f"host-{osd // each}",
            f"hdd {'B' if osd % 3 == 2 else 'A'}",
            rack=f"rack-{osd // (2 * each)}",
            device=f"host-{osd // each}/sd{osd}",
        )
        for osd in range(hosts * each)
    ]


class Cluster:
    """Alerts and counters of OSDs."""

    def __init__(self) -> None:
        self.standing: Optional[list[CephAlert]] = []
        self.grown: dict[int, list[CounterPoint]] = {}
        self.sends = True
        self.reads = 0

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        self.reads += 1
        return self.standing

    def names(self, osd: int) -> frozenset[str]:
        return frozenset((COUNTER, "osd.op")) if self.sends else frozenset(("osd.op",))

    def points(self, osd: int, name: str) -> Sequence[CounterPoint]:
        assert name == COUNTER
        return self.grown.get(osd, [])


class Place:
    """A detector, its cluster, and time."""

    def __init__(self) -> None:
        self.cluster, self.clock = Cluster(), FakeClock()
        self.states: dict[int, OsdState] = {}
        self.detector = self.another()

    def another(self) -> CephAlertDetector:
        return CephAlertDetector(self.cluster, self.cluster, self.clock)

    def passes(self, seconds: float = 20.0) -> None:
        self.clock.advance(seconds)
        self.detector.tick(WatchTick(self.clock.now(), members=members()))

    def event(self, osd: int) -> None:
        now = self.clock.now()
        self.cluster.grown[osd] = [(now - 10, 3, 0), (now - 5, 4, 0), (now, 4, 0)]

    def explained(self) -> ExplainedAlert:
        (found,) = self.detector.explained(
            lambda osd: OsdVerdict(osd, self.states.get(osd, OsdState.OK)), self.clock.now()
        )
        return found


@pytest.fixture
def place() -> Place:
    return Place()


def alert(code: str = SLOW, osds: Sequence[int] = (4,), **more: Any) -> CephAlert:
    given = {"lines": len(osds), "lifetime": DAY, **more}
    return CephAlert(code, f"{len(osds)} OSD(s)", dict.fromkeys(osds, 1), **given)


@pytest.mark.parametrize(
    ("osds", "spread", "words"),
    [
        ([4], "osd", "one OSD (osd.4 of host-1)"),
        ([3, 4], "host", "one host (host-1): 2 of its 3 OSDs"),
        ([3, 4, 5], "host", "one host (host-1): 3 of its 3 OSDs"),
        ([0, 4], "rack", "one rack (rack-0): 2 of its 6 OSDs"),
        ([2, 11], "cohort", "one model or kind (hdd B): 2 of its 4 OSDs"),
        ([0, 11], "several", "2 of 12 OSDs on 2 hosts"),
        (list(range(12)), "all", "all 12 OSDs: not one device, but what all of them share"),
        ([4, 99], "several", "2 OSDs (osd.4 and osd.99)"),
        ([], "unknown", "the alert names no OSD"),
    ],
)
def test_what_the_osds_have_in_common(osds: list[int], spread: str, words: str) -> None:
    assert spread_of(osds, members()) == (spread, words)


def test_osds_on_one_device() -> None:
    both = [Watched(n, f"osd.{n}", "host-0", "ssd", device="host-0/nvme0n1") for n in range(2)]
    assert spread_of([0, 1], [*both, *members()[3:]])[0] == "device"


@pytest.mark.parametrize(("lifetime", "told"), [(3600.0, "1 h"), (0.0, "24 h")])
def test_how_long_an_alert_stays_is_told(place: Place, lifetime: float, told: str) -> None:
    place.cluster.standing = [alert(lifetime=lifetime)]
    place.event(4)
    place.passes()
    assert f"it stays for {told} after the last event" in place.explained().why


def test_an_event_lately_goes_on_until_it_is_quiet(place: Place) -> None:
    place.cluster.standing = [alert()]
    place.event(4)
    at = place.clock.now() - 5
    place.passes()
    found = place.explained()
    assert (found.ongoing, found.last_event) == (Ongoing.YES, at)
    assert "stays for 24 h" in found.why
    place.clock.advance(at + 899 - place.clock.now())
    assert place.explained().ongoing is Ongoing.YES
    assert "the last event that is counted was 15 min ago" in place.explained().why
    place.clock.advance(1)
    assert place.explained().ongoing is Ongoing.OVER
    place.event(4)
    place.passes()
    assert place.explained().ongoing is Ongoing.YES


def test_without_an_event_it_is_over_only_after_it_was_followed(place: Place) -> None:
    place.cluster.standing = [alert()]
    place.passes()
    assert place.explained().ongoing is Ongoing.UNKNOWN
    place.clock.advance(899)
    assert place.explained().ongoing is Ongoing.UNKNOWN
    place.clock.advance(1)
    assert place.explained().ongoing is Ongoing.OVER


@pytest.mark.parametrize("code", [SLOW, STALLED])
def test_without_counters_nothing_is_claimed(place: Place, code: str) -> None:
    place.cluster.sends = False
    place.cluster.standing = [alert(code)]
    place.passes()
    place.passes(2 * DAY)
    found = place.explained()
    assert found.ongoing is Ongoing.UNKNOWN
    assert found.why.startswith("no counter tells when it happened")


@pytest.mark.parametrize(
    ("code", "improving", "ongoing"),
    [
        ("SLOW_OPS", False, Ongoing.YES),
        ("OSD_FAIL_SLOW", False, Ongoing.YES),
        ("BLUEFS_SPILLOVER", False, Ongoing.STATE),
        ("BLUESTORE_FREE_FRAGMENTATION", False, Ongoing.STATE),
        (PING, False, Ongoing.YES),
        (PING, True, Ongoing.OVER),
    ],
)
def test_alerts_without_events(place: Place, code: str, improving: bool, ongoing: Ongoing) -> None:
    place.cluster.standing = [alert(code, improving=improving)]
    place.passes()
    assert place.explained().ongoing is ongoing


def test_slow_operations_point_to_osds_that_stopped_reporting(place: Place) -> None:
    place.cluster.standing = [alert("SLOW_OPS", (0,))]
    place.passes()
    assert "stopped" not in place.explained().why
    place.detector.tick(WatchTick(place.clock.now(), members=members(), stale=(1,)))
    assert "osd.1 stopped reporting, look there first" in place.explained().why


def test_slow_pings_name_the_osd_of_all_pairs(place: Place) -> None:
    pairs = {4: 3, 0: 1, 7: 1, 9: 1}
    place.cluster.standing = [CephAlert(PING, "slow", pairs, lines=3)]
    place.passes()
    assert place.explained().osds == (4,)
    place.cluster.standing = [CephAlert(PING, "slow", {4: 1, 0: 1}, lines=1)]
    place.passes()
    assert place.explained().osds == (0, 4)
    place.cluster.standing = [CephAlert(PING, "slow", {4: 2, 0: 2, 7: 1, 9: 1}, lines=3)]
    place.passes()
    assert place.explained().osds == (0, 4, 7, 9)


def test_whether_they_are_slower_than_their_peers_now(place: Place) -> None:
    place.cluster.standing = [alert(osds=(1, 2, 3, 4))]
    place.states = {1: OsdState.SLOW, 2: OsdState.SUSPECT, 3: OsdState.NO_DATA}
    place.passes()
    found = place.explained()
    assert (found.slow, found.suspect, found.unjudged, found.as_peers) == ((1,), (2,), (3,), (4,))


def test_an_alert_that_is_gone_is_forgotten(place: Place) -> None:
    place.cluster.standing = [alert()]
    place.event(4)
    place.passes()
    place.cluster.standing = []
    place.passes()
    assert place.detector.explained(lambda osd: OsdVerdict(osd, OsdState.OK), 0.0) == []
    assert place.detector.save() == {}


def test_unknown_health_keeps_what_was_seen(place: Place) -> None:
    place.cluster.standing = [alert()]
    place.passes()
    place.cluster.standing = None
    place.passes()
    assert place.explained().osds == (4,)


def test_it_looks_every_15_s(place: Place) -> None:
    place.passes(15)
    place.passes(14)
    assert place.cluster.reads == 1
    place.passes(1)
    assert place.cluster.reads == 2


def test_after_a_failover_the_last_event_is_known(place: Place) -> None:
    place.cluster.standing = [alert()]
    place.event(4)
    place.passes()
    before = place.explained()
    state = place.detector.save()
    place.cluster.grown = {}
    place.detector = place.another()
    place.detector.restore(state, place.clock.now())
    place.passes()
    after = place.explained()
    assert (after.last_event, after.first_seen) == (before.last_event, before.first_seen)
    assert after.ongoing is Ongoing.YES


def test_a_mgr_that_saw_no_health_saves_what_it_was_told(place: Place) -> None:
    place.cluster.standing = [alert()]
    place.event(4)
    place.passes()
    saved = place.detector.save()
    place.detector = place.another()
    place.detector.restore(saved, place.clock.now())
    assert place.detector.save() == saved


@pytest.mark.parametrize("had_event", [True, False])
@pytest.mark.parametrize(
    ("away", "ongoing"), [(899, Ongoing.OVER), (900, Ongoing.UNKNOWN), (DAY / 2, Ongoing.UNKNOWN)]
)
def test_what_nobody_followed_for_long_is_not_over(
    place: Place, had_event: bool, away: float, ongoing: Ongoing
) -> None:
    """No mgr had the module, or the watch was off and nothing was saved."""
    place.cluster.standing = [alert()]
    if had_event:
        place.event(4)
    place.passes()
    first_seen = place.explained().first_seen
    place.clock.advance(900)
    place.passes()
    assert place.explained().ongoing is Ongoing.OVER
    state = place.detector.save()
    place.cluster.grown = {}  # the mgr has only the newest points
    place.clock.advance(away)
    place.detector = place.another()
    place.detector.restore(state, place.clock.now())
    place.passes()
    assert (place.explained().ongoing, place.explained().first_seen) == (ongoing, first_seen)
    place.passes(900)
    assert place.explained().ongoing is Ongoing.OVER


@pytest.mark.parametrize(
    "state",
    [
        {"format": 1},
        {"format": 1, "seen": {SLOW: "x"}, "followed": {}, "events": []},
        {"format": 1, "seen": {}, "followed": {}, "events": [[SLOW, 4]]},
        {"format": 1, "seen": [], "followed": {}, "events": []},
    ],
)
def test_a_damaged_state_is_refused(place: Place, state: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        place.detector.restore(state, 0.0)
    assert place.detector.save() == {}


def test_another_format_is_left(place: Place) -> None:
    place.detector.restore({"format": 2}, 0.0)
    assert place.detector.save() == {}


def test_an_osd_says_which_alert_names_it(place: Place) -> None:
    place.cluster.standing = [alert()]
    place.passes()
    assert place.detector.explain(4)[0].startswith(f"Ceph's alert {SLOW} names it: ")
    assert place.detector.explain(5) == []


def test_alerts_with_a_lifetime_name_its_option() -> None:
    for kind in ALERTS:
        assert bool(kind.lifetime) is (kind.lasts is Lasts.EVENT)


@pytest.mark.parametrize(
    ("here", "saved", "kept"),
    [(None, 50.0, 50.0), (90.0, 50.0, 50.0), (50.0, 90.0, 50.0), (None, 1e12, 100.0)],
)
def test_of_two_mgrs_the_one_that_saw_it_first_counts(
    place: Place, here: Optional[float], saved: float, kept: float
) -> None:
    known = {} if here is None else {SLOW: here}
    place.detector._seen, place.detector._followed = dict(known), dict(known)
    state = {"format": 1, "seen": {SLOW: saved}, "followed": {SLOW: saved}, "events": []}
    place.detector.restore(state, 100.0)
    assert place.detector._seen == place.detector._followed == {SLOW: kept}


@pytest.mark.parametrize("format_", [None, 0, 2, "1"])
def test_a_state_of_any_other_format_is_left(place: Place, format_: object) -> None:
    state = {"format": format_, "seen": {SLOW: 5.0}, "followed": {}, "events": []}
    place.detector.restore(state, 100.0)
    assert place.detector.save() == {}


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(26, "1 min"), (89, "1 min"), (91, "2 min"), (151, "3 min"), (3600, "1 h")],
)
def test_how_long_ago_is_said_in_minutes(place: Place, seconds: float, said: str) -> None:
    place.cluster.standing = [alert()]
    place.event(4)
    place.passes()
    place.clock.advance(seconds - 25)
    assert f"the last event that is counted was {said} ago" in place.explained().why


def test_how_long_it_is_followed_is_said(place: Place) -> None:
    place.cluster.standing = [alert()]
    place.passes()
    assert "no event in the last 2 min, all that is known" in place.explained().why
    place.clock.advance(1200)
    assert "no event that is counted since it is followed, for 20 min" in place.explained().why


def test_counters_of_a_few_osds_are_read() -> None:
    """Of the others nothing is known, so it is not said to be over."""
    place = Place()
    place.cluster.standing = [alert(osds=range(MOST_OSDS + 1))]
    place.event(MOST_OSDS)
    place.passes()
    place.passes(2000)
    assert place.explained().last_event is None
    assert place.explained().ongoing is Ongoing.UNKNOWN
    place.cluster.standing = [alert(osds=range(MOST_OSDS))]
    place.passes()
    assert place.explained().ongoing is Ongoing.OVER


def test_the_newest_event_of_several_osds_counts(place: Place) -> None:
    place.cluster.standing = [alert(osds=(3, 4))]
    for osd in (4, 3):
        place.event(osd)
        place.clock.advance(60)
    place.passes()
    assert place.explained().last_event == place.clock.now() - 85
    assert place.explained().first_seen == place.clock.now()
    place.cluster.grown = {}
    place.passes()
    assert place.explained().last_event == place.clock.now() - 105  # the mgr has forgotten it


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize(("longer", "ongoing"), [(0.0, Ongoing.OVER), (1.0, Ongoing.UNKNOWN)])
def test_an_alert_that_outlives_its_lifetime_is_not_over(
    place: Place, counted: bool, longer: float, ongoing: Ongoing
) -> None:
    """Events of which no counter tells, as slow reads of omap, renew it. Its lifetime is a day."""
    place.cluster.standing = [alert(osds=[4])]
    if counted:
        place.event(4)
    place.passes()
    place.cluster.grown = {}
    since = place.explained().last_event or place.clock.now()
    place.clock.advance(since + 86400 + 900 + longer - place.clock.now())
    found = place.explained()
    assert found.ongoing is ongoing
    assert ("stands for longer" in found.why) == (ongoing is Ongoing.UNKNOWN)


def test_what_is_not_counted_of_more_osds_than_are_read_is_not_called_over(place: Place) -> None:
    for count, ongoing in ((MOST_OSDS, Ongoing.OVER), (MOST_OSDS + 1, Ongoing.UNKNOWN)):
        place.cluster.standing = [alert(osds=range(count))]
        place.event(4)
        place.passes()
        assert place.explained().ongoing is Ongoing.YES
        place.passes(3600)
        assert place.explained().ongoing is ongoing
    assert place.explained().why.startswith(
        "the last event that is counted, of 200 of its 201 OSDs, was 1 h ago; it stays"
    )


def test_lists_of_osds_are_counted_where_they_are_cut() -> None:
    many = tuple(range(600))
    one = ExplainedAlert(
        alert(osds=many), many, "several", "", Ongoing.YES, "", 0.0, None, many, (), (), many[:501]
    )
    shape = ceph_alerts.alert(one, (), tolerated=False)
    assert (len(shape["slow"]), shape["slow_in_all"]) == (500, 600)
    assert (shape["suspect"], shape["suspect_in_all"]) == ([], 0)
    assert (len(shape["unjudged"]), shape["unjudged_in_all"]) == (500, 501)
