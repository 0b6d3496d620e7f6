"""A finding: something wrong, about something, with evidence, one life, and what went with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, Optional

# The kind of target that regressions are about.
PROFILE = "profile"
# Characters of an acknowledgement's text, and of the name of who wrote it.
ACK_TEXT, ACK_NAME = 500, 100
# Closed findings are kept for so many seconds.
CLOSED_KEPT_SECONDS = 90 * 86400.0


class Severity(str, Enum):
    """How bad. INFO is never a health warning."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class FindingState(str, Enum):
    """OPEN until its cause is gone; MUTED is open without being shown in health."""

    OPEN = "open"
    MUTED = "muted"
    CLOSED = "closed"


@dataclass(frozen=True)
class Target:
    """What it is about.

    ``kind`` is osd, host, enclosure, rack, cohort, pool, profile, mgr, part (of this module) or
    cluster.
    """

    kind: str
    id: str

    def __str__(self) -> str:
        return f"osd.{self.id}" if self.kind == "osd" and self.id.isdigit() else self.id


@dataclass(frozen=True)
class Claim:
    """What a detector holds to be true now. ``since`` is unix seconds.

    ``message`` is one sentence that names the target and the figure. ``evidence`` is JSON-ready
    and has the figures behind it. One (code, target) is claimed once.
    """

    code: str
    severity: Severity
    target: Target
    message: str
    evidence: Mapping[str, Any]
    since: float

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.code, self.target.kind, self.target.id)


@dataclass(frozen=True)
class Acknowledgement:
    """What an operator has noted on a finding. ``at`` is unix seconds.

    ``by`` is None if the operator was not named: ceph-mgr does not tell modules whose key a command
    came with.
    """

    text: str
    at: float
    by: Optional[str] = None


@dataclass(frozen=True)
class Finding:
    """A claim with its life. Times are unix seconds; ``id`` 0 means not stored yet."""

    id: int
    code: str
    severity: Severity
    target: Target
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    first_seen: float = 0.0
    last_seen: float = 0.0
    state: FindingState = FindingState.OPEN
    muted_until: Optional[float] = None
    closed_at: Optional[float] = None
    acknowledged: Optional[Acknowledgement] = None

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.code, self.target.kind, self.target.id)


# --- What happened around a finding: changes of the configuration, and what is placed on OSDs ---


class ConfigChange(NamedTuple):
    """One change in the monitors' log of the configuration. ``at`` is unix seconds.

    ``name`` is "SECTION/OPTION"; None is no value.
    """

    at: float
    name: str
    before: Optional[str]
    after: Optional[str]


class ConfigLog(NamedTuple):
    """The newest changes, newest first; ``begins`` is since when they are known (unix seconds).

    None: all are.
    """

    changes: Sequence[ConfigChange] = ()
    begins: Optional[float] = None


class Placed(NamedTuple):
    """What is placed on one OSD: its number of placement groups, and the pools with data on it."""

    pgs: int
    pools: tuple[str, ...]
