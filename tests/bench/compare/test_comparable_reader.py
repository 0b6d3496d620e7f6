"""The rounds that one can be compared with, read from the store a few at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, cast

import pytest

from nouns import a_plan, a_round
from perf_bench.bench.compare.comparable_reader import ComparableReader
from perf_bench.bench.compare.history import MOST_ROUNDS
from perf_bench.bench.compare.profile_history_reader import PIECE
from perf_bench.model.round import Round, RoundState
from perf_bench.store.sqlite import Store


class Past:
    """A store with so many rounds of a profile, every fifth of other OSDs."""

    def __init__(self, count: int) -> None:
        self._rounds = [_round(number) for number in range(count, 0, -1)]
        self.asked: list[Optional[int]] = []

    def past(self, profile: str, limit: int, before: Optional[int] = None) -> Sequence[Round]:
        self.asked.append(before)
        assert (profile, limit) == ("osd-throughput", PIECE)
        return [one for one in self._rounds if before is None or one.id < before][:limit]


def _round(number: int) -> Round:
    return a_round(a_plan([[7 if number % 5 == 0 else 0]]), RoundState.DONE, id=number)


@pytest.mark.parametrize("count", [0, 1, PIECE, PIECE + 3, MOST_ROUNDS + 50])
def test_each_round_is_read_once_and_those_of_its_osds_are_found(count: int) -> None:
    past, reader = Past(count), ComparableReader(_round(1001))
    while reader.read(cast("Store", past)):
        pass
    oldest = max(0, count - MOST_ROUNDS)
    expected = [number for number in range(count, oldest, -1) if number % 5]
    assert [line.id for line in reader.found] == expected
    assert past.asked[0] is None
    pieces = len(past.asked)
    assert past.asked[1:] == [count + 1 - PIECE * piece for piece in range(1, pieces)]
