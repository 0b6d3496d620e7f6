"""What survives a mgr: findings, series, laggy episodes and the detectors' states."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Callable, NamedTuple, Optional

from ..core.clock import Clock
from ..errors import StoreUnavailable
from ..model.finding import Finding
from ..model.history import SavedState, SpanRow
from ..model.verdict import EPISODES_KEPT, Episode
from ..store.sqlite import Store, StoreThread
from ..store.write_buffer import WriteBuffer
from .detectors import Detectors, WatchContext
from .publisher import Publisher

_WRITE_EVERY = 60.0
_SAVE_EVERY = 300.0
# Saved sooner after a finding opens or closes: the mgr that takes over needs the reason, or it
# could close the finding only after a grace period.
_SAVE_SOON = 60.0
# Rows of five minutes that are packed in one tick, 0.5 ms each.
_ROWS_A_TICK = 30
_LEAVE_WAIT = 3.0
_CHANGE_WAIT = 5.0
_ALL = 1_000_000
# Number of the newest laggy episodes that can still change after they were written.
_EPISODES = 5


class StateSaver:
    """Passes the data of the detectors and the ledger to the write buffer."""

    def __init__(
        self,
        context: WatchContext,
        detectors: Detectors,
        publisher: Publisher,
        kept: Callable[[], Mapping[int, float]],
    ) -> None:
        """``kept`` returns how long series stay in the store, in seconds by level."""
        self._clock = context.clock
        self._detectors = detectors
        self._publisher = publisher
        self.journal = WriteBuffer(context.store_thread, context.log, kept)
        self._wrote_at = self._saved_at = context.clock.monotonic()

    def keep(self, on: bool) -> None:
        """Write changes of findings at once and all other data once a minute; call every tick.

        ``on``: the watch is on. While it is off the detectors' states are not saved.
        """
        publisher, history = self._publisher, self._detectors.history
        self._put(history.take(_ROWS_A_TICK))
        now = self._clock.monotonic()
        loaded = on and publisher.ledger.loaded
        urgent = loaded and self._detectors.urgent
        if now - self._wrote_at < _WRITE_EVERY and not (publisher.changed or urgent):
            return
        save = now - self._saved_at >= (_SAVE_SOON if publisher.turned else _SAVE_EVERY)
        states = self._detectors.save(all_=save) if loaded and (save or urgent) else {}
        if self.journal.write(self._clock.now(), states, history.settled):
            self._wrote_at, publisher.changed = now, False
            self._detectors.written(states)
            if save and states:
                self._saved_at, publisher.turned = now, False

    def note(self) -> None:
        """Queue the changes of the ledger for writing."""
        self._put(())

    def save(self, owner: AbstractContextManager[object], number: int, done: str) -> None:
        """Wait until the queued changes are written.

        ``owner`` is the watch's lock, which the caller does not hold. ``number`` is the finding
        and ``done`` the change in the error text, as "muted". Raises StoreUnavailable.
        """
        began, sent = self._clock.monotonic(), False
        while not sent and self._clock.monotonic() - began < _CHANGE_WAIT:
            self.journal.flush(_CHANGE_WAIT)  # the pending batch may not contain the change
            with owner:
                sent = self.journal.write(self._clock.now(), {}, None)
        # That no batch is pending says nothing of a change that is in none yet.
        if not sent or not self.journal.flush(_CHANGE_WAIT) or self.journal.problem:
            raise StoreUnavailable(
                f"finding {number} is {done}, but that could not be saved yet: "
                f"{self.journal.problem or 'the database does not answer'}"
            )

    def leave(self) -> None:
        """Write all data for the next active mgr. Returns within a few seconds."""
        if not self._publisher.ledger.loaded:
            return  # the stored state was never read, and is better than the data since
        self._detectors.history.close()
        self.journal.flush(_LEAVE_WAIT)
        self._put(self._detectors.history.take(_ALL))
        self.journal.write(self._clock.now(), self._detectors.save(), None, parts=1)
        self.journal.flush(_LEAVE_WAIT)

    def _put(self, rows: Sequence[SpanRow]) -> None:
        findings, forgotten = self._publisher.ledger.take_unsaved(self._clock.now())
        episodes = self._detectors.laggy.episodes()[:_EPISODES]
        self.journal.put(rows, findings, forgotten, episodes)


# How long the watch waits for the saved state before it starts without it.
PATIENCE = 60.0


class RestoredState(NamedTuple):
    """The stored findings, the next finding ID, and the detectors' saved states by name.

    ``episodes`` of laggy PGs are stored when they end, which is more often than the states.
    """

    findings: list[Finding]
    next_id: int
    states: Mapping[str, SavedState]
    episodes: Sequence[Episode]


class StateLoader:
    """Loads saved state asynchronously; callers set their own time limit."""

    def __init__(
        self, store_thread: StoreThread, detectors: Sequence[str], clock: Clock, log: logging.Logger
    ) -> None:
        """``detectors`` are the detectors' names, under which their states are stored."""
        self._store_thread = store_thread
        self._detectors = detectors
        self._clock = clock
        self._log = log
        self._began = clock.monotonic()
        self._pending = False
        self._answered = threading.Event()
        # None until the store has answered.
        self.known: Optional[RestoredState] = None

    @property
    def waiting(self) -> bool:
        """Whether the watch still waits for the state; False PATIENCE seconds after the start."""
        return self._clock.monotonic() - self._began < PATIENCE

    def load(self) -> None:
        """Begin to read the state, unless a read is pending."""
        if not self._pending:
            self._pending = True
            self._answered.clear()
            self._store_thread.ask(self._read).add_done_callback(self._done)

    def wait(self, seconds: float) -> None:
        """Wait up to ``seconds`` until the pending read has succeeded or failed."""
        self._answered.wait(seconds)

    def _read(self, store: Store) -> None:
        """Read everything in one call; runs on the store thread."""
        kept = store.watch
        findings, next_id = kept.findings()
        states = {name: kept.state(name) for name in self._detectors}
        saved = {name: state for name, state in states.items() if state is not None}
        self.known = RestoredState(findings, next_id, saved, kept.episodes(EPISODES_KEPT)[0])

    def _done(self, answer: Future[None]) -> None:
        error = answer.exception()
        self._pending = False
        self._answered.set()
        if error is not None:
            self._log.debug("what the watch knew cannot be read yet: %s", error)
