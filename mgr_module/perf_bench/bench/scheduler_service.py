"""Runs the schedules: starts due rounds, saves the schedules' states and reports."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Callable, NamedTuple, Optional, TypeVar

from ..core.clock import Clock
from ..core.loop import Loop, reply
from ..errors import Busy, NotFound, NotNow, PerfBenchError, StoreUnavailable, Unreadable
from ..model.cluster import Notifier
from ..model.finding import Claim, Gap, Look, Severity, gap
from ..model.finding_kinds import ROUND_FAILED
from ..model.json_fields import FAULTS
from ..model.plan import Request, Schedule, ScheduleRequest, ScheduleState, Start, Turn
from ..store.sqlite import Store, StoreThread
from .schedule import scheduler
from .schedule.scheduler import make_schedule, pause, resume
from .service import Bench, ScheduledRun

States = dict[str, ScheduleState]
T = TypeVar("T")
# Number of next runs that are shown.
_NEXT = 3


class ScheduleView(NamedTuple):
    """One schedule for display; ``runs`` are its next runs in unix seconds."""

    schedule: Schedule
    state: ScheduleState
    runs: Sequence[float]


class Schedules(NamedTuple):
    """All schedules and their states, by name; ``unreadable`` says why others start nothing."""

    schedules: Mapping[str, Schedule]
    states: States
    unreadable: Mapping[str, str]

    def found(self, name: str) -> Schedule:
        """A schedule. Raises NotFound, Unreadable."""
        try:
            return self.schedules[name]
        except KeyError:
            if name in self.unreadable:
                raise Unreadable(_why(name, self.unreadable[name])) from None
            raise _no_schedule(name) from None


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

        def turn(store: Store, there: Schedules) -> Turn:
            schedules, states = list(there.schedules.values()), there.states
            if active is not None:
                states = scheduler.noted(schedules, states, active.round)
            found = scheduler.step(now, schedules, states, active is not None)
            _save(store, there.states, found.states)
            return found

        found = await self._turn(turn)
        for report in found.reports:
            severity = Severity.INFO if report.code == "missed" else Severity.WARNING
            self._notifier.log(severity, f"perf_bench schedule {report.schedule}: {report.message}")
        if found.start is not None:
            await self._start(found.start)

    async def _start(self, start: Start) -> None:
        """Start a run unless it was started: a mgr may have died before it stored the state."""
        ask, token = self._store_thread.ask, start.token
        number = await reply(ask(lambda store: store.round_of_token(token)))
        if number is None:
            try:
                number = await self._begin(start)
            except StoreUnavailable:
                raise  # the next step tries the same start again
            except (Busy, _Gone):
                return  # an operator was faster
            except PerfBenchError as error:
                self._log.info("schedule %s is refused: %s", start.schedule.name, error)
                reasons = (isinstance(error, NotNow) and error.reasons) or (error.message,)
                now = self._clock.now()
                await self._note(
                    start, lambda states: scheduler.refused(states, start, now, reasons)
                )
                return
        self._log.info("schedule %s has started round %d", start.schedule.name, number)
        started = number
        await self._note(start, lambda states: scheduler.started(states, start, started))

    async def _begin(self, start: Start) -> int:
        def check(store: Store) -> None:
            found = store.schedules().get(start.schedule.name)
            started = store.round_of_token(start.token) is not None
            if started or found is None or found[0] != start.schedule:
                raise _Gone

        run = ScheduledRun(start.token, check)
        return (await self.bench.begin(_request(start), run)).id

    async def _note(self, start: Start, change: Callable[[States], States]) -> None:
        def note(store: Store, there: Schedules) -> None:
            if there.schedules.get(start.schedule.name) == start.schedule:
                _save(store, there.states, change(there.states))

        await self._turn(note)

    async def _turn(self, work: Callable[[Store, Schedules], T]) -> T:
        """Read the schedules, do ``work`` and read them again, in one turn of the database."""
        now = self._clock.now()

        def turn(store: Store) -> tuple[T, Schedules]:
            return work(store, _read(store, now)), _read(store, now)

        result, self._known = await reply(self._store_thread.ask(turn))
        return result

    # --- for the operator --------------------------------------------------------------------

    def add(self, request: ScheduleRequest) -> ScheduleView:
        """Make a schedule. Raises InvalidValue, NotFound, NotNow, StoreUnavailable."""
        now = self._clock.now()

        def add(store: Store, there: Schedules) -> Schedule:
            made = make_schedule(request, {*there.schedules, *there.unreadable}, now)
            store.put_schedule(made)
            return made

        return self._shown(add)

    def profile(self, name: str) -> str:
        """The profile of a schedule. Raises NotFound, Unreadable."""
        found = self._loop.ask(lambda: self._turn(lambda _store, there: there.found(name)))
        return found.profile

    def remove(self, name: str) -> None:
        """Remove a schedule; its running round continues. Raises NotFound, StoreUnavailable."""
        self._loop.ask(lambda: self._turn(lambda store, _there: store.remove_schedule(name)))

    def pause(self, name: str) -> ScheduleView:
        """Start no more runs until ``resume``. Raises NotFound."""
        return self._changed(name, pause)

    def resume(self, name: str) -> ScheduleView:
        """Start runs again. Raises NotFound."""
        now = self._clock.now()
        return self._changed(name, lambda schedule: resume(schedule, now))

    def entries(self) -> list[ScheduleView]:
        """Return all schedules by name, including unreadable ones. Raises StoreUnavailable."""
        known = self._known or self._loop.ask(lambda: self._turn(lambda _store, there: there))
        entries = [self._entry(known, schedule) for schedule in known.schedules.values()]
        entries += [_marked(name, why) for name, why in known.unreadable.items()]
        return sorted(entries, key=lambda entry: entry.schedule.name)

    def next(self) -> Optional[float]:
        """Return the time of the next run in unix seconds; None if there is none or unknown."""
        known = self._known
        if known is None:
            return None
        entries = [self._entry(known, schedule) for schedule in known.schedules.values()]
        return min((entry.runs[0] for entry in entries if entry.runs), default=None)

    def forget(self) -> None:
        """Read the schedules again at the next use, because another database is in use."""
        self._known = None

    def claims(self) -> Sequence[Claim]:
        """Return a claim for each schedule whose newest run could not start in time."""
        return [] if self._known is None else scheduler.claims(self._known.states)

    def looks(self) -> Sequence[Look]:
        """The schedules; those that cannot be read or computed are not started."""
        known = self._known
        if known is None:
            why = "they are not read from the database yet"
            return [_look(0, (gap("unread", why, ()),))]
        bad = gap(
            "unreadable",
            "they cannot be read and start no rounds",
            sorted(known.unreadable),
            "remove them with 'ceph perf-bench schedule rm' and add them again",
        )
        count = len(known.schedules) + len(known.unreadable)
        return [_look(count, (bad,) if bad.count else ())]

    def _changed(self, name: str, change: Callable[[Schedule], Schedule]) -> ScheduleView:
        def put(store: Store, there: Schedules) -> Schedule:
            changed = change(there.found(name))
            store.put_schedule(changed)
            return changed

        return self._shown(put)

    def _shown(self, work: Callable[[Store, Schedules], Schedule]) -> ScheduleView:
        async def turn() -> ScheduleView:
            schedule = await self._turn(work)
            known = self._known
            return self._entry(known or Schedules({}, {}, {}), schedule)

        return self._loop.ask(turn)

    def _entry(self, known: Schedules, schedule: Schedule) -> ScheduleView:
        state = known.states.get(schedule.name, ScheduleState())
        try:
            runs = scheduler.coming_runs(self._clock.now(), schedule, state, _NEXT)
        except PerfBenchError as error:  # a zone that this host does not have
            return ScheduleView(schedule, replace(state, problem=error.message), ())
        return ScheduleView(schedule, state, runs)


def _read(store: Store, now: float) -> Schedules:
    """Read the schedules, and by name why others cannot be used."""
    found = store.schedules()
    unreadable = {
        str(row.key[0]): row.why
        for row in store.unreadable()
        if row.table == "schedules" and row.key[0] not in found
    }
    schedules: dict[str, Schedule] = {}
    states: States = {}
    for name, (schedule, saved) in found.items():
        state = saved or ScheduleState()
        try:
            scheduler.coming_runs(now, schedule, state, _NEXT)
        except PerfBenchError:
            pass  # ``_entry`` reports the problem
        except FAULTS as error:  # values from which no time can be computed
            unreadable[name] = f"its times cannot be computed: {error}"
            continue
        schedules[name], states[name] = schedule, state
    return Schedules(schedules, states, unreadable)


def _save(store: Store, before: States, states: Mapping[str, ScheduleState]) -> None:
    changed = {name: state for name, state in states.items() if state != before.get(name)}
    if changed:
        store.put_schedule_states(changed)


def _marked(name: str, why: str) -> ScheduleView:
    """Return the view of an unreadable schedule."""
    return ScheduleView(
        Schedule(name, profile="", paused=True), ScheduleState(problem=_why(name, why)), ()
    )


def _why(name: str, why: str) -> str:
    return (
        f"schedule {name} cannot be read ({why}): 'ceph perf-bench schedule rm {name}' removes it"
    )


def _look(count: int, gaps: tuple[Gap, ...]) -> Look:
    return Look(
        "schedules",
        "schedules that could not start a round",
        "schedule",
        count,
        (ROUND_FAILED.code,),
        gaps,
    )


def _no_schedule(name: str) -> NotFound:
    return NotFound(f"no schedule '{name}': 'ceph perf-bench schedule ls' lists those there are")


def _request(start: Start) -> Request:
    schedule = start.schedule
    return Request(
        profile=schedule.profile,
        osds=schedule.osds,
        label=f"schedule {schedule.name}",
        may_raise=schedule.may_raise,
    )
