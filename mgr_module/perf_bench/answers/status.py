"""``status``: what the module is doing, how its watch is, and its errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from ..core.clock import Clock
from ..core.reconcile import Pass
from ..model.cluster import Cluster
from ..model.finding import FRAME_SECONDS, SLOW_OSDS
from ..model.history import SLOW_FRAME_RATIO
from ..model.json_fields import Json
from ..model.phrases import plural, times_text
from ..model.verdict import OsdState
from ..watch import service
from .coverage import kinds_looked
from .paging import MAPS_AGE
from .problems import Problem
from .shape import ABSENT, Count, Maybe, Share, Stamp
from .text import duration, facts, iso, minute, short_time, size

# A tick is late when so many were due since the last one; one may take longer on a busy mgr.
LATE_TICKS = 6
# Suspects in the status by name; their number has all.
_MOST_SUSPECTS = 5


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


class WatchApi:
    """What the status says of the watch."""

    def __init__(self, watch: service.Watch, cluster: Cluster, clock: Clock) -> None:
        self._watch = watch
        self._cluster = cluster
        self._clock = clock

    def status(self) -> Json:
        """The state of the watch; ``last_tick_at`` is null while it is off.

        ``judged`` is how many OSDs have a verdict on their latencies now, ``since`` the time since
        when every tick has succeeded, ``late_seconds`` by how much the next tick is late.
        """
        stats, options = self._watch.tick_stats, self._watch.options()
        judged = sum(one.looked for one in self._watch.coverage() if one.name == SLOW_OSDS)
        due = math.inf if stats.at is None else stats.at + LATE_TICKS * options.tick_seconds
        now = self._clock.now()
        return {
            "on": options.on,
            "osds": len(self._cluster.osds(MAPS_AGE)),
            "tick_seconds": options.tick_seconds,
            "judged": judged if options.on else 0,
            "since": iso(stats.since),
            "last_tick_at": iso(stats.at),
            "late_seconds": round(now - due) if options.on and now > due else 0,
            "last_tick_cpu_seconds": stats.cpu_seconds,
            "errors": stats.errors,
            "problem": self._watch.problem() or self._watch.journal.problem,
            "lost_rows": self._watch.journal.lost,
        }

    def suspects(self) -> Json:
        """The OSDs that seem slow, for too short or too uncertainly for a finding.

        Their number and the slowest; ``since`` is null where nobody looked when it began.
        """
        verdicts = self._watch.osd_snapshot().verdicts.values()
        found = [one for one in verdicts if one.state is OsdState.SUSPECT]
        found.sort(key=lambda one: (-(one.ratio or 0.0), one.osd))
        worst = [
            {"osd": one.osd, "ratio": one.ratio, "since": iso(one.since)}
            for one in found[:_MOST_SUSPECTS]
        ]
        return {"osds": len(found), "worst": worst}

    def limits(self) -> Json:
        """From which ratio an OSD is slow, and which frames count as slow in a series."""
        return {
            "watch_ratio": self._watch.sustained_ratio,
            "frame_seconds": FRAME_SECONDS,
            "frame_ratio": SLOW_FRAME_RATIO,
        }


# --- as text ---------------------------------------------------------------------------------


def status_text(shape: Json) -> str:
    """Text of ``status``."""
    active, watch, store = shape["active_round"], shape["watch"], shape["store"]
    if active:
        done = f"{100 * active['progress']:.0f} %"
        eta = "" if active["eta_seconds"] is None else f", {duration(active['eta_seconds'])} left"
        running = f"{active['id']} ({active['profile']}): {active['phase']}, {done}{eta}"
        running += _waits_for(active["waits_for"])
    else:
        running = "none"
    stored = store["error"] or f"{plural(store['rounds'], 'round')} in {store['backend']}"
    if store["bytes"] is not None and not store["error"]:
        stored += f", {size(store['bytes'])} of at most {size(store['limit_bytes'])}"
    if not (store["ready"] or store["error"]):
        stored += ", not read yet"
    if store["integrity"] not in ("ok", "unchecked", "pages unchecked"):
        stored += f" ({store['integrity']}: 'ceph perf-bench store status')"
    pairs = [
        ("round", running),
        ("findings", _open_findings(shape["findings"])),
        ("not sure yet", _suspects(shape["suspects"])),
        ("slow in rounds", _slow_in_rounds(shape["slow_in_rounds"])),
        ("relieved", _relieved(shape["relieved_osds"])),
        ("coverage", kinds_looked(shape["coverage"])),
        ("watch", watch_text(watch, store["error"])),
        ("store", stored),
        ("failing", _failing(shape["reconcilers"], f"{watch['problem']} {store['error']}")),
    ]
    return f"perf_bench {shape['version']} on {shape['release']}\n{facts(pairs)}"


def passes(found: Sequence[Pass], began: float) -> list[Json]:
    """What each part of the loop did last; ``began`` is unix time minus monotonic seconds."""
    return [
        {
            "name": one.name,
            "last_pass_at": _moment(began, one.at),
            "seconds": None if one.seconds is None else round(one.seconds, 3),
            "failing_since": _moment(began, one.failing_since),
            "problem": one.problem,
        }
        for one in found
    ]


def _moment(began: float, at: Optional[float]) -> Optional[str]:
    return None if at is None else iso(began + at)


def _failing(shapes: Sequence[Json], told: str) -> str:
    """What fails, but for what is told already: a database that does not answer fails many."""
    return "; ".join(
        f"{one['name']} since {short_time(one['failing_since'])} UTC ({one['problem']})"
        for one in shapes
        if one["failing_since"] is not None and str(one["problem"]) not in told
    )


def _waits_for(shape: Json) -> str:
    """The OSDs whose bench takes long."""
    names = [f"osd.{one['osd']} ({duration(one['seconds'])})" for one in shape["longest"]]
    more = shape["osds"] - len(names)
    shown = ", ".join(names) + (f" and {more} more" if more else "")
    return f"; waits for {shown}" if names else ""


def _suspects(shape: Json) -> str:
    """The OSDs that seem slow without a finding about them yet."""
    worst = [_suspect(one) for one in shape["worst"]]
    more = shape["osds"] - len(worst)
    return "; ".join([*worst, f"{more} more"] if more else worst)


def _suspect(shape: Json) -> str:
    times = "" if shape["ratio"] is None else f", {times_text(shape['ratio'])} times its peers"
    since = f" since {minute(shape['since'])} UTC" if shape["since"] else ""
    return f"osd.{shape['osd']} is suspect{times}{since}"


def _slow_in_rounds(shape: Json) -> str:
    worst = [
        f"osd.{one['osd']} at {one['percent_of_peers']:.0f} % of its peers in round {one['round']}"
        for one in shape["worst"]
    ]
    if not worst:
        return ""
    more = shape["osds"] - len(worst)
    shown = "; ".join([*worst, f"{more} more"] if more else worst)
    about = "them" if shape["osds"] > 1 else "it"
    look = f"'ceph perf-bench round show {shape['worst'][0]['round']}'"
    return f"{shown} (no finding about {about}): {look}"


def _relieved(count: Optional[int]) -> str:
    return f"{plural(count, 'OSD')}: 'ceph perf-bench relief ls'" if count else ""


def _open_findings(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{count} {severity}" for severity, count in counts.items() if count)
    return f"{shown}: 'ceph perf-bench finding ls'" if shown else "none open"


def watch_text(shape: Json, told: Optional[str] = None) -> str:
    """Return what the watch looks at, since its last look, and what is in the way.

    ``told`` is why the database does not answer, which stands in a line of its own.
    """
    problem = shape["problem"]
    if problem and problem.partition(": ")[2] == told:
        problem = None
    trouble = f", but: {problem}" if problem else ""
    if not shape["on"]:
        return f"off ({plural(shape['osds'], 'OSD')}){trouble}"
    if shape["last_tick_at"] is None:
        return f"{plural(shape['osds'], 'OSD')}, about to begin{trouble}"
    if shape["late_seconds"]:
        trouble += f", but the next look is {duration(shape['late_seconds'])} late"
    looks = f"every {shape['tick_seconds']:g} s, last {short_time(shape['last_tick_at'])} UTC"
    return f"{plural(shape['osds'], 'OSD')} ({shape['judged']} judged) {looks}{trouble}"
