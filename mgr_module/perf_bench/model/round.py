"""A round: one run of a profile over chosen OSDs, from its plan to its verdict, and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, Optional

from .bench import Step
from .plan import TOOLS, Plan

# Kinds of rounds: of OSDs, of clients, and imported from other tools.
KINDS = ("osd", "rados", *TOOLS)


class RoundState(str, Enum):
    """The state of a round."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    ABORTED = "aborted"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        return self in (RoundState.DONE, RoundState.ABORTED, RoundState.FAILED)


class Verdict(str, Enum):
    """The quality of a round's figures."""

    VALID = "valid"
    NOISY = "noisy"
    TOO_SHORT = "too-short"
    CONTAMINATED = "contaminated"
    ABORTED = "aborted"
    FAILED = "failed"


@dataclass(frozen=True)
class OsdResult:
    """One OSD's result. Figures are medians over its ``samples`` valid samples.

    ``seconds`` is the sum of their measured times, ``median_call_seconds`` the time of one call
    with preparation and clean-up.

    ``robust_z`` is negative for an OSD slower than its peers. ``percent_of_peers`` compares with
    the median of the *other* OSDs of the peer group. Both are None without peers.
    """

    osd: int
    host: str
    device_class: Optional[str] = None
    model: Optional[str] = None
    samples: int = 0
    seconds: float = 0.0
    median_call_seconds: Optional[float] = None
    median_bytes_per_second: Optional[float] = None
    median_iops: Optional[float] = None
    cv_percent: Optional[float] = None
    robust_z: Optional[float] = None
    percent_of_peers: Optional[float] = None


@dataclass(frozen=True)
class Conclusion:
    """A conclusion from the figures, with the figures as evidence."""

    code: str
    message: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class RoundLine:
    """A round in a list: its small fields.

    ``unreadable`` is why the stored row cannot be read; the other fields hold what could be read.
    """

    id: int
    profile: str
    kind: str
    state: RoundState
    step: Step
    label: str = ""
    created_at: float = 0.0
    started_at: Optional[float] = None
    ended_at: Optional[float] = None
    verdict: Optional[Verdict] = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    unreadable: Optional[str] = None

    def is_before(self, created_at: Optional[float]) -> bool:
        """Whether it began before an OSD was made: it measured another one that had its ID.

        So it did where the OSD was made while it ran, perhaps in a part of its repeats. False where
        either time is not known.
        """
        began = self.ended_at if self.started_at is None else self.started_at
        return began is not None and created_at is not None and began < created_at


@dataclass(frozen=True)
class Round:
    """One round. ``id`` 0 means not stored yet; times are unix seconds.

    ``token`` identifies it before it has an ID, so that it is never stored twice. ``resumed``
    counts how often another mgr has continued it. ``environment`` describes the cluster when it
    started, for comparisons.
    """

    id: int
    profile: str
    kind: str
    state: RoundState
    plan: Plan
    token: str = ""
    label: str = ""
    created_at: float = 0.0
    started_at: Optional[float] = None
    ended_at: Optional[float] = None
    verdict: Optional[Verdict] = None
    reasons: tuple[str, ...] = ()
    conclusions: tuple[Conclusion, ...] = ()
    environment: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    resumed: int = 0

    def ends_at(self, now: float) -> float:
        """The time of its end, which a clock that was set back meanwhile puts before its begin."""
        return now if self.started_at is None else max(now, self.started_at)

    @property
    def line(self) -> RoundLine:
        """The round's line in a list."""
        names = {one.name for one in fields(RoundLine)}
        shared = {name: value for name, value in vars(self).items() if name in names}
        return RoundLine(step=self.plan.step, **shared)


@dataclass(frozen=True)
class MeasuredPhase:
    """One OSD in one phase: medians over its ``samples`` valid samples."""

    bytes_per_second: float
    iops: float
    samples: int
    cv_percent: Optional[float]


@dataclass(frozen=True)
class Part:
    """One part of a round.

    ``measured`` is by operation and OSD; an operation that the part does not have is not in
    there, nor is an OSD without a valid sample. Times are unix seconds: ``ended_at`` is None
    until all its samples are there, ``started_at`` until the first is. ``since_load`` is how many
    seconds after the end of TOGETHER it began. ``percent_of_before`` is by operation what its OSDs
    reach of what they reached in BEFORE, their median; None where nothing can be compared.
    """

    name: str
    rest_seconds: float
    osds: tuple[int, ...]
    started_at: Optional[float] = None
    ended_at: Optional[float] = None
    since_load: Optional[float] = None
    measured: Mapping[str, Mapping[int, MeasuredPhase]] = field(default_factory=dict)
    percent_of_before: Mapping[str, Optional[float]] = field(default_factory=dict)
