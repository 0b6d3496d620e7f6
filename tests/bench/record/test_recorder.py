"""Samples on their way into the store: at once, together, and again after a failure."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import pytest

import threads
from fakes.clock import FakeClock
from fakes.database import BROKEN, Faults, file_store
from nouns import a_result, a_round, a_sample, put_round
from perf_bench.bench.record.recorder import SAVE_LIMIT, Recorder
from perf_bench.model.bench import Sample
from perf_bench.store.sqlite import StoreThread

# Flushes that must succeed.
SOON = threads.PATIENCE


class Shop:
    """A recorder for round 1, on a store that can be away."""

    def __init__(self, path: Path) -> None:
        self.faults = Faults()
        self.store = file_store(path, self.faults)
        self.store_thread = StoreThread(self.store)
        self.clock = FakeClock()
        self.store_thread.call(lambda store: put_round(store, a_round(), [a_result(0, None)]))
        self.recorder = Recorder(self.store_thread, self.clock, 1)

    @property
    def writes(self) -> int:
        """How many times samples were written, or tried to."""
        return sum("INTO samples" in statement for statement in self.faults.met)

    def put(self, *repeats: int) -> None:
        for repeat in repeats:
            self.recorder.put(a_sample(0, repeat))

    def stored(self) -> list[int]:
        return [sample.repeat for sample in self.store_thread.call(lambda store: store.samples(1))]

    def settle(self) -> None:
        """Wait until the store thread has nothing left to do."""
        for _ in range(3):
            self.store_thread.call(lambda _store: None, limit=SOON)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(tmp_path / "main.db")
    yield made
    made.faults.failing = 0
    made.faults.unblock()
    made.store_thread.close(SOON)
    threads.join()


def test_a_sample_is_written_without_a_flush(shop: Shop) -> None:
    shop.put(1)
    shop.settle()
    assert shop.stored() == [1]


def test_putting_does_not_wait_and_what_comes_meanwhile_goes_together(shop: Shop) -> None:
    shop.faults.block()
    shop.put(1)
    shop.put(2, 3, 4)
    shop.faults.unblock()
    assert shop.recorder.flush(SOON)
    assert shop.stored() == [1, 2, 3, 4]
    # The first may have been taken alone, the others went together.
    assert shop.writes <= 2


def test_nothing_to_flush_is_flushed(shop: Shop) -> None:
    assert shop.recorder.flush(SOON)
    assert shop.writes == 0


def test_a_flush_waits_no_longer_than_its_limit(shop: Shop) -> None:
    shop.faults.block()
    shop.put(1)
    assert not shop.recorder.flush(0.01)


def test_a_flush_does_not_end_between_a_write_and_the_next(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came during a write is in the next one, which begins a moment after it."""
    waits, woken, added = threading.Event(), threading.Event(), threading.Event()
    add, write = shop.store.add_samples, shop.recorder._write

    class Lock(threading.Condition):
        """Tells when a flush waits, and when it has looked again."""

        def wait_for(self, predicate: Callable[[], Any], timeout: Optional[float] = None) -> Any:
            def look() -> Any:
                (woken if waits.is_set() else waits).set()
                return predicate()

            return super().wait_for(look, timeout)

    def add_while_more_come(number: int, samples: Sequence[Sample]) -> None:
        if samples[0].repeat == 1:
            shop.put(2)
            waits.wait(SOON)
        add(number, samples)
        added.set()

    def write_after_the_look() -> None:
        if added.is_set():
            woken.wait(SOON)
        write()

    monkeypatch.setattr(shop.store, "add_samples", add_while_more_come)
    monkeypatch.setattr(shop.recorder, "_lock", Lock())
    monkeypatch.setattr(shop.recorder, "_write", write_after_the_look)
    shop.put(1)
    assert shop.recorder.flush(SOON)
    assert shop.stored() == [1, 2]


def test_all_is_well_is_no_problem(shop: Shop) -> None:
    assert shop.recorder.problem() is None
    shop.put(1)
    assert shop.recorder.flush(SOON)
    assert shop.recorder.problem() is None


def test_samples_that_cannot_be_written_are_a_problem_and_kept(shop: Shop) -> None:
    shop.faults.failing = -1
    shop.put(1)
    shop.settle()
    assert shop.recorder.problem() == (
        f"samples could not be saved: the database cannot be used: {BROKEN}"
    )
    # those that come now wait with it: no write is tried for each of them
    tried = len(shop.faults.met)
    shop.put(2, 3)
    shop.settle()
    assert len(shop.faults.met) == tried
    assert not shop.recorder.flush(SOON)

    shop.faults.failing = 0
    assert shop.recorder.flush(SOON)
    assert shop.recorder.problem() is None
    assert shop.stored() == [1, 2, 3]


def test_a_broken_connection_alone_is_no_problem(shop: Shop) -> None:
    shop.faults.failing = 1
    shop.put(1)
    assert shop.recorder.flush(SOON)
    assert shop.stored() == [1]


@pytest.mark.parametrize(
    ("waited", "problem"),
    [
        (SAVE_LIMIT, None),
        (
            SAVE_LIMIT + 1,
            "samples could not be saved for 61 s: the store does not answer",
        ),
    ],
)
def test_a_store_that_does_not_answer_is_a_problem_in_time(
    waited: float, problem: str, shop: Shop
) -> None:
    shop.clock.advance(1000)
    shop.faults.block()
    shop.put(1)
    shop.clock.advance(waited)
    assert shop.recorder.problem() == problem


def test_when_it_answers_after_all_the_problem_is_gone(shop: Shop) -> None:
    shop.faults.block()
    shop.put(1)
    shop.clock.advance(SAVE_LIMIT + 1)
    shop.faults.unblock()
    assert shop.recorder.flush(SOON)
    assert shop.recorder.problem() is None


def test_time_without_samples_is_no_problem(shop: Shop) -> None:
    shop.put(1)
    assert shop.recorder.flush(SOON)
    shop.clock.advance(SAVE_LIMIT * 10)
    assert shop.recorder.problem() is None


def test_a_round_that_is_gone_is_a_problem(shop: Shop) -> None:
    shop.store_thread.call(lambda store: store.remove_round(1))
    shop.put(1)
    assert not shop.recorder.flush(SOON)
    problem = shop.recorder.problem()
    assert problem is not None
    assert problem.startswith("samples could not be saved: no round 1: it was removed on 20"), (
        problem
    )
    assert problem.endswith(" UTC ('round rm')"), problem
