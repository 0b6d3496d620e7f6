"""The scheduler: from schedules and their states to what is to start now. Pure.

Whoever drives it keeps the states: save them whenever they changed, and *before* acting on what a
turn says. Then a mgr that takes over knows all, and starts no run a second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Optional

from ...errors import PerfBenchError
from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import ROUND_FAILED
from ...model.schedule import Missed, Pending, Report, Schedule, ScheduleState, Start, Turn
from .next_run import next_run, next_runs
from .timezones import zone
from .windows import coming

# A run is missed when nobody looked for this long: a failover takes one or two minutes.
GRACE = 600.0
# How long a refused run is tried again where no window says it.
RETRY_FOR = 4 * 3600.0
_FIRST_RETRY = 60.0
_LONGEST_RETRY = 900.0
_BUSY = "another round was running"

States = Mapping[str, ScheduleState]


def step(now: float, schedules: Sequence[Schedule], states: States, busy: bool) -> Turn:
    """What is to be done at ``now`` (unix seconds); ``busy`` while a round runs.

    At most one round is started a turn, the one that waits longest. Its start is to be answered
    with ``started`` or ``refused``; without an answer the next turn says the same start again,
    under the same token. States of schedules that are gone are dropped.
    """
    following: dict[str, ScheduleState] = {}
    reports: list[Report] = []
    for schedule in schedules:
        state, said = _advance(now, schedule, states.get(schedule.name, ScheduleState()), busy)
        following[schedule.name] = state
        reports += said
    start = None if busy else _first(now, schedules, following)
    return Turn(following, start, tuple(reports))


def coming_runs(
    now: float, schedule: Schedule, state: ScheduleState, count: int
) -> Sequence[float]:
    """The runs that ``step`` will take care of next, in unix seconds; none while it is paused.

    One that is due and that no step has seen yet is the first. Raises as ``next_run`` does.
    """
    return next_runs(schedule, max(state.seen, schedule.since, now - GRACE), count)


def started(states: States, start: Start, round_id: int) -> dict[str, ScheduleState]:
    """The states after a start that worked, or that had worked before (see ``Start.token``)."""
    name = start.schedule.name
    state = replace(
        states[name], pending=None, last_round=round_id, given_up=None, given_up_since=None
    )
    return {**states, name: state}


def refused(
    states: States, start: Start, now: float, reasons: tuple[str, ...]
) -> dict[str, ScheduleState]:
    """The states after a start that was refused: it is tried again after 1, 2, 4 … 15 min."""
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
    told = state.problem
    try:
        state, over = _end_pending(now, schedule, replace(state, problem=None))
        state, due = _take_due(now, schedule, state)
    except PerfBenchError as error:  # its time zone is not to be had on this host
        problem = str(error)
        said = [] if problem == told else [Report(schedule.name, "problem", problem)]
        return replace(state, problem=problem), said
    pending = state.pending
    if busy and pending is not None and pending.start <= now and not pending.reasons:
        state = replace(state, pending=replace(pending, reasons=(_BUSY,)))
    return state, [*over, *due]


def _end_pending(
    now: float, schedule: Schedule, state: ScheduleState
) -> tuple[ScheduleState, list[Report]]:
    """Let a run go whose time is over, and say why it could not start."""
    pending = state.pending
    if pending is None or now < pending.until:
        return state, []
    state = replace(state, pending=None)
    if not pending.reasons:
        return _missed(now, schedule, state, pending.due)
    why = "; ".join(pending.reasons)
    if pending.tries:
        times = "once" if pending.tries == 1 else f"{pending.tries} times"
        why = f"refused {times}, the last time because {why}"
    since = now if state.given_up_since is None else state.given_up_since
    message = f"its run could not start in its time: {why}"
    return replace(state, given_up=why, given_up_since=since), [
        Report(schedule.name, "given-up", message)
    ]


def _take_due(
    now: float, schedule: Schedule, state: ScheduleState
) -> tuple[ScheduleState, list[Report]]:
    """Make a run pending that has come due; of several there is one."""
    seen = max(state.seen, schedule.since)
    due = next_run(schedule, seen)
    if due > now:
        return state, []
    state = replace(state, seen=now)
    if state.pending is not None:  # that one waits still, and both are the same work
        return state, []
    newest = next_run(schedule, max(seen, now - GRACE))
    if newest > now:
        return _missed(now, schedule, state, due)
    return _pend(now, schedule, state, newest), []


def _missed(
    now: float, schedule: Schedule, state: ScheduleState, due: float
) -> tuple[ScheduleState, list[Report]]:
    what = "a run came due while no mgr looked"
    if schedule.missed is Missed.SKIP:
        report = Report(schedule.name, "missed", f"{what}: left out, as the schedule says")
        return state, [report]
    late = _pend(now, schedule, state, due)
    pending = late.pending
    if pending is not None and now < pending.start and next_run(schedule, now) < pending.until:
        # In that window it would be the same work twice.
        return state, [Report(schedule.name, "missed", f"{what}: the next one makes up for it")]
    return late, [Report(schedule.name, "missed", f"{what}: made up for once")]


def _pend(now: float, schedule: Schedule, state: ScheduleState, due: float) -> ScheduleState:
    if schedule.window is None:
        start, until = now, min(now + RETRY_FOR, next_run(schedule, now))
    else:
        opens, until = coming(schedule.window, now, zone(schedule.timezone))
        start = max(opens, now)
    return replace(state, pending=Pending(due, start, until, retry_at=start))


def _first(now: float, schedules: Sequence[Schedule], states: States) -> Optional[Start]:
    """The ready run that waits longest."""
    ready = [
        (pending.due, schedule.name, schedule)
        for schedule in schedules
        for pending in (states[schedule.name].pending,)
        if pending is not None
        and pending.start <= now < pending.until
        and pending.retry_at <= now
        and states[schedule.name].problem is None
    ]
    if not ready:
        return None
    due, name, schedule = min(ready, key=lambda one: one[:2])
    # The anchor tells it from a schedule of the same name that was there before.
    token = f"schedule/{name}/{schedule.anchor:.0f}/{due:.0f}"
    return Start(schedule, due, token)


def claims(states: States) -> list[Claim]:
    """One for each schedule whose newest run could not start in its time."""
    return [
        Claim(
            code=ROUND_FAILED.code,
            severity=Severity.WARNING,
            target=Target("schedule", name),
            message=f"schedule {name}: no run has started in its time: {state.given_up}",
            evidence={"given_up": state.given_up, "last_round": state.last_round},
            since=state.given_up_since,
        )
        for name, state in sorted(states.items())
        if state.given_up is not None and state.given_up_since is not None
    ]
