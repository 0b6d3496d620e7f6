"""Reads the watch's saved state from the store when a mgr becomes active."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import NamedTuple, Optional

from ..core.clock import Clock
from ..model.finding import Finding
from ..model.history import SavedState
from ..model.laggy import EPISODES_KEPT, Episode
from ..store.sqlite import Store, StoreThread

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
