"""The database for users' questions: one limit for several reads, and refused while it is busy."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Hashable, Iterator
from typing import Callable, Optional, TypeVar

from ..core.clock import Clock
from ..errors import StoreUnavailable
from ..model.said import say
from ..store.sqlite import Store, StoreThread

T = TypeVar("T")


class StoreBudget(StoreThread):
    """Calls on this thread within ``within`` wait as long together as it says.

    While the database is busy they are refused at once, instead of waiting behind each other.
    """

    def __init__(self, queue: StoreThread, clock: Clock) -> None:
        self._queue = queue
        self._clock = clock
        self._own = threading.local()

    @property
    def busy(self) -> Optional[str]:
        return self._queue.busy

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit all calls of this thread together; after that they raise StoreUnavailable."""
        self._own.until = self._clock.monotonic() + seconds
        try:
            yield
        finally:
            self._own.until = None

    def call(
        self,
        question: Callable[[Store], T],
        limit: float = 5.0,
        size: int = 0,
        *,
        key: Hashable = None,
    ) -> T:
        until: Optional[float] = getattr(self._own, "until", None)
        if until is not None:
            limit = min(limit, until - self._clock.monotonic())
            if limit <= 0:
                raise StoreUnavailable(
                    say("database-late", "the database in the cluster did not tell all in time")
                )
        if (why := self.busy) is not None:
            raise StoreUnavailable(why)
        return self._queue.call(question, limit, size, key=key)

    def submit(
        self,
        order: Callable[[Store], None],
        done: Callable[[Optional[Exception]], None],
    ) -> None:
        self._queue.submit(order, done)
