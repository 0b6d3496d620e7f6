"""StoreThread: one thread runs all calls of the store in order, and every wait is bounded."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator
from functools import partial

import pytest

import threads
from fakes.clock import FakeClock
from fakes.database import Faults
from nouns import a_result, a_round, put_round
from perf_bench.answers.api import StoreBudget
from perf_bench.core import database as store_module
from perf_bench.core.database import MOST_JOBS
from perf_bench.errors import NotFound, StoreUnavailable
from perf_bench.store.sqlite import Store, StoreThread

NAME = "perf-bench-store"


def _add_a_round(store: Store) -> None:
    put_round(store, a_round(), [a_result(0)])


@pytest.fixture
def store_thread(on_file: Store, faults: Faults) -> Iterator[StoreThread]:
    made = StoreThread(on_file)
    yield made
    faults.unblock()
    made.close(threads.PATIENCE)
    threads.join(NAME)


def test_a_question_gets_the_stores_answer(store_thread: StoreThread) -> None:
    stored = store_thread.call(lambda store: put_round(store, a_round(), [a_result(0)]))
    assert store_thread.call(lambda store: store.round(stored.id)) == stored


def test_any_other_error_does_too_and_the_thread_goes_on(store_thread: StoreThread) -> None:
    def question(_store: Store) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store_thread.call(question)
    assert store_thread.call(lambda store: store.rounds()) == ([], 0)


def test_all_are_answered_on_one_thread_in_order(store_thread: StoreThread) -> None:
    order: list[int] = []
    idents: set[int] = set()

    def note(number: int) -> None:
        order.append(number)
        idents.add(threading.get_ident())

    for number in range(20):
        store_thread.ask(lambda _store, number=number: note(number))  # type: ignore[misc]
    store_thread.call(lambda _store: note(20))
    assert order == list(range(21))
    assert len(idents) == 1
    assert idents != {threading.get_ident()}


LATE = (
    "the database in the cluster gave no answer within 0.01 s: see 'ceph -s', are placement "
    "groups inactive or OSDs full?"
)


def test_whoever_asks_waits_no_longer_than_the_limit(
    store_thread: StoreThread, faults: Faults
) -> None:
    faults.block()
    with pytest.raises(StoreUnavailable) as caught:
        store_thread.call(lambda store: store.rounds(), limit=0.01)
    assert str(caught.value) == LATE
    # nor those in the queue behind
    with pytest.raises(StoreUnavailable):
        store_thread.call(lambda store: store.rounds(), limit=0.01)


def test_a_question_nobody_waits_for_is_skipped(store_thread: StoreThread, faults: Faults) -> None:
    asked: list[str] = []
    faults.block()
    told = store_thread.ask(lambda store: store.discard("nobody"))
    with pytest.raises(StoreUnavailable):
        store_thread.call(lambda _store: asked.append("late"), limit=0.01)
    faults.unblock()
    told.result(threads.PATIENCE)
    store_thread.call(lambda _store: asked.append("in time"))
    assert asked == ["in time"]


class _Holder:
    """An argument that can be looked for."""

    def use(self) -> None:
        """Be part of a question."""


def test_a_question_that_was_refused_leaves_nothing_behind(
    store_thread: StoreThread, faults: Faults
) -> None:
    faults.block()
    store_thread.ask(lambda store: store.discard("nobody"))
    payload = _Holder()
    seen = weakref.ref(payload)

    def ask(held: _Holder) -> None:
        with pytest.raises(StoreUnavailable):
            store_thread.call(lambda _store: held.use(), limit=0.01, size=1)

    ask(payload)
    del payload
    gc.collect()
    assert seen() is None


def _hang(store_thread: StoreThread, faults: Faults) -> None:
    """Let the thread wait for the database until ``faults.unblock``."""
    faults.block()
    begun = threading.Event()

    def hang(store: Store) -> None:
        begun.set()
        store.rounds()

    store_thread.ask(hang)
    assert begun.wait(threads.PATIENCE)


def test_what_waits_is_bounded_in_bytes_and_number(
    store_thread: StoreThread, faults: Faults, caplog: pytest.LogCaptureFixture
) -> None:
    _hang(store_thread, faults)
    asked: list[StoreUnavailable] = []

    def ask(size: int, limit: float) -> None:
        try:
            store_thread.call(lambda _store: None, limit, size)
        except StoreUnavailable as error:
            asked.append(error)

    waits = threading.Thread(target=ask, args=(16 << 20, threads.PATIENCE))
    waits.start()
    threads.until(lambda: store_thread.waiting == 1)
    ask(1, threads.PATIENCE)
    assert str(asked[0]).startswith("too much waits for the database in the cluster: see 'ceph -s'")
    given = [store_thread.ask(lambda _store: None) for _ in range(MOST_JOBS + 2)]
    dropped = [one.exception() for one in given if one.done()]
    assert [type(error) for error in dropped] == [StoreUnavailable] * 3
    assert (store_thread.refused, store_thread.waiting) == (4, MOST_JOBS)
    faults.unblock()
    waits.join(threads.PATIENCE)
    assert store_thread.call(lambda store: store.rounds()) == ([], 0)
    assert len(asked) == 1
    assert len([record for record in caplog.records if "is dropped" in record.message]) == 1


def test_an_answer_is_remembered_until_something_is_written(
    store_thread: StoreThread, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "time", FakeClock())

    def rounds() -> int:
        return store_thread.call(lambda store: store.rounds()[1], key="rounds")

    assert rounds() == 0
    faults.met.clear()
    assert rounds() == 0
    assert faults.met == []
    store_thread.ask(_add_a_round)
    assert rounds() == 1
    assert store_thread.call(lambda store: store.rounds(limit=0), key="others") == ([], 1)


def test_an_answer_is_remembered_for_some_seconds_and_errors_are_not(
    store_thread: StoreThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def question(_store: Store) -> int:
        asked.append(len(asked))
        if len(asked) == 1:
            raise NotFound("nothing")
        return len(asked)

    with pytest.raises(NotFound):
        store_thread.call(question, key="a")
    assert [store_thread.call(question, key="a") for _ in range(2)] == [2, 2]
    for number in range(100):
        store_thread.call(question, key=number)
    assert len(store_thread._answers) < 20
    monkeypatch.setattr(store_module, "REMEMBERED_SECONDS", 0.0)
    assert store_thread.call(question, key=99) == 103
    threads.until(lambda: not store_thread._answers)


def test_those_who_wait_share_a_transaction_and_an_answer(
    store_thread: StoreThread, faults: Faults
) -> None:
    store_thread.call(lambda store: store.rounds())
    faults.block()
    told = store_thread.ask(lambda store: store.discard("nobody"))
    answers: list[int] = []

    def ask() -> None:
        answers.append(store_thread.call(lambda store: store.rounds()[1], key="rounds"))

    def read_more(store: Store) -> None:
        store.unfinished()

    asking = [threading.Thread(target=ask) for _ in range(5)]
    for thread in asking:
        thread.start()
    threads.until(lambda: store_thread.waiting == len(asking))
    store_thread.ask(read_more)
    faults.met.clear()
    faults.unblock()
    for thread in asking:
        thread.join(threads.PATIENCE)
    told.result(threads.PATIENCE)
    store_thread.call(lambda store: None)
    assert answers == [0] * len(asking)
    assert [one for one in faults.met if one.startswith("BEGIN")] == ["BEGIN DEFERRED"]
    assert len([one for one in faults.met if "count(*) FROM rounds" in one]) == 1


@pytest.mark.parametrize(("seconds", "transactions"), [(0.24, 1), (0.26, 2)])
def test_a_transaction_of_reads_is_given_back_after_a_quarter_of_a_second(
    store_thread: StoreThread,
    faults: Faults,
    seconds: float,
    transactions: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FakeClock()
    monkeypatch.setattr(store_module, "time", clock)
    store_thread.call(lambda store: store.rounds())
    threads.until(lambda: not store_thread._runs)
    faults.met.clear()
    _hang(store_thread, faults)

    def read(store: Store, took: float = 0.0) -> None:
        clock.advance(took)
        store.unfinished()

    store_thread.ask(partial(read, took=seconds))
    told = store_thread.ask(read)
    faults.unblock()
    told.result(threads.PATIENCE)
    assert len([one for one in faults.met if one.startswith("BEGIN")]) == transactions


def test_users_are_refused_while_the_database_does_not_move(
    store_thread: StoreThread, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = StoreBudget(store_thread, FakeClock())
    monkeypatch.setattr(store_module, "_TOGETHER_SECONDS", 0.01)
    # longer than reads are served together, and over: it is not counted as waiting
    store_thread.call(lambda _store: time.sleep(0.02))
    monkeypatch.setattr(store_module, "HELD_SECONDS", 1e-9)
    threads.until(lambda: not store_thread._runs)
    assert users.call(lambda store: store.rounds()[1]) == 0
    faults.block()
    store_thread.ask(_add_a_round)
    with pytest.raises(StoreUnavailable, match=r"is busy: \d wait for it, and nothing ended"):
        users.call(lambda store: store.rounds())
    monkeypatch.setattr(store_module, "HELD_SECONDS", threads.PATIENCE)
    monkeypatch.setattr(store_module, "MOST_CALLS", 0)
    with pytest.raises(StoreUnavailable, match="is busy"):
        users.call(lambda store: store.rounds())
    faults.unblock()
    assert store_thread.call(lambda store: store.rounds()[1]) == 1


def test_what_comes_after_closing_opens_no_database_again(
    store_thread: StoreThread, faults: Faults
) -> None:
    faults.block()
    store_thread.ask(lambda store: store.discard("nobody"))
    threads.until(lambda: store_thread.waiting == 0)
    closing = threading.Thread(target=store_thread.close, args=(threads.PATIENCE,))
    closing.start()
    threads.until(lambda: store_thread.waiting == 1)
    late = store_thread.ask(lambda store: store.discard("late"))
    faults.unblock()
    closing.join(threads.PATIENCE)
    threads.join(NAME)
    with pytest.raises(StoreUnavailable, match="closed"):
        late.result(0)


def test_closing_lets_the_queue_run_out_and_closes_the_store(
    store_thread: StoreThread, faults: Faults, on_file: Store
) -> None:
    told = store_thread.ask(_add_a_round)
    store_thread.close(threads.PATIENCE)
    told.result(threads.PATIENCE)
    assert not threads.alive(NAME)
    assert on_file.rounds()[1] == 1
    # it had let go of its connection
    assert faults.opened == 2


def test_what_is_asked_is_answered_in_its_turn_however_long_that_takes(
    store_thread: StoreThread, faults: Faults
) -> None:
    faults.block()
    added = store_thread.ask(_add_a_round)
    count = store_thread.ask(lambda store: store.rounds()[1])
    with pytest.raises(StoreUnavailable):
        store_thread.call(lambda store: store.rounds(), limit=0.01)
    assert not count.done()
    assert not added.cancel(), "it may have begun, so it is not taken back"
    faults.unblock()
    assert count.result(threads.PATIENCE) == 1
