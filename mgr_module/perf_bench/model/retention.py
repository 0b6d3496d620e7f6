"""How much of the history is kept, what was removed, and the size of the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Optional

from .bench import MIB

# The newest valid rounds of a profile that are always kept. The search for changes of level needs
# five rounds before a change and three after it; of steps of 10 % it finds 24 of 25 with 20 rounds
# before them, and 18 of 25 with 10 (bench/compare/history.py).
NEEDED_ROUNDS = 20
# Removed rounds that are remembered.
REMEMBERED = 200
# Why a round was removed that the operator removed.
BY_OPERATOR = "'round rm'"


@dataclass(frozen=True)
class RetentionRules:
    """The operator's limits: rounds of a profile, days (0: any age), MiB of the whole database."""

    rounds: int = 200
    days: int = 0
    mebibytes: int = 4096

    @property
    def bytes(self) -> int:
        return self.mebibytes * MIB


@dataclass(frozen=True)
class RemovedRound:
    """A round that was removed; times are unix seconds. ``why`` is a sentence without its dot."""

    round_id: int
    profile: str
    label: str
    created_at: float
    removed_at: float
    why: str


class KindSize(NamedTuple):
    """Rows of one kind of data, and about how many bytes of the database they take."""

    kind: str
    rows: int
    bytes: int


@dataclass(frozen=True)
class StoreUsage:
    """The size of the file. ``free`` bytes of it are unused; ``shrinkable``: it can give them back.

    ``rounds`` are all rounds, ``removable`` those that the limit of the size may remove.
    """

    bytes: int
    free: int
    shrinkable: bool
    rounds: int = 0
    removable: int = 0

    @property
    def used(self) -> int:
        return self.bytes - self.free


@dataclass(frozen=True)
class Tended:
    """The result of one step of retention; ``more``: there is more to do at once.

    After the last step ``history`` has the removed rounds that are remembered, newest first.
    """

    usage: StoreUsage
    more: bool = False
    removed: Optional[RemovedRound] = None
    history: Sequence[RemovedRound] = ()


@dataclass(frozen=True)
class Sizes:
    """What each kind of data took when all rows were read last, largest first."""

    at: float
    kinds: Sequence[KindSize]
