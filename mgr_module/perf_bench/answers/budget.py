"""The database for users' questions: one limit for several reads, and refused while it is busy."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Callable, Optional, TypeVar

from ..core.clock import Clock
from ..errors import StoreUnavailable
from ..store.sqlite import Store, StoreThread

T = TypeVar("T")
# When the calls of a thread have to end (monotonic seconds): each thread has its own.
_UNTIL: ContextVar[Optional[float]] = ContextVar("until", default=None)


class StoreBudget(StoreThread):
    """Calls on this thread within ``within`` wait as long together as it says.

    While the database is busy they are refused at once, instead of waiting behind each other.
    """

    def __init__(self, queue: StoreThread, clock: Clock) -> None:
        self._queue = queue
        self._clock = clock

    @property
    def busy(self) -> Optional[str]:
        return self._queue.busy

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit all calls of this thread together; after that they raise StoreUnavailable."""
        before = _UNTIL.set(self._clock.monotonic() + seconds)
        try:
            yield
        finally:
            _UNTIL.reset(before)

    def call(
        self,
        question: Callable[[Store], T],
        limit: float = 5.0,
        size: int = 0,
        *,
        key: Hashable = None,
    ) -> T:
        until = _UNTIL.get()
        if until is not None:
            limit = min(limit, until - self._clock.monotonic())
            if limit <= 0:
                raise StoreUnavailable("the database in the cluster did not tell all in time")
        if (why := self.busy) is not None:
            raise StoreUnavailable(why)
        return self._queue.call(question, limit, size, key=key)

    def ask(self, question: Callable[[Store], T]) -> Future[T]:
        return self._queue.ask(question)
