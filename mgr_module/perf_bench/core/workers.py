"""Threads for what waits: monitors, OSDs, processes."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from typing import Any, Callable, Optional, Protocol, TypeVar

from ..errors import NotConfirmed, NotNow

T = TypeVar("T")

# Set when the module leaves: long work on a thread of its own ends then.
Stop = threading.Event

# A thread without work ends after this time.
IDLE_SECONDS = 10.0


class Executor(Protocol):
    """Runs a function elsewhere and answers with a future."""

    def submit(self, work: Callable[[], T]) -> Future[T]: ...


def answer_of(future: Future[T], limit: float, more: str = "") -> T:
    """What it answers within ``limit`` seconds; its error, or NotConfirmed with ``more``."""
    try:
        return future.result(limit)
    except NoAnswer:
        if future.done():
            raise
        why = f"not confirmed within {limit:g} s, and may still be done{more}"
        raise NotConfirmed(why) from None


class Workers:
    """At most ``most`` daemon threads, begun as they are needed.

    concurrent.futures has pools whose threads the interpreter joins at exit: a daemon that never
    answers would hold a mgr that stops.
    """

    def __init__(self, name: str, most: int, idle_seconds: Optional[float] = IDLE_SECONDS) -> None:
        """A thread without work ends after ``idle_seconds``; None: it stays."""
        self._idle_seconds = idle_seconds
        self._name = name
        self._most = most
        self._changed = threading.Condition()
        self._jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._threads = 0
        self._idle = 0
        self._closed = False

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Queue ``work``; the future gets its result or error. Returns at once.

        Raises NotNow where no thread can be started, as in a mgr that is ending. After ``close``
        none is started: the loop may have a step left, whose future then has no answer.
        """
        future: Future[T] = Future()
        with self._changed:
            if self._idle > len(self._jobs):
                self._changed.notify()
            elif self._threads < self._most and not self._closed:
                try:
                    threading.Thread(target=self._work, name=self._name, daemon=True).start()
                except RuntimeError as error:
                    raise NotNow(f"nothing can be done beside: {error}") from error
                self._threads += 1
            self._jobs.append((future, work))
        return future

    def replace_one(self) -> None:
        """Allow a thread in place of one that waits for a daemon that does not answer."""
        with self._changed:
            self._most += 1

    def close(self, limit: float = 0.0) -> None:
        """Let the threads end when nothing is queued; waits up to ``limit`` seconds for them."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._threads, limit)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                self._changed.wait_for(lambda: self._jobs or self._closed, self._idle_seconds)
                self._idle -= 1
                if not self._jobs:
                    self._threads -= 1
                    self._changed.notify_all()
                    return
                future, work = self._jobs.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - whoever awaits the future gets it
                future.set_exception(error)
            del future, work  # free what they hold while the thread waits


class Here:
    """Runs everything at once where it is asked: for tools without a loop, and for tests."""

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Run ``work`` now."""
        future: Future[T] = Future()
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001 - whoever awaits the future gets it
            future.set_exception(error)
        return future
