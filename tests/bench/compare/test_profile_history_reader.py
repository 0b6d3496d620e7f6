"""A profile's rounds, read from the store a few at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Optional, cast

import pytest

from nouns import BEGAN, a_plan, a_round
from perf_bench.bench.compare.history import MOST_ROUNDS, PIECE, ProfileHistoryReader
from perf_bench.model.plan import MIB
from perf_bench.model.round import Baseline, Round, RoundState
from perf_bench.store.sqlite import Store

PROFILE = "osd-throughput"


class Past:
    """A store with so many rounds of the profile, and baselines of two profiles."""

    def __init__(self, count: int, baseline: Optional[int] = None) -> None:
        self.rounds = [_round(number) for number in range(count, 0, -1)]
        self.baseline = baseline
        self.asked: list[Optional[int]] = []

    def past(self, profile: str, limit: int, before: Optional[int] = None) -> Sequence[Round]:
        assert (profile, limit) in ((PROFILE, PIECE), (PROFILE, 1))
        self.asked.append(before)
        return [one for one in self.rounds if before is None or one.id < before][:limit]

    def baselines(self) -> Sequence[Baseline]:
        other = a_round(a_plan([[0]], profile="osd-iops"), RoundState.DONE, id=99).line
        own = [_round(self.baseline).line] if self.baseline else []
        return [Baseline(line, BEGAN) for line in (other, *own)]


def _round(number: int) -> Round:
    summary = {"median_bytes_per_second": (100.0 + number % 3) * MIB}
    named: dict[str, Any] = {"id": number, "started_at": BEGAN + number, "summary": summary}
    return a_round(a_plan([[0]]), RoundState.DONE, **named)


def test_pieces_are_read_to_the_last_or_the_most() -> None:
    for count, calls, read in [
        (0, 1, 0),
        (PIECE - 1, 1, PIECE - 1),
        (PIECE, 2, PIECE),  # the second piece is empty
        (PIECE + 1, 2, PIECE + 1),
        # one more tells whether there are older rounds
        (MOST_ROUNDS, MOST_ROUNDS // PIECE + 1, MOST_ROUNDS),
        (MOST_ROUNDS + 50, MOST_ROUNDS // PIECE + 1, MOST_ROUNDS),
    ]:
        past, reader = Past(count), ProfileHistoryReader(PROFILE)
        while reader.read(cast("Store", past)):
            pass
        assert len(past.asked) == calls
        assert past.asked[1:2] == ([count - PIECE + 1] if calls > 1 else [])
        assert len(reader.history().points) == read
        assert reader.history().profile == PROFILE


@pytest.mark.parametrize("older", [0, 1])
def test_older_rounds_are_told_to_be_left_out(older: int) -> None:
    past, reader = Past(MOST_ROUNDS + older), ProfileHistoryReader(PROFILE)
    while reader.read(cast("Store", past)):
        pass
    found = reader.history()
    told = "rounds before round 2: only the newest 200 of the profile are read"
    assert list(found.left_out) == [told] * older
    assert found.read_since == (BEGAN + 2 if older else None)


def test_those_that_measured_an_osd_of_a_round_are_comparable_with_it() -> None:
    for count in [0, 1, PIECE + 3, MOST_ROUNDS + 50]:
        past, reader = Past(count), ProfileHistoryReader(PROFILE)
        past.rounds = [
            replace(one, plan=a_plan([[7]])) if one.id % 5 == 0 else one for one in past.rounds
        ]
        while reader.read(cast("Store", past)):
            pass
        oldest = max(0, count - MOST_ROUNDS)
        expected = [number for number in range(count, oldest, -1) if number % 5]
        assert [line.id for line in reader.comparable(_round(1001))] == expected
