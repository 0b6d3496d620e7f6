"""A bounded crew: results as they come, no more threads than it needs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Callable

import pytest

import threads
from perf_bench.bench.run.thread_pool import ThreadPool

NAME = "perf-bench-test"
# For results that are there, or about to be.
SOON = threads.PATIENCE


@pytest.fixture
def crew() -> ThreadPool[int]:
    return ThreadPool(2, NAME)


@pytest.fixture
def gate(no_thread_stays: None) -> Iterator[threading.Event]:
    """What jobs may wait for; opened at the end, whatever happened."""
    event = threading.Event()
    yield event
    event.set()


def _results(crew: ThreadPool[int], count: int) -> list[int]:
    found = [crew.next_result(SOON) for _ in range(count)]
    return [result for result in found if result is not None]


def _job(result: int, gate: threading.Event) -> Callable[[], int]:
    def job() -> int:
        gate.wait()
        return result

    return job


def test_every_job_gives_its_result(crew: ThreadPool[int]) -> None:
    for number in range(10):
        crew.submit(partial(int, number))
    assert sorted(_results(crew, 10)) == list(range(10))
    crew.dismiss()


def test_results_come_as_they_finish(crew: ThreadPool[int], gate: threading.Event) -> None:
    crew.submit(_job(0, gate))
    crew.submit(partial(int, 1))
    assert crew.next_result(SOON) == 1
    gate.set()
    assert crew.next_result(SOON) == 0
    crew.dismiss()


def test_no_result_in_time_is_none(crew: ThreadPool[int], gate: threading.Event) -> None:
    crew.submit(_job(1, gate))
    assert crew.next_result(0.001) is None
    gate.set()
    assert crew.next_result(SOON) == 1
    crew.dismiss()


def test_no_more_threads_than_its_size(crew: ThreadPool[int], gate: threading.Event) -> None:
    for number in range(5):
        crew.submit(_job(number, gate))
    assert len(threads.alive(NAME)) == 2
    gate.set()
    assert len(_results(crew, 5)) == 5
    crew.dismiss()


def test_a_thread_that_is_free_is_used_again(crew: ThreadPool[int]) -> None:
    for number in range(3):
        crew.submit(partial(int, number))
        assert crew.next_result(SOON) == number
    assert len(threads.alive(NAME)) == 1
    crew.dismiss()


def test_of_two_that_are_free_one_is_used(crew: ThreadPool[int], gate: threading.Event) -> None:
    crew.submit(_job(1, gate))
    crew.submit(_job(2, gate))
    gate.set()
    assert sorted(_results(crew, 2)) == [1, 2]
    crew.submit(partial(int, 3))
    assert crew.next_result(SOON) == 3
    assert len(threads.alive(NAME)) == 2
    crew.dismiss()


def test_whoever_comes_while_all_wait_gets_a_thread_of_his_own(gate: threading.Event) -> None:
    crew: ThreadPool[int] = ThreadPool(3, NAME)
    crew.submit(_job(1, gate))
    crew.submit(partial(int, 2))
    assert crew.next_result(SOON) == 2
    crew.submit(_job(3, gate))
    crew.submit(partial(int, 4))
    assert crew.next_result(SOON) == 4
    gate.set()
    assert sorted(_results(crew, 2)) == [1, 3]
    crew.dismiss()


def test_its_threads_do_not_keep_a_process_from_ending(
    crew: ThreadPool[int], gate: threading.Event
) -> None:
    crew.submit(_job(1, gate))
    assert all(thread.daemon for thread in threads.alive(NAME))
    gate.set()
    crew.dismiss()


def test_dismissed_it_goes_when_its_job_is_done(
    crew: ThreadPool[int], gate: threading.Event
) -> None:
    crew.submit(_job(1, gate))
    crew.dismiss()
    assert threads.alive(NAME)
    gate.set()
    threads.join(NAME)


def test_a_crew_that_never_worked_can_be_dismissed(crew: ThreadPool[int]) -> None:
    crew.dismiss()
    assert crew.next_result(0) is None


def test_a_job_that_is_given_up_does_not_take_the_place_of_the_next(gate: threading.Event) -> None:
    crew: ThreadPool[int] = ThreadPool(1, NAME)
    crew.submit(_job(1, gate))
    assert crew.next_result(0) is None
    crew.give_up()
    crew.submit(partial(int, 2))
    assert crew.next_result(SOON) == 2
    # and has one thread in its place, however many come
    for number in (3, 4):
        crew.submit(_job(number, gate))
    assert len(threads.alive(NAME)) == 2
    # it answers after all
    gate.set()
    assert sorted(_results(crew, 3)) == [1, 3, 4]
    crew.dismiss()
