"""Cares for the database: looks at it, removes what is old, and claims what is wrong with it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Callable, Optional, TypeVar

from ..core.clock import Clock
from ..core.failing_parts import FailingParts
from ..core.loop import Loop, Task, reply
from ..errors import Busy, InvalidValue, NotFound, StoreUnavailable
from ..model.coverage import Gap, Look, command_help, gap
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
from ..model.retention import RemovedRound, RetentionRules, Sizes, StoreUsage, Tended
from ..model.said import say, with_said
from .set_aside import MOST as MOST_LISTED
from .sqlite import Store, StoreThread

# Interval of steps, and of those that read something of the file: a read costs two writes in RADOS.
STEP_SECONDS, PROBE_SECONDS = 5.0, 30.0
# An outage is claimed after this time: a shorter one needs no action.
AWAY_SECONDS = 300.0
# A damaged or lost file is claimed for this time, as Ceph does for crashes.
TOLD_SECONDS = 14 * 86400.0
# Interval of retention, which also runs when its options change.
TEND_SECONDS = 60.0
# For so long retention goes on before others have their turn.
TEND_PIECE_SECONDS = 0.5
# A database that takes this share of its limit, and of which nothing may be removed, is claimed
# until it takes less than the second share.
FULL_SHARE, FULL_UNTIL = 0.9, 0.85
# How long a command waits for a copy, and for a check or a reset.
WAIT_SECONDS, CALL_SECONDS = 3.0, 4.5
# Time limits of a check: that of a new active mgr, beside which others wait, and of a command.
_CHECK_SOON, _CHECK_ALL = 1.0, 3.0
# Maximum number of rows in a message, and in the evidence.
_NAMED, _LISTED = 3, 20

T = TypeVar("T")


class Care:
    """``step`` compares and takes one step; commands come from any thread.

    ``busy`` returns whether a round runs or is being started: reading would load its OSDs.
    ``replaced`` is called after another file, with other contents, is in use, and after retention
    has removed rounds. ``rules`` returns the operator's limits of the history.
    """

    def __init__(
        self,
        database: StoreThread,
        busy: Callable[[], bool],
        replaced: Callable[[], None],
        clock: Clock,
        failing: FailingParts,
        rules: Callable[[], RetentionRules] = RetentionRules,
    ) -> None:
        self._database = database
        self._busy = busy
        self._replaced = replaced
        self._clock = clock
        self._failing = failing
        self._rules = rules
        # Since when a step waits for the database, and since when calls fail (monotonic).
        self._asked_at: Optional[float] = None
        self._failing_since: Optional[float] = None
        # When the file is read, and retention due, next (monotonic), and the limits it ran with.
        self._probe_due = self._tend_due = clock.monotonic()
        self._tended: Optional[RetentionRules] = None
        self._file: Optional[str] = None
        # Since when rows are set aside (unix seconds).
        self._since = 0.0
        self._full = False
        # Rounds that were removed since this mgr is active, and those that are remembered.
        self.removed = self._reread_at = 0
        self.history: Sequence[RemovedRound] = ()
        self.usage: Optional[StoreUsage] = None
        self.sizes: Optional[Sizes] = None
        self.job: Optional[StoreJob] = None
        self.checked: Optional[StoreChecked] = None
        self.unreadable: Sequence[UnreadableRow] = ()
        self.state = StoreState(None)
        # Drives ``step`` until the module's loop does.
        self._loop = Loop(clock.monotonic, failing.log)
        self._task: Optional[Task[None]] = None
        self._step_due = clock.monotonic()

    def tick(self) -> None:
        """Go on with the step, or begin the next one; waits for nothing."""
        while self._loop.turn():
            pass
        if self._task is not None and self._task.done.done():
            task, self._task = self._task, None
            task.done.result()
        if self._task is None and self._clock.monotonic() >= self._step_due:
            self._step_due = self._clock.monotonic() + STEP_SECONDS
            self._task = self._loop.spawn(self.step())

    async def step(self) -> None:
        """Look at the database, and do what is due while no round runs."""
        now = self._clock.monotonic()
        due = now >= self._probe_due or self.state.problem is not None
        if due and not self._busy():
            self._probe_due = now + PROBE_SECONDS
            await self._ask(lambda store: store.files.probe())
        else:
            await self._ask(lambda _store: None)
        if self._busy() or self.state.problem is not None:
            return
        if self.checked is None:
            await self._ask(lambda store: self._check(store, _CHECK_SOON))
        due = self._clock.monotonic() >= self._tend_due or self._rules() != self._tended
        while due and not self._busy():
            due = bool(await self._ask(self._tend))

    async def _ask(self, order: Callable[[Store], T]) -> Optional[T]:
        """Give an order and look at what became of the database; None if it failed."""
        self._asked_at = self._clock.monotonic()
        try:
            return await reply(self._database.ask(self.looking(order)))
        except StoreUnavailable as error:
            self._failing.failed("store", error)
            return None
        finally:
            self._asked_at = None
            self._compare()

    def _compare(self, changed: bool = False) -> None:
        """Tell others if another file is in use than before, or what is in it has ``changed``."""
        file = self.state.mark.file if self.state.mark else None
        before, self._file = self._file, file
        if changed or before not in {None, file}:
            self._replaced()

    # --- on the database's thread ------------------------------------------------------------

    def looking(self, order: Callable[[Store], T]) -> Callable[[Store], T]:
        """Return a call that runs ``order`` and then updates the state, also after an error."""

        def work(store: Store) -> T:
            try:
                return order(store)
            finally:
                self._look(store)

        return work

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

    def _check(self, store: Store, seconds: float) -> None:
        pages, kinds = store.files.check(seconds)
        now = self._clock.now()
        self.checked, self.sizes = StoreChecked(now, pages), Sizes(now, kinds)

    def _tend(self, store: Store) -> bool:
        """Do some steps of retention; returns whether there is more to do."""
        rules, ends = self._rules(), self._clock.monotonic() + TEND_PIECE_SECONDS
        self._tend_due = self._clock.monotonic() + TEND_SECONDS  # also where it fails
        tended = Tended(StoreUsage(0, 0, shrinkable=True), more=True)
        while tended.more:
            if self._clock.monotonic() > ends:
                return True
            tended = store.retention.tend(rules, self._clock.now())
            gone = tended.removed
            if gone is not None:
                self.removed += 1
                told = "removed round %d of %s: %s"
                self._failing.log.info(told, gone.round_id, gone.profile, gone.why)
        self.usage, self.history, self._tended = tended.usage, tended.history, rules
        share = tended.usage.used / rules.bytes
        enough = FULL_UNTIL if self._full else FULL_SHARE
        self._full = share >= enough and not tended.usage.removable
        if self.removed > self._reread_at:
            self._reread_at = self.removed
            self._replaced()
        return False

    # --- for the operator --------------------------------------------------------------------

    @property
    def rules(self) -> RetentionRules:
        """The operator's limits of the history."""
        return self._rules()

    def check(self) -> None:
        """Check all of it, as far as that goes in 3 s. Raises Busy and StoreUnavailable."""
        self._free("check")
        order = self.looking(lambda store: self._check(store, _CHECK_ALL))
        self._database.call(order, CALL_SECONDS)
        self._compare()

    def backup(self) -> StoreJob:
        """Copy the database within its pool. Raises Busy and StoreUnavailable."""

        def order(store: Store) -> None:
            job.file = store.files.backup().file

        job = StoreJob("backup")
        return self._run(job, order)

    def restore(self, file: str) -> StoreJob:
        """Put a backup in its place. Raises Busy, NotFound, InvalidValue and StoreUnavailable."""
        return self._run(StoreJob("restore", file), lambda store: store.files.restore(file))

    def reset(self) -> None:
        """Begin with an empty one. Raises Busy and StoreUnavailable."""

        def order(store: Store) -> None:
            self._no_round("reset")  # one may have started while this waited
            store.files.reset()

        self._no_round("reset")
        self._database.call(self.looking(order), CALL_SECONDS)
        self._compare(changed=True)

    def _run(self, job: StoreJob, order: Callable[[Store], None]) -> StoreJob:
        """Begin a copy; one that takes longer than WAIT_SECONDS goes on, and the job tells."""

        def begin(store: Store) -> None:
            self._no_round(job.what)  # one may have started while this waited
            order(store)

        def ended(done: Future[None]) -> None:
            error = done.exception()
            job.problem = None if error is None else str(error)
            if error is not None:
                level = logging.INFO if isinstance(error, refused) else logging.WARNING
                self._failing.log.log(level, "the database's %s failed: %s", job.what, error)
            job.done.set()

        refused = (Busy, InvalidValue, NotFound)
        self._free(job.what)
        before, self.job = self.job, job
        answer = self._database.ask(self.looking(begin))
        answer.add_done_callback(ended)
        if job.done.wait(WAIT_SECONDS):
            error = answer.exception()
            if isinstance(error, refused):
                self.job = before
                raise error
            self._compare(changed=job.what == "restore" and error is None)
        return job

    def _free(self, what: str) -> None:
        """Raise Busy if a round runs or another copy is made."""
        job = self.job
        if job is not None and not job.done.is_set():
            raise Busy(
                say(
                    "database-job",
                    "a {what} of the database is under way: wait for its end",
                    what=job.what,
                )
            )
        self._no_round(what)

    def _no_round(self, what: str) -> None:
        if self._busy():
            raise Busy(
                say(
                    "wait-for-round",
                    "a round runs: wait for its end before a {what} of the database",
                    what=what,
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
        if self.checked is None:
            return "unchecked"
        if self.unreadable:
            return "unreadable rows"
        return "ok" if self.checked.pages else "pages unchecked"

    def claims(self) -> Sequence[Claim]:
        """Return the claims about the database."""
        found = [self._file_claim(), self._rows_claim(), self._past_claim(), self._size_claim()]
        return [claim for claim in found if claim is not None]

    def looks(self) -> Sequence[Look]:
        """The database: whether it can be read, and was checked since this mgr is active."""
        state = self.state
        gaps: tuple[Gap, ...] = ()
        if self._away() is not None or state.damage is not None or state.too_new:
            why = say("store-unreadable", "it cannot be read ({state})", state=self.integrity)
            gaps = (gap("unreadable", why, ("database",)),)
        elif self.checked is None:
            why = say("store-unchecked", "its pages have not been checked since this mgr is active")
            help_ = command_help("ceph perf-bench store check")
            gaps = (gap("unchecked", why, ("database",), help_),)
        what = say("look-store", "the database")
        return [Look("store", what, "database", 1, (STORE.code,), gaps)]

    def _away(self) -> Optional[float]:
        """Return for how many seconds the database has not answered; None under AWAY_SECONDS."""
        now = self._clock.monotonic()
        since = [at for at in (self._asked_at, self._failing_since) if at is not None]
        away = now - min(since, default=now)
        return away if away >= AWAY_SECONDS else None

    def _file_claim(self) -> Optional[Claim]:
        state, away = self.state, self._away()
        if state.damage is not None:
            told = state.problem or state.damage
        elif state.too_new:
            told = say(
                "store-newer",
                "{problem}, or begin anew with 'ceph perf-bench store reset'",
                problem=state.problem,
            )
        elif state.clock is not None:
            told = state.clock
        elif away is not None:
            told = say(
                "store-away",
                "the database has not answered for {minutes:.0f} min ({problem}): no round can "
                "start and schedules wait; see 'ceph -s', are placement groups inactive or "
                "OSDs full?",
                minutes=away / 60,
                problem=state.problem or say("rados-silent", "RADOS does not answer"),
            )
            return self._claim("file", Severity.WARNING, told, self._clock.now() - away)
        else:
            return None
        return self._claim("file", Severity.ERROR, told)

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
        named = [
            say("named-because", "{name}: {why}", name=row.name, why=row.why)
            for row in found[:_LISTED]
        ]
        return self._claim("rows", Severity.WARNING, message, count=len(found), rows=named)

    def _past_claim(self) -> Optional[Claim]:
        """The newest damage or loss of the last days that no restore or reset has settled."""
        mark = self.state.mark
        newest: Optional[Incident] = None
        for one in mark.incidents if mark else ():  # in their order, whatever the clocks said
            newest = one if one.event in (Event.DAMAGED, Event.LOST) else None
        if newest is None or self._clock.now() - newest.at >= TOLD_SECONDS:
            return None
        told = say(
            "store-past",
            "the database {file} was {event} ({why}) and has been replaced by an empty one; its "
            "history is lost unless you restore a backup: 'ceph perf-bench store status' lists "
            "them. This is told for 14 days, or until a restore or reset",
            file=newest.file,
            event=newest.event.value,
            why=newest.why,
        )
        return self._claim("past", Severity.WARNING, told, newest.at, file=newest.file)

    def _size_claim(self) -> Optional[Claim]:
        usage, rules = self.usage, self._rules()
        if usage is None or not self._full:
            return None
        kinds = self.sizes.kinds if self.sizes else ()
        largest = [f"{one.kind} {one.bytes >> 20} MiB" for one in kinds[:_NAMED] if one.bytes >> 20]
        what = say("store-rounds", "{count|round|rounds}", count=usage.rounds)
        if largest:
            what = say("store-largest", "{rounds} ({largest:all})", rounds=what, largest=largest)
        told = say(
            "store-size",
            "the database takes {used} MiB of the {most} MiB of keep_store_mib, and retention may "
            "remove none of its {what}: raise keep_store_mib, remove baselines or rounds with "
            "'round rm', or keep latencies for fewer days (keep_5min_days and others)",
            used=usage.used >> 20,
            most=rules.mebibytes,
            what=what,
        )
        return self._claim(
            "size", Severity.WARNING, told, bytes=usage.used, limit_bytes=rules.bytes
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
