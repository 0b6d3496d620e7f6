"""Laggy PGs told from counts: the sequences seen on real OSDs, and those made to mislead."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Optional

import pytest

from evidence import checked
from fakes.clock import FakeClock
from fakes.senses import CLEAN, FakeOsdHealth, FakePgs
from perf_bench.model.finding import Claim, Severity, Watched, WatchTick
from perf_bench.model.finding_kinds import LAGGY_PGS
from perf_bench.model.json_fields import decode
from perf_bench.model.verdict import EPISODES_KEPT, Episode, LaggyPool, Suspect
from perf_bench.watch.detect.laggy_pgs import LaggyPgDetector, LaggyTotals, claims_of, suspects

NOW = 1_795_000_000.0
LAGGY, WAIT = "active+clean+laggy", "active+undersized+wait"
Counts = Mapping[int, tuple[int, int]]

# SIGSTOP of osd.2 on Ceph 16, pool of size 2 on three OSDs: `pg_summary.by_osd` 12.8 s later.
REAL = {0: (48, 2), 1: (45, 4), 2: (37, 6)}
# The same with other PGs once it goes on: those whose primary it is, which read clean till then.
REAL_AFTER = {0: (48, 5), 1: (45, 7), 2: (37, 12)}

PARTNERS = dict.fromkeys(range(2, 42), (99, 1))


def each_alone(osd: int) -> str:
    return f"host-{osd}"


class Bench:
    """A detector that ticks every 5 s; reading PGs by OSD takes ``took`` seconds."""

    def __init__(
        self, host_of: Callable[[int], str] = each_alone, at: float = NOW, took: float = 0.0
    ) -> None:
        self.at, self.offset = at, 0.0
        self.pgs, self.health, self.clock = FakePgs(), FakeOsdHealth(), FakeClock(tick=took)
        self.by_pool: Mapping[str, Mapping[str, int]] = {}
        self.pgs.by_pool = lambda: self.by_pool  # type: ignore[method-assign]
        self.members = [Watched(osd, f"osd.{osd}", host_of(osd), "hdd") for osd in range(60)]
        self.detector = LaggyPgDetector(self.pgs, self.health, self.clock)

    def tick(
        self,
        laggy: int = 0,
        osds: Optional[Counts] = None,
        *,
        stale: Collection[int] = (),
        slow_ops: Optional[Mapping[int, int]] = None,
        round_id: Optional[int] = None,
        pool: str = "rbd",
        seconds: float = 5.0,
        **more: int,
    ) -> None:
        """``osds`` has (all, laggy) PGs by OSD; ``more`` counts of PGs in other states."""
        names = {"wait": WAIT, "unknown": "unknown"}
        states = {CLEAN: 65 - laggy, LAGGY: laggy, **{names[name]: n for name, n in more.items()}}
        self.pgs.states = {state: count for state, count in states.items() if count}
        self.by_pool = {pool: self.pgs.states}
        self.pgs.osds = {
            osd: {CLEAN: all_ - own, LAGGY: own} for osd, (all_, own) in (osds or {}).items()
        }
        self.health.slow = dict(slow_ops or {})
        self.look(stale, round_id, seconds)

    def look(
        self, stale: Collection[int] = (), round_id: Optional[int] = None, seconds: float = 5.0
    ) -> None:
        self.at += seconds
        self.clock.advance(seconds)
        members = self.members
        self.detector.tick(
            WatchTick(
                self.at + self.offset,
                members=members,
                stale=stale,
                running_round=round_id,
                offset=self.offset,
            )
        )

    def ticks(self, times: int, *args: Any, **more: Any) -> None:
        for _ in range(times):
            self.tick(*args, **more)

    def claimed(self) -> list[str]:
        """What is claimed, as "kind id"."""
        claims = checked(self.detector.claims())
        assert all(c.code == LAGGY_PGS.code and c.severity is Severity.WARNING for c in claims)
        assert len({c.key for c in claims}) == len(claims)
        return [f"{c.target.kind} {c.target.id}" for c in claims]

    def claim(self) -> Claim:
        (claim,) = self.detector.claims()
        return claim

    def pools(self) -> list[LaggyPool]:
        return self.detector.pools()


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.ticks(3)
    return made


# --- who is to blame ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("laggy", "osds", "stale", "named"),
    [
        # Ceph 16, reads to fresh objects, osd.2 stopped: first sight, and its own PGs later.
        (6, REAL, (), ["osd 2"]),
        (12, REAL_AFTER, (), ["osd 2"]),
        # Size 3 on three OSDs: every PG is on each of them, so the counts say nothing …
        (6, {0: (32, 6), 1: (32, 6), 2: (32, 6)}, (), ["cluster cluster"]),
        # … but only one of them has stopped reporting.
        (6, {0: (32, 6), 1: (32, 6), 2: (32, 6)}, (1,), ["osd 1"]),
        # One PG of size 3 in a large cluster: it may be any of the three.
        (1, {osd: (100, int(osd < 3)) for osd in range(30)}, (), ["cluster cluster"]),
        # 20 PGs of one OSD, each with two of 40 partners.
        (20, {0: (100, 20), **dict.fromkeys(range(1, 41), (100, 1))}, (), ["osd 0"]),
        # Spread over all evenly: the messenger starves, as with too many threads.
        (16, dict.fromkeys(range(24), (100, 2)), (), ["cluster cluster"]),
        # Two OSDs hang at once, 20 PGs each of size 2, no partner twice.
        (40, {0: (99, 20), 1: (99, 20), **PARTNERS}, (), ["osd 0", "osd 1"]),
        # The most laggy PGs, but of far more PGs than the others have: a large OSD, no bad one.
        (10, {0: (400, 10), 1: (20, 4), 2: (20, 3), 3: (20, 3)}, (), ["cluster cluster"]),
    ],
)  # fmt: skip
def test_the_culprit_is_named(
    bench: Bench, laggy: int, osds: Counts, stale: Collection[int], named: list[str]
) -> None:
    bench.ticks(4, laggy, osds, stale=stale)
    assert bench.claimed() == named


OTHERS = dict.fromkeys(range(10, 18), 20.0)


@pytest.mark.parametrize(
    ("laggy", "held", "stale", "found"),
    [
        # One OSD is in four fifths of all …
        ({1: 79.9, **dict.fromkeys(range(2, 9), 30.0)}, {}, (), []),
        ({1: 80.0, **dict.fromkeys(range(2, 9), 30.0)}, {}, (), [1]),
        # … and the next one in clearly fewer.
        ({1: 100.0, 2: 85.0, 3: 60.0}, {}, (), [1]),
        ({1: 100.0, 2: 85.1, 3: 60.0}, {}, (), []),
        # An OSD of which a larger share is laggy is no bystander.
        ({1: 100.0, 2: 50.0, 3: 50.0}, {2: 499.0}, (), []),
        ({1: 100.0, 2: 50.0, 3: 50.0}, {2: 500.0}, (), [1]),
        # One that stopped reporting is in three fifths.
        ({1: 70.0, 2: 59.9, 3: 55.0}, {}, (2,), []),
        ({1: 70.0, 2: 60.0, 3: 55.0}, {}, (2,), [2]),
        # Several have three times the usual share, and half as many as the first: a bystander with
        # few PGs of its own has a large share of them, by chance.
        ({1: 59.0, 2: 59.0, **OTHERS}, {}, (), []),
        ({1: 60.0, 2: 60.0, **OTHERS}, {}, (), [1, 2]),
        ({1: 60.0, 2: 50.0, 9: 29.0, **OTHERS}, {1: 150.0, 2: 120.0, 9: 60.0}, (), [1, 2]),
        ({1: 60.0, 2: 50.0, 9: 30.0, **OTHERS}, {1: 150.0, 2: 120.0, 9: 60.0}, (), [1, 2, 9]),
    ],
)  # fmt: skip
def test_the_rules_at_their_limits(
    laggy: dict[int, float], held: dict[int, float], stale: Sequence[int], found: list[int]
) -> None:
    """Of 100 laggy PG-seconds; each OSD has had 1,000 PG-seconds but for those in ``held``."""
    all_held = {**dict.fromkeys(laggy, 1000.0), **held}
    totals = LaggyTotals(100.0, laggy, all_held, dict.fromkeys(stale, 5.0))
    assert sorted(one.osd for one in suspects(totals)) == found


def test_the_sentence_and_the_figures(bench: Bench) -> None:
    bench.ticks(4, 6, REAL, stale=(2,), round_id=7, slow_ops={1: 9})
    claim = bench.claim()
    assert claim.message == (
        "osd.2 on host-2 makes placement groups laggy: 100 % of them are on it, and it stopped "
        "reporting meanwhile (up to 6 at once, while round 7 ran)"
    )
    assert claim.since == NOW + 20
    assert claim.evidence["laggy_pg_seconds"] == 6 * 20
    assert claim.evidence["pools"] == ["rbd"]
    assert claim.evidence["rounds"] == [7]
    (suspect,) = claim.evidence["suspects"]
    assert suspect["stale_seconds"] == 20
    assert suspect["share"] == pytest.approx(6 / 37)
    assert suspect["slow_ops"] == 0  # they pile up at the primary, which is the victim
    assert json.dumps(claim.evidence)


def test_the_osds_of_one_host_are_one_claim_also_after_they_moved() -> None:
    bench = Bench(lambda osd: f"host-{osd // 4}")
    frozen = dict.fromkeys(range(4), (100, 10))
    osds = {**frozen, **dict.fromkeys(range(4, 44), (100, 1))}
    bench.ticks(5, 40, osds)
    assert bench.claimed() == ["host host-0"]
    assert "osd.0, osd.1, osd.2 and osd.3" in bench.claim().message
    bench.members = [replace(one, host=f"new-{one.host}") for one in bench.members]
    bench.tick(40, osds)
    assert bench.claimed() == ["host new-host-0"]


def test_of_many_osds_and_pools_those_that_are_left_out_are_counted(bench: Bench) -> None:
    frozen = range(40)
    osds = {osd: (100, 10 if osd in frozen else 1) for osd in range(60)}
    for turn in range(20):
        bench.tick(200, osds, stale=frozen, pool=f"pool{turn % 10}")
    (episode,) = bench.detector.episodes()
    assert (len(episode.suspects), episode.more_suspects) == (16, 24)
    assert (len(episode.osds), episode.more_osds) == (32, 28)
    assert (len(episode.pools), episode.more_pools) == (8, 2)
    (message,) = {claim.message.partition("(")[2] for claim in bench.detector.claims()}
    assert message == "up to 200 at once, 24 more OSDs are like those that are named)"


# --- when it is claimed, and when no longer ---------------------------------------------------


@pytest.mark.parametrize(
    ("ticks", "claimed"),
    [(1, []), (3, []), (4, ["osd 2"])],  # 4 ticks of 5 s are 15 s from the first to the last
)
def test_a_claim_needs_15_seconds(bench: Bench, ticks: int, claimed: list[str]) -> None:
    bench.ticks(ticks, 6, REAL)
    assert bench.claimed() == claimed


def test_it_stays_through_a_gap_and_is_cleared_after_the_end(bench: Bench) -> None:
    bench.ticks(4, 6, REAL)
    bench.ticks(6)
    assert bench.claimed() == ["osd 2"]
    bench.tick()
    assert bench.claimed() == []
    assert bench.detector.episodes()[0].end == NOW + 35


def test_short_episodes_that_come_again_are_claimed(bench: Bench) -> None:
    for episode in range(3):
        assert bench.claimed() == []
        bench.ticks(2, 6, REAL, round_id=4)
        bench.ticks(24)
        assert len(bench.detector.episodes()) == episode + 1
    assert bench.claimed() == ["osd 2"]
    assert "up to 6 at once, 3 times in 30 min, while round 4 ran" in bench.claim().message
    bench.ticks(12 * 30)
    assert bench.claimed() == []


def episode(start: float, *osds: int) -> Episode:
    return Episode(start, start + 10, 5, 50.0, tuple(Suspect(osd, 10.0, 0.9, 0.5) for osd in osds))


@pytest.mark.parametrize(
    ("now", "of", "claimed"),
    [
        (1800.0, 3, ["osd"]),
        (1800.1, 3, []),
        (1800.0, 2, []),
        # A culprit is in more than half of them.
        (1800.0, 5, ["osd"]),
        (1800.0, 6, ["cluster"]),
    ],
)
def test_three_within_half_an_hour(now: float, of: int, claimed: list[str]) -> None:
    """Of the first three of them osd.7 is suspected."""
    episodes = [episode(float(at), *[7] * (at < 3)) for at in reversed(range(of))]
    found = claims_of(episodes, 0.0, now, each_alone)
    assert [claim.target.kind for claim in found] == claimed


def test_waiting_pgs_after_an_osd_went_down_are_counted_and_blamed_on_none(bench: Bench) -> None:
    # Ceph 16, SIGSTOP and `ceph osd down 2`: 14 PGs wait from 5.6 to 15.6 s.
    bench.ticks(3, 0, REAL, wait=14)
    assert (bench.detector.now.wait, bench.detector.now.laggy) == (14, 0)
    assert bench.pools() == [LaggyPool("rbd", 0, 14, 0.0)]
    assert bench.claimed() == []
    assert bench.detector.episodes() == []


# --- stuck ------------------------------------------------------------------------------------


STUCK = {0: (48, 1), 1: (45, 1), 2: (37, 2)}


def test_laggy_for_minutes_at_healthy_osds_is_stuck_and_no_osds_fault(bench: Bench) -> None:
    bench.ticks(8, 6, REAL)
    bench.ticks(60, 2, STUCK)
    assert bench.claimed() == ["osd 2"]
    bench.ticks(1, 2, STUCK)
    assert bench.claimed() == ["cluster cluster"]
    assert "pool rbd are stuck" in bench.claim().message
    assert bench.detector.episodes()[0].suspects == ()


@pytest.mark.parametrize(
    ("once", "stuck"),
    [
        ({}, True),
        ({"laggy": 4}, False),
        ({"laggy": 0}, False),  # the PGs after it need not be the same
        ({"osds": {1: (10, 2), 2: (10, 1)}}, False),
        ({"stale": [1]}, False),
        ({"stale": [3]}, True),  # it has none of them
        ({"slow_ops": {2: 5}}, False),
    ],
)
def test_what_changes_is_not_stuck(bench: Bench, once: Mapping[str, Any], stuck: bool) -> None:
    usual: dict[str, Any] = {"laggy": 3, "osds": {1: (10, 3), 2: (10, 1)}}
    bench.tick(**usual)
    bench.tick(**{**usual, **once})
    bench.ticks(59, **usual)
    assert bench.detector.episodes()[0].stuck is stuck


def test_pgs_whose_osds_are_all_down_are_not_stuck_but_not_looked_at(bench: Bench) -> None:
    dead = "stale+active+clean+laggy"
    bench.pgs.states, bench.pgs.osds = {CLEAN: 60, dead: 4}, {0: {dead: 4}}
    for _ in range(80):
        bench.look()
    assert bench.claimed() == []
    (look,) = bench.detector.looks()
    assert [(gap.code, gap.count) for gap in look.gaps] == [("stale", 4)]


# --- episodes and sums ------------------------------------------------------------------------


def test_gaps_under_30_seconds_are_one_episode(bench: Bench) -> None:
    bench.ticks(2, 6, REAL)
    bench.ticks(5)
    bench.ticks(2, 12, REAL_AFTER)
    bench.ticks(10)
    (one,) = bench.detector.episodes()
    assert (one.start, one.end) == (NOW + 20, NOW + 60)
    assert (one.peak, one.laggy_pg_seconds) == (12, 2 * 6 * 5 + 2 * 12 * 5)
    assert [suspect.osd for suspect in one.suspects] == [2]
    sums = [(osd.osd, osd.laggy_pg_seconds) for osd in one.osds]
    assert sums == [(2, 180), (1, 110), (0, 70)]


def test_sums_by_osd_and_pool_go_over_episodes(bench: Bench) -> None:
    for pool in ("rbd", "rbd", "data"):
        bench.ticks(2, 6, REAL, pool=pool)
        bench.ticks(10, pool=pool)
    worst = bench.detector.osds()[0]
    assert (worst.osd, worst.laggy_pg_seconds) == (2, 3 * 60)
    assert worst.share == pytest.approx(6 / 37)
    # The pool "rbd" was deleted when "data" came.
    assert [(p.pool, p.laggy_pg_seconds) for p in bench.pools()] == [("data", 60)]
    assert bench.detector.laggy_pg_seconds == 3 * 60


@pytest.mark.parametrize(
    ("seconds", "counts"), [(5.0, 5.0), (15.0, 15.0), (3600.0, 15.0), (0.0, 0.0)]
)
def test_a_tick_counts_for_the_time_since_the_one_before(
    bench: Bench, seconds: float, counts: float
) -> None:
    bench.tick(4, seconds=0.0)
    bench.tick(6, seconds=seconds)
    assert bench.detector.laggy_pg_seconds == 6 * counts
    assert bench.detector.episodes()[0].laggy_pg_seconds == 6 * counts
    assert [one.laggy_pg_seconds for one in bench.pools()] == [6 * counts]
    now = bench.detector.now
    assert (now.laggy, now.wait, now.pgs) == (6, 0, 65)


def test_pools_are_listed_from_the_first_laggy_pg_on(bench: Bench) -> None:
    calm, waits = {"active": 5}, {"active+wait": 2, "active": 3}
    lags = {"active+laggy": 2, "active": 3}

    def look(laggy: int, **pools: Mapping[str, int]) -> list[LaggyPool]:
        bench.pgs.states, bench.by_pool = {LAGGY: laggy} if laggy else {}, pools
        bench.look()
        return bench.pools()

    assert look(2, a=lags, b=waits) == [LaggyPool("a", 2, 0, 10.0), LaggyPool("b", 0, 2, 0.0)]
    assert look(2, a=lags, b=calm) == [LaggyPool("a", 2, 0, 20.0)]  # b only had waiting ones
    assert look(0, a=calm, b=calm) == [LaggyPool("a", 0, 0, 20.0)]
    assert look(4, b={"active+laggy": 4}) == [LaggyPool("b", 4, 0, 20.0)]  # a was deleted


def test_it_is_the_same_where_the_clock_is_set(bench: Bench) -> None:
    bench.ticks(12, 8, REAL)
    (before,) = bench.detector.episodes()
    bench.offset = -1800.0
    bench.ticks(12, 8, REAL)
    (after,) = bench.detector.episodes()
    assert after.start == before.start - 1800
    assert after.laggy_pg_seconds == before.laggy_pg_seconds + 8 * 60
    assert bench.claim().since == before.start - 1800


# --- across mgrs ------------------------------------------------------------------------------


@pytest.mark.parametrize("laggy", [0, 6])
def test_an_episode_ends_with_its_mgr_and_the_next_one_names_the_same(
    bench: Bench, laggy: int
) -> None:
    bench.ticks(6, 6, REAL)
    stored = [
        decode(Episode, json.loads(json.dumps(asdict(one), default=list)))
        for one in bench.detector.to_store()
    ]
    after = Bench(at=bench.at)
    after.detector.add_past(stored)
    after.ticks(4, laggy, REAL)
    assert after.detector.episodes()[-1].end == bench.at
    assert len(after.detector.episodes()) == 1 + bool(laggy)
    assert after.claimed() == (["osd 2"] if laggy else [])


def test_ended_episodes_of_the_store_are_added_once_and_the_newest_kept(bench: Bench) -> None:
    bench.tick(2)
    past = [Episode(10.0 * number, 10.0 * number + 5, 1, 5.0) for number in range(EPISODES_KEPT)]
    open_, known = Episode(5e5, None, 1, 1.0), Episode(bench.at, 2e9, 1, 1.0)
    bench.detector.add_past([*past[50:], open_, known])
    bench.detector.add_past(past)
    starts = [one.start for one in bench.detector.episodes()]
    assert starts == [bench.at, *(one.start for one in reversed(past))]
    bench.detector.add_past([Episode(9e5, 9.1e5, 1, 1.0)])
    starts = [one.start for one in bench.detector.episodes()]
    assert (len(starts), starts[1], starts[-1]) == (EPISODES_KEPT + 1, 9e5, 10.0)


# --- what is read, and what was not looked at -------------------------------------------------


def test_what_was_not_counted_is_told() -> None:
    bench = Bench()

    def gaps() -> list[tuple[str, int]]:
        (look,) = bench.detector.looks()
        return [(gap.code, gap.count) for gap in look.gaps]

    assert gaps() == [("unread", 0)]
    bench.tick(unknown=3)
    assert gaps() == [("unknown", 3)]
    bench.tick()
    assert gaps() == []


@pytest.mark.parametrize(
    ("states", "asked"),
    [
        ({}, 0),
        ({CLEAN: 32, LAGGY: 0}, 0),
        ({CLEAN: 32, "unknown": 3}, 0),
        ({LAGGY: 1}, 4),
        ({WAIT: 1}, 4),
        # Other words that end in "wait" are about data to be moved.
        ({"active+recovery_wait+degraded": 9, "active+remapped+backfill_wait": 9}, 0),
        ({"active+clean+snaptrim_wait": 9}, 0),
    ],
)
def test_pgs_by_osd_are_read_only_when_they_say_something(
    states: dict[str, int], asked: int
) -> None:
    bench = Bench()
    bench.pgs.states = states
    for _ in range(4):
        bench.look()
    assert bench.pgs.asked == asked


@pytest.mark.parametrize(("took", "asked"), [(0.0, 20), (0.09, 20), (0.11, 10), (1.0, 2)])
def test_reading_them_takes_a_fiftieth_of_the_time_at_most(took: float, asked: int) -> None:
    """Of 20 ticks of 5 s; a look at the clock passes ``took``, as the reading between two does."""
    bench = Bench(took=took)
    bench.ticks(20, 6)
    assert bench.pgs.asked == pytest.approx(asked, abs=1)
