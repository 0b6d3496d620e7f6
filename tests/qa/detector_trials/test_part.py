"""The part `detection`: trials are held against their targets."""

from __future__ import annotations

import math

import pytest

from detector_trials.part import TRIALS, judged, told
from detector_trials.score import Delays, Score
from detector_trials.trials import Outcome


def outcome(delays: list[float], false: int = 0) -> Outcome:
    found = sum(delay < math.inf for delay in delays)
    return Outcome(Score(found, false, len(delays) - found), Delays(delays))


GOOD: dict[str, list[float]] = {
    "as it is": [1800, 2700],
    "x3 for 15 min": [165, 200, 240],
    "30 s bursts, x3": [43000, 50000],
    "host-wide x1.3": [2700] * 9 + [math.inf],
    "1 of 3 OSDs x2": [600, 7100],
}


@pytest.mark.parametrize("name", TRIALS)
def test_a_good_trial_has_nothing_against_it(name: str) -> None:
    assert list(judged(outcome(GOOD[name]), TRIALS[name][1])) == []


@pytest.mark.parametrize(
    ("name", "delays", "false", "said"),
    [
        ("as it is", [1800, math.inf], 0, "50% found in time, not 100%"),
        ("as it is", [1800, 2700], 1, "1 falsely accused"),
        ("as it is", [3000, 4500], 0, "found after 62.5 min in the median"),
        ("x3 for 15 min", [165, 301, 400], 0, "found after 5.0 min in the median"),
        ("30 s bursts, x3", [43000, 90000], 0, "50% found in time, not 95%"),
        ("host-wide x1.3", [2700] * 4 + [math.inf], 0, "80% found in time, not 90%"),
        ("1 of 3 OSDs x2", [600, 7300], 0, "50% found in time, not 95%"),
    ],
)
def test_what_is_late_missing_or_false_is_a_fault(
    name: str, delays: list[float], false: int, said: str
) -> None:
    assert said in list(judged(outcome(delays, false), TRIALS[name][1]))


def test_what_was_found_is_told() -> None:
    said = told(outcome([120, 300, math.inf], false=1))
    assert said == "2/1/1, median 5.0 min, at most 5.0, 0 hosts accused"
