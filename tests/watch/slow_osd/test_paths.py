"""Who is called slow, by which rule, how soon, and when it ends; on made-up clusters."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from farm import HOUR, MINUTE, SEGMENT, Farm, of_some, once, roster, settled, slower
from perf_bench.model.finding import CLIENT_WRITE, COMMIT, QUEUE, READ, Mark, Severity
from perf_bench.model.finding_kinds import SLOW_OSD
from perf_bench.model.verdict import OsdState
from perf_bench.watch.slow_osd.thresholds import Thresholds


@pytest.mark.parametrize("osds", [3, 6])
@pytest.mark.parametrize("begin", [0, 6, 90])  # minutes; the first hour is the cold start
def test_an_acute_fault_in_a_small_cluster_is_found_in_5_minutes(osds: int, begin: int) -> None:
    farm = Farm(roster(osds, 1), noise=0.25, weather=0.4).run(begin * MINUTE)
    farm.fault = slower({1}, 10)
    late = 5 * MINUTE if begin else 6 * MINUTE  # no verdict before 5 minutes with data
    assert farm.until({"osd.1"}, late)
    assert farm.detector.verdicts()[1].path == "acute"
    assert [farm.detector.verdicts()[osd].state for osd in (0, 2)] == [OsdState.OK] * 2


@pytest.mark.parametrize("osds", [3, 6, 24])
def test_an_acute_fault_is_cleared_5_to_10_minutes_after_its_end(osds: int) -> None:
    farm = Farm(roster(osds, 1), noise=0.2).run(20 * MINUTE).run(8 * MINUTE, slower({1}, 10))
    assert farm.named == {"osd.1"}
    farm.fault = slower(set(), 1)
    cleared = farm.until(set(), 10 * MINUTE)
    assert cleared is not None
    assert cleared >= 4 * MINUTE


def test_nothing_is_said_in_the_first_5_minutes() -> None:
    farm = Farm(roster(6, 1)).run(4 * MINUTE + 3, slower({1}, 50))
    assert farm.named == set()
    assert farm.detector.verdicts()[1].state is OsdState.NO_DATA
    assert "under 5 minutes" in farm.detector.explain(1)[0]


def _threes(hosts: int) -> Farm:
    return Farm(roster(hosts, 3), noise=0.05).run(7 * HOUR)


@pytest.mark.parametrize(
    ("minutes", "named"),
    [(9, set()), (15, {"osd.7"})],  # of each quarter of an hour
)
@pytest.mark.parametrize("osds", [3, 72])
def test_scrub_after_scrub_is_no_lasting_slowdown(osds: int, minutes: int, named: set[str]) -> None:
    farm = once(_threes, osds // 3)
    slow = 7 if osds > 7 else 1
    farm.fault = of_some({slow}, lambda at, osd: 1.55 if at % SEGMENT < minutes * MINUTE else 1.0)
    assert farm.run(6 * SEGMENT).named == ({f"osd.{slow}"} if named else set())


def test_a_flapping_osd_is_one_unbroken_claim() -> None:
    """Slow 10 of every 20 minutes: it must not open and close all the time."""
    farm = settled(roster(6, 12), 5 * SEGMENT)
    farm.fault = of_some({7}, lambda at, osd: 4.0 if at % (20 * MINUTE) < 10 * MINUTE else 1.0)
    assert farm.until({"osd.7"}, HOUR)
    seen = []
    for _ in range(4 * HOUR):
        farm.run(1)
        seen.append(farm.named)
    changes = sum(before != after for before, after in zip(seen, seen[1:]))
    assert changes <= 2 * 12, "it opened and closed more often than the fault itself"


@pytest.mark.parametrize(
    ("every", "ratio", "found"),
    [
        (30, 3.0, True),  # minutes; 30 s each
        (240, 5.0, False),  # 6 a day: not more than chance
    ],
)
def test_bursts_are_found_in_a_day(every: int, ratio: float, found: bool) -> None:
    farm = Farm(roster(2, 12), noise=0.12)
    farm.fault = of_some({7}, lambda at, osd: ratio if at % (every * MINUTE) < 2 else 1.0)
    farm.run(24 * HOUR)
    assert (farm.named == {"osd.7"}) is found
    if found:
        verdict = farm.detector.verdicts()[7]
        assert verdict.path == "intermittent"
        assert verdict.evidence["bursts_24h"] > 18


def test_bursts_every_5_minutes_are_bursts() -> None:
    """10 minutes count as one at most, so it takes 3 hours of them; noise must not join them."""
    farm = Farm(roster(2, 12), noise=0.12).run(5 * HOUR)
    farm.fault = of_some({7}, lambda at, osd: 3.0 if at % (5 * MINUTE) < 2 else 1.0)
    assert farm.run(4 * HOUR).named == {"osd.7"}
    assert farm.detector.verdicts()[7].path == "intermittent"


def test_load_makes_no_bursts() -> None:
    """Latency follows load with slope 0.6; one OSD has 8 times the load for a minute at times."""
    farm = Farm(roster(2, 12), noise=0.05)
    usual = {osd: math.exp(0.3 * math.sin(osd * 12.9898)) for osd in range(24)}
    for _ in range(14 * HOUR):
        busy = 8.0 if farm.at % (20 * MINUTE) < MINUTE else 1.0
        factor = [usual[osd] * (busy if osd == 7 else 1.0) for osd in range(24)]
        frame = farm.frame()
        latency = [own * many**0.6 for own, many in zip(frame.latency[COMMIT], factor)]
        load = [1e6 * many for many in factor]
        farm.detector.step(replace(frame, latency={COMMIT: latency}, load=load))
    assert farm.named == set()


def test_scrubs_that_scratch_the_threshold_are_no_bursts() -> None:
    """Each OSD is 1.5 times as slow for 10 minutes every 2 hours, one every half hour."""

    def scrub(at: int, osd: int) -> float:
        every = HOUR // 2 if osd == 7 else 2 * HOUR
        return 1.5 if (at + osd * 37) % every < 10 * MINUTE else 1.0

    farm = Farm(roster(2, 12), noise=0.14, fault=scrub)
    for _ in range(24):
        assert farm.run(HOUR).named == set()


def test_a_burst_of_few_operations_may_be_chance() -> None:
    """With 400 operations it is found, see above."""
    farm = Farm(roster(2, 12), ops=12.0)
    farm.fault = of_some({7}, lambda at, osd: 3.0 if at % (30 * MINUTE) < 2 else 1.0)
    assert farm.run(24 * HOUR).named == set()


def test_what_is_slow_all_the_time_has_no_bursts() -> None:
    """Its noise crosses the threshold all day; when it is well again, it is cleared."""
    farm = Farm(roster(2, 12), noise=0.15).run(5 * HOUR).run(12 * HOUR, slower({7}, 1.9))
    assert farm.named == {"osd.7"}
    assert farm.run(2 * HOUR, slower(set(), 1)).named == set()


def test_a_small_cohort_is_judged_by_its_own_past() -> None:
    """One of three twice as slow as ever is found; one that was always different is not."""
    usual = {0: 1.0, 1: 1.5, 2: 1.0}
    farm = Farm(roster(3, 1))
    farm.run(7 * HOUR, lambda at, osd: usual[osd])
    assert farm.named == set()
    farm.fault = lambda at, osd: usual[osd] * (1.7 if osd == 2 else 1.0)
    assert farm.until({"osd.2"}, 4 * SEGMENT + 1)
    assert farm.detector.verdicts()[2].path == "small-cohort"


def test_each_channel_is_judged_and_the_worst_counts() -> None:
    farm = Farm(roster(4, 12), channels=(COMMIT, READ, QUEUE))
    farm.run(5 * SEGMENT)
    for _ in range(4 * SEGMENT + 1):
        frame = farm.frame()
        reads = list(frame.latency[READ])
        reads[7] *= 1.5
        farm.detector.step(
            type(frame)(
                frame.start,
                frame.end,
                frame.roster,
                {**frame.latency, READ: reads},
                frame.ops,
                frame.load,
                frame.marks,
            )
        )
    assert farm.named == {"osd.7"}
    assert farm.detector.verdicts()[7].channel == READ


@pytest.mark.parametrize("osds", [3, 24])
@pytest.mark.parametrize("ops", [10.0, 400.0])  # a frame
def test_a_delay_in_the_queue_is_found_and_noise_there_is_not(osds: int, ops: float) -> None:
    """Healthy 0.1 ms and a factor of 4 from minute to minute; a late dispatch is 30 ms."""
    farm = Farm(roster(osds, 1), channels=(QUEUE,), base=0.0001, noise=0.7, ops=ops)
    farm.run(2 * HOUR)
    assert farm.named == set()
    assert all((verdict.ratio or 9) < 1.3 for verdict in farm.detector.verdicts().values())
    farm.fault = slower({1}, 300)
    assert farm.until({"osd.1"}, 6 * MINUTE)
    (claim,) = farm.detector.claims()
    assert claim.evidence["ratio"] < 60, "1 ms is added to both before they are compared"
    assert claim.evidence["latency_ms"] > 10, "what is shown is the latency itself"
    assert claim.evidence["peers_latency_ms"] < 0.3
    assert claim.evidence["floor_ms"] == 1


def test_always_slower_in_the_queue_by_a_hair_is_no_fault() -> None:
    farm = Farm(roster(24, 1), channels=(QUEUE,), base=0.0001, noise=0.1)
    assert farm.run(2 * HOUR, slower({1}, 2.5)).named == set()
    assert Farm(
        roster(24, 1),
        channels=(QUEUE,),
        base=0.0001,
        noise=0.1,
        settings=Thresholds.of(["queue_floor_ms=0"]),
    ).run(2 * HOUR, slower({1}, 2.5)).named == {"osd.1"}


def test_a_queue_that_was_not_sent_is_no_data() -> None:
    farm = Farm(roster(6, 1), channels=(QUEUE,), base=0.0)
    assert {verdict.state for verdict in farm.run(HOUR).detector.verdicts().values()} == {
        OsdState.NO_DATA
    }


def test_a_stalled_osd_of_a_fresh_cluster_on_one_busy_disk_is_found() -> None:
    """As seen on two real clusters: 6 OSDs that differ by .24 a minute, one at 6.9, z 8.2."""
    farm = Farm(roster(3, 2), noise=0.48, weather=0.4, channels=(COMMIT, READ, QUEUE), base=0.01)
    farm.run(10 * MINUTE)
    farm.fault = slower({1}, 6.9)
    assert farm.until({"osd.1"}, 8 * MINUTE)


@pytest.mark.parametrize(("ratio", "found"), [(200.0, True), (5.0, False)])
def test_the_extreme_is_found_where_nothing_else_could_be(ratio: float, found: bool) -> None:
    """As seen on a real cluster: 12 queues that differ by 1.4 a minute, one at 178, z 3.7."""
    farm = Farm(roster(3, 4), noise=2.0, channels=(QUEUE,), base=0.02)
    farm.run(3 * HOUR)
    assert farm.named == set()
    farm.fault = slower({1}, ratio)
    assert bool(farm.until({"osd.1"}, 30 * MINUTE)) is found


def test_the_victims_of_a_slow_replica_are_not_judged() -> None:
    farm = Farm(roster(4, 12), channels=(CLIENT_WRITE,)).run(12 * MINUTE, slower({7}, 30))
    assert farm.named == set()
    assert farm.detector.verdicts()[7].state is OsdState.NO_DATA


@pytest.mark.parametrize("ops", [0.0, 1.0, 5.0])
def test_too_few_operations_are_no_data_and_never_ok(ops: float) -> None:
    farm = Farm(roster(6, 1), ops=ops).run(20 * MINUTE, slower({1}, 50))
    assert farm.named == set()
    assert {verdict.state for verdict in farm.detector.verdicts().values()} == {OsdState.NO_DATA}


def test_an_idle_osd_among_busy_ones_is_no_data() -> None:
    farm = Farm(roster(6, 1), idle=frozenset({3})).run(30 * MINUTE)
    verdicts = farm.detector.verdicts()
    assert verdicts[3].state is OsdState.NO_DATA
    assert "fewer than 32 operations" in farm.detector.explain(3)[0]
    assert verdicts[2].state is OsdState.OK


@pytest.mark.parametrize(
    ("mark", "ratio", "named"),
    [
        (Mark.RECOVERING, 1.5, set()),
        (Mark.RECOVERING, 3.0, {"osd.7"}),  # twice as slow and more is no recovery
        (Mark.BENCHED, 30.0, set()),  # our own bench
        (Mark.DOWN, 30.0, set()),
        (Mark.STALE, 30.0, set()),
    ],
)
def test_who_is_excluded_is_judged_more_strictly(mark: Mark, ratio: float, named: set[str]) -> None:
    farm = settled(roster(6, 12), 5 * SEGMENT)
    farm.marks = {7: int(mark)}
    assert farm.run(5 * SEGMENT, slower({7}, ratio)).named == named


@pytest.mark.parametrize("osds", [{7}, set(range(12))], ids=["osd", "host"])
@pytest.mark.parametrize(("lasts", "found"), [(5, False), (12, True)])  # minutes
def test_a_restart_has_cold_caches(osds: set[int], lasts: int, found: bool) -> None:
    """Three times as slow while it is marked is what a start looks like; longer is a fault."""
    farm = settled(roster(6, 12), 5 * SEGMENT)
    farm.marks = dict.fromkeys(osds, int(Mark.RESTARTED))
    for _ in range(5 * MINUTE):
        assert farm.run(1, slower(osds, 3.0)).named == set()
    farm.marks = {}
    named = {"osd.7"} if len(osds) == 1 else {"host host-0"}
    farm.run((lasts - 5) * MINUTE)
    assert farm.named == (named if found else set())


def test_a_compaction_within_a_scrub_is_no_fault() -> None:
    """x1.6 for 10 minutes, x2.4 for one of them, and noise that makes it three."""
    farm = settled(roster(6, 12), 5 * SEGMENT, noise=0.05)
    slow = (1.6, 2.05, 2.4, 2.05, 1.6, 1.6)
    for ratio in slow:
        assert farm.run(MINUTE, slower({7}, ratio)).named == set()


def test_a_recovery_of_all_is_no_fault_of_one() -> None:
    """x2 to x5 for an hour on most OSDs, each as it comes."""
    farm = settled(roster(6, 12), 5 * SEGMENT)
    farm.marks = dict.fromkeys(range(48), int(Mark.RECOVERING))
    farm.run(4 * SEGMENT, lambda at, osd: 2.0 + (osd % 7) / 2 if osd < 48 else 1.0)
    farm.marks = {}
    assert farm.run(SEGMENT, slower(set(), 1)).named == set()


def test_many_at_once_are_one_claim_on_the_cohort() -> None:
    """Every fifth OSD, spread over all hosts: nobody is accused alone."""
    farm = Farm(roster(8, 10)).run(5 * SEGMENT)
    farm.run(5 * SEGMENT, slower(set(range(0, 80, 5)), 1.6))
    assert farm.named == {"cohort hdd"}
    (claim,) = farm.detector.claims()
    assert claim.severity is Severity.INFO
    assert claim.evidence["members"] == 16
    assert farm.detector.verdicts()[5].state is OsdState.SUSPECT


def test_a_claim_says_who_how_much_and_since_when() -> None:
    farm = Farm(roster(2, 12), noise=0.05, weather=0.05).run(2 * HOUR + 10 * MINUTE)
    farm.run(10 * MINUTE, slower({7}, 3))
    (claim,) = farm.detector.claims()
    assert claim.code == SLOW_OSD.code
    assert claim.severity is Severity.WARNING
    assert claim.message.startswith("osd.7 on host-0 is ")
    assert "times as slow as its 11 peers (commit " in claim.message
    assert claim.message.endswith(" ms)")
    assert claim.since == claim.evidence["since"]
    evidence = claim.evidence
    assert evidence["path"] == "acute"
    assert evidence["channel"] == COMMIT
    assert evidence["ratio"] == pytest.approx(3, rel=0.05)
    assert evidence["latency_ms"] == pytest.approx(30, rel=0.05)
    assert evidence["peers_latency_ms"] == pytest.approx(10, rel=0.05)
    assert evidence["robust_z"] > 6
    assert evidence["minimum_detectable_ratio"] == 2.4, "of the rule that found it"
    assert {"peers", "since", "cohort", "host", "paths"} <= set(evidence)


def test_words_for_the_well_the_slow_and_the_unknown() -> None:
    farm = Farm(roster(2, 12)).run(2 * HOUR).run(10 * MINUTE, slower({7}, 3))
    assert farm.detector.explain(3)[0].startswith("osd.3 is as fast as its peers")
    slow = farm.detector.explain(7)
    assert slow[0].startswith("osd.7 is slow, by the acute rule")
    assert farm.detector.explain(99) == ["osd.99 is not watched."]
    farm.marks = {3: int(Mark.RECOVERING)}
    strictly = "It is recovering: no reference for its peers, and judged more strictly."
    assert farm.run(1).detector.explain(3)[-1] == strictly
    farm.marks = {3: int(Mark.BENCHED)}
    ours = "It is benched: what it shows meanwhile does not count."
    assert farm.run(1).detector.explain(3)[-1] == ours
