"""How questions read: the database within one limit, and answers that are used again."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Hashable, Iterator
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, Callable, Optional, TypeVar

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
        self._looks: dict[str, Future[Any]] = {}

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

    def looks(self, name: str) -> bool:
        """Whether a look of that name goes on."""
        return name in self._looks and not self._looks[name].done()

    def look(self, name: str, question: Callable[[Store], T]) -> Future[T]:
        """Ask; those who ask while a look of that name goes on share it."""
        if not self.looks(name):
            self._looks[name] = self.ask(question)
        return self._looks[name]


class KeptAnswers:
    """The newest ``most`` answers, by question; safe to use from any thread."""

    def __init__(self, clock: Clock, most: int) -> None:
        self._clock = clock
        self._most = most
        # By question when it was answered (monotonic seconds), and the answer.
        self._answers: dict[Hashable, tuple[float, Any]] = {}

    def of(self, question: Hashable, fresh: float, answer: Callable[[], T]) -> T:
        """The answer, at most ``fresh`` seconds old; others do not wait while it is made."""
        now = self._clock.monotonic()
        asked_at, kept = self._answers.get(question, (-math.inf, None))
        if now - asked_at < fresh:
            known: T = kept
            return known
        made = answer()
        self.keep(question, made)
        return made

    def keep(self, question: Hashable, answer: Any) -> None:
        """Use this answer from now on."""
        self._answers.pop(question, None)
        self._answers[question] = self._clock.monotonic(), answer
        # The oldest first; a copy, because others may add theirs meanwhile.
        for one in list(self._answers)[: -self._most]:
            self._answers.pop(one, None)

    def newest(self, question: Hashable) -> Any:
        """The newest answer, however old; None if there is none."""
        return self._answers.get(question, (0.0, None))[1]
