"""Runs the schedules: starts due rounds, saves the schedules' states and reports."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Callable, NamedTuple, Optional

from ..errors import Busy, NotFound, NotNow, PerfBenchError, StoreUnavailable, Unreadable
from ..model.coverage import Gap, Look, gap
from ..model.decode import FAULTS
from ..model.finding import Claim, Severity
from ..model.finding_kinds import ROUND_FAILED
from ..model.request import Request
from ..model.said import say
from ..model.schedule import Report, Schedule, ScheduleRequest, ScheduleState, Start
from ..ports import Clock, Notifier
from ..store.schedules import SavedSchedules
from ..store.sqlite import Store, StoreThread
from .schedule import scheduler
from .schedule.parsing import make_schedule, pause, resume
from .service import Bench

States = dict[str, ScheduleState]
_SAVE_WAIT = 30.0
# The same beside a running round, which this thread guards every 2 s.
_SAVE_WAIT_BESIDE_ROUND = 2.0
# Seconds in which a command reads schedules.
_READ_WAIT = 5.0
# Number of next runs that are shown.
_NEXT = 3
_EVERY = 15.0


class ScheduleView(NamedTuple):
    """One schedule for display; ``runs`` are its next runs in unix seconds."""

    schedule: Schedule
    state: ScheduleState
    runs: Sequence[float]


class RoundScheduler:
    """Ticks on one thread; its other methods may be called from any.

    States are stored before they take effect, and a start has a token, so that after a failover no
    run starts twice.
    """

    def __init__(
        self,
        bench: Bench,
        store_thread: StoreThread,
        notifier: Notifier,
        clock: Clock,
        log: logging.Logger,
    ) -> None:
        self.bench = bench
        self._store_thread = store_thread
        self._notifier = notifier
        self._clock = clock
        self._log = log
        self._lock = threading.RLock()
        self._schedules: Optional[dict[str, Schedule]] = None
        self._states: dict[str, ScheduleState] = {}
        # By name: why a schedule is unreadable. It starts nothing.
        self._unreadable: dict[str, str] = {}
        self._due = 0.0
        # Another database is in use, whose schedules are not read yet.
        self._stale = False

    # --- its thread --------------------------------------------------------------------------

    def tick(self) -> None:
        """Start what is due; call it every few seconds, it works every 15 s.

        Raises StoreUnavailable if the store cannot be read or written; then nothing was started.
        """
        if self._clock.monotonic() < self._due:
            return
        self._due = self._clock.monotonic() + _EVERY
        with self._lock:
            active = self.bench.active
            schedules = list(self._known(self._wait()).values())
            states: scheduler.States = self._states
            if active is not None:
                states = scheduler.noted(schedules, states, active.round)
            turn = scheduler.step(self._clock.now(), schedules, states, active is not None)
            self._save(turn.states)
        for report in turn.reports:
            self._say(report)
        if turn.start is not None:
            self._start(turn.start)

    def _start(self, start: Start) -> None:
        """Start a run unless it was started: a mgr may have died before it stored the state."""
        found = self.bench.stored(start.token, _SAVE_WAIT)
        # With the lock until it is started: who is told that a schedule is paused or removed must
        # not see it start after that.
        with self._lock:
            wanted = self._known(self._wait()).get(start.schedule.name) == start.schedule
            if wanted or found is not None:
                self._start_held(start, found)

    def _start_held(self, start: Start, found: Optional[int]) -> None:
        """Start a run that is not ``found`` (a round's ID), and note its round or the refusal."""
        try:
            if found is None:
                found = self.bench.start(_request(start), start.token, attended=False).id
        except StoreUnavailable:
            raise  # the round may be stored or not; the next tick tries the same start again
        except Busy:
            return  # an operator has started a round meanwhile
        except PerfBenchError as error:
            reasons = (isinstance(error, NotNow) and error.reasons) or (str(error),)
            self._log.info("schedule %s is refused: %s", start.schedule.name, error)
            self._note(
                lambda states: scheduler.refused(states, start, self._clock.now(), reasons), start
            )
            return
        number = found
        self._log.info("schedule %s has started round %d", start.schedule.name, number)
        self._note(lambda states: scheduler.started(states, start, number), start)

    def _note(self, change: Callable[[States], States], start: Start) -> None:
        with self._lock:
            if start.schedule.name in self._states:  # or it was removed meanwhile
                self._save(change(self._states))

    def _take(self, saved: SavedSchedules, unreadable: dict[str, str]) -> None:
        schedules, states = {}, {}
        for name, (schedule, found) in saved.items():
            state = ScheduleState() if found is None else found
            try:
                scheduler.coming_runs(self._clock.now(), schedule, state, _NEXT)
            except PerfBenchError:
                pass  # ``_entry`` reports the problem
            except FAULTS as error:  # values from which no time can be computed
                unreadable[name] = say(
                    "schedule-no-times", "its times cannot be computed: {error}", error=str(error)
                )
                continue
            schedules[name], states[name] = schedule, state
        self._schedules, self._states, self._unreadable = schedules, states, unreadable

    def _wait(self) -> float:
        """How long a tick may wait for the database."""
        return _SAVE_WAIT if self.bench.active is None else _SAVE_WAIT_BESIDE_ROUND

    def _save(self, states: dict[str, ScheduleState]) -> None:
        changed = {
            name: state
            for name, state in states.items()
            if state != self._states.get(name, ScheduleState())
        }
        if changed:
            self._store_thread.call(lambda store: store.put_schedule_states(changed), self._wait())
        self._states = states

    def _say(self, report: Report) -> None:
        severity = Severity.INFO if report.code == "missed" else Severity.WARNING
        self._notifier.log(severity, f"perf_bench schedule {report.schedule}: {report.message}")

    # --- for the operator --------------------------------------------------------------------

    def add(self, request: ScheduleRequest) -> ScheduleView:
        """Make a schedule. Raises InvalidValue, NotFound, NotNow, StoreUnavailable."""
        with self._held():
            there = {*self._known(), *self._unreadable}
            schedule = make_schedule(request, there, self._clock.now())
            self._put(schedule)
            self._states.pop(schedule.name, None)
            return self._entry(schedule)

    def profile(self, name: str) -> str:
        """The profile of a schedule. Raises NotFound, Unreadable."""
        with self._held():
            return self._found(name).profile

    def remove(self, name: str) -> None:
        """Remove a schedule; its running round continues. Raises NotFound, StoreUnavailable."""
        with self._held():
            if name not in self._known() and name not in self._unreadable:
                raise _no_schedule(name)
            self._change(lambda store: store.remove_schedule(name))
            for kept in (self._known(), self._states, self._unreadable):
                kept.pop(name, None)

    def pause(self, name: str) -> ScheduleView:
        """Start no more runs until ``resume``. Raises NotFound."""
        with self._held():
            return self._changed(pause(self._found(name)))

    def resume(self, name: str) -> ScheduleView:
        """Start runs again. Raises NotFound."""
        with self._held():
            return self._changed(resume(self._found(name), self._clock.now()))

    def forget(self) -> None:
        """Read the schedules again at the next use, because another database is in use.

        Takes no lock: who has it may wait for the store's thread, on which this is called.
        """
        self._stale = True

    def entries(self) -> list[ScheduleView]:
        """Return all schedules by name, including unreadable ones. Raises StoreUnavailable."""
        if self._schedules is None or self._stale:
            with self._held():
                self._known()
        # Without the lock, which a tick holds while it waits for the database.
        entries = [self._entry(schedule) for schedule in tuple((self._schedules or {}).values())]
        entries += [_marked(name, why) for name, why in tuple(self._unreadable.items())]
        return sorted(entries, key=lambda entry: entry.schedule.name)

    def next(self) -> Optional[float]:
        """Return the time of the next run in unix seconds; None if there is none or unknown.

        Takes no lock, as ``entries``.
        """
        schedules = self._schedules
        if schedules is None or self._stale:
            return None
        entries = map(self._entry, tuple(schedules.values()))
        return min((entry.runs[0] for entry in entries if entry.runs), default=None)

    def claims(self) -> Sequence[Claim]:
        """Return a claim for each schedule whose newest run could not start in time."""
        return scheduler.claims(self._states)

    def looks(self) -> Sequence[Look]:
        """The schedules; those that cannot be read or computed are not started."""
        if self._schedules is None or self._stale:
            why = say("schedules-unread", "they are not read from the database yet")
            unread = gap("unread", why, ())
            return [_look(0, (unread,))]
        bad = gap(
            "unreadable",
            say("schedules-unreadable", "they cannot be read and start no rounds"),
            sorted(self._unreadable),
            say(
                "schedules-help",
                "remove them with 'ceph perf-bench schedule rm' and add them again",
            ),
        )
        count = len(self._schedules) + len(self._unreadable)
        return [_look(count, (bad,) if bad.count else ())]

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the lock for a command. Raises StoreUnavailable where a tick waits with it."""
        if not self._lock.acquire(timeout=_READ_WAIT):
            raise StoreUnavailable(say("database-no-answer", "the database does not answer"))
        try:
            yield
        finally:
            self._lock.release()

    def _changed(self, schedule: Schedule) -> ScheduleView:
        self._put(schedule)
        return self._entry(schedule)

    def _put(self, schedule: Schedule) -> None:
        self._change(lambda store: store.put_schedule(schedule))
        self._known()[schedule.name] = schedule

    def _change(self, order: Callable[[Store], None]) -> None:
        """Write. Without an answer it may be written all the same, so all is read again."""
        try:
            self._store_thread.call(order)
        except StoreUnavailable:
            self._stale = True
            raise

    def _entry(self, schedule: Schedule) -> ScheduleView:
        state = self._states.get(schedule.name, ScheduleState())
        try:
            runs = scheduler.coming_runs(self._clock.now(), schedule, state, _NEXT)
        except PerfBenchError as error:  # a zone that this host does not have
            return ScheduleView(schedule, replace(state, problem=error.message), ())
        return ScheduleView(schedule, state, runs)

    def _found(self, name: str) -> Schedule:
        try:
            return self._known()[name]
        except KeyError:
            if name in self._unreadable:
                raise Unreadable(_why(name, self._unreadable[name])) from None
            raise _no_schedule(name) from None

    def _known(self, limit: float = _READ_WAIT) -> dict[str, Schedule]:
        """The schedules, read if need be."""
        if self._schedules is None or self._stale:
            self._stale = False  # before: another database may come while this one is read
            try:
                self._take(*self._store_thread.call(_read, limit))
            except BaseException:
                self._stale = True
                raise
        return self._schedules if self._schedules is not None else {}


def _read(store: Store) -> tuple[SavedSchedules, dict[str, str]]:
    """Return the schedules, and by name why the others are unreadable."""
    found = store.schedules()
    rows = [row for row in store.unreadable() if row.table == "schedules"]
    return found, {str(row.key[0]): row.why for row in rows if row.key[0] not in found}


def _marked(name: str, why: str) -> ScheduleView:
    """Return the view of an unreadable schedule."""
    return ScheduleView(
        Schedule(name, profile="", paused=True), ScheduleState(problem=_why(name, why)), ()
    )


def _why(name: str, why: str) -> str:
    return say(
        "schedule-unreadable",
        "schedule {name} cannot be read ({why}): 'ceph perf-bench schedule rm {name}' removes it",
        name=name,
        why=why,
    )


def _look(count: int, gaps: tuple[Gap, ...]) -> Look:
    return Look(
        "schedules",
        say("look-schedules", "schedules that could not start a round"),
        "schedule",
        count,
        (ROUND_FAILED.code,),
        gaps,
    )


def _no_schedule(name: str) -> NotFound:
    return NotFound(
        say(
            "no-schedule",
            "no schedule '{name}': 'ceph perf-bench schedule ls' lists those there are",
            name=name,
        )
    )


def _request(start: Start) -> Request:
    schedule = start.schedule
    return Request(
        profile=schedule.profile,
        osds=schedule.osds,
        label=f"schedule {schedule.name}",
        may_raise=schedule.may_raise,
    )
