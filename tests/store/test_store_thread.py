"""The desk: one thread asks the store, in order, and nobody waits for it unbounded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Optional

import pytest

import threads
from fakes.database import Faults
from nouns import a_result, a_round
from perf_bench.errors import NotFound, StoreUnavailable
from perf_bench.ports import RoundStore
from perf_bench.store.sqlite import SqliteRoundStore
from perf_bench.store.store_thread import StoreThread

NAME = "perf-bench-store"


def _add_a_round(store: RoundStore) -> None:
    store.add_round(a_round(), [a_result(0)])


@pytest.fixture
def desk(on_file: SqliteRoundStore, faults: Faults) -> Iterator[StoreThread]:
    made = StoreThread(on_file)
    yield made
    faults.unblock()
    made.close(threads.PATIENCE)
    threads.join(NAME)


class Told:
    """What orders said when they were done."""

    def __init__(self) -> None:
        self.answers: list[Optional[Exception]] = []
        self.done = threading.Event()

    def __call__(self, error: Optional[Exception]) -> None:
        self.answers.append(error)
        self.done.set()

    def wait(self) -> Optional[Exception]:
        assert self.done.wait(threads.PATIENCE)
        (answer,) = self.answers
        return answer


def test_a_question_gets_the_stores_answer(desk: StoreThread) -> None:
    stored = desk.call(lambda store: store.add_round(a_round(), [a_result(0)]))
    assert desk.call(lambda store: store.round(stored.id)) == stored


def test_an_error_of_the_store_goes_to_the_one_who_asked(desk: StoreThread) -> None:
    with pytest.raises(NotFound, match="no round 7"):
        desk.call(lambda store: store.round(7))
    assert desk.call(lambda store: store.rounds()) == ([], 0)


def test_any_other_error_does_too_and_the_desk_goes_on(desk: StoreThread) -> None:
    def question(_store: RoundStore) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        desk.call(question)
    assert desk.call(lambda store: store.rounds()) == ([], 0)


def test_all_are_answered_on_one_thread_in_order(desk: StoreThread) -> None:
    order: list[int] = []
    idents: set[int] = set()

    def note(number: int) -> None:
        order.append(number)
        idents.add(threading.get_ident())

    for number in range(20):
        desk.submit(lambda _store, number=number: note(number), Told())  # type: ignore[misc]
    desk.call(lambda _store: note(20))
    assert order == list(range(21))
    assert len(idents) == 1
    assert idents != {threading.get_ident()}


def test_an_order_says_when_it_is_done(desk: StoreThread) -> None:
    told = Told()
    desk.submit(lambda store: store.discard("nobody"), told)
    assert told.wait() is None


def test_an_order_says_what_went_wrong(desk: StoreThread) -> None:
    told = Told()
    desk.submit(lambda store: store.remove_round(7), told)
    assert isinstance(told.wait(), NotFound)


LATE = (
    "the database in the cluster gave no answer within 0.01 s: see 'ceph -s', are placement "
    "groups inactive or OSDs full?"
)


def test_whoever_asks_waits_no_longer_than_the_limit(desk: StoreThread, faults: Faults) -> None:
    faults.block()
    with pytest.raises(StoreUnavailable) as caught:
        desk.call(lambda store: store.rounds(), limit=0.01)
    assert str(caught.value) == LATE
    # nor those in the queue behind
    with pytest.raises(StoreUnavailable):
        desk.call(lambda store: store.rounds(), limit=0.01)


def test_a_question_nobody_waits_for_is_skipped(desk: StoreThread, faults: Faults) -> None:
    asked: list[str] = []
    faults.block()
    told = Told()
    desk.submit(lambda store: store.discard("nobody"), told)
    with pytest.raises(StoreUnavailable):
        desk.call(lambda _store: asked.append("late"), limit=0.01)
    faults.unblock()
    told.wait()
    desk.call(lambda _store: asked.append("in time"))
    assert asked == ["in time"]


def test_an_order_is_not_skipped(desk: StoreThread, faults: Faults) -> None:
    faults.block()
    with pytest.raises(StoreUnavailable):
        desk.call(lambda store: store.rounds(), limit=0.01)
    told = Told()
    desk.submit(lambda store: store.discard("nobody"), told)
    faults.unblock()
    assert told.wait() is None


def test_closing_lets_the_queue_run_out_and_closes_the_store(
    desk: StoreThread, faults: Faults, on_file: SqliteRoundStore
) -> None:
    told = Told()
    desk.submit(_add_a_round, told)
    desk.close(threads.PATIENCE)
    assert told.wait() is None
    assert not threads.alive(NAME)
    assert on_file.rounds()[1] == 1
    # it had let go of its connection
    assert faults.opened == 2


def test_closing_waits_no_longer_than_its_limit(desk: StoreThread, faults: Faults) -> None:
    faults.block()
    desk.submit(_add_a_round, Told())
    desk.close(limit=0.01)
    assert threads.alive(NAME)


def test_its_thread_does_not_keep_a_process_from_ending(desk: StoreThread) -> None:
    assert [thread.daemon for thread in threads.alive(NAME)] == [True]


def test_a_closed_desk_answers_nobody(desk: StoreThread) -> None:
    desk.close(threads.PATIENCE)
    with pytest.raises(StoreUnavailable):
        desk.call(lambda store: store.rounds(), limit=0.01)
