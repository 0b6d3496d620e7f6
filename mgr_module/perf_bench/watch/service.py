"""The watch journey, tick after tick: collect → detect → store → report.

It keeps the ledger of all findings. Those that rest on rounds go on while it is switched off: then
it looks at nothing, and what it had found itself is closed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ..errors import StoreUnavailable
from ..model.finding import Finding
from ..model.frame import Watched, client_seconds
from ..model.history import SeriesPoint
from ..model.laggy import Episode, LaggyNow, OsdLaggy, PoolLaggy
from ..model.options import WatchOptions
from ..model.osd_snapshot import OsdSnapshot
from ..model.verdict import CohortReport
from ..ports.detector import Gauge
from .context import WatchContext, WatchInputs
from .detect.slow_osd.thresholds import Thresholds
from .detectors import Detectors
from .persistence import StateSaver
from .publisher import Publisher
from .restore import RestoredState, StateLoader

_RECALL_WAIT = 3.0


@dataclass(frozen=True)
class TickStats:
    """How the watch itself is: the newest tick in unix seconds, its CPU and wall time."""

    at: Optional[float] = None
    cpu_seconds: Optional[float] = None
    seconds: Optional[float] = None
    errors: int = 0
    problem: Optional[str] = None


class Watch:
    """Ticks on one thread; may be asked from any. A question waits for the tick that runs."""

    def __init__(
        self,
        senses: WatchInputs,
        around: WatchContext,
        settings: Thresholds,
        options: Callable[[], WatchOptions],
        running_round: Callable[[], Optional[int]],
    ) -> None:
        """``running_round`` tells the ID of the bench round that runs now."""
        self._inputs = senses
        self._clock = around.clock
        self._log = around.log
        self._options = options
        self._running_round = running_round
        # From which ratio to its peers a lasting slowdown is a finding.
        self.sustained_ratio = settings.sustained_ratio
        self._lock = threading.RLock()
        self.detectors = Detectors(senses, settings, around.clock, around.log)
        self._recall = StateLoader(
            around.store_thread, [one.name for one in self.detectors.all], around.clock, around.log
        )
        self._teller = Publisher(around.notifier, senses.regressions, lambda: self._options().codes)
        self._keeper = StateSaver(
            around, self.detectors, self._teller, lambda: self._options().kept
        )
        self.ledger = self._teller.ledger
        self.journal = self._keeper.journal
        self.pulse = TickStats()
        # Whether the detectors have begun, with or without what was known.
        self._looking = False

    # --- its thread --------------------------------------------------------------------------

    def run(self, stop: threading.Event) -> None:
        """Tick until told to stop. Whatever goes wrong in one tick, the next one comes."""
        while not stop.is_set():
            began = self._clock.monotonic()
            options = self._options()
            self._inputs.probing.switch(options.on and options.probe)
            self._guarded_tick(options.on)
            stop.wait(max(0.1, options.tick_seconds - (self._clock.monotonic() - began)))
        self._inputs.probing.leave()

    def _guarded_tick(self, looks: bool) -> None:
        cpu, wall = time.thread_time(), time.monotonic()
        problem = ""
        try:
            self.tick(looks)
            problem = "; ".join(f"{name}: {why}" for name, why in self.detectors.problems.items())
        except Exception as error:  # noqa: BLE001 - the watch outlives what nobody foresaw
            problem = repr(error)
            if problem != self.pulse.problem:  # once, not every tick
                self._log.exception("a tick of the watch failed")
        self.pulse = TickStats(
            at=self._clock.now() if looks else None,
            cpu_seconds=time.thread_time() - cpu,
            seconds=time.monotonic() - wall,
            errors=self.pulse.errors + bool(problem),
            problem=problem or None,
        )

    def tick(self, looks: bool = True) -> None:
        """One look at the cluster (unless the watch is off) and all that follows from it."""
        with self._lock:
            if looks:
                self.detectors.collect()
            if not self._wake():
                return
            self.detectors.tick(looks, self._running_round())
            claims = [
                *self._inputs.regressions.claims(),
                *self._inputs.others(),
                *self.detectors.claims(),
            ]
            self._teller.tell(self._clock.now(), claims, looks)
            self._keeper.keep(looks)

    def leave(self) -> None:
        """Write down what is known, for the next active mgr. Bounded."""
        with self._lock:
            self._keeper.leave()

    def _wake(self) -> bool:
        """Whether the detectors may go on: with what was known, or after a minute without it.

        Findings are taken over even later: one that a user was told of is not forgotten.
        """
        if not self.ledger.loaded:
            if self._recall.known is not None:
                self._remember(self._recall.known)
            else:
                self._recall.ask()
        self._looking = self._looking or self.ledger.loaded or not self._recall.patient
        return self._looking

    def _remember(self, known: RestoredState) -> None:
        warm = self.detectors.slow.name in known.states and not self._looking
        self.detectors.restore(known.states, known.episodes)
        self._teller.remember(known, self._clock.now(), warm)

    # --- what it may be asked ----------------------------------------------------------------

    def client_seconds(self) -> Optional[float]:
        """The mean latency of clients' operations in the newest frame; None while there are few."""
        frame = self.detectors.newest
        return None if frame is None else client_seconds(frame)

    def options(self) -> WatchOptions:
        """What is set now."""
        return self._options()

    def probe(self) -> Mapping[str, Any]:
        """Whether OSDs are probed, how many are within reach, and what is in the way."""
        probing = self._inputs.probing
        return {
            "on": self._options().probe,
            "osds": probing.reach,
            "problem": probing.problem,
        }

    def sight(self) -> OsdSnapshot:
        """What is seen of all OSDs now."""
        with self._lock:
            return self.detectors.sight()

    def explain(self, osd: int) -> Sequence[str]:
        """What is thought of an OSD and why, in sentences."""
        with self._lock:
            return self.detectors.explain(osd)

    def gauges(self, per_osd: bool) -> Sequence[Gauge]:
        """Figures of the detectors for Prometheus; ``per_osd`` also those of single OSDs."""
        with self._lock:
            return self.detectors.gauges(per_osd)

    def cohorts(self) -> Sequence[CohortReport]:
        """How well each cohort can be judged."""
        with self._lock:
            return self.detectors.slow.cohorts()

    def recall(self) -> None:
        """Wait until the findings of before are known, or until the watch goes on without them.

        For who lists findings right after a failover. Raises StoreUnavailable after 3 s.
        """
        with self._lock:
            self._wake()
        self._recall.wait(_RECALL_WAIT)
        with self._lock:
            if not self._wake():
                raise StoreUnavailable(
                    "the findings of before are not read yet: the database does not answer"
                )

    def findings(self) -> Sequence[Finding]:
        """All that are kept, the closed ones too."""
        return self.ledger.findings(closed=True)

    def mute(self, number: int, until: float) -> Finding:
        """Mute a finding until then (unix seconds); returns when that is saved.

        Raises NotFound, and StoreUnavailable when it is muted but not saved yet.
        """
        with self._lock:
            finding = self._teller.mute(number, until, self._clock.now())
            self._keeper.note()
        self._keeper.save(number)
        return finding

    def laggy_groups(
        self,
    ) -> tuple[LaggyNow, Sequence[OsdLaggy], Sequence[PoolLaggy], Sequence[Episode]]:
        """What is laggy now, by OSD, by pool, and the episodes."""
        with self._lock:
            laggy = self.detectors.laggy
            return laggy.now(), laggy.osds(), laggy.pools(), laggy.episodes()

    def minutes(self, osd: int, channel: str, begin: float, end: float) -> list[SeriesPoint]:
        """The whole minutes in memory that start in ``begin`` … ``end``."""
        return self.detectors.history.series(osd, channel, begin, end)

    def members(self) -> Sequence[Watched]:
        """The watched OSDs by ID."""
        return self.detectors.members()

    def host_of(self, osd: int) -> Optional[str]:
        return self.detectors.host_of(osd)
