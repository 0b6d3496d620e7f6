"""Read a profile's rounds from the store, a few at a time, so that other calls need not wait."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

from ...model.comparison import History
from ...model.finding import Claim
from ...model.round import Round, RoundLine
from ...model.said import say
from ...store.sqlite import Store
from .client_rounds import obstacles_of_clients
from .comparable import obstacles
from .history import MOST_ROUNDS, history, regression

# A round of 10,000 OSDs is 100 KiB: 2 MiB a piece.
PIECE = 20


class ProfileHistoryReader:
    """One profile's newest rounds, at most MOST_ROUNDS, and its baseline (a round's ID)."""

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self.baseline: Optional[int] = None
        self._rounds: list[Round] = []
        # Whether there are older rounds than those that are read.
        self._older = False

    def read(self, store: Store) -> bool:
        """Read the next piece; returns whether there may be more."""
        if not self._rounds:
            found = [b.round.id for b in store.baselines() if b.round.profile == self.profile]
            self.baseline = found[0] if found else None
        before = self._rounds[-1].id if self._rounds else None
        piece = store.past(self.profile, PIECE, before)
        self._rounds += piece
        if len(self._rounds) >= MOST_ROUNDS:
            self._older = bool(store.past(self.profile, 1, self._rounds[-1].id))
            return False
        return len(piece) == PIECE

    def history(self, like: Optional[int] = None) -> History:
        """The history of the baseline, or of the round ``like``, from the rounds read so far."""
        found = history(self._rounds, self.baseline if like is None else like)
        if not self._older:
            return found if found.profile else History(self.profile)
        oldest = self._rounds[-1]
        older = say(
            "left-out-older",
            "rounds before round {round}: only the newest {most} of the profile are read",
            round=oldest.id,
            most=MOST_ROUNDS,
        )
        since = oldest.started_at or oldest.created_at
        return replace(found, left_out=(*found.left_out, older), read_since=since)

    def regression(self, past: History) -> Optional[Claim]:
        """The result of ``history.regression`` for this ``history()``."""
        return regression(past, self.baseline)

    def comparable(self, round_: Round) -> list[RoundLine]:
        """Those that measured an OSD of ``round_`` and can be compared with it, newest first."""
        osds = frozenset(round_.plan.osds)
        return [
            other.line
            for other in self._rounds
            if not osds.isdisjoint(other.plan.osds)
            and not obstacles(round_, other)
            and not any(obstacles_of_clients(round_, other))
        ]
