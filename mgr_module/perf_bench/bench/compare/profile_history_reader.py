"""Read a profile's rounds from the store, a few at a time, so that other calls need not wait."""

from __future__ import annotations

from typing import Optional

from ...model.comparison import History
from ...model.finding import Claim
from ...model.round import Round
from ...ports import RoundStore
from .history import MOST_ROUNDS, history, regression

# A round of 10,000 OSDs is 100 KiB: 2 MiB a piece.
PIECE = 20


class ProfileHistoryReader:
    """One profile's newest rounds, at most MOST_ROUNDS, and its baseline (a round's ID)."""

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self.baseline: Optional[int] = None
        self._rounds: list[Round] = []

    def read(self, store: RoundStore) -> bool:
        """Read the next piece; returns whether there may be more."""
        if not self._rounds:
            found = [b.round.id for b in store.baselines() if b.round.profile == self.profile]
            self.baseline = found[0] if found else None
        before = self._rounds[-1].id if self._rounds else None
        piece = store.past(self.profile, PIECE, before)
        self._rounds += piece
        return len(piece) == PIECE and len(self._rounds) < MOST_ROUNDS

    def history(self, like: Optional[int] = None) -> History:
        """The history of the baseline, or of the round ``like``, from the rounds read so far."""
        found = history(self._rounds, self.baseline if like is None else like)
        return found if found.profile else History(self.profile)

    def regression(self) -> Optional[Claim]:
        """The result of ``history.regression``."""
        return regression(self.history(), self.baseline)
