"""Advice, mClock, held settings, options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Optional, Union

from ..model.quiesce import QuiesceState
from .shape import ABSENT, Maybe


@dataclass(frozen=True)
class ModuleOption:
    """An option of the module, mgr/perf_bench/NAME.

    min and max are bounds of an int, at_once: a change needs no other mgr to become active.
    """

    name: str
    group: Literal["watch", "thresholds", "rounds", "history", "metrics", "health"]
    type: Literal["bool", "int", "str"]
    value: Union[bool, int, str]
    default: Union[bool, int, str]
    min: Optional[int]
    max: Optional[int]
    help: str
    at_once: bool


@dataclass(frozen=True)
class Threshold:
    """A threshold of the detector of slow OSDs."""

    name: str
    value: float
    default: float


@dataclass(frozen=True)
class TakenSetting:
    """Settings that others have changed since; they stay as they are."""

    what: str
    now: Optional[str]


@dataclass(frozen=True)
class QuiesceChange:
    """A setting that a round has changed.

    unread -- Why it is not known what it is now.
    """

    what: str
    was: Optional[str]
    want: Optional[str]
    now: Optional[str]
    unread: Maybe[Optional[str]] = ABSENT


@dataclass(frozen=True)
class QuiesceLeft:
    """A setting that is not put back: somebody else has set it since."""

    what: str
    was: Optional[str]
    now: Optional[str]
    gone: bool


@dataclass(frozen=True)
class QuiesceOutcome:
    """How putting back the settings of a round ended."""

    put_back: Sequence[TakenSetting]
    left: Sequence[QuiesceLeft]


@dataclass(frozen=True)
class Quiesce:
    """What a round has changed in the cluster's settings.

    until -- When all is put back at the latest.
    why -- Why not all is put back.
    commands -- They undo by hand what is left.
    commands_left_out -- The changes that they do not undo: there are too many.
    watched -- Settings for which an order may still be carried out.
    """

    state: QuiesceState
    since: Optional[str]
    until: Optional[str]
    holder: Optional[str]
    round: Optional[int]
    changed: Sequence[QuiesceChange]
    why: Optional[str]
    commands: Sequence[str]
    commands_left_out: int
    watched: Sequence[str]
    last: Optional[QuiesceOutcome]


@dataclass(frozen=True)
class QuiesceRestoredWaiting:
    """What is not put back yet, and why."""

    what: str
    was: Optional[str]
    why: str


@dataclass(frozen=True)
class QuiesceRestored(Quiesce):
    """The state after a restore, and its outcome."""

    complete: bool
    put_back: Sequence[TakenSetting]
    left: Sequence[QuiesceLeft]
    waiting: Sequence[QuiesceRestoredWaiting]
    unsaved: Optional[str]
