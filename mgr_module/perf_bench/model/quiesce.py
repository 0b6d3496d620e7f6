"""Quiesce: what a round has changed in the cluster, kept so that it is put back whatever happens.

A setting has a name (``what``) and a text as its value; None means that it is not set. The names:

    flag/noscrub                    "set" or "unset"
    balancer                        "on" or "off"
    pool/3/pg_autoscale_mode        "on", "off" or "warn"; pools by ID, names may change
    config/osd/osd_bench_duration   what the configuration database has for that section
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional


class QuiesceState(str, Enum):
    """IDLE: nothing is changed. HELD: by a round that runs. Else it is to be put back."""

    IDLE = "idle"
    HELD = "held"
    RESTORE_PENDING = "restore-pending"


def same_value(one: Optional[str], other: Optional[str]) -> bool:
    """Whether two texts are the same value: monitors store 30 as 30.000000 for some options."""
    if one is None or other is None:
        return one is other
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


@dataclass(frozen=True)
class SettingChange:
    """One setting that is changed. ``at`` is the unix time right before, by the writer's clock."""

    what: str
    was: Optional[str]
    want: Optional[str]
    at: float = 0.0


@dataclass(frozen=True)
class Entry:
    """One change in the journal: written once before it is made, removed after it is undone.

    ``key`` is unique for all time, so no write or removal that arrives late can hit another
    entry. ``holder`` is whose change it is (a round's token), ``writer`` which process wrote it.
    Times are unix seconds by the writer's clock; after ``until`` the change is undone whatever
    happens.
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
class Unreadable:
    """An entry of the journal that cannot be read, and why."""

    key: str
    why: str


@dataclass(frozen=True)
class Contents:
    """What the journal holds: by writer the entries in the order in which they were written.

    ``made`` are keys of entries whose change is known to have been carried out.
    """

    entries: tuple[Entry, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    made: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Left:
    """A change that is not put back, because somebody else changed the setting meanwhile.

    ``now`` is its value; ``gone``: there is no such setting any more (its pool was removed).
    ``by`` is who set it, where Ceph knows.
    """

    what: str
    was: Optional[str]
    now: Optional[str]
    gone: bool = False
    by: Optional[str] = None


@dataclass(frozen=True)
class Waiting:
    """A change that is still to be put back, and why it has not been yet."""

    change: SettingChange
    why: str


@dataclass(frozen=True)
class Restored:
    """What became of a restore. Complete when nothing is ``waiting`` and ``unsaved`` is None.

    ``unsaved`` is why the journal could not be read or brought up to date.
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
    """One setting in ``quiesce status``; ``now`` is None also where it cannot be read."""

    what: str
    was: Optional[str]
    want: Optional[str]
    now: Optional[str]


@dataclass(frozen=True)
class QuiesceStatus:
    """How things stand. Times are unix seconds; ``why`` is what keeps a restore from its end.

    ``commands`` undo by hand what is still changed. ``watched`` names settings that a process
    that died may have ordered to change: they are looked at for some minutes. ``last`` is what
    became of the settings of the last round that this mgr saw end.
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
