"""What the module is doing, and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from .problems import Problem
from .shape import ABSENT, Count, Maybe, Share, Stamp


@dataclass(frozen=True)
class LongestBench:
    """An OSD that a round waits for."""

    osd: int
    seconds: float


@dataclass(frozen=True)
class WaitsFor:
    """OSDs whose bench takes longer than 30 s.

    How many, and the first ones with their seconds, longest first.
    """

    osds: int
    longest: Sequence[LongestBench]


@dataclass(frozen=True)
class ActiveRound:
    """The round that runs; progress from 0 to 1.

    waits_for -- OSDs whose bench takes longer than 30 s: how many, and the first ones with their
        seconds, longest first.
    """

    id: Count
    profile: str
    phase: str
    progress: Share
    eta_seconds: Optional[float]
    samples: int
    samples_planned: int
    waits_for: WaitsFor


@dataclass(frozen=True)
class Limits:
    """Thresholds of verdicts and bounds of requests.

    An OSD is slow in a bench at slow_percent of its peers and robust z slow_z, or at half_percent
    and half_z, and below; in the watch from watch_ratio on. A series counts frames of
    frame_seconds with frame_ratio times the peers' latency.
    """

    slow_percent: float
    slow_z: float
    half_percent: float
    half_z: float
    watch_ratio: float
    frame_seconds: float
    frame_ratio: float
    max_clients: float
    max_threads: float
    min_seconds: float
    max_seconds: float
    max_rests: float
    min_every_seconds: float
    max_import_bytes: float


@dataclass(frozen=True)
class Scheduler:
    """Whether schedules run, and when the next one is due."""

    enabled: bool
    next: Optional[Stamp]


@dataclass(frozen=True)
class FindingCounts:
    """Open findings by severity."""

    error: int
    warning: int
    info: int


@dataclass(frozen=True)
class Watch:
    """What is watched, and how the watch itself is.

    Problem says what keeps it from looking or writing, lost_rows counts what the database would
    not take.

    judged -- OSDs that have a verdict on their latencies now.
    late_seconds -- By how much the next tick is late; 0 if it is not.
    """

    on: bool
    osds: int
    tick_seconds: Optional[float]
    judged: int
    since: Optional[Stamp]
    last_tick_at: Optional[Stamp]
    late_seconds: int
    last_tick_cpu_seconds: Optional[float]
    errors: int
    problem: Optional[str]
    lost_rows: int


@dataclass(frozen=True)
class Store:
    """The database in the cluster.

    Error says why it does not answer, ready that this mgr has read it: before that no round
    starts.

    bytes -- The size of the database; free_bytes of it are unused, limit_bytes is the most that it
        may take.
    """

    backend: Optional[str]
    rounds: Optional[int]
    schema_version: Optional[int]
    error: Maybe[Optional[str]] = ABSENT
    bytes: Maybe[Optional[int]] = ABSENT
    free_bytes: Maybe[Optional[int]] = ABSENT
    limit_bytes: Maybe[int] = ABSENT
    ready: Maybe[bool] = ABSENT
    integrity: Maybe[str] = ABSENT


@dataclass(frozen=True)
class StatusQuiesce:
    """What a round holds still."""

    state: str


@dataclass(frozen=True)
class SuspectOsd:
    """An OSD that seems slow.

    ratio -- Its latency over that of its peers.
    since -- Null: not known, as nobody looked when it began.
    """

    osd: int
    ratio: Optional[float]
    since: Optional[Stamp]


@dataclass(frozen=True)
class Suspects:
    """OSDs that seem slow, for too short a time or too uncertainly for a finding.

    osds -- How many.
    worst -- The slowest.
    """

    osds: int
    worst: Sequence[SuspectOsd]


@dataclass(frozen=True)
class SlowestInRounds:
    """The slowest OSD of a round."""

    osd: int
    round: int
    percent_of_peers: float


@dataclass(frozen=True)
class SlowInRounds:
    """OSDs that rounds of the last week found slow and that no open finding is about.

    osds -- How many.
    worst -- The slowest.
    """

    osds: int
    worst: Sequence[SlowestInRounds]


@dataclass(frozen=True)
class Coverage:
    """What is looked at.

    looks -- How many kinds of things.
    complete -- Of how many of these nothing is missing.
    gaps -- What could not be looked at, the first ones in words.
    more -- How many gaps there are beside these.
    """

    looks: int
    complete: int
    gaps: Sequence[str]
    more: int


@dataclass(frozen=True)
class Reconciler:
    """The newest pass of what compares what should be with what is."""

    name: str
    last_pass_at: Optional[str]
    seconds: Optional[float]
    failing_since: Optional[str]
    problem: Optional[str]


@dataclass(frozen=True)
class Status:
    """How things stand.

    scheduler -- Whether schedules run, and when the next one is due.
    findings -- Open findings by severity.
    watch -- What is watched, and how the watch itself is: problem says what keeps it from looking
        or writing, lost_rows counts what the database would not take.
    store -- The database in the cluster; error says why it does not answer, ready that this mgr
        has read it: before that no round starts.
    quiesce -- What a round holds still.
    slow_in_rounds -- OSDs that a round of the last week measured as slow against their peers and
        that no open finding is about: how many, and the slowest.
    coverage -- How many kinds of things are looked at, of how many nothing is missing, and the
        first gaps in words; more counts the rest.
    reconcilers -- What each part of the module's loop did last, and since when it fails.
    problems -- Everything that is wrong now, worst first; problems_left_out counts the rest.
    relieved_osds -- OSDs that 'osd relieve' changed; null: the journal was not read yet.
    """

    version: str
    release: str
    active_round: Optional[ActiveRound]
    scheduler: Scheduler
    findings: FindingCounts
    watch: Watch
    store: Store
    quiesce: StatusQuiesce
    suspects: Suspects
    slow_in_rounds: SlowInRounds
    coverage: Coverage
    problems: Maybe[Sequence[Problem]] = ABSENT
    problems_left_out: Maybe[int] = ABSENT
    reconcilers: Maybe[Sequence[Reconciler]] = ABSENT
    relieved_osds: Maybe[Optional[int]] = ABSENT
    limits: Maybe[Limits] = ABSENT


@dataclass(frozen=True)
class Refusal:
    """An error.

    Detail is one sentence for the user, code a word for programs, field the argument to mend.

    reasons -- Every cause of a refusal, where there are several.
    """

    detail: str
    code: str
    field: Maybe[str] = ABSENT
    reasons: Maybe[Sequence[str]] = ABSENT
