"""`make bench --only detection`: trials become figures with their targets."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import detection
from benchmarks.figures import Figure


def trial(name: str, delays: list[float | None], false: int = 0) -> dict[str, Any]:
    found = sum(delay is not None for delay in delays)
    ours = [found, false, len(delays) - found]
    return {"trial": name, "cluster": "A", "ours": ours, "delays": delays, "false_hosts": 0}


def figures(**changed: dict[str, Any]) -> dict[str, Figure]:
    good = {
        "as it is": trial("as it is", [1800, 2700]),
        "acute": trial("acute", [165, 200, 240]),
        "bursts": trial("bursts", [43000, 50000]),
        "host-wide": trial("host-wide", [2700] * 9 + [None]),
        "threes": trial("threes", [600, 7100]),
    }
    return {f.name: f for f in detection.of_trials(list({**good, **changed}.values()))}


def test_all_targets_are_met_by_good_trials() -> None:
    found = figures()
    assert not [name for name, figure in found.items() if figure.met is False]
    assert found["A: precision"].note == "2/0/0"
    assert found["labelled: median time to detect"].value == 37.5
    assert found["A: host-wide x1.3, named"].value == 0.9
    assert found["A: x3 for 15 min, median time to detect"].note.startswith("100% of 3 within")


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        (trial("as it is", [1800, None]), {"A: recall", "labelled: median time to detect"}),
        (trial("as it is", [1800, 2700], false=1), {"A: precision"}),
        (trial("acute", [165, 301, 400]), {"A: x3 for 15 min, median time to detect"}),
        (trial("bursts", [43000, 90000]), {"A: 30 s bursts, x3, in 24 h"}),
        (trial("host-wide", [2700] * 4 + [None]), {"A: host-wide x1.3, named"}),
        (trial("threes", [600, 7300]), {"A: 1 of 3 OSDs x2, in 2 h"}),
        (trial("threes", [600, 7100], false=1), {"A: 1 of 3 OSDs x2, in 2 h: false"}),
    ],
)
def test_what_is_late_missing_or_false_misses_its_target(
    changed: dict[str, Any], missed: set[str]
) -> None:
    found = figures(**{changed["trial"]: changed})
    assert {name for name, figure in found.items() if figure.met is False} == missed
