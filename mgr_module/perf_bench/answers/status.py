"""How things stand: ``ceph perf-bench status``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Optional

from ..bench.planning import limits
from ..core.reconcile import Pass
from ..errors import PerfBenchError
from ..model.finding import FRAME_SECONDS, SLOW_OSDS, FindingState, Severity, gap_sentences
from ..model.history import DAY, SLOW_FRAME_RATIO
from ..model.json_fields import iso
from ..model.phrases import osd_names, plural, times_text
from ..model.verdict import OsdState, OsdVerdict
from ..store import sqlite
from ..version import VERSION
from .api import Api
from .findings import named
from .problems import Problem, problems
from .question import Question
from .shape import ABSENT, Count, Maybe, Share, Stamp
from .text import duration, facts, minute, short_time, size

# A tick is late when so many were due since the last one; one may take longer on a busy mgr.
LATE_TICKS = 6
# Suspects in the status by name; their number has all.
_MOST_SUSPECTS = 5
# For so many seconds a round's results are news, and so many slow OSDs of them are named.
_NEWS, _WORST = 7 * DAY, 5
# Sentences in the status; the whole is in ``coverage ls``.
_BRIEF = 8
# How old a look at the store may be while a round runs, and how long one may take (seconds).
_STORE_AGE, _LOOK_SECONDS = 10.0, 2.0


@dataclass(frozen=True)
class ActiveRound:
    """The round that runs; progress from 0 to 1.

    waits_for -- OSDs whose bench takes longer than 30 s, the longest first.
    """

    id: Count
    profile: str
    phase: str
    progress: Share
    eta_seconds: Optional[float]
    samples: int
    samples_planned: int
    waits_for: Sequence[int]


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

    error -- Why it does not answer.
    bytes -- The size of the database; free_bytes of it are unused, limit_bytes is the most that it
        may take.
    ready -- Whether this mgr has read it: before that no round starts.
    """

    backend: Optional[str] = None
    rounds: Optional[int] = None
    schema_version: Optional[int] = None
    error: Optional[str] = None
    bytes: Optional[int] = None
    free_bytes: Optional[int] = None
    limit_bytes: int = 0
    ready: bool = False
    integrity: str = ""


@dataclass(frozen=True)
class StatusQuiesce:
    """What a round holds still; null: nothing."""

    state: Optional[str]


@dataclass(frozen=True)
class Suspects:
    """OSDs that seem slow, for too short a time or too uncertainly for a finding.

    osds -- How many.
    worst -- The slowest.
    """

    osds: int
    worst: Sequence[OsdVerdict]


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
    problems: Sequence[Problem]
    problems_left_out: int
    reconcilers: Sequence[Pass]
    relieved_osds: Optional[int]
    limits: Limits


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


def status(api: Api) -> Status:
    """Show what perf_bench is doing.

    Answers without the database, too; then ``store.error`` says why. ``store.ready``: this mgr has
    read the database; before that no round can be started.
    """
    found, left_out = problems(api)
    noted = api.relief.noted()
    return Status(
        version=VERSION,
        release=api.release(),
        active_round=_active_round(api),
        scheduler=Scheduler(True, iso(api.round_scheduler.next())),
        findings=_counts(api),
        problems=found,
        problems_left_out=left_out,
        suspects=suspects(api),
        slow_in_rounds=slow_in_rounds(api),
        coverage=coverage(api),
        watch=watch(api),
        store=store(api),
        quiesce=StatusQuiesce(api.safety.state() or None),
        relieved_osds=None if noted is None else len({one.osd for one in noted}),
        limits=Limits(
            **limits(),
            watch_ratio=api.watch.sustained_ratio,
            frame_seconds=FRAME_SECONDS,
            frame_ratio=SLOW_FRAME_RATIO,
        ),
        reconcilers=api.passes(),
    )


def _active_round(api: Api) -> Optional[ActiveRound]:
    active = api.bench.active
    if active is None:
        return None
    now = api.clock.monotonic()
    eta = active.eta(now)
    return ActiveRound(
        id=active.round.id,
        profile=active.round.profile,
        phase=active.phase,
        progress=round(active.progress(), 4),
        eta_seconds=None if eta is None else round(eta, 1),
        samples=active.done,
        samples_planned=active.samples,
        waits_for=[osd for osd, _ in active.waits_for(now)],
    )


def _counts(api: Api) -> FindingCounts:
    """Open findings by severity."""
    found = [one.severity for one in api.watch.findings() if one.state is FindingState.OPEN]
    return FindingCounts(**{severity.value: found.count(severity) for severity in Severity})


def store(api: Api) -> Store:
    """The state of the store; while a round runs, at most ``_STORE_AGE`` seconds old.

    A look costs the cluster two writes (SQLite's lock on RADOS), and who waits for a round looks
    often: the OSDs that are being measured would feel it.
    """
    usage = api.care.usage
    seen = api.kept.of("store", _STORE_AGE if api.bench.active else 0.0, partial(_look, api))
    return replace(
        seen,
        bytes=usage.bytes if usage else None,
        free_bytes=usage.free if usage else None,
        limit_bytes=api.care.rules().bytes,
        ready=api.bench.ready,
        integrity=api.care.integrity,
    )


def _look(api: Api) -> Store:
    """Ask the store, for at most 2 s."""

    def read(of: sqlite.Store) -> Store:
        return Store(of.backend, of.rounds(limit=0)[1], of.schema_version())

    try:
        return api.store.call(read, _LOOK_SECONDS)
    except PerfBenchError as error:
        return Store(error=str(error))


def watch(api: Api) -> Watch:
    """The state of the watch."""
    stats, options = api.watch.tick_stats, api.watch.options()
    judged = sum(one.looked for one in api.watch.coverage() if one.name == SLOW_OSDS)
    due = math.inf if stats.at is None else stats.at + LATE_TICKS * options.tick_seconds
    now = api.clock.now()
    return Watch(
        on=options.on,
        osds=len(api.osds()),
        tick_seconds=options.tick_seconds,
        judged=judged if options.on else 0,
        since=iso(stats.since),
        last_tick_at=iso(stats.at),
        late_seconds=round(now - due) if options.on and now > due else 0,
        last_tick_cpu_seconds=stats.cpu_seconds,
        errors=stats.errors,
        problem=api.watch.problem() or api.watch.journal.problem,
        lost_rows=api.watch.journal.lost,
    )


def suspects(api: Api) -> Suspects:
    """The OSDs that seem slow, for too short or too uncertainly for a finding."""
    verdicts = api.watch.osd_snapshot().verdicts.values()
    found = [one for one in verdicts if one.state is OsdState.SUSPECT]
    found.sort(key=lambda one: (-(one.ratio or 0.0), one.osd))
    return Suspects(len(found), found[:_MOST_SUSPECTS])


def slow_in_rounds(api: Api) -> SlowInRounds:
    """The OSDs that rounds of the last week measured as slow and that no open finding is about.

    A single round leads to no finding, and the watch sees an OSD that is slow only under load
    when it has load.
    """
    since = api.clock.now() - _NEWS
    found = [one for one in api.bench.results.slow if (one[0].ended_at or 0.0) >= since]
    slowest: dict[int, SlowestInRounds] = {}
    if found:
        known = {osd.id for osd in api.osds()} - named(api)
        for line, result in found:
            if result.osd in known and result.percent_of_peers is not None:
                percent = round(result.percent_of_peers, 1)
                slowest.setdefault(result.osd, SlowestInRounds(result.osd, line.id, percent))
    return SlowInRounds(len(slowest), list(slowest.values())[:_WORST])


def coverage(api: Api) -> Coverage:
    """Whether everything was looked at, and the first gaps."""
    looks = api.watch.coverage()
    sentences = gap_sentences(looks)
    return Coverage(
        looks=len(looks),
        complete=sum(one.complete for one in looks),
        gaps=sentences[:_BRIEF],
        more=max(0, len(sentences) - _BRIEF),
    )


# --- as text ---------------------------------------------------------------------------------


def status_text(of: Status) -> str:
    """Text of ``status``."""
    active, there = of.active_round, of.store
    if active:
        done = f"{100 * active.progress:.0f} %"
        eta = "" if active.eta_seconds is None else f", {duration(active.eta_seconds)} left"
        running = f"{active.id} ({active.profile}): {active.phase}, {done}{eta}"
        if active.waits_for:
            running += f"; waits for {osd_names(active.waits_for)}"
    else:
        running = "none"
    stored = there.error or f"{plural(there.rounds or 0, 'round')} in {there.backend}"
    if there.bytes and not there.error:
        stored += f", {size(there.bytes)} of at most {size(there.limit_bytes)}"
    if not (there.ready or there.error):
        stored += ", not read yet"
    if there.integrity not in ("ok", "unchecked", "pages unchecked"):
        stored += f" ({there.integrity}: 'ceph perf-bench store status')"
    pairs = [
        ("round", running),
        ("findings", _open_findings(of.findings)),
        ("not sure yet", "; ".join(_with_more(map(_suspect, of.suspects.worst), of.suspects.osds))),
        ("slow in rounds", _slow_in_rounds(of.slow_in_rounds)),
        ("relieved", _relieved(of.relieved_osds)),
        ("coverage", _all_looked_at(of.coverage)),
        ("watch", watch_text(of.watch, there.error)),
        ("store", stored),
        ("failing", _failing(of.reconcilers, f"{of.watch.problem} {there.error}")),
    ]
    return f"perf_bench {of.version} on {of.release}\n{facts(pairs)}"


def _all_looked_at(of: Coverage) -> str:
    if of.complete == of.looks:
        return "everything could be looked at"
    return "not everything could be looked at: 'ceph perf-bench coverage ls'"


def _failing(found: Sequence[Pass], told: str) -> str:
    """What fails, but for what is told already: a database that does not answer fails many."""
    return "; ".join(
        f"{one.name} since {short_time(one.failing_since)} UTC ({one.problem})"
        for one in found
        if one.failing_since is not None and str(one.problem) not in told
    )


def _with_more(worst: Iterable[str], osds: int) -> list[str]:
    """The worst of so many OSDs, and how many more there are."""
    told = list(worst)
    return [*told, f"{osds - len(told)} more"] if osds > len(told) else told


def _suspect(one: OsdVerdict) -> str:
    times = "" if one.ratio is None else f", {times_text(one.ratio)} times its peers"
    since = f" since {minute(one.since)} UTC" if one.since else ""
    return f"osd.{one.osd} is suspect{times}{since}"


def _slow_in_rounds(of: SlowInRounds) -> str:
    if not of.worst:
        return ""
    worst = [
        f"osd.{one.osd} at {one.percent_of_peers:.0f} % of its peers in round {one.round}"
        for one in of.worst
    ]
    about = "them" if of.osds > 1 else "it"
    look = f"'ceph perf-bench round show {of.worst[0].round}'"
    return f"{'; '.join(_with_more(worst, of.osds))} (no finding about {about}): {look}"


def _relieved(count: Optional[int]) -> str:
    return f"{plural(count, 'OSD')}: 'ceph perf-bench relief ls'" if count else ""


def _open_findings(counts: FindingCounts) -> str:
    shown = ", ".join(f"{count} {severity}" for severity, count in vars(counts).items() if count)
    return f"{shown}: 'ceph perf-bench finding ls'" if shown else "none open"


def watch_text(of: Watch, told: Optional[str] = None) -> str:
    """Return what the watch looks at, since its last look, and what is in the way.

    ``told`` is why the database does not answer, which stands in a line of its own.
    """
    problem = of.problem
    if problem and problem.partition(": ")[2] == told:
        problem = None
    trouble = f", but: {problem}" if problem else ""
    if not of.on:
        return f"off ({plural(of.osds, 'OSD')}){trouble}"
    if of.last_tick_at is None:
        return f"{plural(of.osds, 'OSD')}, about to begin{trouble}"
    if of.late_seconds:
        trouble += f", but the next look is {duration(of.late_seconds)} late"
    looks = f"every {of.tick_seconds:g} s, last {short_time(of.last_tick_at)} UTC"
    return f"{plural(of.osds, 'OSD')} ({of.judged} judged) {looks}{trouble}"


QUESTIONS = (Question("status", status, (), status_text, "GET status"),)
