"""What is kept: findings, series, laggy episodes and the detectors' states, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Callable

from ..errors import StoreUnavailable
from ..model.history import SeriesRow
from ..store.write_buffer import WriteBuffer
from .context import WatchContext
from .detectors import Detectors
from .publisher import Publisher

_WRITE_EVERY = 60.0
_SAVE_EVERY = 300.0
# Saved sooner after a finding opens or closes: the mgr that takes over needs the reason, or it
# could close the finding only after a grace period.
_SAVE_SOON = 60.0
# Rows of five minutes packed in one tick: 0.5 ms each.
_ROWS_A_TICK = 30
_LEAVE_WAIT = 3.0
_MUTE_WAIT = 5.0
_ALL = 1_000_000
# Of the newest laggy episodes, those that may still have changed since they were written.
_EPISODES = 5


class StateSaver:
    """Hands to the journal what the detectors and the ledger have."""

    def __init__(
        self,
        around: WatchContext,
        detectors: Detectors,
        teller: Publisher,
        kept: Callable[[], Mapping[int, float]],
    ) -> None:
        """``kept``: how long series stay in the store, in seconds by level."""
        self._clock = around.clock
        self._detectors = detectors
        self._teller = teller
        self.journal = WriteBuffer(around.store_thread, around.log, kept)
        self._wrote_at = self._saved_at = around.clock.monotonic()

    def keep(self, looks: bool) -> None:
        """At every tick: what a user is told of is written at once, all else once a minute."""
        teller, history = self._teller, self._detectors.history
        self._put(history.take(_ROWS_A_TICK))
        now = self._clock.monotonic()
        if now - self._wrote_at < _WRITE_EVERY and not teller.changed:
            return
        save = now - self._saved_at >= (_SAVE_SOON if teller.turned else _SAVE_EVERY)
        states = self._detectors.save() if save and looks and teller.ledger.loaded else {}
        if self.journal.write(self._clock.now(), states, history.settled):
            self._wrote_at, teller.changed = now, False
            if states:
                self._saved_at, teller.turned = now, False

    def note(self) -> None:
        """Put what has changed in the ledger behind what waits to be written."""
        self._put(())

    def save(self, number: int) -> None:
        """Wait until what was noted of this finding is written; needs no lock of the watch's.

        Raises StoreUnavailable.
        """
        began = self._clock.monotonic()
        while self._clock.monotonic() - began < _MUTE_WAIT:
            self.journal.flush(_MUTE_WAIT)  # the batch under way may not have it yet
            if self.journal.write(self._clock.now(), {}, None):
                break
        if not self.journal.flush(_MUTE_WAIT) or self.journal.problem:
            raise StoreUnavailable(
                f"finding {number} is muted, but that could not be saved yet: "
                f"{self.journal.problem or 'the database does not answer'}"
            )

    def leave(self) -> None:
        """Write all down, for the next active mgr. Bounded."""
        if not self._teller.ledger.loaded:
            return  # what is stored is better than what was seen since
        self._detectors.history.close()
        self.journal.flush(_LEAVE_WAIT)
        self._put(self._detectors.history.take(_ALL))
        self.journal.write(self._clock.now(), self._detectors.save(), None, parts=1)
        self.journal.flush(_LEAVE_WAIT)

    def _put(self, rows: Sequence[SeriesRow]) -> None:
        findings, forgotten = self._teller.ledger.take_unsaved(self._clock.now())
        episodes = self._detectors.laggy.episodes()[:_EPISODES]
        self.journal.put(rows, findings, forgotten, episodes)
