"""Quiesce: the settings that a round has changed, recorded so that they are always put back.

A setting has a name (``what``) and a text as its value; None means that it is not set. The names:

    flag/noscrub                    "set" or "unset"
    balancer                        "on" or "off"
    pool/3/pg_autoscale_mode        "on", "off" or "warn"; pools by ID, names may change
    osd/7/primary_affinity          0 to 1, also osd/7/reweight; only on an operator's request
    config/osd/osd_bench_duration   the value in the configuration database for that section
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional

# The section and the option that switch the balancer, as the configuration database names them.
BALANCER_OPTION = "mgr/mgr/balancer/active"


class QuiesceState(str, Enum):
    """IDLE: nothing is changed. HELD: changed by a running round. Else: must be put back."""

    IDLE = "idle"
    HELD = "held"
    RESTORE_PENDING = "restore-pending"


def same_value(one: Optional[str], other: Optional[str]) -> bool:
    """Whether two texts are equal values: monitors store 30 as 30.000000 for some options."""
    if one is None or other is None:
        return one is other
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


@dataclass(frozen=True)
class SettingChange:
    """One change of a setting. ``at`` is the unix time right before it, by the writer's clock."""

    what: str
    was: Optional[str]
    want: Optional[str]
    at: float = 0.0


@dataclass(frozen=True)
class Entry:
    """One change in the journal: written before the change is made, removed after it is undone.

    ``key`` is never used again, so a write or removal that arrives late affects no other entry.
    ``holder`` is the owner of the change (a round's token), ``writer`` the process that wrote it.
    Times are unix seconds by the writer's clock; after ``until`` the change is undone in any case.
    """

    key: str
    holder: str
    writer: str
    since: float
    until: float
    change: SettingChange

    @property
    def what(self) -> str:
        return self.change.what


@dataclass(frozen=True)
class UnreadableEntry:
    """An entry of the journal that cannot be read, and why."""

    key: str
    why: str


@dataclass(frozen=True)
class Contents:
    """The content of the journal; each writer's entries are in the order of writing.

    ``made`` has the keys of entries whose change is known to be made.
    """

    entries: tuple[Entry, ...] = ()
    unreadable: tuple[UnreadableEntry, ...] = ()
    made: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Left:
    """A change that is not put back, because somebody else has changed the setting.

    ``now`` is its value; ``gone``: the setting no longer exists (its pool was removed). ``by`` is
    who set it, if Ceph knows.
    """

    what: str
    was: Optional[str]
    now: Optional[str]
    gone: bool = False
    by: Optional[str] = None


@dataclass(frozen=True)
class Waiting:
    """A change that is not put back yet, and why."""

    change: SettingChange
    why: str


@dataclass(frozen=True)
class Restored:
    """The outcome of a restore. Complete if nothing is ``waiting`` and ``unsaved`` is None.

    ``unsaved`` says why the journal could not be read or updated.
    """

    put_back: tuple[SettingChange, ...] = ()
    left: tuple[Left, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    unsaved: Optional[str] = None

    @property
    def complete(self) -> bool:
        return not self.waiting and self.unsaved is None


@dataclass(frozen=True)
class Changed:
    """One setting in ``quiesce status``; ``unread`` says why ``now`` is not known."""

    what: str
    was: Optional[str]
    want: Optional[str]
    now: Optional[str]
    unread: Optional[str] = None


@dataclass(frozen=True)
class QuiesceStatus:
    """The answer of ``quiesce status``. Times are unix seconds.

    ``why`` says why a restore is not complete. ``commands`` undo the remaining changes by hand, but
    for ``more_changes``.
    ``watched`` names settings that are watched for some minutes, because a process that died may
    have sent a command to change them. ``last`` is the outcome of the last round that ended on this
    mgr.
    """

    state: QuiesceState
    since: Optional[float] = None
    until: Optional[float] = None
    holder: Optional[str] = None
    changed: tuple[Changed, ...] = ()
    why: str = ""
    commands: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    last: Optional[Restored] = None
    more_changes: int = 0
