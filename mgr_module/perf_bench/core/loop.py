"""One thread that runs coroutines, so that what decides needs no lock.

A coroutine runs alone until its next ``await``. It awaits time, and futures of
``concurrent.futures`` that workers or the database's thread answer. asyncio is not used: before
Python 3.12 its C parts are shared between the sub-interpreters of ceph-mgr, where others use it.
"""

from __future__ import annotations

import concurrent.futures
import heapq
import itertools
import logging
import queue
import threading
import time
from collections.abc import Coroutine, Generator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Callable, Generic, Optional, TypeVar

from .workers import answer_of

T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, T]]

# Longest wait of a command for a change that the loop makes: commands of all modules may stand
# still meanwhile. The change is made all the same, and the loop knows of it.
ASK_SECONDS = 5.0


class Cancelled(BaseException):
    """Raised in the coroutine of a cancelled task, where it awaits.

    It is no Exception, so that no handler of errors takes it for one.
    """

    def __init__(self, reason: Any) -> None:
        super().__init__(reason)
        self.reason = reason


class _Wait:
    """Ends when one of the futures is done, or after ``seconds``."""

    def __init__(self, futures: Sequence[Future[Any]], seconds: Optional[float]) -> None:
        self.futures = futures
        self.seconds = seconds

    def __await__(self) -> Generator[_Wait, None, None]:
        yield self


async def sleep(seconds: float) -> None:
    """Wait for ``seconds`` of the loop's steady clock."""
    await _Wait((), seconds)


async def first_of(futures: Sequence[Future[Any]], seconds: Optional[float] = None) -> bool:
    """Wait until one of the futures is done; False if none was within ``seconds``."""
    if not any(future.done() for future in futures):
        await _Wait(futures, seconds)
    return any(future.done() for future in futures)


async def reply(future: Future[T]) -> T:
    """Wait for a future; return its result or raise its error."""
    if not future.done():
        await _Wait((future,), None)
    return future.result()


async def to_its_end(future: Future[T], limit: float) -> T:
    """As ``reply``; if the task is cancelled, it ends after the future, or after ``limit`` seconds.

    For what must not go on when the task has ended.
    """
    try:
        if not future.done():
            await _Wait((future,), None)
    except Cancelled:
        await first_of((future,), limit)
        raise
    return future.result()


def complete(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on this thread, without a loop; return its result.

    For the host tool: its futures are done when they are made (``workers.Here``), or waited for.
    """
    while True:
        try:
            wait: _Wait = coroutine.send(None)
        except StopIteration as ended:
            found: T = ended.value
            return found
        if wait.futures:
            concurrent.futures.wait(wait.futures, wait.seconds, concurrent.futures.FIRST_COMPLETED)
        elif wait.seconds is not None:
            time.sleep(wait.seconds)


class Task(Generic[T]):
    """A running coroutine; ``done`` gets what it returns or raises."""

    def __init__(self, loop: Loop, coroutine: Coroutine[Any, Any, T]) -> None:
        self.done: Future[T] = Future()
        self._loop = loop
        self._coroutine = coroutine
        # Number of its waits: the time limit of an earlier one does not end the present one.
        self._waits = 0
        self._awaited: Sequence[Future[Any]] = ()
        # Futures that will wake it: one that is awaited again and again gets one callback.
        self._watched: set[Future[Any]] = set()
        self._cancelled: Optional[Cancelled] = None

    def cancel(self, reason: Any) -> None:
        """Raise Cancelled in the coroutine at its next turn; call it on the loop."""
        self._cancelled = Cancelled(reason)
        waits = self._waits
        self._loop.post(partial(self.go_on, waits))

    def go_on(self, wait: int = 0) -> None:
        """Run the coroutine to its next wait; called by the loop."""
        if wait != self._waits or self.done.done():
            return
        self._waits += 1
        cancelled, self._cancelled = self._cancelled, None
        try:
            next_wait = (
                self._coroutine.send(None)
                if cancelled is None
                else self._coroutine.throw(cancelled)
            )
        except StopIteration as ended:
            self.done.set_result(ended.value)
        except BaseException as error:  # noqa: BLE001 - whoever awaits the task gets it
            self.done.set_exception(error)
        else:
            self._begin(next_wait)

    def _begin(self, wait: _Wait) -> None:
        number, self._awaited = self._waits, wait.futures
        for future in wait.futures:
            if future not in self._watched:
                self._watched.add(future)
                future.add_done_callback(self._answered)
        if wait.seconds is not None:
            self._loop.after(wait.seconds, partial(self.go_on, number))

    def _answered(self, future: Future[Any]) -> None:
        self._loop.post(partial(self._take, future))

    def _take(self, future: Future[Any]) -> None:
        self._watched.discard(future)
        if future in self._awaited:
            self.go_on(self._waits)


class Loop:
    """Runs what is posted, timers and coroutines on one thread.

    ``post``, ``ask`` and ``stop`` may be called from any thread, all else on the loop's only.
    """

    def __init__(self, monotonic: Callable[[], float], log: logging.Logger) -> None:
        self._monotonic = monotonic
        self._log = log
        self._inbox: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        # When it is due, the order among equals, and what to call.
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._order = itertools.count()
        self._stopped = False
        self._thread: Optional[int] = None

    def post(self, work: Callable[[], object]) -> None:
        """Call ``work`` on the loop as soon as it can; returns at once."""
        self._inbox.put(work)

    def ask(self, work: Work[T], limit: float = ASK_SECONDS) -> T:
        """Run the coroutine that ``work`` makes on the loop; return its result.

        Raises its error, and NotConfirmed after ``limit`` seconds: then it goes on all the same.
        """
        if threading.get_ident() == self._thread:
            raise RuntimeError("the loop would wait for itself")
        answer: Future[T] = Future()

        async def run() -> None:
            try:
                answer.set_result(await work())
            except Exception as error:  # noqa: BLE001 - raised in the asking thread
                answer.set_exception(error)

        self.post(lambda: self.spawn(run()))
        return answer_of(answer, limit, ": 'ceph perf-bench status' shows what waits")

    def spawn(self, coroutine: Coroutine[Any, Any, T]) -> Task[T]:
        """Begin a coroutine, which runs to its first wait at once."""
        task = Task(self, coroutine)
        task.go_on()
        return task

    def after(self, seconds: float, work: Callable[[], object]) -> None:
        """Call ``work`` in so many seconds."""
        due = self._monotonic() + seconds
        heapq.heappush(self._timers, (due, next(self._order), work))

    def run(self) -> None:
        """Run until ``stop``; an error of one call is logged and ends nothing else."""
        while not self._stopped:
            self.turn(self._until_due())

    def stop(self) -> None:
        """End ``run`` after what is posted by now."""
        self.post(self._stop)

    def turn(self, limit: Optional[float] = 0.0) -> bool:
        """Wait up to ``limit`` seconds for something to do and do it; whether anything was."""
        now, due = self._monotonic(), []
        while self._timers and self._timers[0][0] <= now:
            due.append(heapq.heappop(self._timers)[2])
        limit = 0.0 if due else limit
        with suppress(queue.Empty):
            due.append(self._inbox.get(timeout=limit) if limit != 0.0 else self._inbox.get_nowait())
        self._thread = threading.get_ident()
        for work in due:  # not those that they begin: what is posted has its turn between
            try:
                work()
            except Exception:  # noqa: BLE001 - the loop outlives every error
                self._log.exception("a step on the loop failed")
        self._thread = None  # the number may be another thread's when the loop has ended
        return bool(due)

    @property
    def next_due(self) -> Optional[float]:
        """The monotonic time of the next timer; None without any."""
        return self._timers[0][0] if self._timers else None

    def _until_due(self) -> Optional[float]:
        due = self.next_due
        return None if due is None else max(0.0, due - self._monotonic())

    def _stop(self) -> None:
        self._stopped = True
