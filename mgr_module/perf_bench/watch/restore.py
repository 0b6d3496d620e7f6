"""What the watch of before knew: read from the store when a mgr becomes active."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Optional

from ..model.finding import Finding
from ..model.history import SavedState
from ..model.laggy import EPISODES_KEPT, Episode
from ..ports import Clock, Store, StoreQueue

# How long the watch waits for the database to tell what was known, before it looks on its own.
PATIENCE = 60.0


class RestoredState(NamedTuple):
    """What the store had of the watch; ``states`` are those of detectors that were saved.

    ``episodes`` of laggy PGs are stored as they end, more often than states.
    """

    findings: list[Finding]
    next_id: int
    states: Mapping[str, SavedState]
    episodes: Sequence[Episode]


class StateLoader:
    """Loads saved state asynchronously; callers set their own time limit."""

    def __init__(
        self, store_thread: StoreQueue, detectors: Sequence[str], clock: Clock, log: logging.Logger
    ) -> None:
        """``detectors`` are the names of their states."""
        self._store_thread = store_thread
        self._detectors = detectors
        self._clock = clock
        self._log = log
        self._began = clock.monotonic()
        self._asking = False
        self._answered = threading.Event()
        # None until the store has told.
        self.known: Optional[RestoredState] = None

    @property
    def patient(self) -> bool:
        """Whether it is worth waiting for the answer."""
        return self._clock.monotonic() - self._began < PATIENCE

    def ask(self) -> None:
        """Ask the store, unless it is being asked."""
        if not self._asking:
            self._asking = True
            self._answered.clear()
            self._store_thread.submit(self._read, self._asked)

    def wait(self, seconds: float) -> None:
        """Return as soon as the store has answered, or failed to."""
        self._answered.wait(seconds)

    def _read(self, store: Store) -> None:
        """On the store's thread: all in one go."""
        kept = store.watch
        findings, next_id = kept.findings()
        states = {name: kept.state(name) for name in self._detectors}
        saved = {name: state for name, state in states.items() if state is not None}
        self.known = RestoredState(findings, next_id, saved, kept.episodes(EPISODES_KEPT)[0])

    def _asked(self, error: Optional[Exception]) -> None:
        self._asking = False
        self._answered.set()
        if error is not None:
            self._log.debug("what the watch knew cannot be read yet: %s", error)
