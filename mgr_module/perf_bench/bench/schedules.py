"""Schedules of rounds: starts what is due, and at most one round for one due time.

Its rules stand below and are pure. States are saved *before* a turn is acted on, so a mgr that
takes over starts no run a second time.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Callable, NamedTuple, Optional, TypeVar

from ..core.clock import Clock
from ..core.loop import Loop, reply
from ..errors import (
    Busy,
    InvalidValue,
    NotFound,
    NotNow,
    PerfBenchError,
    StoreUnavailable,
)
from ..model.cluster import Notifier
from ..model.finding import Claim, Gap, Look, Severity, Target
from ..model.finding_kinds import ROUND_FAILED
from ..model.json_fields import FAULTS
from ..model.osd import Selection
from ..model.phrases import not_one_of, plural
from ..model.plan import (
    Missed,
    Pending,
    Request,
    Schedule,
    ScheduleRequest,
    ScheduleState,
    check_options,
    profile_named,
)
from ..model.round import Round
from ..store.sqlite import Store, StoreThread
from .service import Bench, ScheduledRun
from .times import UTC, coming, next_run, next_runs, parse_every, parse_window, zone

States = Mapping[str, ScheduleState]
T = TypeVar("T")
# Number of next runs that are shown.
_NEXT = 3


class ScheduleView(NamedTuple):
    """One schedule for display; ``runs`` are its next runs in unix seconds."""

    schedule: Schedule
    state: ScheduleState
    runs: Sequence[float]


class Schedules(NamedTuple):
    """All schedules and their states, by name, without those whose rows cannot be read."""

    schedules: Mapping[str, Schedule]
    states: States

    def found(self, name: str) -> Schedule:
        """A schedule. Raises NotFound."""
        if name not in self.schedules:
            raise NotFound(
                f"no schedule '{name}': 'ceph perf-bench schedule ls' lists those there are"
            )
        return self.schedules[name]


class _Gone(Exception):
    """The schedule was removed, changed or started while its run was planned."""


class RoundScheduler:
    """Starts due rounds: a reconciler on the loop.

    Each change is one turn of the database: it reads the rows, decides and writes. So no run
    starts after a schedule's removal was answered, and with the token of its due time none twice.
    """

    def __init__(
        self,
        bench: Bench,
        loop: Loop,
        store_thread: StoreThread,
        notifier: Notifier,
        clock: Clock,
        log: logging.Logger,
    ) -> None:
        self.bench = bench
        self._loop = loop
        self._store_thread = store_thread
        self._notifier = notifier
        self._clock = clock
        self._log = log
        # What the newest turn has read; None before the first.
        self._known: Optional[Schedules] = None

    async def step(self) -> None:
        """Start what is due; call it every 15 s.

        Raises StoreUnavailable if the store cannot be read or written; then nothing was started.
        """
        if not self.bench.settled:
            return
        active, now = self.bench.active, self._clock.now()
        running = None if active is None else active.round

        def turn(store: Store, there: Schedules) -> Turn:
            found = step(now, list(there.schedules.values()), there.states, running)
            _save(store, there.states, found.states)
            return found

        found = await self._turn(turn)
        for severity, message in found.reports:
            self._notifier.log(severity, f"perf_bench {message}")
        if found.start is not None:
            await self._start(found.start)

    async def _start(self, start: Start) -> None:
        """Start a run unless it was started: a mgr may have died before it stored the state."""
        schedule, name = start.schedule, start.schedule.name
        change: Callable[[ScheduleState], ScheduleState]
        try:
            number = await self._begun(start)
        except StoreUnavailable:
            raise  # the next step tries the same start again
        except (Busy, _Gone):
            return  # an operator was faster
        except PerfBenchError as error:
            self._log.info("schedule %s is refused: %s", name, error)
            reasons = (isinstance(error, NotNow) and error.reasons) or (error.message,)
            change = partial(refused, now=self._clock.now(), reasons=reasons)
        else:
            self._log.info("schedule %s has started round %d", name, number)
            change = partial(started, round_id=number)

        def note(store: Store, there: Schedules) -> None:
            if there.schedules.get(name) == schedule:
                _save(store, there.states, {name: change(there.states[name])})

        await self._turn(note)

    async def _begun(self, start: Start) -> int:
        """The ID of the round of a run, which begins unless it was begun."""
        schedule = start.schedule
        ask = self._store_thread.ask
        number = await reply(ask(lambda store: store.round_of_token(start.token)))
        if number is not None:
            return number

        def check(store: Store) -> None:
            found = store.schedules().get(schedule.name)
            there = store.round_of_token(start.token) is not None
            if there or found is None or found[0] != schedule:
                raise _Gone

        request = Request(
            profile=schedule.profile,
            osds=schedule.osds,
            label=f"schedule {schedule.name}",
            may_raise=schedule.may_raise,
        )
        return (await self.bench.begin(request, ScheduledRun(start.token, check))).id

    async def _turn(self, work: Callable[[Store, Schedules], T]) -> T:
        """Read the schedules, do ``work`` and read them again, in one turn of the database."""
        result, self._known = await reply(
            self._store_thread.ask(lambda store: (work(store, _read(store)), _read(store)))
        )
        return result

    # --- for the operator --------------------------------------------------------------------

    def add(self, request: ScheduleRequest) -> ScheduleView:
        """Make a schedule. Raises InvalidValue, NotFound, NotNow, StoreUnavailable."""
        now = self._clock.now()
        return self._put(lambda there: make_schedule(request, there.schedules, now))

    def profile(self, name: str) -> str:
        """The profile of a schedule. Raises NotFound."""
        found = self._loop.ask(lambda: self._turn(lambda _store, there: there.found(name)))
        return found.profile

    def remove(self, name: str) -> None:
        """Remove a schedule; its running round continues. Raises NotFound, StoreUnavailable."""
        self._loop.ask(lambda: self._turn(lambda store, _there: store.remove_schedule(name)))

    def pause(self, name: str) -> ScheduleView:
        """Start no more runs until ``resume``. Raises NotFound."""
        return self._put(lambda there: replace(there.found(name), paused=True))

    def resume(self, name: str) -> ScheduleView:
        """Start runs again. Raises NotFound."""
        now = self._clock.now()
        return self._put(lambda there: resume(there.found(name), now))

    def _put(self, make: Callable[[Schedules], Schedule]) -> ScheduleView:
        def put(store: Store, there: Schedules) -> Schedule:
            made = make(there)
            store.put_schedule(made)
            return made

        async def turn() -> ScheduleView:
            schedule = await self._turn(put)
            return self._view(self._known, schedule)

        return self._loop.ask(turn)

    def entries(self) -> list[ScheduleView]:
        """Return all schedules by name. Raises StoreUnavailable."""
        known = self._known or self._loop.ask(lambda: self._turn(lambda _store, there: there))
        return [self._view(known, known.schedules[name]) for name in sorted(known.schedules)]

    def next(self) -> Optional[float]:
        """Return the time of the next run in unix seconds; None if there is none or unknown."""
        views = () if self._known is None else self.entries()
        return min((view.runs[0] for view in views if view.runs), default=None)

    def forget(self) -> None:
        """Read the schedules again at the next use, because another database is in use."""
        self._known = None

    def claims(self) -> Sequence[Claim]:
        """Return a claim for each schedule whose newest run could not start in time."""
        return [] if self._known is None else claims(self._known.states)

    def looks(self) -> Sequence[Look]:
        """The schedules. Rows of them that cannot be read are among those of the database."""
        known = self._known
        unread = Gap("unread", "they are not read from the database yet")
        count, gaps = (0, (unread,)) if known is None else (len(known.schedules), ())
        what = "schedules that could not start a round"
        return [Look("schedules", what, "schedule", count, (ROUND_FAILED.code,), gaps)]

    def _view(self, known: Optional[Schedules], schedule: Schedule) -> ScheduleView:
        states = {} if known is None else known.states
        state = states.get(schedule.name, ScheduleState())
        try:
            runs = coming_runs(self._clock.now(), schedule, state, _NEXT)
        except (PerfBenchError, *FAULTS) as error:
            return ScheduleView(schedule, replace(state, problem=_problem(error)), ())
        return ScheduleView(schedule, state, runs)


def _read(store: Store) -> Schedules:
    found = store.schedules()
    return Schedules(
        {name: schedule for name, (schedule, _) in found.items()},
        {name: state or ScheduleState() for name, (_, state) in found.items()},
    )


def _save(store: Store, before: States, states: States) -> None:
    changed = {name: state for name, state in states.items() if state != before.get(name)}
    if changed:
        store.put_schedule_states(changed)


def _problem(error: Exception) -> str:
    """Why times cannot be computed: a zone that this host lacks, or values that cannot be."""
    if isinstance(error, PerfBenchError):
        return error.message
    return f"its times cannot be computed: {error}"


# --- when a run starts ----------------------------------------------------------------------------

# Seconds without a step after which a run counts as missed; a failover takes a minute or two.
GRACE = 600.0
# Seconds for which a refused run is retried if there is no window.
RETRY_FOR = 4 * 3600.0
_FIRST_RETRY = 60.0
_LONGEST_RETRY = 900.0
_BUSY = "another round was running"

# A line of the cluster log.
Report = tuple[Severity, str]


class Start(NamedTuple):
    """A run to be started now."""

    schedule: Schedule
    due: float

    @property
    def token(self) -> str:
        """The same for every attempt to start this run, also by another mgr.

        If the store has a round with it, the run has been started. The anchor distinguishes it
        from an earlier schedule of the same name.
        """
        return f"schedule/{self.schedule.name}/{self.schedule.anchor:.0f}/{self.due:.0f}"


class Turn(NamedTuple):
    """The result of one step: new states, at most one round to start, and lines to log."""

    states: dict[str, ScheduleState]
    start: Optional[Start]
    reports: Sequence[Report]


def step(
    now: float, schedules: Sequence[Schedule], states: States, running: Optional[Round]
) -> Turn:
    """Decide what to do at ``now`` (unix seconds) beside the ``running`` round.

    The run that has waited longest starts. Answer its start with ``started`` or ``refused``;
    otherwise the next turn has the same start again. States of removed schedules are dropped.
    """
    found: dict[str, ScheduleState] = {}
    reports: list[Report] = []
    ready: list[tuple[float, str, Start]] = []
    for schedule in schedules:
        state, told = _advance(now, schedule, states.get(schedule.name, ScheduleState()), running)
        found[schedule.name] = state
        reports += [(severity, f"schedule {schedule.name}: {what}") for severity, what in told]
        run = None if state.problem else state.pending
        if run is not None and max(run.start, run.retry_at) <= now < run.until:
            ready.append((run.due, schedule.name, Start(schedule, run.due)))
    start = min(ready, key=lambda one: one[:2])[2] if ready and running is None else None
    return Turn(found, start, reports)


def started(state: ScheduleState, round_id: int) -> ScheduleState:
    """The state after a successful start, also an earlier one (see ``Start.token``)."""
    return replace(state, pending=None, last_round=round_id, given_up=None, given_up_since=None)


def refused(state: ScheduleState, now: float, reasons: tuple[str, ...]) -> ScheduleState:
    """The state after a refused start, which is retried after 1, 2, 4 … 15 min."""
    run = state.pending
    if run is None:
        return state
    wait = min(_FIRST_RETRY * 2 ** min(run.tries, 10), _LONGEST_RETRY)
    run = replace(run, tries=run.tries + 1, retry_at=now + wait, reasons=reasons)
    return replace(state, pending=run)


def coming_runs(
    now: float, schedule: Schedule, state: ScheduleState, count: int
) -> Sequence[float]:
    """The next runs of ``step`` in unix seconds; none while the schedule is paused.

    A run that is due and that no step has seen yet is included. Raises as ``next_run`` does.
    """
    return next_runs(schedule, max(_known(now, state).seen, schedule.since, now - GRACE), count)


def _advance(
    now: float, schedule: Schedule, state: ScheduleState, running: Optional[Round]
) -> tuple[ScheduleState, list[Report]]:
    run = state.pending
    if running is not None and run and Start(schedule, run.due).token == running.token:
        state = started(state, running.id)  # nobody could note it
    if schedule.paused:
        return replace(state, pending=None), []
    try:
        state, told = _due(now, schedule, replace(_known(now, state), problem=None))
    except (PerfBenchError, *FAULTS) as error:
        problem = _problem(error)
        new = [] if problem == state.problem else [(Severity.WARNING, problem)]
        return replace(state, problem=problem), new
    run = state.pending
    if running is not None and run and run.start <= now and not run.reasons:
        state = replace(state, pending=replace(run, reasons=(_BUSY,)))
    return state, told


def _known(now: float, state: ScheduleState) -> ScheduleState:
    """Forget what a clock that was ahead of this one has seen: the runs until then may come.

    Those that were started have their tokens, and are not started again.
    """
    return state if state.seen <= now else replace(state, seen=now, pending=None)


def _due(
    now: float, schedule: Schedule, state: ScheduleState
) -> tuple[ScheduleState, list[Report]]:
    """End a pending run whose time is over, and make one that is due pending.

    Several due runs become one; beside a pending one, which does the same work, none.
    """
    told: list[Report] = []
    run = state.pending
    if run is not None and now >= run.until:
        state = replace(state, pending=None)
        if run.reasons:
            why = "; ".join(run.reasons)
            if run.tries:
                why = f"refused {plural(run.tries, 'time')}, the last time because {why}"
            since = now if state.given_up_since is None else state.given_up_since
            state = replace(state, given_up=why, given_up_since=since)
            told = [(Severity.WARNING, f"a run could not start within its time: {why}")]
        else:
            state, told = _missed(now, schedule, state, run.due)
    seen = max(state.seen, schedule.since)
    due = next_run(schedule, seen)
    if due > now:
        return state, told
    state = replace(state, seen=now)
    if state.pending is not None:
        return state, told
    newest = next_run(schedule, max(seen, now - GRACE))
    if newest <= now:
        return replace(state, pending=_pending(now, schedule, newest)), told
    state, missed = _missed(now, schedule, state, due)
    return state, told + missed


def _missed(
    now: float, schedule: Schedule, state: ScheduleState, due: float
) -> tuple[ScheduleState, list[Report]]:
    run = _pending(now, schedule, due)
    if schedule.missed is Missed.SKIP:
        how = "skipped, because of --missed skip"
    elif now < run.start and next_run(schedule, now) < run.until:
        how = "replaced by the next run"  # two in the same window would do the same work
    else:
        how, state = "run late, once", replace(state, pending=run)
    return state, [(Severity.INFO, f"a run was due while no mgr was active: {how}")]


def _pending(now: float, schedule: Schedule, due: float) -> Pending:
    if schedule.window is None:
        start, until = now, min(now + RETRY_FOR, next_run(schedule, now))
    else:
        opens, until = coming(schedule.window, now, zone(schedule.timezone))
        start = max(opens, now)
    return Pending(due, start, until, retry_at=start)


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


# --- what is asked --------------------------------------------------------------------------------

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
    words = [missed.value for missed in Missed]
    if request.missed not in (None, *words):
        raise not_one_of("missed", request.missed, words)
    # An anchor later than ``now`` would be shown as the first run but not run.
    since = float(math.floor(now))
    schedule = Schedule(
        name=request.name,
        profile=request.profile,
        every=None if request.every is None else parse_every(request.every),
        cron=None if request.cron is None else " ".join(request.cron.split()),
        window=None if request.window is None else parse_window(request.window),
        timezone=UTC if request.timezone is None else str(zone(request.timezone)),
        osds=request.osds,
        missed=Missed(request.missed or Missed.ONCE),
        anchor=since,
        since=since,
        may_raise=request.may_raise,
    )
    next_run(schedule, since)  # raises for times that are none
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


def resume(schedule: Schedule, now: float) -> Schedule:
    """The schedule resumed from now on; runs that were due while it was paused are skipped."""
    if not schedule.paused:
        return schedule
    return replace(schedule, paused=False, since=float(math.floor(now)))
