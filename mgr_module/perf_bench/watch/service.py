"""The watch journey, at every tick: collect → detect → store → report.

It keeps the ledger of all findings. While the watch is off it collects nothing and closes its own
findings; findings of other parts, such as regressions of rounds, stay.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional

from ..errors import StoreUnavailable
from ..model.ceph_alerts import ExplainedAlert
from ..model.cluster_span import ClusterSpan
from ..model.coverage import Look
from ..model.finding import Acknowledgement, Finding
from ..model.finding_kinds import BY_CODE
from ..model.frame import Watched, client_seconds
from ..model.history import SeriesPoint
from ..model.laggy import Episode, LaggyNow, OsdLaggy, PoolLaggy
from ..model.options import WatchOptions
from ..model.osd_snapshot import OsdSnapshot
from ..model.peer_band import BandPoint, Compared
from ..model.said import say
from ..model.verdict import CohortReport, NoData
from ..ports.detector import Gauge
from .context import WatchContext, WatchInputs
from .detect.slow_osd.thresholds import Thresholds
from .detectors import SWITCH_ON, WATCH_OFF, Detectors
from .persistence import StateSaver
from .publisher import Publisher
from .restore import RestoredState, StateLoader

_LOAD_WAIT = 3.0
# Seconds that the coverage is reused, for questions and for health details: it takes 0.05 s at
# 10,000 OSDs.
_ASKED_AGE, _TOLD_AGE = 15.0, 60.0


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
        self._lock = threading.RLock()
        self.detectors = Detectors(inputs, settings, context.clock, context.log)
        self._loader = StateLoader(
            context.store_thread,
            [one.name for one in self.detectors.all],
            context.clock,
            context.log,
        )
        self._publisher = Publisher(
            context.notifier,
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

    # --- its thread --------------------------------------------------------------------------

    def run(self, stop: threading.Event) -> None:
        """Tick until ``stop`` is set. An error in one tick does not prevent the next one."""
        while not stop.is_set():
            began = self._clock.monotonic()
            options = self._options()
            self._inputs.probing.switch(options.on and options.probe)
            self._guarded_tick(options.on)
            stop.wait(max(0.1, options.tick_seconds - (self._clock.monotonic() - began)))
        self._inputs.probing.leave()

    def _guarded_tick(self, on: bool) -> None:
        cpu, wall = time.thread_time(), time.monotonic()
        problem, failed = "", False
        failures = sum(self.detectors.failures.values())
        try:
            self.tick(on)
            problem = "; ".join(f"{name}: {why}" for name, why in self.detectors.problems.items())
        except Exception as error:  # noqa: BLE001 - the watch must survive any error
            problem, failed = repr(error), True
            if problem != self.tick_stats.problem:  # once, not every tick
                self._log.exception("a tick of the watch failed")
        before, at = self.tick_stats, self._clock.now() if on else None
        self.tick_stats = TickStats(
            at=at,
            looked_at=at if at is None or not failed else before.looked_at or at,
            since=None if at is None or problem else before.since or at,
            cpu_seconds=time.thread_time() - cpu,
            seconds=time.monotonic() - wall,
            errors=before.errors + (failed or failures < sum(self.detectors.failures.values())),
            problem=problem or None,
        )

    def tick(self, on: bool = True) -> None:
        """Collect (if the watch is ``on``), run the detectors, publish and save."""
        with self._lock:
            if on:
                self.detectors.collect()
            if not self._start():
                return
            self.detectors.tick(on, self._running_round())
            self.ledger.clock_stepped(self.detectors.clock_step)
            claims = [
                *self._inputs.regressions.claims(),
                *self._inputs.others(),
                *self.detectors.claims(),
            ]
            self._explain(self._publisher.publish(self._clock.now(), claims, on))
            self._saver.keep(on)

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
        warm = self.detectors.slow.name in known.states and not self._started
        self.detectors.restore(known.states, known.episodes)
        self._publisher.remember(known, self._clock.now(), warm)

    # --- queries -----------------------------------------------------------------------------

    def client_seconds(self) -> Optional[float]:
        """Return the mean latency of client operations in the newest frame; None if too few.

        None also while the watch is off: the newest frame is of when it was on.
        """
        frame = self.detectors.newest if self._options().on else None
        return None if frame is None else client_seconds(frame)

    def options(self) -> WatchOptions:
        """Return the current options."""
        return self._options()

    def probe(self) -> Mapping[str, Any]:
        """Return whether OSDs are probed, how many are reachable, and the problem if any."""
        probing = self._inputs.probing
        return {
            "on": self._options().probe,
            "osds": probing.reach,
            "problem": probing.problem,
        }

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
            return [*found, *self._inputs.regressions.looks(), *self._inputs.looks()]

    def ceph_alerts(self) -> Sequence[ExplainedAlert]:
        """Return Ceph's own alerts about slow OSDs, joined to what the watch knows."""
        with self._lock:
            alerts = self.detectors.ceph_alerts
            if alerts is None:
                return ()
            return alerts.explained(self.osd_snapshot().verdict, self._clock.now())

    def no_data(self, osd: int) -> Optional[NoData]:
        """Return why an OSD has no verdict; None if it has one."""
        with self._lock:
            if not self._options().on:
                return NoData("off", WATCH_OFF, SWITCH_ON)
            return self.detectors.slow.no_data(osd)

    def explain(self, osd: int) -> Sequence[str]:
        """Return sentences that explain the verdict on an OSD."""
        with self._lock:
            return self.detectors.explain(osd, self._options().on)

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
                    say(
                        "findings-unread",
                        "the findings of before are not read yet: the database does not answer",
                    )
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
        self._saver.save(number, "muted")
        return finding

    def acknowledge(self, number: int, acknowledged: Optional[Acknowledgement]) -> Finding:
        """Note this on a finding, None to remove the note; returns when that is saved.

        Raises NotFound, and StoreUnavailable if it is noted but not saved yet.
        """
        with self._lock:
            finding = self._publisher.acknowledge(number, acknowledged, self._clock.now())
            self._saver.note()
        done = "acknowledged" if acknowledged else "no longer acknowledged"
        self._saver.save(number, done)
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
