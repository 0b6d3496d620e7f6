"""Drifts that are open, the past and how it is read, at the limits of each rule."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, Union

import pytest

from perf_bench.model.cohort import SAMPLED_OSDS
from perf_bench.model.history import DAY, HOUR
from perf_bench.watch.detect.cohort_drift import drift as drift_module
from perf_bench.watch.detect.cohort_drift.claims import OpenDrift, evidence
from perf_bench.watch.detect.cohort_drift.compare import (
    Comparison,
    Point,
    Reference,
    Shortage,
    compare,
)
from perf_bench.watch.detect.cohort_drift.drift import CohortDrift, Drift
from perf_bench.watch.detect.cohort_drift.past import LATE_SECONDS, CohortPasts, _moved

HAIR = 1e-6
BEGAN = 2800 * 7 * DAY
PAST = Shortage("past", 3, 100)


def compared(ratio: float, *, drifted: bool = False) -> Comparison:
    return Comparison(math.log(ratio), 40, 300, 0.02, drifted)


def goes_on(
    ratios: Mapping[str, float],
    now: Mapping[str, Union[Comparison, Shortage]],
    *,
    warning: bool = False,
    open_for: float = 0.0,
) -> CohortDrift:
    """A drift that was open with these ratios, and what the newest hours say."""
    opened = BEGAN + DAY
    drift = Drift(BEGAN, BEGAN, opened, warning, dict(ratios))
    cohort = CohortDrift(drift=drift, outcomes=dict(now))
    cohort._go_on(drift, opened + open_for)
    return cohort


# --- an open drift ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "now", "left"),
    [
        ({"r": 1.3}, {"r": compared(1.25, drifted=True)}, {"r": 1.25}),
        ({"r": 1.3}, {"r": compared(1.1 + HAIR)}, {"r": 1.1}),
        ({"r": 1.3}, {"r": compared(1.1)}, {"r": 1.1}),
        ({"r": 1.3}, {"r": compared(1.1 - HAIR)}, None),
        ({"r": 1.3}, {"r": PAST}, {"r": 1.3}),  # what cannot be judged stays
        ({"r": 1.3, "w": 1.4}, {"r": PAST, "w": compared(1.0)}, {"r": 1.3}),
        ({"r": 1.3}, {}, {"r": 1.3}),
        ({"r": 1.3}, {"r": compared(1.2), "w": compared(1.19)}, {"r": 1.2}),  # of no drift before
        ({"r": 1.3}, {"r": compared(1.2), "w": compared(1.4, drifted=True)}, {"r": 1.2, "w": 1.4}),
        ({"r": 1.3}, {"r": compared(1.0), "w": compared(1.4, drifted=True)}, {"w": 1.4}),
        ({"r": 1.3, "w": 1.4}, {"r": compared(1.0), "w": PAST}, {"w": 1.4}),
        ({"r": 1.3, "w": 1.4}, {"r": compared(1.0), "w": compared(1.0)}, None),
    ],
)
def test_which_channels_stay_slower(
    before: Mapping[str, float],
    now: Mapping[str, Union[Comparison, Shortage]],
    left: Optional[Mapping[str, float]],
) -> None:
    drift = goes_on(before, now).drift
    assert (drift and drift.ratios) == (left and pytest.approx(left, abs=1e-5))


@pytest.mark.parametrize(
    ("warned", "ratio", "warning"),
    [
        (False, 1.5 - HAIR, False),
        (False, 1.5, True),
        (True, 1.4 - HAIR, False),
        (True, 1.4, True),
        (True, 1.45, True),
        (False, 1.45, False),
    ],
)
def test_a_warning_from_1_5_down_to_1_4(warned: bool, ratio: float, warning: bool) -> None:
    """The worst channel decides."""
    now = {"r": compared(ratio, drifted=True), "w": compared(1.2, drifted=True)}
    drift = goes_on({"r": 1.3, "w": 1.2}, now, warning=warned).drift
    assert (drift and drift.warning) is warning


@pytest.mark.parametrize(("more", "settled"), [(-1.0, False), (0.0, True), (1.0, True)])
def test_what_was_open_for_so_long_is_the_level(more: float, settled: bool) -> None:
    now = {"r": compared(1.4, drifted=True)}
    cohort = goes_on({"r": 1.3, "w": 1.6}, now, open_for=14 * DAY + more)
    assert (cohort.drift is None) is settled
    if settled:
        assert (cohort.level_since, cohort.accepted) == (BEGAN + DAY, 1.6)
    else:
        assert (cohort.level_since, cohort.accepted) == (-math.inf, None)


def test_the_channel_of_a_drift_is_the_slowest_one() -> None:
    def channel(**ratios: float) -> str:
        return Drift(0.0, 0.0, 0.0, False, ratios).channel

    assert [channel(r=1.3, w=1.2), channel(r=1.2, w=1.3), channel(r=1.3, w=1.3)] == ["r", "w", "w"]


@pytest.mark.parametrize("warning", [True, False])
@pytest.mark.parametrize("now", [BEGAN - 9 * DAY, BEGAN - DAY, BEGAN + 9 * DAY])
def test_what_is_known_of_a_cohort_is_taken_over_and_never_of_the_future(
    now: float, warning: bool
) -> None:
    ratios = {"r": 1.61, "w": 1.25}
    drift = Drift(BEGAN, BEGAN + DAY, BEGAN + 2 * DAY, warning, ratios)
    saved = json.loads(json.dumps(CohortDrift(BEGAN - 5 * DAY, 1.4, drift).save()))
    level, since, until, opened = (min(now, BEGAN + days * DAY) for days in (-5, 0, 1, 2))
    expected = CohortDrift(level, 1.4, Drift(since, until, opened, warning, ratios))
    assert CohortDrift.restored(saved, now) == expected


def test_a_cohort_of_which_nothing_is_known_yet_is_taken_over() -> None:
    saved = json.loads(json.dumps(CohortDrift().save(), allow_nan=False))
    assert CohortDrift.restored(saved, BEGAN) == CohortDrift()


def test_a_state_that_waits_for_the_store_stays_as_it_was_saved() -> None:
    """The drift goes on meanwhile, and the store's thread writes the state later."""
    cohort = goes_on({"r": 1.3, "w": 1.2}, {})
    saved = cohort.save()
    text = json.dumps(saved)
    assert cohort.drift is not None
    cohort.outcomes = {"r": compared(1.6, drifted=True), "w": compared(1.0)}
    cohort._go_on(cohort.drift, BEGAN + 2 * DAY)
    assert cohort.save() != saved
    assert json.dumps(saved) == text


def test_a_drift_of_days_of_an_earlier_version_is_left() -> None:
    state: dict[str, Any] = {**vars(Drift(0.0, 0.0, 0.0, False, {"r": 1.6})), "horizon": "hours"}
    saved = {"level_since": 5.0, "accepted": 1.3, "drift": state}
    assert CohortDrift.restored(saved, BEGAN).drift is not None
    state["horizon"] = "days"
    assert CohortDrift.restored(saved, BEGAN) == CohortDrift(5.0, 1.3)


def test_a_drift_that_is_none_is_refused() -> None:
    state = vars(Drift(0.0, 0.0, 0.0, False, {}))
    with pytest.raises(ValueError, match="a drift without"):
        CohortDrift.restored({"level_since": None, "accepted": None, "drift": state}, BEGAN)


@pytest.mark.parametrize("hold", [False, True])
def test_a_drift_ends_whether_or_not_another_finding_names_the_cohort(hold: bool) -> None:
    """And that is told, so that it is saved at once."""
    slower, calm = BEGAN + 15 * DAY, BEGAN + 17 * DAY
    starts = [BEGAN + hour * HOUR for hour in range(19 * 24)]
    points = [Point(at, 0.4 if slower <= at < calm else 0.0, (1.0,)) for at in starts]
    cohort = CohortDrift()
    changed = [
        cohort.step({"r": [one for one in points if one.start < end]}, end, hold and end > calm)
        for end in (slower, calm, calm + HOUR, calm + 2 * DAY)
    ]
    assert changed == [False, True, False, True]
    assert cohort.drift is None


def test_the_level_that_a_drift_became_is_the_past_of_the_next_one() -> None:
    """What was before it is none any more: neither faster hours nor how much they differ."""
    level, slower, end = BEGAN + 12 * DAY, BEGAN + 26 * DAY, BEGAN + 28 * DAY
    points = [
        Point(at, 0.4 * (at >= level) + 0.3 * (at >= slower), (1.0,))
        for at in (BEGAN + hour * HOUR for hour in range(28 * 24))
    ]
    cohort = CohortDrift(level, 1.5)
    assert cohort.step({"r": points}, end, False)
    assert cohort.drift is not None
    assert cohort.drift.ratios == {"r": pytest.approx(math.exp(0.3))}
    assert (cohort.drift.since, cohort.drift.until) == (slower, slower)
    outcome = cohort.outcomes["r"]
    assert isinstance(outcome, Comparison)
    assert outcome.past == 14 * 24


END = BEGAN + 28 * DAY


def opened(
    levels: Mapping[str, Callable[[float], float]], days: int = 28, level_since: float = -math.inf
) -> Drift:
    """The drift that opens at END: ``levels`` by channel and by days before it, of so many days."""
    points = {
        name: [
            Point(END - hour * HOUR, level(hour / 24), (1.0,)) for hour in range(days * 24, 0, -1)
        ]
        for name, level in levels.items()
    }
    cohort = CohortDrift(level_since)
    assert cohort.step(points, END, hold=False)
    assert cohort.drift is not None
    return cohort.drift


def since(days: float, ratio: float) -> Callable[[float], float]:
    """Slower by that ratio since so many days before END."""
    return lambda before: math.log(ratio) * (before <= days)


@pytest.mark.parametrize("slowest", ["r", "w"])
def test_a_drift_begins_where_its_slowest_channel_became_slower(slowest: str) -> None:
    """All that are slower are told; its past ends there."""
    other = "w" if slowest == "r" else "r"
    found = opened({slowest: since(3, 1.45), other: since(2, 1.3), "x": since(9, 1.0)})
    assert (found.channel, found.warning) == (slowest, False)
    assert found.ratios == {slowest: pytest.approx(1.45), other: pytest.approx(1.3)}
    assert (found.since, found.until, found.opened_at) == (END - 3 * DAY, END - 3 * DAY, END)


@pytest.mark.parametrize(
    ("days", "level_since", "until"),
    [
        (10, -math.inf, 3),  # seven days are left
        (9, -math.inf, 2),
        (28, END - 10 * DAY, 3),
        (28, END - 9 * DAY, 2),
    ],
)
def test_the_past_of_a_drift_ends_with_its_begin_if_enough_is_left(
    days: int, level_since: float, until: int
) -> None:
    found = opened({"r": since(3, 1.4)}, days, level_since)
    assert (found.since, found.until) == (END - 3 * DAY, END - until * DAY)


def test_a_drift_whose_begin_is_not_seen_began_with_the_newest_two_days() -> None:
    """It is less slow in the newest of them."""
    found = opened({"r": lambda before: 0.0 if before > 2 else 0.12 if before <= 23 / 24 else 0.4})
    assert found.since == END - 2 * DAY


@pytest.mark.parametrize(("ratio", "warning"), [(1.5 - HAIR, False), (1.5, True), (1.6, True)])
def test_a_drift_opens_with_a_warning_from_1_5_on(ratio: float, warning: bool) -> None:
    assert opened({"r": since(2, ratio)}).warning is warning


@pytest.mark.parametrize(
    ("outcomes", "best"),
    [
        ((), None),
        ((compared(1.1), compared(1.2)), 0),
        ((PAST, compared(1.2)), 1),
        ((PAST, Shortage("past", 4, 100)), 1),
        ((Shortage("past", 4, 100), PAST), 0),
        ((Shortage("past", 99, 100), Shortage("recent", 3, 24)), 1),
        ((Shortage("load", 5, 24), Shortage("recent", 3, 24), PAST), 0),
    ],
)
def test_of_several_channels_the_one_nearest_to_a_judgement_is_told(
    outcomes: Sequence[Union[Comparison, Shortage]], best: Optional[int]
) -> None:
    cohort = CohortDrift(outcomes=dict(zip("rwx", outcomes)))
    assert cohort.best() == (None if best is None else outcomes[best])


def test_a_past_is_prepared_once_while_it_stays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all channels: that takes longer than all the rest."""
    made: list[int] = []

    def prepared(points: Sequence[Point]) -> Reference:
        made.append(len(points))
        return Reference(points)

    monkeypatch.setattr(drift_module, "Reference", prepared)
    end = BEGAN + 70 * DAY
    hours = [Point(BEGAN + hour * HOUR, 0.0, (1.0,)) for hour in range(1672)]
    points = {"r": hours, "w": hours[1:]}
    cohort = CohortDrift()
    for _ in range(3):
        cohort.step(points, end, hold=False)
    assert len(made) == 2
    cohort.step(points, end + DAY, hold=False)
    assert len(made) == 4


# --- the past --------------------------------------------------------------------------------


@pytest.mark.parametrize(("known", "counts"), [(15, True), (10, False), (11, True), (9, False)])
def test_a_kind_of_load_counts_that_more_than_half_of_the_past_knows(
    known: int, counts: bool
) -> None:
    """Of 20 hours; those without it are left out then. The point itself has much less of it."""
    points = [
        Point(BEGAN + hour * 9 * HOUR, 0.0, (1.0, 5.0 if hour < known else None))
        for hour in range(20)
    ]
    past = Reference(points)
    assert len(past) == (known if counts else 20)
    assert (past.excess(Point(BEGAN + 99 * DAY, 0.5, (1.0, 2.0))) is None) is counts
    assert (past.excess(Point(BEGAN + 99 * DAY, 0.5, (1.0, None))) is None) is counts


@pytest.mark.parametrize(
    ("count", "since", "found"),
    [
        (23, -math.inf, ("recent", 23, 24)),
        (24, -math.inf, None),
        (48, -math.inf, None),
        (48, 23.0, ("recent", 23, 24)),  # the level is of that many hours ago
        (48, 24.0, None),
    ],
)
def test_half_of_the_newest_two_days_must_be_known(
    count: int, since: float, found: Optional[tuple[str, int, int]]
) -> None:
    past = Reference([Point(BEGAN + hour * HOUR, 0.0, (1.0,)) for hour in range(14 * 24)])
    now = BEGAN + 17 * DAY
    points = [Point(now - (number + 1) * HOUR, 0.01, (1.0,)) for number in reversed(range(count))]
    judged = compare(past, points, now, -math.inf if since < 0 else now - since * HOUR)
    if found is None:
        assert isinstance(judged, Comparison)
        assert (judged.judged, judged.past) == (24 if since > 0 else count, 14 * 24)
        assert (judged.noise, judged.drifted) == (None, False)
    else:
        assert judged == Shortage(*found)


@pytest.mark.parametrize(("alike", "short"), [(23, True), (24, False)])
def test_half_of_the_newest_two_days_must_have_a_past_of_their_load(
    alike: int, short: bool
) -> None:
    past = Reference([Point(BEGAN + hour * HOUR, 0.0, (1.0,)) for hour in range(14 * 24)])
    now = BEGAN + 17 * DAY
    points = [
        Point(now - (48 - number) * HOUR, 0.3, (1.0 if number < alike else 9.0,))
        for number in range(48)
    ]
    found = compare(past, points, now, -math.inf)
    assert (found == Shortage("load", 23, 24)) is short
    assert isinstance(found, Shortage) is short


@pytest.mark.parametrize(
    ("cohorts", "spans"),
    [
        ([3], 96),
        ([64], 96),
        ([65], 48),
        ([64, 64], 48),
        ([64, 65], 32),
        ([64] * 5, 19),
        ([SAMPLED_OSDS * 9], max(1, 96 // -(-SAMPLED_OSDS // 64))),
        ([SAMPLED_OSDS] * 99, 1),
    ],
)
def test_how_much_is_read_at_once(cohorts: Sequence[int], spans: int) -> None:
    """The newest hours first, and then back."""
    pasts = CohortPasts(None)  # type: ignore[arg-type]  # nothing is read here
    pasts._cohorts = {str(name): range(size) for name, size in enumerate(cohorts)}
    now = BEGAN + LATE_SECONDS + 60
    assert pasts._next(now) == (BEGAN - spans * HOUR, BEGAN)
    pasts._read = BEGAN - 10 * HOUR, BEGAN - 2 * HOUR
    assert pasts._next(now) == (BEGAN - 2 * HOUR, BEGAN - (2 - min(2, spans)) * HOUR)
    pasts._read = BEGAN - 10 * HOUR, BEGAN
    assert pasts._next(now) == (BEGAN - (10 + spans) * HOUR, BEGAN - 10 * HOUR)
    assert not pasts.complete(now)
    pasts._read = BEGAN - 720 * HOUR, BEGAN
    assert pasts._next(now) is None
    assert pasts.complete(now)


@pytest.mark.parametrize(
    ("now", "moved"),
    [
        ({"a": [1, 2], "b": [3]}, False),
        ({"a": [1, 2, 4], "b": [3]}, False),  # one more
        ({"a": [1], "b": [3]}, False),  # one less
        ({"a": [1, 2]}, False),
        ({"a": [1], "b": [3, 2]}, True),
        ({"c": [1, 2], "b": [3]}, True),
        ({}, False),
    ],
)
def test_the_past_is_read_anew_when_an_osd_is_of_another_cohort(
    now: Mapping[str, Sequence[int]], moved: bool
) -> None:
    was = {"a": [1, 2], "b": [3]}
    assert _moved(was, now) is moved
    assert _moved(was, was) is False
    pasts = CohortPasts(None)  # type: ignore[arg-type]  # a step is on its way: none begins
    pasts._cohorts, pasts._pending, pasts._read = was, True, (0, 1)
    pasts.tick(now, BEGAN)
    assert (pasts._read is None) is moved


# --- figures -------------------------------------------------------------------------------------


def test_ratios_are_told_to_the_thousandth() -> None:
    """That of the slowest channel, those of all, and what days differ by anyway."""
    drift = Drift(BEGAN, BEGAN, BEGAN, False, {"w": 1.23456, "r": 1.34567})
    outcome = Comparison(0.3, 40, 300, 0.0234567, drifted=True)
    told = OpenDrift("hdd", drift, 0.01, 0.005, outcome, 6, (), None)
    found = evidence(told)
    assert (found["ratio"], found["ratios"]) == (1.346, {"r": 1.346, "w": 1.235})
    assert (found["usual_ratio"], found["judged"], found["past"]) == (1.024, 40, 300)
    assert (found["latency_ms"], found["before_ms"], found["members"]) == (10.0, 5.0, 6)
