"""Settings that are changed for a while: the change, and what became of putting it back.

A setting has a name (``what``) and a text as its value; None means that it is not set. The names:

    flag/noscrub                    "set" or "unset"
    balancer                        "on" or "off"
    pool/3/pg_autoscale_mode        "on", "off" or "warn"; pools by ID, names may change
    osd/7/primary_affinity          0 to 1, also osd/7/reweight; only on an operator's request
    config/osd/osd_bench_duration   the value in the configuration database for that section
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Optional

BALANCER = "balancer"
# The section and the option that switch the balancer, as the configuration database names them.
BALANCER_OPTION = "mgr/mgr/balancer/active"

# Names of settings to values.
Values = Mapping[str, Optional[str]]


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
    """One change of a setting, as it is recorded before it is made.

    ``at`` is the unix time of that by the writer's clock, ``holder`` its owner (a round's token).
    After ``until`` (unix seconds) it is put back in any case; None: on request only. ``also`` are
    other values that count as ours. Until ``late_until`` (unix seconds) a command for it may be
    carried out; 0: all were answered.
    """

    what: str
    was: Optional[str]
    want: Optional[str]
    at: float = 0.0
    holder: str = ""
    until: Optional[float] = None
    also: tuple[Optional[str], ...] = ()
    late_until: float = 0.0

    def is_ours(self, value: Optional[str]) -> bool:
        """Whether the setting has a value that this change gave it."""
        return any(same_value(value, one) for one in (self.want, *self.also))

    def over(self, earlier: Optional[SettingChange]) -> SettingChange:
        """This change, made after an earlier one of the same setting that was not put back."""
        if earlier is None or not (earlier.is_ours(self.was) or same_value(earlier.was, self.was)):
            return self
        also = dict.fromkeys((*self.also, earlier.want, *earlier.also))
        return replace(self, was=earlier.was, also=tuple(also))


def plan_changes(now: Values, wanted: Values) -> list[SettingChange]:
    """The changes from the present values to the wanted ones.

    A setting that already has the wanted value, or does not exist, is left alone.
    """
    return [
        SettingChange(what, now[what], value)
        for what, value in wanted.items()
        if what in now and not same_value(now[what], value)
    ]


@dataclass(frozen=True)
class UnreadableKey:
    """A key of the journal that cannot be read, and why."""

    key: str
    why: str


@dataclass(frozen=True)
class Left:
    """A change that is not put back, because somebody else has changed the setting.

    ``now`` is its value; ``gone``: the setting no longer exists (its pool was removed).
    """

    what: str
    was: Optional[str]
    now: Optional[str]
    gone: bool = False


@dataclass(frozen=True)
class Waiting:
    """A change that is not put back yet, and why."""

    change: SettingChange
    why: str


@dataclass(frozen=True)
class Restored:
    """The outcome of a restore. Complete if nothing is ``waiting`` and ``unsaved`` is None.

    ``same`` had the value of before already. ``unsaved`` says why the journal was not updated.
    """

    put_back: tuple[SettingChange, ...] = ()
    left: tuple[Left, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    same: tuple[SettingChange, ...] = ()
    unsaved: Optional[str] = None

    @property
    def complete(self) -> bool:
        return not self.waiting and self.unsaved is None

    @staticmethod
    def all_of(parts: Iterable[Restored]) -> Restored:
        """The outcomes of several changes as one."""
        parts = tuple(parts)
        return Restored(
            tuple(one for part in parts for one in part.put_back),
            tuple(one for part in parts for one in part.left),
            tuple(one for part in parts for one in part.waiting),
            tuple(one for part in parts for one in part.same),
            next((part.unsaved for part in parts if part.unsaved), None),
        )


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


AFFINITY, REWEIGHT = "primary_affinity", "reweight"
# How the two are called in sentences.
WORDS = {AFFINITY: "primary affinity", REWEIGHT: "reweight"}
# The OSD map keeps both as multiples of this part of 1.
_PARTS = 0x10000


def stored(value: float) -> str:
    """The value (0 to 1) as the OSD map keeps it: 0.3 becomes 0.29998779296875."""
    return repr(int(value * _PARTS) / _PARTS)


def setting(osd: int, what: str) -> str:
    """The name of the setting, for ``model.quiesce``."""
    return f"osd/{osd}/{what}"


@dataclass(frozen=True)
class Relief:
    """One relief: what it changed, and what the OSD map has ``now`` (None: no such OSD).

    ``unread`` says why the map could not be asked.
    """

    change: SettingChange
    now: Optional[str] = None
    unread: Optional[str] = None

    @property
    def since(self) -> float:
        """Unix seconds."""
        return self.change.at

    @property
    def osd(self) -> int:
        return int(self.change.what.split("/")[1])

    @property
    def what(self) -> str:
        return self.change.what.split("/")[2]

    @property
    def in_effect(self) -> Optional[bool]:
        """Whether the OSD map has what was set; None if it could not be asked."""
        return None if self.unread else same_value(self.now, self.change.want)


def is_out(what: str, now: Optional[float]) -> bool:
    """Whether the OSD is out: Ceph has the reweight 0 then, and gives it the one of before again.

    A relief never sets a reweight to 0.
    """
    return what == REWEIGHT and now == 0


def why_out(change: SettingChange, now: Optional[str]) -> Optional[str]:
    """Why a change that is a reweight cannot be put back now: the OSD is out, None if it is not.

    The map has the weight 0 until it is in again. The monitors keep the weight that it had
    (``osd_xinfo``), and give it that then: without the journal it would stay relieved for ever.
    """
    kind, _, name = change.what.partition("/")
    osd, _, field = name.partition("/")
    if kind != "osd" or now is None or not is_out(field, float(now)):
        return None
    return f"osd.{osd} is out, and has reweight {change.want} when it is in again: undo it then"
