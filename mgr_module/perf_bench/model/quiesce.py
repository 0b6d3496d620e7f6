"""Quiesce: what a round has changed in the cluster, kept so that it is put back whatever happens.

A setting has a name (``what``) and a text as its value; None means that it is not set. The names:

    flag/noscrub                    "set" or "unset"
    balancer                        "on" or "off"
    pool/3/pg_autoscale_mode        "on", "off" or "warn"; pools by ID, names may change
    config/osd/osd_bench_duration   what the configuration database has for that section
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Optional

RESTORE_PENDING = "PERF_BENCH_RESTORE_PENDING"


class QuiesceState(str, Enum):
    """IDLE: nothing is changed. HELD: by a round that runs. Else it is to be put back."""

    IDLE = "idle"
    HELD = "held"
    RESTORE_PENDING = "restore-pending"


@dataclass(frozen=True)
class Change:
    """One setting that a round changes. ``at`` is unix seconds of when it was about to.

    ``made`` is false until the change is known to have been carried out.
    """

    what: str
    was: Optional[str]
    want: Optional[str]
    at: float = 0.0
    made: bool = False


@dataclass(frozen=True)
class Journal:
    """What one round changes, in its order. Times are unix seconds.

    ``holder`` is the round's token. After ``until`` all is put back whatever happens.
    """

    holder: str
    since: float
    until: float
    changes: tuple[Change, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As it is stored; ``from_json`` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Journal:
        """A journal that was stored; keys of a later version are passed over."""
        keys = Change.__dataclass_fields__
        changes = tuple(
            Change(**{key: value for key, value in change.items() if key in keys})
            for change in saved["changes"]
        )
        return cls(saved["holder"], saved["since"], saved["until"], changes)


@dataclass(frozen=True)
class Left:
    """A change that is not put back, because somebody else changed the setting meanwhile.

    ``now`` is its value; ``gone``: there is no such setting any more (its pool was removed).
    """

    what: str
    was: Optional[str]
    now: Optional[str]
    gone: bool = False


@dataclass(frozen=True)
class Waiting:
    """A change that is still to be put back, and why it has not been yet."""

    change: Change
    why: str


@dataclass(frozen=True)
class Restored:
    """What became of a restore. Complete when nothing is ``waiting`` and ``unsaved`` is None.

    ``unsaved`` is why the journal could not be brought up to date; the settings come first.
    """

    put_back: tuple[Change, ...] = ()
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
    """How things stand. Times are unix seconds; ``why`` is what keeps a restore from its end."""

    state: QuiesceState
    since: Optional[float] = None
    until: Optional[float] = None
    holder: Optional[str] = None
    changed: tuple[Changed, ...] = ()
    why: str = ""
