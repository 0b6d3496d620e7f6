"""OSDs that come and go, seen by looking now and then."""

from __future__ import annotations

from typing import Optional

import pytest

from perf_bench.bench.admission import FLAP_SPAN, MapChanges

SPAN = 600.0
ALL = {0, 1, 2}


def _watched(*looks: tuple[float, set[int]]) -> MapChanges:
    changes = MapChanges()
    for at, up in looks:
        changes.look(at, up, 1, round_runs=False)
    return changes


@pytest.mark.parametrize(
    ("looks", "now", "counts"),
    [
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
    ],
)
def test_counts(
    looks: list[tuple[float, set[int]]], now: float, counts: Optional[dict[int, int]]
) -> None:
    assert _watched(*looks).counts(now, SPAN) == counts


def test_what_is_seen_late_is_forgotten_too() -> None:
    changes = _watched((0.0, ALL), (10.0, {0, 1}), (FLAP_SPAN + 17.0, {0, 1}))
    assert changes.counts(FLAP_SPAN + 17.0, 2 * FLAP_SPAN) is None
