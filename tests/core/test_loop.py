"""The loop: coroutines, timers and questions from other threads."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from functools import partial

import pytest

from fakes.loop import FakeLoop
from perf_bench.core.loop import Cancelled, Loop, complete, first_of, reply, sleep
from perf_bench.core.workers import Here, Workers
from perf_bench.errors import NotFound, NotNow


@pytest.fixture
def loop() -> FakeLoop:
    return FakeLoop()


def test_coroutines_take_turns_where_they_wait(loop: FakeLoop) -> None:
    seen: list[tuple[str, float]] = []

    async def step(name: str, seconds: float) -> None:
        for _ in range(2):
            await sleep(seconds)
            seen.append((name, loop.clock.monotonic()))

    loop.spawn(step("slow", 3.0))
    loop.complete(step("fast", 2.0))
    loop.run_for(10.0)
    assert seen == [("fast", 2.0), ("slow", 3.0), ("fast", 4.0), ("slow", 6.0)]


def test_timers_of_one_moment_keep_their_order(loop: FakeLoop) -> None:
    seen: list[int] = []
    for number in (1, 2, 3):
        loop.after(5.0, partial(seen.append, number))
    loop.run_for(5.0)
    assert seen == [1, 2, 3]


def test_who_waits_for_no_time_lets_others_go_on(loop: FakeLoop) -> None:
    seen: list[int] = []

    async def looks() -> None:
        while not seen:
            await sleep(0.0)

    task = loop.spawn(looks())
    loop.post(lambda: seen.append(1))
    loop.run_until(task.done.done)
    assert loop.clock.monotonic() == 0.0


def test_a_reply_is_a_result_or_an_error(loop: FakeLoop) -> None:
    def missing() -> int:
        raise NotFound("no such thing")

    assert loop.complete(reply(Here().submit(lambda: 7))) == 7
    with pytest.raises(NotFound, match="no such thing"):
        loop.complete(reply(Here().submit(missing)))


def test_the_first_of_several(loop: FakeLoop) -> None:
    late: Future[int] = Future()
    never: Future[int] = Future()
    loop.after(4.0, lambda: late.set_result(1))
    assert not loop.complete(first_of((late, never), 3.0))
    assert loop.clock.monotonic() == 3.0
    assert loop.complete(first_of((late, never), 3.0))
    assert loop.clock.monotonic() == 4.0
    loop.run_for(10.0)  # the limit of a wait that has ended wakes nobody


def test_a_cancelled_task_ends_where_it_waits_and_cleans_up(loop: FakeLoop) -> None:
    seen: list[object] = []

    async def work() -> str:
        try:
            await sleep(1000.0)
        except Cancelled as cancelled:
            seen.append(cancelled.reason)
            await sleep(2.0)  # what it must wait for while it ends
        return "ended"

    task = loop.spawn(work())
    loop.after(5.0, lambda: task.cancel("aborted"))
    loop.run_until(task.done.done)
    assert (seen, task.done.result(), loop.clock.monotonic()) == (["aborted"], "ended", 7.0)
    task.cancel("too late")
    loop.run_for(1.0)
    assert task.done.result() == "ended"


def test_an_error_of_one_call_ends_nothing_else(loop: FakeLoop) -> None:
    seen: list[int] = []
    loop.post(lambda: 1 // 0)
    loop.post(lambda: seen.append(1))
    loop.run_for(0.0)
    assert seen == [1]


@pytest.fixture
def running() -> Loop:
    loop = FakeLoop()
    threading.Thread(target=loop.run, daemon=True).start()
    return loop


def test_other_threads_ask(running: Loop) -> None:
    workers = Workers("test", 1)

    async def ask() -> str:
        return await reply(workers.submit(lambda: threading.current_thread().name))

    async def missing() -> int:
        raise NotFound("no such thing")

    async def itself() -> str:
        return running.ask(ask)

    assert running.ask(ask) == "test"
    with pytest.raises(NotFound):
        running.ask(missing)
    with pytest.raises(RuntimeError, match="wait for itself"):
        running.ask(itself)
    running.stop()


def test_what_is_not_confirmed_in_time_is_done_all_the_same(running: Loop) -> None:
    go_on: Future[None] = Future()
    done = threading.Event()

    async def change() -> None:
        await reply(go_on)
        done.set()

    with pytest.raises(NotNow, match=r"not confirmed within 0\.01 s"):
        running.ask(change, 0.01)
    go_on.set_result(None)
    assert done.wait(10)
    running.stop()


def test_workers_take_jobs_side_by_side_up_to_their_number() -> None:
    workers, meet, hold = Workers("test", 2), threading.Barrier(3), threading.Event()

    def together() -> None:
        meet.wait(10)
        hold.wait(10)

    first = [workers.submit(together) for _ in range(2)]
    third = workers.submit(lambda: "third")
    meet.wait(10)
    assert not third.done()
    workers.replace_one()
    assert workers.submit(lambda: "fourth").result(10) == "fourth"
    assert third.result(10) == "third"
    hold.set()
    for one in first:
        one.result(10)


def test_a_tool_completes_a_coroutine_without_a_loop() -> None:
    async def work() -> int:
        await sleep(0.0)
        return await reply(Here().submit(lambda: 1)) + await reply(
            Workers("t", 1).submit(lambda: 2)
        )

    assert complete(work()) == 3


def test_where_no_thread_can_be_started_nothing_is_queued(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers("test", 1)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", _no_thread)
        with pytest.raises(NotNow, match="can't start new thread"):
            workers.submit(lambda: 1)
    assert workers.submit(lambda: 2).result(30) == 2


def test_what_comes_after_closing_starts_no_thread() -> None:
    workers = Workers("ended", 1)
    workers.close()
    left = workers.submit(lambda: 1)
    assert "ended" not in [thread.name for thread in threading.enumerate()]
    assert not left.done()


def _no_thread(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")
