"""The watch journey, at every tick: collect → detect → findings → health, log and store.

The detectors have a thread of their own, as they are work of the processor. What they found is
taken on the loop, which owns the findings of all parts of the module. While the watch is off it
collects nothing and closes its own findings; those of other parts, as of rounds, stay.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from dataclasses import dataclass, replace
from functools import partial
from typing import Callable, NamedTuple, Optional, TypeVar

from ..core.failing_parts import CLAIMS, LASTING_SECONDS, WATCH
from ..core.loop import first_of, sleep
from ..errors import NotNow, StoreUnavailable
from ..model.finding import (
    Acknowledgement,
    Claim,
    Finding,
    Gap,
    Gauge,
    Look,
    client_seconds,
)
from ..model.finding_kinds import BY_CODE
from ..model.history import SavedState
from ..model.phrases import listed
from ..model.verdict import (
    EPISODES_KEPT,
    CohortReport,
    Episode,
    ExplainedAlert,
    LaggyNow,
    LaggyOsd,
    LaggyPool,
    OsdSnapshot,
)
from ..store.sqlite import Store
from ..store.write_buffer import WriteBuffer
from .detect.ceph_alerts import explained
from .detectors import (
    ASKED_AGE,
    SWITCH_ON,
    WATCH_OFF,
    Asked,
    Detectors,
    Seen,
    WatchContext,
    while_off,
)
from .findings import Key, Ledger, checks, log_lines

# How long a question waits for the running tick: at 10,000 OSDs one takes under a second.
_ANSWER_SECONDS = 5.0
# Seconds to the next tick where the option cannot be read.
_TICK_SECONDS = 5.0
# Seconds after which a frame does not tell the latency of clients any more. Where ticks are set to
# be rare it comes up to two and a half minutes late.
_CLIENTS_AGE = 300.0
# How long the watch waits for the saved state before it starts without it, and a question for it.
PATIENCE, _LOAD_WAIT = 60.0, 3.0
# After a failover a restored finding may be without a claim for this time: its detector needs new
# data first. Without its saved state it needs an hour to detect a mild slowdown again.
_GRACE, _COLD_GRACE = 900.0, 7200.0
# Saved sooner after a finding opens or closes: the mgr that takes over needs the reason, or it
# could close the finding only after the grace.
_WRITE_EVERY, _SAVE_EVERY, _SAVE_SOON = 60.0, 300.0, 15.0
# How long a mgr that leaves waits for the tick, and for each of its last writes.
_LEAVE_WAIT = 3.0

T = TypeVar("T")


@dataclass(frozen=True)
class TickStats:
    """The newest tick: its time in unix seconds, its CPU and wall time; ``errors`` of all ticks.

    ``since`` is the time of the first tick in a row that had no problem. ``looked_at`` is the time
    of the newest tick that did not fail as a whole, or of the first one if all have.
    """

    at: Optional[float] = None
    looked_at: Optional[float] = None
    since: Optional[float] = None
    cpu_seconds: Optional[float] = None
    seconds: Optional[float] = None
    errors: int = 0


class Restored(NamedTuple):
    """The stored findings, the next finding ID, and the detectors' saved states by name.

    ``episodes`` of laggy PGs are stored when they end, which is more often than the states.
    """

    findings: Sequence[Finding]
    next_id: int
    states: Mapping[str, SavedState]
    episodes: Sequence[Episode]


class Watch:
    """``run``, ``tick`` and ``leave`` run on the loop; any thread but it may ask the questions."""

    def __init__(self, context: WatchContext) -> None:
        self._context = context
        self._clock, self._failing = context.clock, context.failing
        # The current options.
        self.options = context.options
        # The ratio to its peers from which a lasting slowdown is a finding.
        self.sustained_ratio = context.settings.sustained_ratio
        self.detectors = Detectors(context)
        self.ledger = Ledger(self._created_at)
        # All kept findings, including closed ones.
        self.findings = partial(self.ledger.findings, closed=True)
        # The watched OSDs by ID; the complete minutes in memory that start in a time: of a channel
        # of an OSD, of OSDs against their peers, and of the cluster.
        self.members, history = self.detectors.members, self.detectors.history
        self.minutes, self.band_minutes = history.series, history.band
        self.cluster_minutes = history.cluster.minutes
        self.journal = WriteBuffer(
            context.store_thread, context.failing.log, lambda: self.options().kept
        )
        self.tick_stats = TickStats()
        # The saved state as it is read, when its findings were loaded (monotonic seconds), and
        # whether the detectors have started, with it or without.
        self._stored: Optional[Future[Restored]] = None
        self._started = False
        self._began = self._wrote_at = self._saved_at = context.clock.monotonic()
        self._loaded_at = 0.0
        self._looks: Sequence[Look] = ()
        # Whether a finding has changed, and whether one opened or closed, since the last write.
        self._changed = self._turned = False
        # Whether a step of the running tick has failed.
        self._step_failed = False

    def _created_at(self, osd: int) -> Optional[float]:
        return self.detectors.created_at.get(osd)

    # --- on the loop: a tick -----------------------------------------------------------------

    async def run(self) -> None:
        """Tick until the task is cancelled. An error in one tick does not prevent the next one."""
        while True:
            began, seconds = self._clock.monotonic(), _TICK_SECONDS
            self._failing.alive(WATCH)
            try:
                options = self.options()
                seconds = options.tick_seconds
                await self.tick(options.on)
            except Exception as error:  # noqa: BLE001 - the watch must survive any error
                self._failed(error)
            await sleep(max(0.1, seconds - (self._clock.monotonic() - began)))

    async def tick(self, on: bool = True) -> None:
        """Let the detectors look, publish what they found and save it.

        A step that fails does not stop the others.
        """
        self._step_failed = False
        began, failures = self._clock.monotonic(), sum(self.detectors.failures.values())
        cpu = None
        try:
            started = self._start()
            running, ledger = self._context.running_round(), self.ledger
            asked = Asked(on, running, ledger.findings(), ledger.inherited)
            seen = await self._seen(lambda: self.detectors.tick(asked, started))
            if seen is not None:
                cpu = seen.cpu_seconds
                self._step_failed = not seen.collected
                self._step("health", lambda: self._publish(seen, on))
                await self._keep(seen, on)
            self._failing.went_well(WATCH)
        except Exception as error:  # noqa: BLE001 - the watch must survive any error
            self._failed(error)
        failed, problems = self._step_failed, self._failing.problems()
        # Other parts, as the doctor, may fail while all is looked at here.
        troubled = failed or any(one.name in problems for one in self.detectors.all)
        before, at = self.tick_stats, self._clock.now() if on else None
        self.tick_stats = TickStats(
            at=at,
            looked_at=at if at is None or not failed else before.looked_at or at,
            since=None if at is None or troubled else before.since or at,
            cpu_seconds=cpu,
            seconds=self._clock.monotonic() - began,
            errors=before.errors + (failed or failures < sum(self.detectors.failures.values())),
        )

    def problem(self) -> Optional[str]:
        """Return which parts of the module fail, with their errors; None if none does.

        Parts that fail for one reason are named together.
        """
        parts: dict[str, list[str]] = {}
        for name, why in self._failing.problems().items():
            parts.setdefault(why, []).append(name)
        return "; ".join(f"{listed(names)}: {why}" for why, names in parts.items()) or None

    async def _seen(self, look: Callable[[], T]) -> T:
        """What the detectors' thread finds; while it hangs, that is told."""
        answer = self._context.thread.submit(look)
        while not await first_of((answer,), LASTING_SECONDS):
            self._show_failing()
        return answer.result()

    def _failed(self, error: Exception) -> None:
        """A tick has failed as a whole, and found nothing."""
        self._step_failed = True
        self._failing.failed(WATCH, error)
        self._show_failing()

    def _show_failing(self) -> None:
        """Tell the parts that fail where no tick can; all else stays as it was."""
        now = self._clock.now()
        claims = self._failing.claims(now)
        claimed = {claim.key for claim in claims}
        stay = {one.key for one in self.ledger.findings()} - claimed
        self._step("health", lambda: self._update(now, claims, (), stay, self._looks, on=True))

    def _step(self, part: str, run: Callable[[], object]) -> None:
        """Do a part of the tick; if it fails, the others go on."""
        try:
            run()
        except Exception as error:  # noqa: BLE001 - any error must leave the other steps running
            self._step_failed = True
            self._failing.failed(part, error)
        else:
            self._failing.went_well(part)

    def _publish(self, seen: Seen, on: bool) -> None:
        self._looks = seen.looks
        over = seen.over
        if self._clock.monotonic() - self._loaded_at >= (_GRACE if seen.warm else _COLD_GRACE):
            over = {finding.key for finding in self.ledger.inherited}
        self._update(self._clock.now(), seen.claims, over, seen.unseen, seen.looks, on)

    def _update(
        self,
        now: float,
        claims: Sequence[Claim],
        over: Collection[Key],
        unseen: Collection[Key],
        looks: Sequence[Look],
        on: bool,
    ) -> None:
        """Change the findings to the claims, tell it in the log and in health."""
        self._failing.went_well(CLAIMS)
        changes = self.ledger.update(
            now, claims, over, unseen, lambda error: self._failing.failed(CLAIMS, error)
        )
        # Findings that close because the watch was switched off are not logged as cleared.
        opened, closed = (
            [one for one in some if on or while_off(one.code)]
            for some in (changes.opened, changes.closed)
        )
        self._changed = self._changed or any(changes)
        self._turned = self._turned or bool(opened or closed)
        self._step("cluster-log", lambda: self._write_log(opened, closed, looks))
        self._show()
        for finding in opened:
            self._explain(finding)

    def _write_log(
        self, opened: Sequence[Finding], closed: Sequence[Finding], looks: Sequence[Look]
    ) -> None:
        for severity, text in log_lines(opened, closed, looks):
            self._context.notifier.log(severity, text)

    def _show(self) -> None:
        findings, codes = self.ledger.findings(), self.options().codes
        self._context.notifier.health(checks(findings, codes, lambda: self._looks))

    def _explain(self, finding: Finding) -> None:
        """Ask why the OSD of a new finding is slow, and keep the answer when it has come."""
        breakdowns, kind = self._context.breakdowns, BY_CODE.get(finding.code)
        if breakdowns is None or kind is None or not kind.asks_why:
            return

        async def ask() -> None:
            evidence = await breakdowns.explain(finding.target)
            if evidence and self.ledger.attach(finding.key, evidence):
                self._changed = True

        self._context.loop.spawn(ask())

    # --- on the loop: what outlives a mgr ----------------------------------------------------

    def _start(self) -> bool:
        """Whether the detectors may run: with the saved state, or after a minute without.

        The state is also loaded later, so that no published finding is lost.
        """
        stored = self._load()
        if not self.ledger.loaded and stored.done():
            try:
                self._restore(stored.result())
                self._failing.went_well("restore")
            except StoreUnavailable as error:
                self._failing.log.debug("what the watch knew cannot be read yet: %s", error)
                self._stored = None
            except Exception as error:  # noqa: BLE001 - the watch does without
                self._failing.failed("restore", error)
                self._stored = None
        waits = self._clock.monotonic() - self._began < PATIENCE
        self._started = self._started or self.ledger.loaded or not waits
        return self._started

    def _load(self) -> Future[Restored]:
        """Begin to read the saved state, unless that is done or pending."""
        names = [one.name for one in self.detectors.all]

        def read(store: Store) -> Restored:
            kept = store.watch
            findings, next_id = kept.findings()
            states = {name: kept.state(name) for name in names}
            saved = {name: state for name, state in states.items() if state is not None}
            return Restored(findings, next_id, saved, kept.episodes(EPISODES_KEPT)[0])

        if self._stored is None:
            self._stored = self._context.store_thread.ask(read)
        return self._stored

    def _restore(self, known: Restored) -> None:
        """The detectors get their part on their thread, before their next tick."""
        states, episodes = known.states, known.episodes
        self._context.thread.submit(lambda: self.detectors.restore(states, episodes))
        self.ledger.load(known.findings, known.next_id, self._clock.now())
        self._loaded_at = self._clock.monotonic()
        self._changed = True  # findings that opened before have an ID only now

    async def _keep(self, seen: Seen, on: bool) -> None:
        """Write changes of findings at once and all other data once a minute.

        While the watch is off the detectors' states are not saved.
        """
        try:
            self._put(seen)
            now, waited = self._clock.monotonic(), _SAVE_SOON if self._turned else _SAVE_EVERY
            if self.journal.is_pending or not (
                now - self._wrote_at >= _WRITE_EVERY or self._changed
            ):
                return
            states: Mapping[str, Mapping[str, object]] = {}
            if on and self.ledger.loaded and now - self._saved_at >= waited:
                states = await self._seen(self.detectors.save)
            if self.journal.write(self._clock.now(), states, seen.settled):
                self._wrote_at, self._changed = now, False
                if states:
                    self._saved_at, self._turned = now, False
            self._failing.went_well("saver")
        except Exception as error:  # noqa: BLE001 - the next tick comes
            self._step_failed = True
            self._failing.failed("saver", error)

    def _put(self, seen: Optional[Seen] = None) -> None:
        findings, forgotten = self.ledger.take_unsaved(self._clock.now())
        rows, episodes = (seen.rows, seen.episodes) if seen is not None else ((), ())
        self.journal.put(rows, findings, forgotten, episodes)

    async def leave(self) -> None:
        """Save all data for the next active mgr, after ``run`` was cancelled; within seconds."""
        if not self.ledger.loaded:
            return  # the stored state was never read, and is better than the data since
        last = self._context.thread.submit(self.detectors.last)
        if not await first_of((last,), _LEAVE_WAIT):
            return  # the tick hangs
        rows, states, episodes = last.result()
        findings, forgotten = self.ledger.take_unsaved(self._clock.now())
        await self._written(_LEAVE_WAIT)
        self.journal.put(rows, findings, forgotten, episodes)
        self.journal.write(self._clock.now(), states, None, parts=1)
        await self._written(_LEAVE_WAIT)

    async def _written(self, limit: Optional[float] = None) -> None:
        """Wait until no batch is pending."""
        if self.journal.pending is not None:
            await first_of((self.journal.pending,), limit)

    # --- changes of a user -------------------------------------------------------------------

    def mute(self, number: int, until: float) -> Finding:
        """Mute a finding ``until`` (unix seconds); returns when that is saved.

        Raises NotFound, and StoreUnavailable or NotConfirmed if it is muted but not saved yet.
        """
        return self._change("muted", lambda now: self.ledger.mute(number, until, now))

    def acknowledge(self, number: int, acknowledged: Optional[Acknowledgement]) -> Finding:
        """Note this on a finding, None to remove the note; returns when that is saved.

        Raises NotFound, and StoreUnavailable or NotConfirmed if it is noted but not saved yet.
        """
        done = "acknowledged" if acknowledged else "no longer acknowledged"
        return self._change(done, lambda now: self.ledger.acknowledge(number, acknowledged, now))

    def _change(self, done: str, change: Callable[[float], Finding]) -> Finding:
        async def run() -> Finding:
            finding = change(self._clock.now())
            self._show()
            self._put()
            await self._written()  # the pending batch may not contain the change
            while not self.journal.write(self._clock.now(), {}, None):
                await self._written()
            await self._written()
            problem = self.journal.problem
            if problem:
                raise StoreUnavailable(
                    f"finding {finding.id} is {done}, but that could not be saved yet: {problem}"
                )
            return finding

        return self._context.loop.ask(run)

    # --- questions ---------------------------------------------------------------------------

    def _ask(self, question: Callable[[], T]) -> T:
        """What the detectors answer after the running tick. Raises NotNow if that hangs."""
        answer = self._context.thread.submit(question)
        try:
            return answer.result(_ANSWER_SECONDS)
        except NoAnswer:
            answer.cancel()
            raise NotNow(
                "the watch does not answer: its tick has taken longer than "
                f"{_ANSWER_SECONDS:g} s; if this stays, 'ceph mgr fail' starts it anew"
            ) from None

    def client_seconds(self) -> Optional[float]:
        """Return the mean latency of client operations in the newest frame; None if too few.

        None also while the watch is off, and without a frame of the last minutes: the newest one
        is of when the watch was on and OSDs reported.
        """
        frame = self.detectors.newest if self.options().on else None
        if frame is None or abs(self._clock.now() - frame.end) > _CLIENTS_AGE:
            return None
        return client_seconds(frame)

    def osd_snapshot(self) -> OsdSnapshot:
        """Return the state of all OSDs; while the watch is off no OSD has one."""
        found = self._ask(self.detectors.osd_snapshot)
        # What was judged when it was on says nothing of now.
        return found if self.options().on else OsdSnapshot(applied=found.applied)

    def coverage(self, max_age: float = ASKED_AGE) -> Sequence[Look]:
        """Return what is looked at in the whole module, and what of that cannot be now."""
        return self._ask(lambda: self.detectors.coverage(self.options().on, max_age))

    def ceph_alerts(self) -> Sequence[ExplainedAlert]:
        """Return Ceph's own alerts about slow OSDs, joined to what the watch knows."""
        source = self._context.ceph_alerts
        standing = source.alerts() if source is not None else None
        if not standing:  # the verdicts on all OSDs are made for them alone
            return ()
        verdict = self.osd_snapshot().verdict
        return [explained(alert, verdict) for alert in standing]

    def no_data(self, osd: int) -> Optional[Gap]:
        """Return why an OSD has no verdict; None if it has one."""
        if not self.options().on:
            return Gap("off", WATCH_OFF, SWITCH_ON)
        return self._ask(lambda: self.detectors.slow.no_data(osd))

    def explain(self, osd: int) -> Sequence[str]:
        """Return sentences that explain the verdict on an OSD."""
        alerts = self._context.ceph_alerts
        named = [one for one in (alerts.alerts() if alerts else None) or () if osd in one.osds]
        return [
            *self._ask(lambda: self.detectors.explain(osd, self.options().on)),
            *(f"Ceph's alert {one.code} names it: {one.kind.meaning}" for one in named),
        ]

    def gauges(self, per_osd: bool) -> Sequence[Gauge]:
        """Return the detectors' metrics for Prometheus; with ``per_osd`` also those of OSDs."""
        return self._ask(lambda: self.detectors.gauges(per_osd, self.options().on))

    def cohorts(self) -> Sequence[CohortReport]:
        """Return for each cohort how small a slowdown is found; none while the watch is off."""
        found = self._ask(self.detectors.slow.cohorts)
        if self.options().on:
            return found
        return [CohortReport(one.name, one.members, judged=0) for one in found]

    def recall(self) -> None:
        """Wait until the stored findings are loaded, or until the watch starts without them.

        Used to list findings right after a failover. Raises StoreUnavailable after 3 s.
        """

        async def run() -> bool:
            await first_of((self._load(),), _LOAD_WAIT)
            return self._start()

        if not (self.ledger.loaded or self._context.loop.ask(run)):
            raise StoreUnavailable(
                "the findings of before are not read yet: the database does not answer"
            )

    def laggy_groups(
        self,
    ) -> tuple[LaggyNow, Sequence[LaggyOsd], Sequence[LaggyPool], Sequence[Episode]]:
        """Return the laggy PGs: counts now, sums by OSD and by pool, and the episodes.

        While the watch is off they are not counted: the counts of now are those before any look.
        """
        laggy = self.detectors.laggy
        now, osds, pools, episodes = self._ask(
            lambda: (laggy.now, laggy.osds(), laggy.pools(), laggy.episodes())
        )
        if not self.options().on:
            now, pools = LaggyNow(), [replace(one, laggy=0, wait=0) for one in pools]
        return now, osds, pools, episodes

    def host_of(self, osd: int) -> Optional[str]:
        """The host of an OSD; None for one that is not watched."""
        return self.detectors.hosts.get(osd)
