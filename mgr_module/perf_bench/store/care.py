"""Cares for the database: looks at it, removes what is old, and claims what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import wait
from typing import Callable, Optional, TypeVar

from ..core.clock import Clock
from ..core.failing_parts import FailingParts
from ..core.loop import reply
from ..errors import Busy, InvalidValue, NotFound, StoreDamaged, StoreTooNew, StoreUnavailable
from ..model.finding import Claim, Gap, Look, Severity, Target
from ..model.finding_kinds import STORE
from ..model.phrases import listed, plural
from ..model.store import (
    Event,
    Incident,
    RetentionRules,
    StoreChecked,
    StoreJob,
    StoreState,
    StoreUsage,
)
from .rows import MOST_LISTED
from .sqlite import Store, StoreThread

# Interval of steps that read something of the file: a read costs two writes in RADOS.
PROBE_SECONDS = 30.0
# An outage is claimed after this time: a shorter one needs no action.
AWAY_SECONDS = 300.0
# A damaged or lost file is claimed for this time, as Ceph does for crashes.
TOLD_SECONDS = 14 * 86400.0
# Interval of retention, which also runs when its options change.
TEND_SECONDS = 60.0
# A database that takes this share of its limit, and of which nothing may be removed, is claimed
# until it takes less than the second share.
FULL_SHARE, FULL_UNTIL = 0.9, 0.85
# How long a command waits for a copy, and for a check or a reset.
WAIT_SECONDS, CALL_SECONDS = 3.0, 4.5
# What ``integrity`` says of a database that cannot be read.
_UNREAD = ("damaged", "newer schema", "no answer")
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
        self.rules = rules
        # Since when a step waits for the database, and since when calls fail (monotonic).
        self._asked_at: Optional[float] = None
        self._failing_since: Optional[float] = None
        # When the file is read, and retention due, next (monotonic), and the limits it ran with.
        self._probe_due = self._tend_due = clock.monotonic()
        self._tended: Optional[RetentionRules] = None
        self._file: Optional[str] = None
        self._full = False
        # Rounds that were removed since this mgr is active.
        self.removed = 0
        self.usage: Optional[StoreUsage] = None
        self.job: Optional[StoreJob] = None
        self.checked: Optional[StoreChecked] = None

    async def step(self) -> None:
        """Look at the database, and do what is due while no round runs."""
        now = self._clock.monotonic()
        if (now >= self._probe_due or self.state.trouble) and not self._busy():
            self._probe_due = now + PROBE_SECONDS
            await self._ask(lambda store: store.files.probe())
        else:
            await self._ask(lambda _store: None)
        if self._busy() or self.state.trouble:
            return
        if self.checked is None:
            self.checked = await self._ask(lambda store: store.files.check(self._clock.now()))
        if self._clock.monotonic() >= self._tend_due or self.rules() != self._tended:
            await self._tend()

    async def _tend(self) -> None:
        """Let retention take its steps while no round runs."""
        rules, before = self.rules(), self.removed
        self._tend_due = self._clock.monotonic() + TEND_SECONDS  # also where it fails
        more = True
        while more and not self._busy():
            tended = await self._ask(lambda store: store.retention.tend(rules, self._clock.now()))
            if tended is None:
                break
            gone, more = tended.removed, tended.more
            if gone is not None:
                self.removed += 1
                told = "removed round %d of %s: %s"
                self._failing.log.info(told, gone.round_id, gone.profile, gone.why)
            if not more:
                self.usage, self._tended = tended.usage, rules
                share = tended.usage.used / rules.bytes
                enough = FULL_UNTIL if self._full else FULL_SHARE
                self._full = share >= enough and not tended.usage.removable
        if self.removed > before:
            self._replaced()

    async def _ask(self, order: Callable[[Store], T]) -> Optional[T]:
        """Give an order and look at what became of the database; None if it failed."""
        self._asked_at = self._clock.monotonic()
        try:
            return await reply(self._database.ask(order))
        except StoreUnavailable as error:
            self._failing.failed("store", error)
            return None
        finally:
            self._asked_at = None
            self._compare()

    def _compare(self, changed: bool = False) -> None:
        """Tell others if another file is in use than before, or what is in it has ``changed``."""
        state = self.state
        if state.trouble is None:
            self._failing_since = None
        elif self._failing_since is None:
            self._failing_since = self._clock.monotonic()
        file = state.mark.file if state.mark else None
        before, self._file = self._file, file
        if changed or before not in {None, file}:
            self._replaced()

    # --- for the operator --------------------------------------------------------------------

    @property
    def state(self) -> StoreState:
        """How the database is, as far as that is known without asking it."""
        return self._database.database.state

    def check(self) -> None:
        """Check all of it, as far as that goes in its time. Raises Busy and StoreUnavailable."""
        self._free("check")
        self.checked = self._database.call(
            lambda store: store.files.check(self._clock.now()), CALL_SECONDS
        )
        self._compare()

    def backup(self) -> StoreJob:
        """Copy the database within its pool. Raises Busy and StoreUnavailable."""
        return self._run("backup", "", lambda store: store.files.backup().file)

    def restore(self, file: str) -> StoreJob:
        """Put a backup in its place. Raises Busy, NotFound, InvalidValue and StoreUnavailable."""
        return self._run("restore", file, lambda store: store.files.restore(file))

    def reset(self) -> None:
        """Begin with an empty one. Raises Busy and StoreUnavailable."""
        order = self._guarded("reset", lambda store: store.files.reset())
        self._database.call(order, CALL_SECONDS)
        self._compare(changed=True)

    def _run(self, what: str, file: str, order: Callable[[Store], str]) -> StoreJob:
        """Begin a copy; one that takes longer than WAIT_SECONDS goes on, and the job tells.

        ``order`` returns the name of the copy.
        """
        self._free(what)
        job = StoreJob(what, self._database.ask(self._guarded(what, order)), file)
        if wait([job.answer], WAIT_SECONDS).done:
            error = job.answer.exception()
            if isinstance(error, (Busy, InvalidValue, NotFound)):
                raise error
            self._compare(changed=what == "restore" and error is None)
        self.job = job
        return job

    def _free(self, what: str) -> None:
        """Raise Busy if a round runs or another copy is made."""
        if self.job is not None and not self.job.answer.done():
            raise Busy(f"a {self.job.what} of the database is under way: wait for its end")
        self._no_round(what)

    def _guarded(self, what: str, order: Callable[[Store], T]) -> Callable[[Store], T]:
        """The order, which raises Busy where a round has started while it waited."""

        def begin(store: Store) -> T:
            self._no_round(what)
            return order(store)

        self._no_round(what)
        return begin

    def _no_round(self, what: str) -> None:
        if self._busy():
            raise Busy(f"a round runs: wait for its end before a {what} of the database")

    # --- status and claims -------------------------------------------------------------------

    @property
    def integrity(self) -> str:
        """The state of the database in a few words."""
        trouble = self.state.trouble
        if isinstance(trouble, StoreDamaged):
            return "damaged"
        if isinstance(trouble, StoreTooNew):
            return "newer schema"
        if self._away() is not None:
            return "no answer"
        if self.checked is None:
            return "unchecked"
        if self.state.unreadable:
            return "unreadable rows"
        return "ok" if self.checked.pages else "pages unchecked"

    def claims(self) -> Sequence[Claim]:
        """Return the claims about the database."""
        found = [self._file_claim(), self._rows_claim(), self._past_claim(), self._size_claim()]
        return [claim for claim in found if claim is not None]

    def looks(self) -> Sequence[Look]:
        """The database: whether it can be read, and was checked since this mgr is active."""
        gaps: tuple[Gap, ...] = ()
        if self.integrity in _UNREAD:
            gaps = (Gap("unreadable", f"it cannot be read ({self.integrity})").of(("database",)),)
        elif self.checked is None:
            why = "its pages have not been checked since this mgr is active"
            gaps = (Gap("unchecked", why, "'ceph perf-bench store check'").of(("database",)),)
        return [Look("store", "the database", "database", 1, (STORE.code,), gaps)]

    def _away(self) -> Optional[float]:
        """Return for how many seconds the database has not answered; None under AWAY_SECONDS."""
        now = self._clock.monotonic()
        since = [at for at in (self._asked_at, self._failing_since) if at is not None]
        away = now - min(since, default=now)
        return away if away >= AWAY_SECONDS else None

    def _file_claim(self) -> Optional[Claim]:
        trouble, away = self.state.trouble, self._away()
        fatal = isinstance(trouble, (StoreDamaged, StoreTooNew))
        told = str(trouble) if fatal else self.state.wrong_clock
        if told is not None:
            return self._claim("file", Severity.ERROR, told)
        if away is None:
            return None
        told = (
            f"the database has not answered for {away / 60:.0f} min "
            f"({trouble or 'RADOS does not answer'}): no round can start and schedules wait; "
            "see 'ceph -s', are placement groups inactive or OSDs full?"
        )
        return self._claim("file", Severity.WARNING, told, self._clock.now() - away)

    def _rows_claim(self) -> Optional[Claim]:
        found = self.state.unreadable
        if not found:
            return None
        count = len(found)
        rows = listed([f"{row.name} ({row.why})" for row in found])
        least = "at least " if count >= MOST_LISTED else ""
        message = (
            f"{least}{plural(count, 'row')} of the database cannot be read and "
            f"{'is' if count == 1 else 'are'} passed over: {rows}. "
            "What to do about each is in docs/store.md"
        )
        named = [f"{row.name}: {row.why}" for row in found[:_LISTED]]
        return self._claim("rows", Severity.WARNING, message, count=count, rows=named)

    def _past_claim(self) -> Optional[Claim]:
        """The newest damage or loss of the last days that no restore or reset has settled."""
        mark = self.state.mark
        newest: Optional[Incident] = None
        for one in mark.incidents if mark else ():  # in their order, whatever the clocks said
            newest = one if one.event in (Event.DAMAGED, Event.LOST) else None
        if newest is None or self._clock.now() - newest.at >= TOLD_SECONDS:
            return None
        told = (
            f"the database {newest.file} was {newest.event.value} ({newest.why}) and has been "
            "replaced by an empty one; its history is lost unless you restore a backup: "
            "'ceph perf-bench store status' lists them. This is told for 14 days, or until a "
            "restore or reset"
        )
        return self._claim("past", Severity.WARNING, told, newest.at, file=newest.file)

    def _size_claim(self) -> Optional[Claim]:
        usage, rules = self.usage, self.rules()
        if usage is None or not self._full:
            return None
        what = plural(usage.rounds, "round")
        told = (
            f"the database takes {usage.used >> 20} MiB of the {rules.mebibytes} MiB of "
            f"keep_store_mib, and retention may remove none of its {what}: raise keep_store_mib, "
            "remove baselines or rounds with 'round rm', or keep latencies for fewer days "
            "(keep_5min_days and others)"
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
        since = self._clock.now() if since is None else since
        return Claim(STORE.code, severity, Target("store", target), message, evidence, since)
