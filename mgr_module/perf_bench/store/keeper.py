"""Maintains the database: checks it, copies it, and makes claims about its problems."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Callable, Optional, TypeVar

from ..errors import Busy, InvalidValue, NotFound, PerfBenchError
from ..model.damage import (
    Event,
    Incident,
    StoreChecked,
    StoreJob,
    StoreState,
    UnreadableRow,
)
from ..model.finding import Claim, Severity, Target
from ..model.finding_kinds import STORE
from ..ports import Clock, RowPlace, Store, StoreQueue

# Interval of checks; the first one is when a mgr becomes active.
CHECK_SECONDS = 7 * 86400.0
# An outage is claimed after this time: a shorter one needs no action.
AWAY_SECONDS = 300.0
# A damaged or lost file is claimed for this time, as Ceph does for crashes.
TOLD_SECONDS = 14 * 86400.0
# After so many take-overs within a day the file is not copied again: that does not repair it.
MOST_TAKEN_OVER, _DAY = 3, 86400.0
# How long a command waits for its job to end.
WAIT_SECONDS = 3.0
_RESET_SECONDS = 4.0
# Maximum number of rows in a message, and in the evidence.
_NAMED, _LISTED = 3, 20


T = TypeVar("T")


class StoreKeeper:
    """Ticks on the thread of the serve loop; works on the store thread in short pieces.

    ``busy`` returns whether a round runs: reading would load its OSDs. ``replaced`` is called after
    another file, with other contents, is in use.
    """

    def __init__(
        self,
        store_thread: StoreQueue,
        busy: Callable[[], bool],
        replaced: Callable[[], None],
        clock: Clock,
        log: logging.Logger,
    ) -> None:
        self._store_thread = store_thread
        self._busy = busy
        self._replaced = replaced
        self._clock = clock
        self._log = log
        self._lock = threading.Lock()
        self._due = clock.monotonic()
        self._place: Optional[RowPlace] = None
        self._pages: Optional[bool] = None
        # Since when a call is pending, and since when calls fail (monotonic seconds).
        self._asked_at: Optional[float] = None
        self._failing_since: Optional[float] = None
        self._since = 0.0
        self.job: Optional[StoreJob] = None
        self.checked: Optional[StoreChecked] = None
        self.unreadable: Sequence[UnreadableRow] = ()
        self.state = StoreState(None)

    # --- its thread --------------------------------------------------------------------------

    def tick(self) -> None:
        """Submit the next piece of the running job, or begin one that is due."""
        if self._asked_at is not None:
            return
        job = self.job
        if job is not None and not job.done.is_set():
            if not self._busy() or job.what == "take-over":
                self._go_on(job)
        elif self.state.damage is not None:
            if self._may_take_over():
                self._begin("take-over", lambda store: store.files.take_over())
            else:
                self._submit(self._look)
        elif self._clock.monotonic() >= self._due and not self._busy():
            self._begin("check", self._begin_check)
        else:
            self._submit(self._look)

    def _may_take_over(self) -> bool:
        mark = self.state.mark
        if mark is None:
            return True
        after = self._clock.now() - _DAY
        recent = [one for one in mark.incidents if one.event is Event.DAMAGED and one.at > after]
        return len(recent) < MOST_TAKEN_OVER

    def _begin(self, what: str, order: Callable[[Store], None]) -> StoreJob:
        job = self.job = StoreJob(what)
        self._submit(order, job)
        return job

    def _go_on(self, job: StoreJob) -> None:
        self._submit(self._check_piece if job.what == "check" else self._copy_piece, job)

    def _submit(self, order: Callable[[Store], None], job: Optional[StoreJob] = None) -> None:
        self._asked_at = self._clock.monotonic()

        def done(error: Optional[Exception]) -> None:
            self._asked_at = None
            if error is not None and job is not None:
                level = logging.DEBUG if job.what == "check" else logging.WARNING
                self._log.log(level, "the database's %s cannot go on: %s", job.what, error)
                job.problem = str(error)
                job.done.set()
            elif job is not None and not job.done.is_set() and job.what != "check":
                self.tick()  # a copy continues at once; other calls run between the pieces

        self._store_thread.submit(self.looking(order), done)

    def looking(self, order: Callable[[Store], T]) -> Callable[[Store], T]:
        """Return a call that runs ``order`` and then updates the state, also after an error."""

        def work(store: Store) -> T:
            try:
                return order(store)
            finally:
                self._look(store)

        return work

    # --- on the store's thread ---------------------------------------------------------------

    def _look(self, store: Store) -> None:
        """Update the state from what is known without a query."""
        if not self.unreadable:
            self._since = self._clock.now()
        self.unreadable = store.unreadable()
        self.state = store.files.state()
        if self.state.problem is None:
            self._failing_since = None
        elif self._failing_since is None:
            self._failing_since = self._clock.monotonic()

    def _begin_check(self, store: Store) -> None:
        self._place = None
        self._pages = store.files.check_pages()
        self._check_piece(store)

    def _check_piece(self, store: Store) -> None:
        self._place = store.check_rows(self._place)
        job = self.job
        # Another job may have been started meanwhile.
        if self._place is None and job is not None and job.what == "check":
            self.checked = StoreChecked(self._clock.now(), self._pages)
            self._due = self._clock.monotonic() + CHECK_SECONDS
            job.done.set()

    def _copy_piece(self, store: Store) -> None:
        job = self.job
        if store.files.copy_piece() or job is None or job.what == "check":
            return
        if job.what == "restore":
            self._replaced()
        if job.what != "backup":
            self._due = self._clock.monotonic()
        job.done.set()

    # --- for the operator --------------------------------------------------------------------

    def check(self) -> StoreJob:
        """Check the whole database; waits at most 3 s for the end. Raises Busy."""
        return self._run("check", self._begin_check, eager=True)

    def backup(self) -> StoreJob:
        """Copy the database within its pool. Raises Busy."""
        return self._run("backup", lambda store: self._named(store.files.backup()))

    def restore(self, file: str) -> StoreJob:
        """Replace the database by a backup. Raises Busy, NotFound, InvalidValue."""

        def order(store: Store) -> None:
            store.files.restore(file)
            self._named(file)

        return self._run("restore", order)

    def reset(self) -> None:
        """Replace the database by an empty one. Raises Busy and StoreUnavailable."""

        def order(store: Store) -> None:
            store.files.reset()
            self._look(store)

        with self._lock:
            self._free("reset")
            self._store_thread.call(order, _RESET_SECONDS)
            self.job, self._due = None, self._clock.monotonic()
        self._replaced()

    def _run(self, what: str, order: Callable[[Store], None], eager: bool = False) -> StoreJob:
        with self._lock:
            self._free(what)
            before, job = self.job, StoreJob(what)
            self.job = job
            try:
                self._store_thread.call(self.looking(order))
            except (InvalidValue, NotFound):  # refused before anything was done
                self.job = before
                raise
            except PerfBenchError as error:
                job.problem = str(error)
                job.done.set()
                raise
        while not job.done.is_set() and eager and self._asked_at is None:
            self._go_on(job)
            self._store_thread.call(lambda _store: None)
        if not eager:
            self.tick()
        job.done.wait(WAIT_SECONDS)
        return job

    def _named(self, file: str) -> None:
        if self.job is not None:
            self.job.file = file

    def _free(self, what: str) -> None:
        """Raise Busy if a round runs or another job is not done."""
        if self._busy():
            raise Busy(f"a round runs: wait for its end before a {what} of the database")
        job = self.job
        if job is not None and not job.done.is_set() and job.what != "check" and what != "reset":
            raise Busy(f"a {job.what} of the database is under way: wait for its end")

    # --- status and claims -------------------------------------------------------------------

    @property
    def integrity(self) -> str:
        """The state of the database in a few words."""
        state = self.state
        if state.damage is not None or state.too_new:
            return "damaged" if state.damage is not None else "newer schema"
        if self._away() is not None:
            return "no answer"
        if self.job is not None and self.job.what == "check" and not self.job.done.is_set():
            return "checking"
        if self.checked is None:
            return "unchecked"
        sound = "ok" if self.checked.pages else "rows ok, pages unchecked"
        return "unreadable rows" if self.unreadable else sound

    def claims(self) -> Sequence[Claim]:
        """Return the claims about the database."""
        found = [self._file_claim(), self._rows_claim(), self._past_claim()]
        return [claim for claim in found if claim is not None]

    def _away(self) -> Optional[float]:
        """Return for how many seconds the database has not answered; None under AWAY_SECONDS."""
        now, waits = self._clock.monotonic(), [0.0]
        if self._asked_at is not None:
            waits.append(now - self._asked_at)
        if self._failing_since is not None:
            waits.append(now - self._failing_since)
        return max(waits) if max(waits) >= AWAY_SECONDS else None

    def _file_claim(self) -> Optional[Claim]:
        state, away = self.state, self._away()
        if state.damage is not None:
            more = (
                "what can be read of it is being taken over into a new one"
                if self._may_take_over()
                else "it was replaced three times within a day already: look for what damages it, "
                "then 'ceph perf-bench store reset'"
            )
            return self._claim(
                "file", Severity.ERROR, f"the database is damaged ({state.damage}): {more}"
            )
        if state.too_new:
            return self._claim(
                "file",
                Severity.ERROR,
                f"{state.problem}, or begin anew with 'ceph perf-bench store reset'",
            )
        if away is not None:
            return self._claim(
                "file",
                Severity.WARNING,
                f"the database has not answered for {away / 60:.0f} min "
                f"({state.problem or 'RADOS does not answer'}): no round can start and schedules "
                "wait; see 'ceph -s', are placement groups inactive or OSDs full?",
            )
        return None

    def _rows_claim(self) -> Optional[Claim]:
        found = self.unreadable
        if not found:
            return None
        named = "; ".join(f"{row} ({row.why})" for row in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        count = "1 row" if len(found) == 1 else f"{len(found)} rows"
        return self._claim(
            "rows",
            Severity.WARNING,
            f"{count} of the database cannot be read and are passed over: {named}{more}. "
            "What to do about each is in docs/store.md",
            count=len(found),
            rows=[f"{row}: {row.why}" for row in found[:_LISTED]],
        )

    def _past_claim(self) -> Optional[Claim]:
        mark = self.state.mark
        told = [
            one
            for one in (mark.incidents if mark else ())
            if one.event in (Event.DAMAGED, Event.LOST)
            and self._clock.now() - one.at < TOLD_SECONDS
        ]
        # A later restore or reset settles an incident.
        settled = [
            one.at
            for one in (mark.incidents if mark else ())
            if one.event in (Event.RESTORED, Event.RESET)
        ]
        told = [one for one in told if one.at > max(settled, default=0.0)]
        if not told:
            return None
        return self._claim("past", Severity.WARNING, _past(told[-1]), file=told[-1].file)

    def _claim(self, target: str, severity: Severity, message: str, **evidence: object) -> Claim:
        return Claim(STORE.code, severity, Target("store", target), message, evidence, self._since)


def _past(one: Incident) -> str:
    begin = (
        f"the database {one.file} was lost ({one.why}), and a new one is in use"
        if one.event is Event.LOST
        else f"the database {one.file} was damaged ({one.why}); {one.rows} rows of it were taken "
        "over into a new one"
    )
    missing = f", not {', '.join(one.missing[:_NAMED])}" if one.missing else ""
    return (
        f"{begin}{missing}. 'ceph perf-bench store status' lists backups that 'store restore' "
        "brings back; this is told for 14 days, or until a restore or reset"
    )
