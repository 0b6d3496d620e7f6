"""Maintains the database: checks, copies and shortens it, and makes claims about its problems."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Callable, Optional, TypeVar

from ..errors import Busy, InvalidValue, NotFound, PerfBenchError, StoreUnavailable
from ..model.coverage import Gap, Look, command_help, gap
from ..model.damage import (
    Event,
    Incident,
    StoreChecked,
    StoreJob,
    StoreMark,
    StoreState,
    UnreadableRow,
)
from ..model.failing_parts import FailingParts
from ..model.finding import Claim, Severity, Target
from ..model.finding_kinds import STORE
from ..model.retention import RemovedRound, RetentionRules, Sizes, StoreUsage
from ..model.said import say, with_said
from ..ports import Clock
from .integrity import RowPlace
from .set_aside import MOST as MOST_LISTED
from .sqlite import Store, StoreThread

# Interval of checks; the first one is when a mgr becomes active.
CHECK_SECONDS = 7 * 86400.0
# An outage is claimed after this time: a shorter one needs no action.
AWAY_SECONDS = 300.0
# A damaged or lost file is claimed for this time, as Ceph does for crashes.
TOLD_SECONDS = 14 * 86400.0
# After so many take-overs within a day the file is not copied again: that does not repair it.
MOST_TAKEN_OVER, _DAY = 3, 86400.0
# Interval of retention, which also runs when its options change.
TEND_SECONDS = 60.0
# A database that takes this share of its limit, and of which nothing may be removed, is claimed
# until it takes less than the second share.
FULL_SHARE, FULL_UNTIL = 0.9, 0.85
# How long a command waits for its job to end.
WAIT_SECONDS = 3.0
RESET_SECONDS = 4.0
# Maximum number of rows in a message, and in the evidence.
_NAMED, _LISTED = 3, 20


T = TypeVar("T")


class StoreKeeper:
    """Ticks on the thread of the serve loop; works on the store thread in short pieces.

    ``busy`` returns whether a round runs or is being started: reading would load its OSDs.
    ``replaced`` is called after another file, with other contents, is in use, and after retention
    has removed rounds.
    """

    def __init__(
        self,
        store_thread: StoreThread,
        busy: Callable[[], bool],
        replaced: Callable[[], None],
        clock: Clock,
        failing: FailingParts,
        rules: Callable[[], RetentionRules] = RetentionRules,
    ) -> None:
        """``rules`` returns the operator's limits of the history."""
        self._failing = failing
        self._rules = rules
        self._store_thread = store_thread
        self._busy = busy
        self._replaced = replaced
        self._clock = clock
        self._log = failing.log
        self._lock = threading.Lock()
        # Held while what is pending, or which job is under way, is looked at and changed.
        self._turn = threading.Lock()
        self._due = clock.monotonic()
        self._place: Optional[RowPlace] = None
        self._pages: Optional[bool] = None
        # Since when a call is pending, and since when calls fail (monotonic seconds).
        self._asked_at: Optional[float] = None
        self._failing_since: Optional[float] = None
        self._since = 0.0
        # Retention: with which limits it ran to its end, and when it is due again; whether it runs.
        self._tended: Optional[RetentionRules] = None
        self._tend_due = clock.monotonic()
        self._tending = False
        self._full = False
        # When the copy is due that lets the file shrink.
        self._compaction_due = clock.monotonic()
        # Rounds that were removed since this mgr is active, and those that are remembered.
        self.removed = 0
        self._reread_at = 0
        self.history: Sequence[RemovedRound] = ()
        self.usage: Optional[StoreUsage] = None
        self.sizes: Optional[Sizes] = None
        self.job: Optional[StoreJob] = None
        self.checked: Optional[StoreChecked] = None
        self.unreadable: Sequence[UnreadableRow] = ()
        self.state = StoreState(None)

    # --- its thread --------------------------------------------------------------------------

    def tick(self) -> None:
        """Submit the next piece of the running job, or begin one that is due.

        Also ticks of the store's thread, and of commands, come here: one order is pending at most.
        """
        if not self._take_turn():
            return
        try:
            self._ask()
        except BaseException:
            self._asked_at = None
            raise

    def _take_turn(self) -> bool:
        """Return whether nothing was pending; from now on something is."""
        with self._turn:
            free = self._asked_at is None
            if free:
                self._asked_at = self._clock.monotonic()
            return free

    def _ask(self) -> None:
        """Submit a piece of what is under way, the begin of what is due, or else a look."""
        if self._clock.monotonic() < self._due:  # a check has gone to its end
            self._failing.went_well("store-check")
        job, busy = self._copying, self._busy()
        # A take-over and a compaction have no round beside them.
        if job is not None and (not busy or job.what in {"take-over", "compaction"}):
            self._go_on(job)
        elif job is not None:
            self._submit(self._look)
        elif self.state.damage is not None:
            if self._may_take_over():
                self._begin("take-over", lambda store, _job: store.files.take_over())
            else:
                self._submit(self._look)
        elif busy or not self._work():
            self._submit(self._look)

    def _work(self) -> bool:
        """Do what is due while no round runs; returns False if nothing is.

        Retention does not wait for the end of a check, which can take hours.
        """
        job = self.job if self.job is not None and not self.job.done.is_set() else None
        if job is None and self._clock.monotonic() >= self._due:
            self._begin("check", self._begin_check)
        elif self._is_tend_due():
            self._tending = True
            self._submit(self._tend)
        elif job is not None:
            self._go_on(job)
        elif self._is_compaction_due():
            self._compaction_due = self._clock.monotonic() + _DAY  # where it fails
            self._begin("compaction", lambda store, _job: store.files.compact())
        else:
            return False
        return True

    @property
    def _copying(self) -> Optional[StoreJob]:
        """The copy that is under way; a check gives way to one."""
        job = self.job
        return None if job is None or job.done.is_set() or job.what == "check" else job

    def _take_place(self, job: StoreJob) -> bool:
        """Make this the job that is told, unless a copy is under way."""
        with self._turn:
            free = self._copying is None
            if free:
                self.job = job
            return free

    @property
    def rules(self) -> RetentionRules:
        """The operator's limits of the history."""
        return self._rules()

    def _is_tend_due(self) -> bool:
        due = self._clock.monotonic() >= self._tend_due
        return due or self._tending or self._rules() != self._tended

    def _is_compaction_due(self) -> bool:
        usage = self.usage
        due = self._clock.monotonic() >= self._compaction_due
        return due and usage is not None and not usage.shrinkable

    def _may_take_over(self) -> bool:
        mark = self.state.mark
        if mark is None:
            return True
        after = self._clock.now() - _DAY
        recent = [one for one in mark.incidents if one.event is Event.DAMAGED and one.at > after]
        return len(recent) < MOST_TAKEN_OVER

    def _begin(self, what: str, order: Callable[[Store, StoreJob], None]) -> None:
        job = StoreJob(what)

        def begin(store: Store) -> None:
            if self._take_place(job):  # else a command has begun a copy since the tick
                order(store, job)

        self._submit(begin, job)

    def _go_on(self, job: StoreJob) -> None:
        piece = self._check_piece if job.what == "check" else self._copy_piece
        self._submit(lambda store: piece(store, job), job)

    def _submit(self, order: Callable[[Store], None], job: Optional[StoreJob] = None) -> None:
        self._asked_at = self._clock.monotonic()

        def done(error: Optional[Exception]) -> None:
            self._asked_at = None
            if error is not None and job is not None:
                level = logging.DEBUG if job.what == "check" else logging.WARNING
                self._log.log(level, "the database's %s cannot go on: %s", job.what, error)
                if job.what == "check":
                    self._failing.failed("store-check", error)
                job.problem = str(error)
                job.done.set()
            elif job is not None and not job.done.is_set() and job.what != "check":
                self.tick()  # a copy continues at once; other calls run between the pieces
            elif job is None and self._tending:
                if error is not None:
                    self._failing.failed("retention", error)
                    self._tending, self._tend_due = False, self._clock.monotonic() + TEND_SECONDS
                elif not self._busy():  # else it goes on in a tick after the round
                    self.tick()  # the same
            elif error is not None:
                self._failing.failed("store", error)

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
        before, self.state = self.state, store.files.state()
        loss = _newest_loss(self.state.mark)
        if before.mark is not None and loss not in {None, _newest_loss(before.mark)}:
            self._replaced()  # it was met by whoever asked the store first
        if self.state.problem is None:
            self._failing_since = None
        elif self._failing_since is None:
            self._failing_since = self._clock.monotonic()

    def _tend(self, store: Store) -> None:
        """Do one step of retention."""
        rules = self._rules()
        tended = store.retention.tend(rules, self._clock.now())
        self._tending = tended.more
        gone = tended.removed
        if gone is not None:
            self.removed += 1
            self._log.info("removed round %d of %s: %s", gone.round_id, gone.profile, gone.why)
        if not tended.more:
            self.usage, self.history, self._tended = tended.usage, tended.history, rules
            self._tend_due = self._clock.monotonic() + TEND_SECONDS
            self._failing.went_well("retention")
            share = tended.usage.used / rules.bytes
            enough = FULL_UNTIL if self._full else FULL_SHARE
            self._full = share >= enough and not tended.usage.removable
            if self.removed > self._reread_at:
                self._reread_at = self.removed
                self._replaced()

    def _begin_check(self, store: Store, job: StoreJob) -> None:
        store.files.tidy()
        self._place = None
        self._pages = store.files.check_pages()
        self._check_piece(store, job)

    def _check_piece(self, store: Store, job: StoreJob) -> None:
        self._place = store.check_rows(self._place)
        if self._place is None:
            self.checked = StoreChecked(self._clock.now(), self._pages)
            self.sizes = Sizes(self._clock.now(), store.kinds())
            self._due = self._clock.monotonic() + CHECK_SECONDS
            job.done.set()

    def _copy_piece(self, store: Store, job: StoreJob) -> None:
        if store.files.copy_piece():
            return
        if job.what in {"restore", "take-over"}:
            mark = store.files.state().mark
            job.missing = mark.incidents[-1].missing if mark and mark.incidents else ()
            self._replaced()
        if job.what == "compaction":
            store.files.tidy()
        elif job.what != "backup":
            self._due = self._clock.monotonic()
        if job.what != "backup":
            self._tend_due = self._clock.monotonic()
        job.done.set()

    # --- for the operator --------------------------------------------------------------------

    def check(self) -> StoreJob:
        """Check the whole database; waits at most 3 s for the end. Raises Busy."""
        return self._run("check", self._begin_check, eager=True)

    def backup(self) -> StoreJob:
        """Copy the database within its pool. Raises Busy."""

        def order(store: Store, job: StoreJob) -> None:
            job.file = store.files.backup()

        return self._run("backup", order)

    def restore(self, file: str) -> StoreJob:
        """Replace the database by a backup. Raises Busy, NotFound, InvalidValue."""

        def order(store: Store, job: StoreJob) -> None:
            store.files.restore(file)
            job.file = file

        return self._run("restore", order)

    def reset(self) -> None:
        """Replace the database by an empty one. Raises Busy and StoreUnavailable."""

        def order(store: Store) -> None:
            self._free("reset")  # a round may have started while this waited
            store.files.reset()
            self._look(store)
            self.job, self._due = None, self._clock.monotonic()
            self._replaced()  # also where it ends after its command gave up

        with self._lock:
            self._free("reset")
            self._store_thread.call(order, RESET_SECONDS)

    def _run(
        self, what: str, order: Callable[[Store, StoreJob], None], eager: bool = False
    ) -> StoreJob:
        job = StoreJob(what)

        def begin(store: Store) -> None:
            self._free(what)  # a round or a job may have begun while this waited
            order(store, job)
            if job.problem is None:
                self.job = job  # ticks go on with it, which they must not before it has begun
            elif what != "check":  # its command has said that the database gave no answer
                store.files.cancel()

        with self._lock:
            self._free(what)
            try:
                self._store_thread.call(self.looking(begin))
            except (Busy, InvalidValue, NotFound):  # refused before anything was done
                raise
            except PerfBenchError as error:
                job.problem = str(error)
                job.done.set()
                self._take_place(job)
                raise
        ends = self._clock.monotonic() + WAIT_SECONDS
        while eager and not job.done.is_set() and self._clock.monotonic() < ends:
            if not self._take_turn():
                break
            self._go_on(job)
            with suppress(StoreUnavailable):  # it goes on, and the answer says so
                self._store_thread.call(lambda _store: None, ends - self._clock.monotonic())
        if not eager:
            self.tick()
        job.done.wait(ends - self._clock.monotonic())
        return job

    def _free(self, what: str) -> None:
        """Raise Busy if a round runs or another job is not done."""
        if self._busy():
            raise Busy(
                say(
                    "wait-for-round",
                    "a round runs: wait for its end before a {what} of the database",
                    what=what,
                )
            )
        job = self._copying
        if job is not None and what != "reset":
            raise Busy(
                say(
                    "database-job",
                    "a {what} of the database is under way: wait for its end",
                    what=job.what,
                )
            )

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
        found = [self._file_claim(), self._rows_claim(), self._past_claim(), self._size_claim()]
        return [claim for claim in found if claim is not None]

    def looks(self) -> Sequence[Look]:
        """The database: whether its rows have been read since this mgr is active."""
        state = self.state
        gaps: tuple[Gap, ...] = ()
        if self._away() is not None or state.damage is not None or state.too_new:
            why = say("store-unreadable", "it cannot be read ({state})", state=self.integrity)
            gaps = (gap("unreadable", why, ("database",)),)
        elif self.checked is None:
            why = say("store-unchecked", "its rows have not all been read since this mgr is active")
            help_ = command_help("ceph perf-bench store check")
            gaps = (gap("unchecked", why, ("database",), help_),)
        what = say("look-store", "rows of the database")
        return [Look("store", what, "database", 1, (STORE.code,), gaps)]

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
            if self._may_take_over():
                told = say(
                    "store-damaged",
                    "the database is damaged ({damage}): what can be read of it is being taken "
                    "over into a new one",
                    damage=state.damage,
                )
            else:
                told = say(
                    "store-damaged-again",
                    "the database is damaged ({damage}): it was replaced three times within a day "
                    "already: look for what damages it, then 'ceph perf-bench store reset'",
                    damage=state.damage,
                )
            return self._claim("file", Severity.ERROR, told)
        if state.too_new:
            return self._claim(
                "file",
                Severity.ERROR,
                say(
                    "store-newer",
                    "{problem}, or begin anew with 'ceph perf-bench store reset'",
                    problem=state.problem,
                ),
            )
        if away is not None:
            return self._claim(
                "file",
                Severity.WARNING,
                say(
                    "store-away",
                    "the database has not answered for {minutes:.0f} min ({problem}): no round can "
                    "start and schedules wait; see 'ceph -s', are placement groups inactive or "
                    "OSDs full?",
                    minutes=away / 60,
                    problem=state.problem or say("rados-silent", "RADOS does not answer"),
                ),
                self._clock.now() - away,
            )
        return None

    def _rows_claim(self) -> Optional[Claim]:
        found = self.unreadable
        if not found:
            return None
        rows = [say("row-because", "{row} ({why})", row=row.name, why=row.why) for row in found]
        message = say(
            "store-rows",
            "{count|row|rows} of the database cannot be read and {count#is|are} passed over: "
            "{rows:list}. What to do about each is in docs/store.md",
            count=len(found),
            rows=rows,
        )
        if len(found) >= MOST_LISTED:
            message = say("store-rows-most", "at least {rows}", rows=message)
        return self._claim(
            "rows",
            Severity.WARNING,
            message,
            count=len(found),
            rows=[
                say("named-because", "{name}: {why}", name=row.name, why=row.why)
                for row in found[:_LISTED]
            ],
        )

    def _past_claim(self) -> Optional[Claim]:
        mark = self.state.mark
        incidents = mark.incidents if mark else ()  # in their order, whatever the clocks said
        # A later restore or reset settles an incident.
        settled = [
            place
            for place, one in enumerate(incidents)
            if one.event in (Event.RESTORED, Event.RESET)
        ]
        told = [
            one
            for one in incidents[max(settled, default=-1) + 1 :]
            if one.event in (Event.DAMAGED, Event.LOST)
            and self._clock.now() - one.at < TOLD_SECONDS
        ]
        if not told:
            return None
        newest = told[-1]
        return self._claim("past", Severity.WARNING, _past(newest), newest.at, file=newest.file)

    def _size_claim(self) -> Optional[Claim]:
        usage, rules = self.usage, self._rules()
        if usage is None or not self._full:
            return None
        kinds = self.sizes.kinds if self.sizes else ()
        largest = [f"{one.kind} {one.bytes >> 20} MiB" for one in kinds[:_NAMED] if one.bytes >> 20]
        what = say("store-rounds", "{count|round|rounds}", count=usage.rounds)
        if largest:
            what = say("store-largest", "{rounds} ({largest:all})", rounds=what, largest=largest)
        return self._claim(
            "size",
            Severity.WARNING,
            say(
                "store-size",
                "the database takes {used} MiB of the {most} MiB of keep_store_mib, and "
                "retention may remove none of its {what}: raise keep_store_mib, remove "
                "baselines or rounds with 'round rm', or keep latencies for fewer days "
                "(keep_5min_days and others)",
                used=usage.used >> 20,
                most=rules.mebibytes,
                what=what,
            ),
            bytes=usage.used,
            limit_bytes=rules.bytes,
        )

    def _claim(
        self,
        target: str,
        severity: Severity,
        message: str,
        since: Optional[float] = None,
        **evidence: object,
    ) -> Claim:
        told = with_said(**evidence)
        since = self._since if since is None else since
        return Claim(STORE.code, severity, Target("store", target), message, told, since)


def _newest_loss(mark: Optional[StoreMark]) -> Optional[Incident]:
    incidents = mark.incidents if mark is not None else ()
    return next((one for one in reversed(incidents) if one.event is Event.LOST), None)


def _past(one: Incident) -> str:
    if one.event is Event.LOST:
        begin = say(
            "store-lost",
            "the database {file} was lost ({why}), and a new one is in use",
            file=one.file,
            why=one.why,
        )
    else:
        begin = say(
            "store-was-damaged",
            "the database {file} was damaged ({why}); {rows} rows of it were taken over into a new "
            "one",
            file=one.file,
            why=one.why,
            rows=one.rows,
        )
    if one.missing:
        missing = one.missing[:_NAMED]
        if len(one.missing) > _NAMED:
            begin = say(
                "store-missing-more",
                "{what}, not {missing:all} and others",
                what=begin,
                missing=missing,
            )
        else:
            begin = say("store-missing", "{what}, not {missing:all}", what=begin, missing=missing)
    return say(
        "store-past",
        "{what}. 'ceph perf-bench store status' lists backups that 'store restore' brings back; "
        "this is told for 14 days, or until a restore or reset",
        what=begin,
    )
