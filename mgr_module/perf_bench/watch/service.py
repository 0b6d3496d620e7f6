"""The watch journey, at every tick: collect → detect → store → report.

It keeps the ledger of all findings. While the watch is off it collects nothing and closes its own
findings; findings of other parts, such as regressions of rounds, stay.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Callable, Optional, TypeVar

from ..core.failing_parts import COLLECTOR, LOST, WATCH
from ..errors import NotNow, StoreUnavailable
from ..model.cohort import BandPoint, Compared
from ..model.coverage import Look, away
from ..model.detector import Gauge
from ..model.finding import Acknowledgement, Claim, Finding
from ..model.finding_kinds import BY_CODE, WATCH_FAILED
from ..model.frame import Watched, client_seconds
from ..model.history import ClusterSpan, SeriesPoint
from ..model.options import WatchOptions
from ..model.phrases import listed
from ..model.verdict import (
    CohortReport,
    Episode,
    ExplainedAlert,
    LaggyNow,
    NoData,
    OsdLaggy,
    OsdSnapshot,
    PoolLaggy,
)
from .detect.ceph_alerts import explained, how_long
from .detectors import SWITCH_ON, WATCH_OFF, Detectors, OtherPart, WatchContext, WatchInputs
from .publisher import Publisher
from .slow_osd.thresholds import Thresholds
from .state import RestoredState, StateLoader, StateSaver

_LOAD_WAIT = 3.0
# How long a query waits for the running tick: at 10,000 OSDs one takes under a second.
_LOCK_WAIT = 5.0
# Seconds to the next tick where the option cannot be read.
_TICK_SECONDS = 5.0
# Seconds that the coverage is reused, for questions and for health details: it takes 0.05 s at
# 10,000 OSDs.
_ASKED_AGE, _TOLD_AGE = 15.0, 60.0
# Seconds after which a frame does not tell the latency of clients any more. Where ticks are set to
# be rare it comes up to two and a half minutes late.
_CLIENTS_AGE = 300.0


T = TypeVar("T")


@dataclass(frozen=True)
class TickStats:
    """The newest tick: its time in unix seconds, its CPU and wall time, and its error.

    ``since`` is the time of the first tick in a row that had no problem. ``looked_at`` is the time
    of the newest tick that did not fail as a whole, or of the first one if all have.
    """

    at: Optional[float] = None
    looked_at: Optional[float] = None
    since: Optional[float] = None
    cpu_seconds: Optional[float] = None
    seconds: Optional[float] = None
    errors: int = 0
    problem: Optional[str] = None


class _Lock:
    """A reentrant lock for which nobody waits for ever: a tick that hangs would stop all commands.

    Raises NotNow.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=_LOCK_WAIT):
            raise NotNow(
                f"the watch does not answer: its tick has taken longer than {_LOCK_WAIT:g} s; if "
                "this stays, 'ceph mgr fail' starts it anew"
            )

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._lock.release()


class Watch:
    """Ticks on one thread; its queries are thread-safe, and wait for the running tick."""

    def __init__(
        self,
        inputs: WatchInputs,
        context: WatchContext,
        settings: Thresholds,
        options: Callable[[], WatchOptions],
        running_round: Callable[[], Optional[int]],
    ) -> None:
        """``running_round`` returns the ID of the running bench round."""
        self._inputs = inputs
        self._clock = context.clock
        self._log = context.log
        self._options = options
        self._running_round = running_round
        # The ratio to its peers from which a lasting slowdown is a finding.
        self.sustained_ratio = settings.sustained_ratio
        self._lock = _Lock()
        self.failing = context.failing
        self.detectors = Detectors(inputs, settings, context.clock, context.log, context.failing)
        self._loader = StateLoader(
            context.store_thread,
            [one.name for one in self.detectors.all],
            context.clock,
            context.log,
        )
        self._publisher = Publisher(
            context,
            inputs.regressions,
            lambda: self._options().codes,
            lambda anew: self.coverage(0.0 if anew else _TOLD_AGE),
            self.detectors.knows,
            self.detectors.created_at,
        )
        self._saver = StateSaver(
            context, self.detectors, self._publisher, lambda: self._options().kept
        )
        self.ledger = self._publisher.ledger
        self.journal = self._saver.journal
        self.tick_stats = TickStats()
        # Whether the detectors have started, with or without the saved state.
        self._started = False
        # What detectors looked at, when (monotonic seconds) that was computed, and whether the
        # watch was on.
        self._coverage: tuple[float, bool, Sequence[Look]] = (-math.inf, False, ())
        # By part that is not ticked here: its newest claims and looks, for when it fails.
        self._claims: dict[str, Sequence[Claim]] = {}
        self._looks: dict[str, Sequence[Look]] = {}
        # Whether a step of the running tick has failed.
        self._step_failed = False

    # --- its thread --------------------------------------------------------------------------

    def run(self, stop: threading.Event) -> None:
        """Tick until ``stop`` is set. An error in one tick does not prevent the next one."""
        while not stop.is_set():
            began, seconds = self._clock.monotonic(), _TICK_SECONDS
            self.failing.alive(WATCH)
            try:
                options = self._options()
                seconds = options.tick_seconds
                self._guarded_tick(options.on)
            except Exception as error:  # noqa: BLE001 - the thread must survive any error
                self._failed(error)
            stop.wait(max(0.1, seconds - (self._clock.monotonic() - began)))

    def _guarded_tick(self, on: bool) -> None:
        cpu, wall = time.thread_time(), time.monotonic()
        failures = sum(self.detectors.failures.values())
        self._step_failed = False
        try:
            self.tick(on)
            self.failing.went_well(WATCH)
        except Exception as error:  # noqa: BLE001 - the watch must survive any error
            self._failed(error)
        failed, problems = self._step_failed, self.failing.problems()
        # Other parts, as the doctor, may fail while all is looked at here.
        troubled = failed or any(one.name in problems for one in self.detectors.all)
        before, at = self.tick_stats, self._clock.now() if on else None
        self.tick_stats = TickStats(
            at=at,
            looked_at=at if at is None or not failed else before.looked_at or at,
            since=None if at is None or troubled else before.since or at,
            cpu_seconds=time.thread_time() - cpu,
            seconds=time.monotonic() - wall,
            errors=before.errors + (failed or failures < sum(self.detectors.failures.values())),
            problem=self.problem(),
        )

    def problem(self) -> Optional[str]:
        """Return which parts of the module fail, with their errors; None if none does.

        Parts that fail for one reason are named together.
        """
        parts: dict[str, list[str]] = {}
        for name, why in self.failing.problems().items():
            parts.setdefault(why, []).append(name)
        return "; ".join(f"{listed(names)}: {why}" for why, names in parts.items()) or None

    def _failed(self, error: Exception) -> None:
        """A tick has failed as a whole, and shown nothing."""
        self._step_failed = True
        self.failing.failed(WATCH, error)
        self.show_failing()

    def show_failing(self) -> None:
        """Show the parts that fail where no tick can; from any thread, without the lock."""
        now = self._clock.now()
        try:
            self._publisher.show_failing(lambda: self.failing.claims(now, lambda _part: None), now)
        except Exception as error:  # noqa: BLE001 - nobody is left who could be told
            self.failing.failed("health", error)

    def tick(self, on: bool = True) -> None:
        """Collect (if the watch is ``on``), run the detectors, publish and save.

        A step that fails does not stop the others.
        """
        with self._lock:
            if on:
                self._step(COLLECTOR, self.detectors.collect)
            started = self._step("restore", self._start)
            if started is None:  # it will fail again: the watch does without
                started = self._started = not self._loader.waiting
            if not started:
                return
            self.detectors.tick(on, self._running_round())
            self.ledger.clock_stepped(self.detectors.clock_step)
            now = self._clock.now()
            claims = [
                *(claim for part in self._parts() for claim in self._claims_of(part)),
                *self.detectors.claims(),
                *self.failing.claims(now, self.detectors.looked_at),
            ]
            opened = self._step("health", lambda: self._publisher.publish(now, claims, on))
            if opened is None:
                self.show_failing()
            self._step("breakdowns", lambda: self._explain(opened or ()))
            self._step("saver", lambda: self._saver.keep(on))

    def _step(self, part: str, run: Callable[[], T]) -> Optional[T]:
        """Run a step of the tick; returns None if it fails."""
        try:
            found = run()
        except Exception as error:  # noqa: BLE001 - any error must leave the other steps running
            self._step_failed = True
            self.failing.failed(part, error)
            return None
        self.failing.went_well(part)
        return found

    def _parts(self) -> Sequence[OtherPart]:
        """The parts that are not ticked here."""
        regressions = self._inputs.regressions
        told = OtherPart("regressions", regressions.claims, regressions.looks)
        return [told, *self._inputs.others()]

    def _claims_of(self, part: OtherPart) -> Sequence[Claim]:
        """The claims of a part; if that fails, what it told before."""
        try:
            self._claims[part.name] = part.claims()
            self.failing.went_well(part.name)
        except Exception as error:  # noqa: BLE001 - any error must leave the others told
            self.failing.failed(part.name, error)
        return self._claims.get(part.name, ())

    def _looks_of(self, part: OtherPart) -> Sequence[Look]:
        """What a part looks at; nothing of it, while the part fails."""
        try:
            self._looks[part.name] = part.looks()
        except Exception as error:  # noqa: BLE001 - any error must leave the others told
            self.failing.failed(part.name, error)
        problem = self.failing.problems().get(part.name)
        looks = self._looks.get(part.name, ())
        if problem is None:
            return looks
        why = f"this part of perf_bench failed: {problem}"
        return [away(look, "failed", why) for look in looks]

    def _explain(self, opened: Sequence[Finding]) -> None:
        """Ask why the OSDs of new findings are slow, and keep the answers that have come."""
        breakdowns = self._inputs.breakdowns
        if breakdowns is None:
            return
        for finding in opened:
            kind = BY_CODE.get(finding.code)
            if kind is not None and kind.asks_why:
                breakdowns.opened(finding)
        for key, evidence in breakdowns.take():
            self._publisher.attach(key, evidence)

    def leave(self) -> None:
        """Save all data for the next active mgr. Returns within a few seconds."""
        with self._lock:
            self._saver.leave()

    def _start(self) -> bool:
        """Return whether the detectors may run: with the saved state, or after a minute without.

        The state is also loaded later, so that no published finding is lost.
        """
        if not self.ledger.loaded:
            if self._loader.known is not None:
                self._restore(self._loader.known)
            else:
                self._loader.load()
        self._started = self._started or self.ledger.loaded or not self._loader.waiting
        return self._started

    def _restore(self, known: RestoredState) -> None:
        self.detectors.restore(known.states, known.episodes)
        # Of another version, or damaged: then its findings wait longer for claims.
        warm = self.detectors.slow.restored and not self._started
        self._publisher.remember(known.findings, known.next_id, self._clock.now(), warm)

    # --- queries -----------------------------------------------------------------------------

    def client_seconds(self) -> Optional[float]:
        """Return the mean latency of client operations in the newest frame; None if too few.

        None also while the watch is off, and without a frame of the last minutes: the newest one
        is of when the watch was on and OSDs reported.
        """
        frame = self.detectors.newest if self._options().on else None
        if frame is None or abs(self._clock.now() - frame.end) > _CLIENTS_AGE:
            return None
        return client_seconds(frame)

    def options(self) -> WatchOptions:
        """Return the current options."""
        return self._options()

    def osd_snapshot(self) -> OsdSnapshot:
        """Return the state of all OSDs; while the watch is off no OSD has one."""
        with self._lock:
            found = self.detectors.osd_snapshot()
            # What was judged when it was on says nothing of now.
            return found if self._options().on else OsdSnapshot(applied=found.applied)

    def coverage(self, max_age: float = _ASKED_AGE) -> Sequence[Look]:
        """Return what is looked at in the whole module, and what of that cannot be now."""
        with self._lock:
            now, on = self._clock.monotonic(), self._options().on
            computed_at, was_on, found = self._coverage
            if on is not was_on or now - computed_at >= max_age:
                found = self.detectors.looks(on)
                self._coverage = now, on, found
            others = [look for part in self._parts() for look in self._looks_of(part)]
            return [*found, *others, self._own_look()]

    def _own_look(self) -> Look:
        """The parts of the module themselves: how many there are that would be told."""
        return Look(
            "parts",
            "the parts of this module themselves",
            "part",
            len(LOST) + len(self.detectors.all),
            (WATCH_FAILED.code,),
        )

    def ceph_alerts(self) -> Sequence[ExplainedAlert]:
        """Return Ceph's own alerts about slow OSDs, joined to what the watch knows."""
        source = self._inputs.ceph_alerts
        standing = source.alerts() if source is not None else None
        if not standing:  # the verdicts on all OSDs are made for them alone
            return ()
        with self._lock:
            stale = self._inputs.collector.stale if self._options().on else ()
            return explained(standing, self.members(), stale, self.osd_snapshot().verdict)

    def no_data(self, osd: int) -> Optional[NoData]:
        """Return why an OSD has no verdict; None if it has one."""
        with self._lock:
            if not self._options().on:
                return NoData("off", WATCH_OFF, SWITCH_ON)
            return self.detectors.slow.no_data(osd)

    def explain(self, osd: int) -> Sequence[str]:
        """Return sentences that explain the verdict on an OSD."""
        alerts = self._inputs.ceph_alerts
        named = [one for one in (alerts.alerts() if alerts else None) or () if osd in one.osds]
        with self._lock:
            return [
                *self.detectors.explain(osd, self._options().on),
                *(f"Ceph's alert {one.code} names it: {how_long(one)[1]}." for one in named),
            ]

    def gauges(self, per_osd: bool) -> Sequence[Gauge]:
        """Return the detectors' metrics for Prometheus; with ``per_osd`` also those of OSDs."""
        with self._lock:
            return self.detectors.gauges(per_osd, self._options().on)

    def cohorts(self) -> Sequence[CohortReport]:
        """Return for each cohort how small a slowdown is found; none while the watch is off."""
        with self._lock:
            found = self.detectors.slow.cohorts()
            if self._options().on:
                return found
            return [CohortReport(one.name, one.members, judged=0) for one in found]

    def slow_cohorts(self) -> Sequence[str]:
        """Return the cohorts that are slow as a whole by the detector of slow OSDs."""
        with self._lock:
            claims = self.detectors.slow.claims()
            return [claim.target.id for claim in claims if claim.target.kind == "cohort"]

    def recall(self) -> None:
        """Wait until the stored findings are loaded, or until the watch starts without them.

        Used to list findings right after a failover. Raises StoreUnavailable after 3 s.
        """
        with self._lock:
            self._start()
        self._loader.wait(_LOAD_WAIT)
        with self._lock:
            if not self._start():
                raise StoreUnavailable(
                    "the findings of before are not read yet: the database does not answer"
                )

    def findings(self) -> Sequence[Finding]:
        """Return all kept findings, including closed ones."""
        return self.ledger.findings(closed=True)

    def mute(self, number: int, until: float) -> Finding:
        """Mute a finding ``until`` (unix seconds); returns when that is saved.

        Raises NotFound, and StoreUnavailable if it is muted but not saved yet.
        """
        with self._lock:
            finding = self._publisher.mute(number, until, self._clock.now())
            self._saver.note()
        self._saver.save(self._lock, number, "muted")
        return finding

    def acknowledge(self, number: int, acknowledged: Optional[Acknowledgement]) -> Finding:
        """Note this on a finding, None to remove the note; returns when that is saved.

        Raises NotFound, and StoreUnavailable if it is noted but not saved yet.
        """
        with self._lock:
            finding = self._publisher.acknowledge(number, acknowledged, self._clock.now())
            self._saver.note()
        done = "acknowledged" if acknowledged else "no longer acknowledged"
        self._saver.save(self._lock, number, done)
        return finding

    def laggy_groups(
        self,
    ) -> tuple[LaggyNow, Sequence[OsdLaggy], Sequence[PoolLaggy], Sequence[Episode]]:
        """Return the laggy PGs: counts now, sums by OSD and by pool, and the episodes.

        While the watch is off they are not counted: the counts of now are those before any look.
        """
        with self._lock:
            laggy = self.detectors.laggy
            now, pools = laggy.now(), laggy.pools()
            if not self._options().on:
                now, pools = LaggyNow(), [replace(one, laggy=0, wait=0) for one in pools]
            return now, laggy.osds(), pools, laggy.episodes()

    def minutes(self, osd: int, channel: str, begin: float, end: float) -> list[SeriesPoint]:
        """Return the complete minutes in memory that start in ``begin`` … ``end``."""
        return self.detectors.history.series(osd, channel, begin, end)

    def band_minutes(self, of: Compared, begin: float, end: float) -> list[BandPoint]:
        """Return the complete minutes in memory of OSDs against their peers."""
        return self.detectors.history.band(of, begin, end)

    def cluster_minutes(self, begin: float, end: float) -> list[ClusterSpan]:
        """Return the cluster's minutes in memory that start in ``begin`` … ``end``."""
        return self.detectors.history.cluster.minutes(begin, end)

    def members(self) -> Sequence[Watched]:
        """Return the watched OSDs by ID."""
        return self.detectors.members()

    def host_of(self, osd: int) -> Optional[str]:
        return self.detectors.host_of(osd)
