"""Laggy PGs told from counts: the sequences seen on real OSDs, and those made to mislead."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Optional

import pytest

from evidence import checked
from perf_bench.model.finding import Claim, Severity
from perf_bench.model.finding_kinds import LAGGY_PGS
from perf_bench.model.json_fields import decode
from perf_bench.model.verdict import Episode
from perf_bench.watch.detect.laggy_pgs.detector import REJOIN_SECONDS, LaggyTracker, wants_by_osd

NOW = 1_795_000_000.0
CLEAN, LAGGY, WAIT = "active+clean", "active+clean+laggy", "active+undersized+wait"

# SIGSTOP of osd.2 on Ceph 16, pool of size 2 on three OSDs: `pg_summary.by_osd` 12.8 s later.
REAL = {0: (48, 2), 1: (45, 4), 2: (37, 6)}
# The same with other PGs once it goes on: those whose primary it is, which read clean till then.
REAL_AFTER = {0: (48, 5), 1: (45, 7), 2: (37, 12)}

PARTNERS = dict.fromkeys(range(2, 42), (99, 1))


def by_osd(pgs: Mapping[int, tuple[int, int]]) -> dict[int, dict[str, int]]:
    """By OSD its PGs by state, from (all, laggy)."""
    return {
        osd: {CLEAN: all_ - laggy, **({LAGGY: laggy} if laggy else {})}
        for osd, (all_, laggy) in pgs.items()
    }


@dataclass
class Bench:
    """A tracker and a clock of 5 s ticks."""

    hosts: Mapping[int, str] = field(default_factory=dict)
    at: float = NOW

    def __post_init__(self) -> None:
        self.tracker = LaggyTracker(self.hosts.get)

    def tick(
        self,
        laggy: int = 0,
        osds: Optional[Mapping[int, tuple[int, int]]] = None,
        *,
        wait: int = 0,
        stale: Collection[int] = (),
        slow_ops: Optional[Mapping[int, int]] = None,
        round_id: Optional[int] = None,
        pool: str = "rbd",
    ) -> None:
        states = {CLEAN: 65 - laggy - wait, LAGGY: laggy, WAIT: wait}
        states = {state: count for state, count in states.items() if count}
        counts = by_osd(osds) if osds and wants_by_osd(states) else None
        self.at += 5
        self.tracker.step(self.at, states, {pool: states}, counts, stale, slow_ops or {}, round_id)

    def ticks(self, times: int, *args: object, **more: object) -> None:
        for _ in range(times):
            self.tick(*args, **more)  # type: ignore[arg-type]

    def claimed(self) -> list[str]:
        """What is claimed, as "kind id"."""
        claims = checked(self.tracker.claims())
        assert all(c.code == LAGGY_PGS.code and c.severity is Severity.WARNING for c in claims)
        assert len({c.key for c in claims}) == len(claims)
        return [f"{c.target.kind} {c.target.id}" for c in claims]

    def claim(self) -> Claim:
        (claim,) = self.tracker.claims()
        return claim


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
        # Ten PGs at random on 1,000 OSDs: 30 OSDs have one each, and none stands out.
        (10, {osd: (100, int(osd < 30)) for osd in range(1000)}, (), ["cluster cluster"]),
        # Two OSDs hang at once, 20 PGs each of size 2, no partner twice.
        (40, {0: (99, 20), 1: (99, 20), **PARTNERS}, (), ["osd 0", "osd 1"]),
        # The most laggy PGs, but of far more PGs than the others have: a large OSD, no bad one.
        (10, {0: (400, 10), 1: (20, 4), 2: (20, 3), 3: (20, 3)}, (), ["cluster cluster"]),
        # An OSD that does not report, and has nothing to do with it.
        (6, {**REAL, 3: (40, 0)}, (3,), ["osd 2"]),
    ],
)  # fmt: skip
def test_the_culprit_is_named(
    bench: Bench,
    laggy: int,
    osds: Mapping[int, tuple[int, int]],
    stale: Collection[int],
    named: list[str],
) -> None:
    bench.ticks(4, laggy, osds, stale=stale)
    assert bench.claimed() == named


def test_the_sentence_and_the_figures() -> None:
    bench = Bench(hosts={0: "host-0", 1: "host-1", 2: "host-2"})
    bench.ticks(3)
    bench.ticks(4, 6, REAL, stale=(2,), round_id=7)
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
    assert json.dumps(claim.evidence)


def test_the_osds_of_one_host_are_one_claim() -> None:
    bench = Bench(hosts={osd: f"host-{osd // 4}" for osd in range(48)})
    frozen = dict.fromkeys(range(4), (100, 10))
    bench.ticks(5, 40, {**frozen, **dict.fromkeys(range(4, 44), (100, 1))})
    assert bench.claimed() == ["host host-0"]
    assert "osd.0, osd.1, osd.2 and osd.3" in bench.claim().message


def test_slow_ops_are_evidence_but_accuse_nobody(bench: Bench) -> None:
    # They pile up at the primary, which is the victim.
    bench.ticks(4, 6, REAL, slow_ops={1: 9})
    assert bench.claimed() == ["osd 2"]
    bench.ticks(1, 6, REAL, slow_ops={2: 4})
    assert bench.claim().evidence["suspects"][0]["slow_ops"] == 4


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
    assert bench.tracker.episodes()[0].end == NOW + 35


def test_short_episodes_that_come_again_are_claimed(bench: Bench) -> None:
    for episode in range(3):
        assert bench.claimed() == []
        bench.ticks(2, 6, REAL, round_id=4)
        bench.ticks(24)
        assert len(bench.tracker.episodes()) == episode + 1
    assert bench.claimed() == ["osd 2"]
    assert "up to 6 at once, 3 times in 30 min, while round 4 ran" in bench.claim().message
    bench.ticks(12 * 30)
    assert bench.claimed() == []


def test_repeated_episodes_of_different_osds_accuse_none(bench: Bench) -> None:
    for osd in range(3):
        bench.ticks(2, 6, {o: (40, 6 if o == osd else 2) for o in range(4)})
        bench.ticks(10)
    assert bench.claimed() == ["cluster cluster"]


def test_waiting_pgs_after_an_osd_went_down_are_counted_and_blamed_on_none(bench: Bench) -> None:
    # Ceph 16, SIGSTOP and `ceph osd down 2`: 14 PGs wait from 5.6 to 15.6 s.
    bench.ticks(3, 0, REAL, wait=14)
    assert (bench.tracker.now().wait, bench.tracker.now().laggy) == (14, 0)
    assert [(p.pool, p.wait, p.laggy_pg_seconds) for p in bench.tracker.pools()] == [("rbd", 14, 0)]
    assert bench.claimed() == []
    assert bench.tracker.episodes() == []
    bench.tick()
    assert bench.tracker.pools() == []


# --- stuck ------------------------------------------------------------------------------------


def test_laggy_for_minutes_at_healthy_osds_is_stuck_and_no_osds_fault(bench: Bench) -> None:
    bench.ticks(8, 6, REAL)
    assert bench.claimed() == ["osd 2"]
    bench.ticks(60, 2, {0: (48, 1), 1: (45, 1), 2: (37, 2)})
    assert bench.claimed() == ["osd 2"]
    bench.ticks(1, 2, {0: (48, 1), 1: (45, 1), 2: (37, 2)})
    assert bench.claimed() == ["cluster cluster"]
    assert "'ceph pg repeer PGID'" in bench.claim().message
    assert "pool rbd" in bench.claim().message
    assert bench.tracker.episodes()[0].stuck
    assert bench.tracker.episodes()[0].suspects == ()


UNWELL: list[dict[str, object]] = [{"stale": (2,)}, {"slow_ops": {1: 3}}]


@pytest.mark.parametrize("unwell", UNWELL)
def test_it_is_not_stuck_while_an_osd_of_it_is_unwell(
    bench: Bench, unwell: dict[str, object]
) -> None:
    bench.ticks(100, 6, REAL, **unwell)
    assert bench.claimed() == ["osd 2"]


def test_a_gap_starts_the_time_to_stuck_anew(bench: Bench) -> None:
    bench.ticks(50, 6, REAL)
    bench.tick()
    bench.ticks(50, 6, REAL)
    assert bench.claimed() == ["osd 2"]


# --- episodes, sums, bounds -------------------------------------------------------------------


def test_gaps_under_30_seconds_are_one_episode(bench: Bench) -> None:
    bench.ticks(2, 6, REAL)
    bench.ticks(5)
    bench.ticks(2, 12, REAL_AFTER)
    bench.ticks(10)
    (episode,) = bench.tracker.episodes()
    assert (episode.start, episode.end) == (NOW + 20, NOW + 60)
    assert (episode.peak, episode.laggy_pg_seconds) == (12, 2 * 6 * 5 + 2 * 12 * 5)
    assert [one.osd for one in episode.suspects] == [2]
    sums = [(one.osd, one.laggy_pg_seconds) for one in episode.osds]
    assert sums == [(2, 180), (1, 110), (0, 70)]


def test_sums_by_osd_and_pool_go_over_episodes(bench: Bench) -> None:
    for pool in ("rbd", "rbd", "data"):
        bench.ticks(2, 6, REAL, pool=pool)
        bench.ticks(10, pool=pool)
    worst = bench.tracker.osds()[0]
    assert (worst.osd, worst.laggy_pg_seconds) == (2, 3 * 60)
    assert worst.share == pytest.approx(6 / 37)
    # The pool "rbd" was deleted when "data" came.
    assert [(p.pool, p.laggy_pg_seconds) for p in bench.tracker.pools()] == [("data", 60)]
    assert bench.tracker.laggy_pg_seconds == 3 * 60


def test_a_tick_that_comes_late_does_not_count_for_all_the_time_between(bench: Bench) -> None:
    bench.at += 3600
    bench.tick(6, REAL)
    assert bench.tracker.laggy_pg_seconds == 6 * 15


def test_without_counts_by_osd_there_is_an_episode_without_suspects(bench: Bench) -> None:
    bench.ticks(4, 6)
    assert bench.claimed() == ["cluster cluster"]


# --- the life of the state --------------------------------------------------------------------


def _stored(tracker: LaggyTracker) -> list[Episode]:
    """The episodes as the next mgr reads them."""
    return [
        decode(Episode, json.loads(json.dumps(asdict(one), default=list)))
        for one in tracker.to_store()
    ]


@pytest.mark.parametrize("away", [5.0, 120.0, REJOIN_SECONDS])
def test_another_mgr_goes_on_where_this_one_ended(bench: Bench, away: float) -> None:
    bench.ticks(6, 6, REAL, round_id=3)
    (before,) = bench.tracker.episodes()
    after = Bench(at=bench.at + away - 5)
    after.tracker.add_past(_stored(bench.tracker))
    after.tick(6, REAL)
    (episode,) = after.tracker.episodes()
    assert (episode.start, episode.end, episode.round_id) == (before.start, None, 3)
    assert [one.osd for one in episode.suspects] == [2]
    assert after.claimed() == bench.claimed() == ["osd 2"]
    assert after.claim().since == bench.claim().since


@pytest.mark.parametrize("laggy", [0, 6])
def test_an_episode_of_long_ago_ended_when_it_was_last_seen(bench: Bench, laggy: int) -> None:
    bench.ticks(6, 6, REAL)
    after = Bench(at=bench.at + REJOIN_SECONDS)
    after.tracker.add_past(_stored(bench.tracker))
    after.ticks(2, laggy, REAL)
    assert after.tracker.episodes()[-1].end == bench.at
    assert len(after.tracker.episodes()) == 1 + bool(laggy)


# --- when to read what ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("states", "wanted"),
    [
        ({}, False),
        ({"active+clean": 32}, False),
        ({"active+clean": 32, "active+clean+laggy": 0}, False),
        ({"active+clean": 31, "active+clean+laggy": 1}, True),
        ({"active+undersized+wait": 1}, True),
        # Other words that end in "wait" are about data to be moved.
        ({"active+recovery_wait+degraded": 9, "active+remapped+backfill_wait": 9}, False),
        ({"active+clean+snaptrim_wait": 9}, False),
    ],
)
def test_counts_by_osd_are_read_only_when_they_say_something(
    states: dict[str, int], wanted: bool
) -> None:
    assert wants_by_osd(states) is wanted


# --- what is left out -----------------------------------------------------------------------


def test_of_many_osds_and_pools_those_that_are_left_out_are_counted(bench: Bench) -> None:
    frozen = range(40)
    osds = {osd: (100, 10 if osd in frozen else 1) for osd in range(60)}
    for turn in range(20):
        bench.tick(200, osds, stale=frozen, pool=f"pool{turn % 10}")

    def check(tracker: LaggyTracker) -> None:
        (episode,) = tracker.episodes()
        assert (len(episode.suspects), episode.more_suspects) == (16, 24)
        assert (len(episode.osds), episode.more_osds) == (32, 28)
        assert (len(episode.pools), episode.more_pools) == (8, 2)

    check(bench.tracker)
    (message,) = {claim.message.partition("(")[2] for claim in bench.tracker.claims()}
    assert message == "up to 200 at once, 24 more OSDs are like those that are named)"
