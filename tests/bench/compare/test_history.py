"""A profile's rounds in a row: what belongs together, what changed, and when to warn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np
import pytest

from nouns import BEGAN, SMALL_STEP, STEP, a_plan, a_round
from perf_bench.bench.compare.history import (
    LEAST_BEFORE,
    LEAST_LENGTH,
    MOST_ROUNDS,
    history,
    regression,
    spread,
)
from perf_bench.model.finding import Severity, Target
from perf_bench.model.finding_kinds import REGRESSION
from perf_bench.model.plan import MIB, writes
from perf_bench.model.round import Round, RoundState, Verdict
from perf_bench.model.store import NEEDED_ROUNDS, RetentionRules

DAY = 86400.0
SETUP: Mapping[str, Any] = {"osd_releases": {"18.2.7": 4}, "max_parallel": 64}
UPGRADED = {**SETUP, "osd_releases": {"20.2.4": 4}}


def _round(number: int, rate: Optional[float], **named: Any) -> Round:
    """A round a day; its number is its ID, its rate in MiB/s."""
    osds = named.pop("osds", [0, 1, 2, 3])
    plan = a_plan([osds], step=named.pop("step", STEP))
    values = {
        "state": RoundState.DONE,
        "id": number,
        "started_at": BEGAN + number * DAY,
        "environment": SETUP,
        "summary": {"median_bytes_per_second": None if rate is None else rate * MIB},
    }
    return a_round(plan, **{**values, **named})


def _rates(*levels: tuple[int, float], cv: float = 0.02, seed: int = 7) -> list[float]:
    """Levels by their length and rate in MiB/s, with noise."""
    rng = np.random.default_rng(seed)
    clean = [rate for count, rate in levels for _ in range(count)]
    return [rate * math.exp(rng.normal(0, cv)) for rate in clean]


def _rounds(rates: Sequence[float], changed: Mapping[int, Any] = {}) -> list[Round]:
    """Rounds from ID 1 on; ``changed`` are their fields by ID, for that one alone."""
    return [_round(number, rate, **changed.get(number, {})) for number, rate in enumerate(rates, 1)]


def _from(first: int, count: int, **named: Any) -> dict[int, dict[str, Any]]:
    return dict.fromkeys(range(first, first + count), named)


# --- which rounds are in a history


def test_what_is_left_out() -> None:
    for odd, why in [
        (_round(3, 50, verdict=Verdict.NOISY), "round 3: noisy"),
        (_round(3, 50, verdict=Verdict.TOO_SHORT), "round 3: too-short"),
        (_round(3, 50, verdict=Verdict.FAILED), "round 3: failed"),
        (_round(3, 50, state=RoundState.ABORTED, verdict=Verdict.ABORTED), "round 3: aborted"),
        (_round(3, 50, state=RoundState.RUNNING, verdict=None), "round 3: running"),
        (_round(3, 50, state=RoundState.FAILED, verdict=None), "round 3: failed"),
        (_round(3, None), "round 3: without figures"),
        (
            _round(3, 50, step=writes(MIB, 1024 * MIB)),
            "round 3: block sizes differ: 1048576 and 4194304 bytes",
        ),
        (_round(3, 50, osds=[7, 8, 9]), "round 3: it measured other OSDs"),
        (_round(3, 50, osds=[0]), "round 3: it measured other OSDs"),
    ]:
        found = history([_round(1, 100), _round(2, 101), odd, _round(4, 99)])
        assert [point.round for point in found.points] == [1, 2, 4]
        assert found.left_out == (why,)


def test_much_the_same_osds_are_one_series() -> None:
    for osds in [[0, 1, 2, 3], [0, 1, 2, 3, 4, 5], [0, 1], [3, 2, 1]]:
        found = history([_round(1, 100, osds=osds), _round(2, 101)])
        assert [point.round for point in found.points] == [1, 2]


def test_the_newest_says_what_belongs_to_it() -> None:
    rounds = [_round(1, 100), _round(2, 1, step=SMALL_STEP), _round(3, 2, step=SMALL_STEP)]
    found = history(rounds)
    assert ([point.round for point in found.points], found.block_size) == ([2, 3], 4096)


def test_or_the_baseline_does() -> None:
    rounds = [_round(1, 100), _round(2, 101), _round(3, 50, osds=[9])]
    assert [point.round for point in history(rounds, baseline=1).points] == [1, 2]
    assert [point.round for point in history(rounds).points] == [3]


def test_in_the_order_of_time_whatever_order_they_come_in() -> None:
    rounds = _rounds(_rates((4, 100)))
    assert history(rounds[::-1]) == history(rounds)
    assert [point.at for point in history(rounds).points] == [BEGAN + n * DAY for n in (1, 2, 3, 4)]


def test_of_very_many_the_newest_200() -> None:
    rounds = _rounds([100.0] * 203)
    assert [point.round for point in history(rounds).points] == list(range(4, 204))


# --- what it says


def test_a_change_and_its_levels() -> None:
    found = history(_rounds(_rates((20, 100), (10, 90))))
    (change,) = found.changes
    assert (change.round, change.at) == (21, BEGAN + 21 * DAY)
    assert (change.rounds_before, change.rounds_after) == (20, 10)
    assert change.bytes_per_second_before == pytest.approx(100 * MIB, rel=0.02)
    assert change.bytes_per_second_after == pytest.approx(90 * MIB, rel=0.02)
    levels = change.bytes_per_second_after / change.bytes_per_second_before
    assert change.change_percent == pytest.approx(100 * (levels - 1))
    assert change.p_value < 0.001
    assert found.cv_percent == pytest.approx(2, abs=0.5)
    assert found.least_percent == pytest.approx(5)


def test_a_known_change_is_no_spread() -> None:
    found = spread(history(_rounds(_rates((20, 100), (20, 60)))))
    assert found is not None
    assert found.cv_percent == pytest.approx(2, abs=0.6)


def test_a_change_beside_another_setup_is_explained() -> None:
    for upgrade, explained in [(21, True), (20, True), (22, True), (18, False), (24, False)]:
        rates = _rates((20, 100), (10, 85))
        rounds = _rounds(rates, _from(upgrade, 31 - upgrade, environment=UPGRADED))
        (change,) = history(rounds).changes
        told = ["OSD release: 18.2.7 -> 20.2.4"] if explained else []
        assert [str(difference) for difference in change.explained_by] == told


# --- when to warn


@dataclass
class Case:
    """A history, and since which round it is a regression (None: it is not)."""

    name: str
    rates: list[float]
    since: Optional[int] = None
    baseline: Optional[int] = None
    changed: Mapping[int, Any] = field(default_factory=dict)


CASES = [
    Case("as ever", _rates((30, 100))),
    Case("10 % slower for three rounds", _rates((20, 100), (3, 90)), 21),
    Case("for two rounds", _rates((20, 100), (2, 90))),
    Case("for one, very much", _rates((20, 100), (1, 20))),
    Case("one bad round and good ones", _rates((20, 100), (1, 50), (4, 100))),
    Case("faster is no regression", _rates((20, 100), (5, 120))),
    # 4 % is no real effect, however sure
    Case("4 % at next to no noise", _rates((20, 100), (20, 96), cv=0.002)),
    Case("back again", _rates((20, 100), (10, 85), (5, 100))),
    # still 10 % below what it was
    Case("a partial recovery does not hide the rest", _rates((20, 100), (8, 75), (6, 90)), 21),
    Case("slower in two steps", _rates((20, 100), (8, 90), (6, 80)), 29),
    # --- too little is known
    Case("slower from the fourth round on", _rates((4, 100), (8, 80))),
    Case("slower from the sixth round on", _rates((5, 100), (8, 80)), 6),
    # --- an explained change is none
    Case("slower since the upgrade", _rates((20, 100), (8, 80)),
         changed=_from(21, 8, environment=UPGRADED)),
    Case("faster by the upgrade, then slower", _rates((20, 100), (10, 130), (5, 110)), 31,
         changed=_from(21, 15, environment=UPGRADED)),
    # against before the upgrade it would be as ever
    Case("slower by itself, long after an upgrade", _rates((20, 100), (10, 100), (5, 85)), 31,
         changed=_from(11, 25, environment=UPGRADED)),
    Case("slower before the upgrade, and still", _rates((20, 100), (10, 80), (10, 60)),
         changed=_from(31, 10, environment=UPGRADED)),
    # --- a baseline says what is accepted
    Case("the new level is the baseline", _rates((20, 100), (8, 80)), baseline=23),
    Case("the old level is the baseline", _rates((20, 100), (8, 80)), 21, baseline=5),
    Case("faster for a while, now as the baseline", _rates((20, 100), (8, 125), (6, 100)),
         baseline=5),
    Case("the same without a baseline", _rates((20, 100), (8, 125), (6, 100)), 29),
    Case("slower again after it was accepted", _rates((20, 100), (8, 80), (5, 65)), 29,
         baseline=23),
    Case("a baseline from before an upgrade is none", _rates((20, 100), (10, 80), (5, 70)), 31,
         baseline=5, changed=_from(21, 15, environment=UPGRADED)),
    Case("a baseline that is gone", _rates((20, 100), (8, 80)), 21, baseline=999),
    # --- rounds that are not valid prove nothing
    Case("slower only in noisy rounds", _rates((20, 100), (6, 70)),
         changed=_from(21, 6, verdict=Verdict.NOISY)),
    Case("slower only in aborted rounds", _rates((20, 100), (6, 70)),
         changed=_from(21, 6, state=RoundState.ABORTED, verdict=Verdict.ABORTED)),
    Case("two valid slow rounds among failed ones", _rates((20, 100), (6, 70)),
         changed=_from(22, 4, verdict=Verdict.FAILED)),
]  # fmt: skip


def test_regressions() -> None:
    for case in CASES:
        past = history(_rounds(case.rates, case.changed), case.baseline)
        claim = regression(past, case.baseline)
        since = claim.evidence["since_round"] if claim else None
        assert since == case.since, past.changes


def test_the_claim() -> None:
    claim = regression(history(_rounds(_rates((20, 100), (4, 80)))))
    assert claim is not None
    assert claim.key == (REGRESSION.code, "profile", "osd-throughput")
    assert (claim.severity, claim.target) == (
        Severity.WARNING,
        Target("profile", "osd-throughput"),
    )
    assert claim.since == BEGAN + 21 * DAY
    assert claim.message == (
        "osd-throughput is 20.7 % slower since round 21: 99 MiB/s -> 79 MiB/s "
        "in the median of its OSDs, over 4 rounds"
    )
    figures = dict(claim.evidence)
    assert figures.pop("p_value") < 1e-6
    assert figures.pop("cv_percent") == pytest.approx(2, abs=0.7)
    assert figures.pop("bytes_per_second_before") == pytest.approx(100 * MIB, rel=0.02)
    assert figures.pop("bytes_per_second_after") == pytest.approx(80 * MIB, rel=0.02)
    assert figures.pop("change_percent") == pytest.approx(-20.7, abs=0.1)
    assert figures.pop("least_percent") == pytest.approx(5)
    assert figures == {"since_round": 21, "rounds_before": 20, "rounds_after": 4}


@pytest.mark.parametrize(("cv", "phi", "most"), [(0.02, 0.0, 0), (0.02, 0.5, 1)])
def test_false_warnings_over_a_profiles_life(cv: float, phi: float, most: int) -> None:
    """Asked after every round, as it is in a cluster: 20 lives of 40 rounds."""
    rng = np.random.default_rng(8)
    warned = 0
    for _ in range(20):
        logs = [rng.normal(0, cv)]
        while len(logs) < 40:
            logs.append(phi * logs[-1] + rng.normal(0, cv * math.sqrt(1 - phi**2)))
        rounds = _rounds([100 * math.exp(value) for value in logs])
        warned += any(regression(history(rounds[:seen])) for seen in range(8, 41))
    assert warned <= most


def test_retention_keeps_the_rounds_that_a_regression_needs() -> None:
    assert NEEDED_ROUNDS >= LEAST_BEFORE + LEAST_LENGTH
    assert RetentionRules().rounds >= MOST_ROUNDS
