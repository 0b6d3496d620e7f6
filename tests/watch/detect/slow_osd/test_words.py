"""What is said of OSDs, units and cohorts: each sentence, and the figures in it."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace
from typing import Any, Optional

import pytest

from farm import DAWN, HOUR, MINUTE, Farm, roster
from perf_bench.model.finding import Severity
from perf_bench.model.frame import COMMIT, QUEUE, READ, Mark, Roster
from perf_bench.model.said import times_text
from perf_bench.model.verdict import OsdState
from perf_bench.watch.detect.slow_osd import wording
from perf_bench.watch.detect.slow_osd.attribution import (
    BURSTS,
    GENERATION,
    INTERMITTENT,
    POSITIONS,
    Cause,
    SlowEvidence,
)
from perf_bench.watch.detect.slow_osd.bursts import Episodes
from perf_bench.watch.detect.slow_osd.channel import ChannelState
from perf_bench.watch.detect.slow_osd.cohort_channel import CohortChannel
from perf_bench.watch.detect.slow_osd.common_cause import NONE, Common
from perf_bench.watch.detect.slow_osd.detector import SlowDetector
from perf_bench.watch.detect.slow_osd.persistence import Facts, Flag
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds
from perf_bench.watch.detect.slow_osd.topology import Cohort, Topology, Unit

LIMITS = Thresholds()
NAN = math.nan
NOW = DAWN + 3600.0


class Place:
    """A detector of 24 OSDs whose figures are set by hand; osd.7 is looked at."""

    def __init__(self, *channels: str) -> None:
        self.detector = SlowDetector(LIMITS)
        self.layout = self.detector.layout = Topology(roster(2, 12), LIMITS.group_members)
        self.detector.now = NOW
        for channel in channels or (COMMIT,):
            state = ChannelState(channel, self.layout, LIMITS)
            self.detector.channel_states[channel] = state
            state.newest = array("f", [0.0] * 24)
            state.last_data = array("d", [NOW - 60.0] * 24)
            lane = self.lane(channel)
            lane.minutes, lane.minute_scale, lane.segment_scale = 100, 0.05, 0.02
            lane.excess, lane.load = [0.0] * 24, [0.0] * 24

    def state(self, channel: str = COMMIT) -> ChannelState:
        return self.detector.channel_states[channel]

    def lane(self, channel: str = COMMIT) -> CohortChannel:
        (found,) = self.state(channel).cohort_channels.values()
        return found

    def slow_by(self, excess: float, channel: str = COMMIT) -> None:
        self.state(channel).newest[7] = excess

    def said(self) -> list[str]:
        self.detector._judged = None
        return list(self.detector.explain(7))


def a_flag(excess: float = 1.0, **fields: Any) -> Flag:
    flag = Flag(NOW - 600, Facts(excess, 9.0, -4.0, -5.0, 11), excess, 3, 4)
    return replace(flag, **fields)


# --- of one OSD ------------------------------------------------------------------------------


def test_of_an_osd_like_its_peers() -> None:
    place = Place()
    place.slow_by(math.log(1.05))
    assert place.said() == [
        "osd.7 is as fast as its peers, as far as can be seen.",
        "commit: 1.05 times its 23 peers in the last minute (robust z 1.0).",
        "commit: a lasting slowdown under 1.20 times is not seen here.",
    ]


def test_before_there_is_a_scale_no_z_is_said() -> None:
    place = Place()
    place.lane().minute_scale = place.lane().segment_scale = NAN
    assert place.said()[1:] == ["commit: 1.00 times its peers in the last minute."]


@pytest.mark.parametrize(
    ("load", "said"),
    [(0.0, None), (0.009, None), (0.01, "1.01"), (0.4, "1.49"), (-0.4, "0.67")],
)
def test_what_its_load_explains_is_said(load: float, said: Optional[str]) -> None:
    place = Place()
    place.lane().load[7] = load
    text = f", after a factor of {said} explained by its load." if said else "(robust z 0.0)."
    assert place.said()[1].endswith(text)


def test_the_floor_of_the_queue_is_said() -> None:
    place = Place(QUEUE)
    assert place.said()[1].endswith("(robust z 0.0), with 1 ms added to all of them.")


@pytest.mark.parametrize("without", ["figure", "place", "all"])
def test_a_channel_without_data_is_said(without: str) -> None:
    place = Place(COMMIT, READ)
    if without == "figure":
        place.slow_by(NAN, READ)
    else:
        place.lane(READ).excess = [0.0] * (7 if without == "place" else 0)
    assert "read: no data in the last minutes." in place.said()


def test_flags_are_said_with_their_figures() -> None:
    place = Place()
    worst = {"worst": math.log(25), "hits": 3, "windows": 4}
    place.lane().acute.flags = {7: a_flag(math.log(3), **worst)}
    place.lane().sustained.flags = {7: a_flag(math.log(1.5), since=NOW - 86400)}
    said = place.said()
    assert said[0] == "osd.7 is slow since 2023-11-14 01:00 UTC, by the acute rule."
    assert said[2:4] == [
        (
            "commit: acute since 2023-11-15 00:50 UTC, 3.0 times its peers (at worst 25), robust z "
            "9.0, in 75 % of the time."
        ),
        (
            "commit: sustained since 2023-11-14 01:00 UTC, 1.50 times its peers (at worst 1.50), "
            "robust z 9.0, in 75 % of the time."
        ),
    ]


def test_bursts_are_counted() -> None:
    place = Place()
    (bursts,) = place.state().bursts.values()
    bursts.episodes[7] = Episodes(DAWN)
    bursts.episodes[7].by_hour, bursts.episodes[7].worst = {0: 2, 1: 3}, math.log(4)
    assert "commit: 5 bursts in the last 24 h, at worst 4.0 times its peers." in place.said()


@pytest.mark.parametrize(
    ("rule", "hits", "path"),
    [
        ("acute", 0b1, ""),
        ("acute", 0b1001, "acute"),
        ("acute", 0b10000, ""),
        ("acute", 0b1011, "acute"),
        ("sustained", 0b1101, "sustained"),
        ("sustained", 0b1, ""),
        ("sustained", 0b11, "sustained"),
        ("watch", 0, "watch"),
        ("intermittent", 0, "intermittent"),
    ],
)
def test_two_hits_make_a_suspect(rule: str, hits: int, path: str) -> None:
    place = Place()
    if rule == "watch":
        place.lane().watched = {7: 0.2}
    elif rule == "intermittent":
        (bursts,) = place.state().bursts.values()
        bursts.flags = {7: a_flag(bursts=20)}
        bursts.folded.seen = {7: 1}  # with a cause in common: nobody is accused
    else:
        getattr(place.lane(), rule).recent = {7: hits}
    verdict = place.detector.verdicts()[7]
    assert (verdict.path, verdict.state) == (path, OsdState.SUSPECT if path else OsdState.OK)
    said = f"osd.7 is suspect: the {path} rule has seen something, not enough to call it slow."
    assert (place.said()[0] == said) is bool(path)


@pytest.mark.parametrize(
    ("commit", "read", "worst", "z"),
    [(0.5, 0.2, COMMIT, 10.0), (0.2, 0.5, READ, 10.0), (-0.5, -0.2, READ, -4.0)],
)
def test_the_channel_with_the_largest_z_speaks(
    commit: float, read: float, worst: str, z: float
) -> None:
    place = Place(COMMIT, READ)
    place.slow_by(commit)
    place.slow_by(read, READ)
    verdict = place.detector.verdicts()[7]
    assert verdict.channel == worst
    assert verdict.robust_z == pytest.approx(z)
    assert verdict.ratio == pytest.approx(math.exp(max(commit, read)), abs=1e-3)


@pytest.mark.parametrize(
    ("minutes", "age", "known"),
    [(5, 900.0, True), (4, 60.0, False), (5, 901.0, False), (5, NAN, False)],
)
def test_a_verdict_needs_five_minutes_and_the_last_quarter_of_an_hour(
    minutes: int, age: float, known: bool
) -> None:
    place = Place()
    place.lane().minutes = minutes
    place.state().last_data[7] = NOW - age
    assert (place.detector.verdicts()[7].state is not OsdState.NO_DATA) is known


def test_risk_and_the_largest_ratio_are_of_the_worst_channel() -> None:
    place = Place(COMMIT, READ)
    place.state().risk[7], place.state(READ).risk[7] = 1.256, 0.5
    assert (place.detector.verdicts()[7].risk, place.detector.verdicts()[7].max_ratio) == (
        1.26, None,
    )  # fmt: skip
    place.state().max_excess[7], place.state(READ).max_excess[7] = 0.25, 1.0
    assert place.detector.verdicts()[7].max_ratio == 2.718
    place.state().max_excess[7] = NAN
    assert place.detector.verdicts()[7].max_ratio == 2.718


def test_a_cohort_is_reported_by_its_least_sensitive_channel() -> None:
    place = Place(COMMIT, READ)
    place.lane(READ).segment_scale = 0.1
    place.state().last_data[3] = place.state(READ).last_data[3] = NAN
    (report,) = place.detector.cohorts()
    assert (report.members, report.judged, report.channel) == (24, 23, READ)
    assert report.minimum_detectable_ratio == pytest.approx(math.exp(0.5), abs=0.1)
    for channel in (COMMIT, READ):
        place.lane(channel).segment_scale = NAN
    (report,) = place.detector.cohorts()
    assert (report.channel, report.minimum_detectable_ratio) == (None, None)


def test_an_osd_that_is_slow_with_its_host_says_so() -> None:
    farm = Farm(roster(4, 12), noise=0.05).run(70 * MINUTE)
    farm.run(8 * MINUTE, lambda at, osd: 3.0 if 12 <= osd < 24 else 1.0)
    said = farm.detector.explain(15)[0]
    assert said.startswith("osd.15 is slow together with its host since ")
    assert said.endswith("; the cause is there.")
    verdict = farm.detector.verdicts()[15]
    assert (verdict.state, verdict.path) == (OsdState.SUSPECT, "host")
    assert verdict.evidence["path"] in {"acute", "share"}


# --- of causes -------------------------------------------------------------------------------


def cohort(hosts: int = 4, each: int = 12) -> Cohort:
    return Topology(roster(hosts, each), LIMITS.group_members).cohorts[0]


def ground(path: str = "sustained", **fields: Any) -> SlowEvidence:
    return SlowEvidence(path, COMMIT, a_flag(math.log(3), **fields))


def message(cause: Cause) -> str:
    return wording.claim(cause, CohortChannel(cause.cohort, LIMITS)).message


FIGURES = "(commit 18 ms against 6.7 ms) since 2023-11-15 00:50 UTC"


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (
            Cause(cohort(), [ground()], osd=14, slow=(14,)),
            f"osd.14 on host-1 is 3.0 times as slow as its 11 peers {FIGURES}",
        ),
        (
            Cause(cohort(), [ground(INTERMITTENT, bursts=20)], osd=14, slow=(14,)),
            (
                "osd.14 on host-1 is 3.0 times as slow as its 11 peers in bursts, 20 of "
                "them in 24 h "
                f"{FIGURES}"
            ),
        ),
        (
            Cause(cohort(), [ground()], unit=Unit("host", "host-1", (0, 1)), slow=(12, 13)),
            f"host host-1 (2 OSDs) is 3.0 times as slow as its peers {FIGURES}",
        ),
        (
            Cause(cohort(), [ground()], slow=tuple(range(9))),
            (f"9 of the 48 OSDs of hdd are slower than the others, typically 3.0 times {FIGURES}"),
        ),
        (
            Cause(
                cohort(),
                [ground()],
                slow=(3, 15, 27),
                kind=POSITIONS,
                common=Common(frozenset(), ("number 4",), ()),
            ),
            (
                "3 of the 48 OSDs of hdd, on 3 hosts, are slower than their peers, "
                "typically 3.0 times "
                f"{FIGURES}: they are at the same positions (number 4), so the "
                "cause is "
                "not in the drives"
            ),
        ),
        (
            Cause(
                cohort(),
                [ground(INTERMITTENT, bursts=20)],
                slow=(3, 4),
                kind=BURSTS,
                common=Common(frozenset(), ("a", "b"), ("host-0",)),
            ),
            (
                "2 of the 48 OSDs of hdd, on 1 host, are slower than their peers in bursts, "
                "typically "
                f"3.0 times {FIGURES}: they are at the same positions (a and b) of "
                "the same "
                "hosts (host-0), so the cause is not in the drives"
            ),
        ),
        (
            Cause(cohort(), [ground()], slow=(3, 15, 99), kind=BURSTS),
            (
                f"3 of the 48 OSDs of hdd, on 2 hosts, are slower than their peers in bursts, "
                f"typically 3.0 times {FIGURES}: too many at once for faults of "
                "their own"
            ),
        ),
        (
            Cause(
                cohort(),
                [ground()],
                slow=tuple(range(24)),
                kind=GENERATION,
                common=Common(frozenset(), (), ("host-0", "host-1")),
            ),
            (
                f"2 of the 4 hosts of hdd are 3.0 times as slow {FIGURES}: since "
                "the first "
                "data and as slow as each other, as other hardware is"
            ),
        ),
    ],
    ids=["osd", "bursts", "host", "many", "positions", "hosts", "no reason", "generation"],
)
def test_each_cause_has_its_sentence(cause: Cause, said: str) -> None:
    assert message(cause) == said


@pytest.mark.parametrize(
    ("unit", "target"),
    [
        (Unit("device", "host-0/sda", (0, 1)), ("PERF_BENCH_SLOW_OSD", "osd", "12")),
        (Unit("host", "host-1", (0, 1)), ("PERF_BENCH_SLOW_HOST", "host", "host-1")),
        (Unit("enclosure", "e", (0, 1)), ("PERF_BENCH_SLOW_ENCLOSURE", "enclosure", "e")),
        (Unit("rack", "r", (0, 1)), ("PERF_BENCH_SLOW_ENCLOSURE", "rack", "r")),
        (None, ("PERF_BENCH_SLOW_ENCLOSURE", "cohort", "hdd")),
    ],
)
def test_what_a_claim_is_about(unit: Optional[Unit], target: tuple[str, str, str]) -> None:
    cause = Cause(cohort(), [ground()], unit=unit, slow=(12, 13))
    channel = CohortChannel(cause.cohort, LIMITS)
    claim = wording.claim(cause, channel)
    assert (claim.key, claim.severity) == (target, Severity.WARNING)
    assert wording.claim(cause, channel, warn=False).severity is Severity.INFO
    assert ("device" in claim.evidence) is (unit is not None and unit.kind == "device")
    assert (claim.evidence["osds"], claim.evidence["members"]) == ([12, 13], 2)


def test_evidence_lists_a_hundred() -> None:
    names = tuple(f"n{at}" for at in range(150))
    cause = Cause(
        cohort(20),
        [ground(), replace(ground("acute"), channel=READ)],
        slow=tuple(range(150)),
        kind=POSITIONS,
        common=Common(frozenset(), names, names),
    )
    found = wording.evidence(cause, CohortChannel(cause.cohort, LIMITS))
    assert [len(found[name]) for name in ("osds", "positions", "hosts")] == [100] * 3
    assert (found["members"], found["cohort"]) == (150, "hdd")
    assert found["paths"] == ["commit sustained", "read acute"]
    bare = wording.evidence(replace(cause, common=NONE), CohortChannel(cause.cohort, LIMITS))
    assert not {"positions", "hosts"} & set(bare)


def test_the_figures_of_evidence() -> None:
    facts = Facts(math.log(3), 8.76543, math.log(0.0301), math.log(0.01), 11, math.log(1.25))
    flag = Flag(NOW, facts, 99.0, 2, 3, bursts=17)
    found = wording.figures(SlowEvidence(INTERMITTENT, QUEUE, flag, 0.001))
    assert found == {
        "path": "intermittent",
        "channel": "queue",
        "ratio": 3.0,
        "max_ratio": round(math.exp(50), 3),
        "robust_z": 8.77,
        "latency_ms": 29.1,
        "peers_latency_ms": 9.0,
        "peers": 11,
        "since": NOW,
        "share_of_time": 0.667,
        "explained_by_load": 1.25,
        "floor_ms": 1.0,
        "bursts_24h": 17,
    }
    found = wording.figures(SlowEvidence("acute", COMMIT, flag))
    assert not {"floor_ms", "bursts_24h"} & set(found)
    assert (found["latency_ms"], found["peers_latency_ms"]) == (30.1, 10.0)


def test_a_latency_below_the_floor_is_none() -> None:
    facts = Facts(0.0, 0.0, math.log(0.0009), math.log(0.002), 11)
    evidence = SlowEvidence("acute", QUEUE, Flag(NOW, facts, 0.0, 1, 1), 0.001)
    assert evidence.milliseconds == pytest.approx((0.0, 1.0))


@pytest.mark.parametrize(
    ("ratio", "said"), [(1.0, "1.00"), (1.994, "1.99"), (2.0, "2.0"), (19.94, "19.9"), (20.4, "20")]
)
def test_ratios_have_two_or_three_figures(ratio: float, said: str) -> None:
    assert times_text(ratio) == said


# --- coverage --------------------------------------------------------------------------------


def test_osds_without_a_verdict_are_gaps_by_reason() -> None:
    place = Place()
    for osd in (3, 4, 5):
        place.state().last_data[osd] = NAN
    place.state().last_data[9] = NOW - 1000
    place.detector.marks = {3: 1}  # down
    (look,) = place.detector.looks()
    assert look.total == 24
    assert [(gap.code, gap.count, gap.since) for gap in look.gaps] == [
        ("idle", 3, NOW - 940), ("down", 1, None),
    ]  # fmt: skip
    found = place.detector.no_data(9)
    assert found is not None
    assert (found.code, found.since) == ("idle", NOW - 940)
    assert place.detector.no_data(7) is None
    unseen = place.detector.no_data(99)
    assert unseen is not None
    assert unseen.code == "unread"


def test_before_the_first_frame_nothing_is_read() -> None:
    detector = SlowDetector(LIMITS)
    (look,) = detector.looks()
    assert (look.total, [gap.code for gap in look.gaps]) == (0, ["unread"])
    found = detector.no_data(7)
    assert found is not None
    assert found.code == "unread"
    assert len(detector.verdicts()) == 0
    assert detector.cohorts() == []


def test_the_cohort_of_an_osd_is_found_among_several() -> None:
    members = [
        replace(one, cohort="ssd" if one.osd >= 12 else "hdd") for one in roster(2, 12).members
    ]
    farm = Farm(Roster(tuple(members)), noise=0.05).run(10 * MINUTE)
    for osd, peers in ((0, 11), (11, 11), (12, 11), (23, 11)):
        assert f"its {peers} peers" in farm.detector.explain(osd)[1]
        assert farm.detector.no_data(osd) is None


def test_an_osd_alone_behind_another_cohort_is_told_so() -> None:
    """The first one of its cohort, which is the whole cohort."""
    members = [
        replace(one, cohort="ssd" if one.osd == 12 else "hdd") for one in roster(1, 13).members
    ]
    farm = Farm(Roster(tuple(members)), noise=0.05).run(10 * MINUTE)
    found = farm.detector.no_data(12)
    assert (found and found.code) == "alone"
    assert farm.detector.no_data(11) is None


@pytest.mark.parametrize(
    ("osds", "down", "code"),
    [(2, {1}, "peers-away"), (3, {1, 2}, "peers-away"), (3, {1}, None)],
)
def test_a_busy_osd_whose_peers_are_down_is_not_called_idle(
    osds: int, down: set[int], code: Optional[str]
) -> None:
    farm = Farm(roster(osds, 1)).run(HOUR)
    farm.marks, farm.idle = dict.fromkeys(down, int(Mark.DOWN)), frozenset(down)
    farm.run(HOUR)
    found = farm.detector.no_data(0)
    assert (found and found.code) == code
    if found is not None:
        assert "ceph osd tree" in found.help
        assert found.why in farm.detector.explain(0)[0]
