"""A round: one run of a profile over chosen OSDs, from its plan to its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Optional

from .bench import Step
from .imported import TOOLS
from .osd import Osd
from .plan import Plan

# Rounds of our own, and those taken over from other tools.
KINDS = ("osd", "rados", *TOOLS)


class RoundState(str, Enum):
    """Where a round is in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    ABORTED = "aborted"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        return self in (RoundState.DONE, RoundState.ABORTED, RoundState.FAILED)


class Verdict(str, Enum):
    """What a round's figures are worth."""

    VALID = "valid"
    NOISY = "noisy"
    TOO_SHORT = "too-short"
    CONTAMINATED = "contaminated"
    ABORTED = "aborted"
    FAILED = "failed"


@dataclass(frozen=True)
class OsdResult:
    """One OSD's share of a round. Figures are medians over its ``samples`` valid samples.

    ``seconds`` is their measured time together, ``median_call_seconds`` what one call took with
    preparation and clean-up.

    ``robust_z`` is negative for slower than the peers. ``percent_of_peers`` compares with the
    median of the *other* OSDs of the peer group; both are None without peers to compare with.
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

    @classmethod
    def before(cls, osd: Osd) -> OsdResult:
        """An OSD's empty row: who it was when the round was planned."""
        return cls(osd.id, osd.host, osd.device_class, osd.model)


@dataclass(frozen=True)
class Conclusion:
    """Something the figures say, with the figures."""

    code: str
    message: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class RoundLine:
    """What a list says of a round: all that is small. The round itself has the rest."""

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


@dataclass(frozen=True)
class Round:
    """One round. ``id`` 0 means not stored yet; times are unix seconds.

    ``token`` names it before it has an ID, so that storing it twice stores it once.
    ``resumed`` counts how often another mgr carried it on. ``environment`` is what was true of
    the cluster when it started; a result without it means nothing.
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

    @property
    def line(self) -> RoundLine:
        """The round as a list has it."""
        return RoundLine(
            id=self.id,
            profile=self.profile,
            kind=self.kind,
            state=self.state,
            step=self.plan.step,
            label=self.label,
            created_at=self.created_at,
            started_at=self.started_at,
            ended_at=self.ended_at,
            verdict=self.verdict,
            summary=self.summary,
        )
