"""The scheduler: checks new schedules, and decides which round to start now. Pure.

The caller keeps the states: save changed states *before* acting on a turn. Then a mgr that takes
over starts no run a second time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Optional

from ...errors import InvalidValue, NotNow, PerfBenchError
from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import ROUND_FAILED
from ...model.osd import Selection
from ...model.phrases import not_one_of, plural
from ...model.plan import (
    Missed,
    Pending,
    Report,
    Schedule,
    ScheduleRequest,
    ScheduleState,
    Start,
    Turn,
    check_options,
    profile_named,
)
from ...model.round import Round
from .times import (
    UTC,
    coming,
    next_run,
    next_runs,
    parse_cron,
    parse_every,
    parse_window,
    zone,
)

# Seconds without a step after which a run counts as missed; a failover takes a minute or two.
GRACE = 600.0
# Seconds for which a refused run is retried if there is no window.
RETRY_FOR = 4 * 3600.0
_FIRST_RETRY = 60.0
_LONGEST_RETRY = 900.0
_BUSY = "another round was running"

States = Mapping[str, ScheduleState]


def step(now: float, schedules: Sequence[Schedule], states: States, busy: bool) -> Turn:
    """Decide what to do at ``now`` (unix seconds); ``busy`` while a round runs.

    A turn starts at most one round, the one that has waited longest. Answer its start with
    ``started`` or ``refused``; otherwise the next turn has the same start again, with the same
    token. States of removed schedules are dropped.
    """
    new_states: dict[str, ScheduleState] = {}
    reports: list[Report] = []
    for schedule in schedules:
        state, new = _advance(now, schedule, states.get(schedule.name, ScheduleState()), busy)
        new_states[schedule.name] = state
        reports += new
    start = None if busy else _first(now, schedules, new_states)
    return Turn(new_states, start, tuple(reports))


def coming_runs(
    now: float, schedule: Schedule, state: ScheduleState, count: int
) -> Sequence[float]:
    """The next runs of ``step`` in unix seconds; none while the schedule is paused.

    A run that is due and that no step has seen yet is included. Raises as ``next_run`` does.
    """
    return next_runs(schedule, max(_known(now, state).seen, schedule.since, now - GRACE), count)


def started(states: States, start: Start, round_id: int) -> dict[str, ScheduleState]:
    """The states after a successful start, also an earlier one (see ``Start.token``)."""
    name = start.schedule.name
    state = replace(
        states[name], pending=None, last_round=round_id, given_up=None, given_up_since=None
    )
    return {**states, name: state}


def noted(
    schedules: Sequence[Schedule], states: States, running: Round
) -> dict[str, ScheduleState]:
    """The states where the run that ``running`` is was started, and nobody could note it."""
    found = dict(states)
    for schedule in schedules:
        pending = states.get(schedule.name, ScheduleState()).pending
        if pending is not None and _token(schedule, pending.due) == running.token:
            start = Start(schedule, pending.due, running.token)
            found = started(found, start, running.id)
    return found


def refused(
    states: States, start: Start, now: float, reasons: tuple[str, ...]
) -> dict[str, ScheduleState]:
    """The states after a refused start, which is retried after 1, 2, 4 … 15 min."""
    name = start.schedule.name
    pending = states[name].pending
    if pending is None:
        return dict(states)
    wait = min(_FIRST_RETRY * 2 ** min(pending.tries, 10), _LONGEST_RETRY)
    pending = replace(pending, tries=pending.tries + 1, retry_at=now + wait, reasons=reasons)
    return {**states, name: replace(states[name], pending=pending)}


def _advance(
    now: float, schedule: Schedule, state: ScheduleState, busy: bool
) -> tuple[ScheduleState, list[Report]]:
    if schedule.paused:
        return replace(state, pending=None), []
    reported, state = state.problem, _known(now, state)
    try:
        state, over = _end_pending(now, schedule, replace(state, problem=None))
        state, due = _take_due(now, schedule, state)
    except PerfBenchError as error:  # this host lacks its time zone
        problem = error.message
        new = [] if problem == reported else [Report(schedule.name, "problem", problem)]
        return replace(state, problem=problem), new
    pending = state.pending
    if busy and pending is not None and pending.start <= now and not pending.reasons:
        state = replace(state, pending=replace(pending, reasons=(_BUSY,)))
    return state, [*over, *due]


def _known(now: float, state: ScheduleState) -> ScheduleState:
    """Forget what a clock that was ahead of this one has seen: the runs until then may come.

    Those that were started have their tokens, and are not started again.
    """
    return state if state.seen <= now else replace(state, seen=now, pending=None)


def _end_pending(
    now: float, schedule: Schedule, state: ScheduleState
) -> tuple[ScheduleState, list[Report]]:
    """Give up a pending run whose time is over, with a report of the reason."""
    pending = state.pending
    if pending is None or now < pending.until:
        return state, []
    state = replace(state, pending=None)
    if not pending.reasons:
        return _missed(now, schedule, state, pending.due)
    why = "; ".join(pending.reasons)
    if pending.tries:
        why = f"refused {plural(pending.tries, 'time')}, the last time because {why}"
    since = now if state.given_up_since is None else state.given_up_since
    message = f"a run could not start within its time: {why}"
    return replace(state, given_up=why, given_up_since=since), [
        Report(schedule.name, "given-up", message)
    ]


def _take_due(
    now: float, schedule: Schedule, state: ScheduleState
) -> tuple[ScheduleState, list[Report]]:
    """Make a run that is due pending; several due runs become one."""
    seen = max(state.seen, schedule.since)
    due = next_run(schedule, seen)
    if due > now:
        return state, []
    state = replace(state, seen=now)
    if state.pending is not None:  # the pending run does the same work
        return state, []
    newest = next_run(schedule, max(seen, now - GRACE))
    if newest > now:
        return _missed(now, schedule, state, due)
    return _pend(now, schedule, state, newest), []


def _missed(
    now: float, schedule: Schedule, state: ScheduleState, due: float
) -> tuple[ScheduleState, list[Report]]:
    what = "a run was due while no mgr was active"
    if schedule.missed is Missed.SKIP:
        report = Report(schedule.name, "missed", f"{what}: skipped, because of --missed skip")
        return state, [report]
    late = _pend(now, schedule, state, due)
    pending = late.pending
    if pending is not None and now < pending.start and next_run(schedule, now) < pending.until:
        # Two runs in the same window would do the same work.
        return state, [Report(schedule.name, "missed", f"{what}: replaced by the next run")]
    return late, [Report(schedule.name, "missed", f"{what}: run late, once")]


def _pend(now: float, schedule: Schedule, state: ScheduleState, due: float) -> ScheduleState:
    if schedule.window is None:
        start, until = now, min(now + RETRY_FOR, next_run(schedule, now))
    else:
        opens, until = coming(schedule.window, now, zone(schedule.timezone))
        start = max(opens, now)
    return replace(state, pending=Pending(due, start, until, retry_at=start))


def _first(now: float, schedules: Sequence[Schedule], states: States) -> Optional[Start]:
    """The ready run that has waited longest."""
    ready = [
        (pending.due, schedule.name, schedule)
        for schedule in schedules
        for state in (states[schedule.name],)
        for pending in (state.pending,)
        if pending is not None
        and state.problem is None
        and max(pending.start, pending.retry_at) <= now < pending.until
    ]
    if not ready:
        return None
    due, _, schedule = min(ready, key=lambda one: one[:2])
    return Start(schedule, due, _token(schedule, due))


def _token(schedule: Schedule, due: float) -> str:
    # The anchor distinguishes it from an earlier schedule of the same name.
    return f"schedule/{schedule.name}/{schedule.anchor:.0f}/{due:.0f}"


def claims(states: States) -> list[Claim]:
    """One claim for each schedule whose newest run could not start within its time."""
    return [
        Claim(
            code=ROUND_FAILED.code,
            severity=Severity.WARNING,
            target=Target("schedule", name),
            message=f"schedule {name}: no run has started within its time: {state.given_up}",
            evidence={"given_up": state.given_up, "last_round": state.last_round},
            since=state.given_up_since,
        )
        for name, state in sorted(states.items())
        if state.given_up is not None and state.given_up_since is not None
    ]


# Only one round runs at a time, so more schedules than this are a mistake in a script.
MAX_SCHEDULES = 100
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}", re.ASCII)


def make_schedule(request: ScheduleRequest, existing: Collection[str], now: float) -> Schedule:
    """Check a request; ``existing`` has the names in use. Raises InvalidValue, NotFound, NotNow.

    It is not checked whether its OSDs exist, because that may change until it runs.
    """
    _check_name(request.name, existing)
    profile = profile_named(request.profile)
    if request.osds is not None:
        Selection.parse(request.osds)
        check_options(profile, ["osds"])
    if (request.every is None) == (request.cron is None):
        raise InvalidValue(
            "give either --every, as 1d, or --cron, as '0 3 * * 6'",
            field="every" if request.cron is None else "cron",
        )
    if request.cron is not None:
        parse_cron(request.cron)
    since = _second(now)
    schedule = Schedule(
        name=request.name,
        profile=request.profile,
        every=None if request.every is None else parse_every(request.every),
        cron=None if request.cron is None else " ".join(request.cron.split()),
        window=None if request.window is None else parse_window(request.window),
        timezone=UTC if request.timezone is None else str(zone(request.timezone)),
        osds=request.osds,
        missed=_missed_word(request.missed),
        anchor=since,
        since=since,
        may_raise=request.may_raise,
    )
    next_run(schedule, since)
    return schedule


def _check_name(name: str, existing: Collection[str]) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidValue(
            f"'{name}' is not a name of a schedule: use up to 63 letters, digits, '.', "
            "'_' and '-', the first a letter or a digit",
            field="name",
        )
    if name in existing:
        raise InvalidValue(
            f"there is already a schedule '{name}': remove it first with 'ceph "
            f"perf-bench schedule rm {name}'",
            field="name",
        )
    if len(existing) >= MAX_SCHEDULES:
        raise NotNow(f"there are already {len(existing)} schedules, which is the limit")


def _missed_word(word: Optional[str]) -> Missed:
    try:
        return Missed.ONCE if word is None else Missed(word)
    except ValueError:
        raise not_one_of("missed", word, [missed.value for missed in Missed]) from None


def pause(schedule: Schedule) -> Schedule:
    """The schedule paused: it starts no rounds."""
    return replace(schedule, paused=True)


def resume(schedule: Schedule, now: float) -> Schedule:
    """The schedule resumed from now on; runs that were due while it was paused are skipped."""
    if not schedule.paused:
        return schedule
    return replace(schedule, paused=False, since=_second(now))


def _second(now: float) -> float:
    """Round down: an anchor later than ``now`` would be shown as the first run but not run."""
    return float(math.floor(now))
