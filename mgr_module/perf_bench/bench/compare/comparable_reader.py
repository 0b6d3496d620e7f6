"""Read from the store which rounds a round can be compared with, a few rounds at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ...model.round import Round, RoundLine
from ...store.sqlite import Store
from .client_rounds import obstacles_of_clients
from .comparable import obstacles
from .history import MOST_ROUNDS
from .profile_history_reader import PIECE


class ComparableReader:
    """The rounds that are comparable with one, of the newest MOST_ROUNDS of its profile."""

    def __init__(self, round_: Round) -> None:
        self._round = round_
        self._measured = frozenset(round_.plan.osds)
        self._before: Optional[int] = None
        self._read = 0
        self._found: list[RoundLine] = []

    def read(self, store: Store) -> bool:
        """Read the next piece; returns whether there may be more."""
        piece = store.past(self._round.profile, PIECE, self._before)
        self._found += [other.line for other in piece if self._fits(other)]
        self._read += len(piece)
        self._before = piece[-1].id if piece else None
        return len(piece) == PIECE and self._read < MOST_ROUNDS

    @property
    def found(self) -> Sequence[RoundLine]:
        """Those that were read so far, newest first."""
        return self._found

    def _fits(self, other: Round) -> bool:
        against = (*obstacles(self._round, other), *obstacles_of_clients(self._round, other))
        return not against and not self._measured.isdisjoint(other.plan.osds)
