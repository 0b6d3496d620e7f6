"""Creates the parts of the watch journey: the watch, the checksum monitor and the OSD poller."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Callable, Optional

from ..ceph.health import MgrCephAlerts
from ..ceph.osd_options import MgrOpThreads
from ..ceph.osd_queries import OsdQueries
from ..ceph.reports import MgrPgStates
from ..doctor.allocator_survey import AllocatorSurvey
from ..errors import InvalidValue
from ..hardware.checksum_counters import ChecksumCollector
from ..hardware.checksums import ChecksumMonitor
from ..hardware.osd_poller import OsdPoller
from ..model.osd import Osd
from ..model.verdict import OsdState
from ..watch.breakdown.peers import peers_of
from ..watch.collect.active_probe import ActiveProbe
from ..watch.collect.collector import Collector
from ..watch.context import OtherPart, WatchContext, WatchInputs
from ..watch.detect.ceph_alerts import CephAlertDetector
from ..watch.detect.slow_osd.thresholds import Thresholds
from ..watch.osd_breakdown import OsdBreakdowns
from ..watch.service import Watch
from .detectors import detectors
from .rounds import RoundParts
from .shared import SharedServices

# Seconds: the greatest age of the maps in which peers are chosen.
_MAPS_AGE = 10.0
# Maximum wait for the running tick when the mgr stops.
_LEAVE_LIMIT = 5.0


class WatchParts:
    """Runs three threads: the watch, the poller, which sends commands to OSDs, and breakdowns."""

    def __init__(
        self,
        services: SharedServices,
        rounds: RoundParts,
        others: Callable[[], Sequence[OtherPart]],
    ) -> None:
        """``others`` returns the parts that the watch does not tick."""
        self._cluster = services.cluster
        clock, log, benched = services.clock, services.log, services.benched
        threads = MgrOpThreads(services.mgr, clock.monotonic)
        queries = OsdQueries(services.mons.client)
        self.crc = ChecksumMonitor(
            ChecksumCollector(services.counters, services.members, threads, clock, benched),
            services.hosts,
            services.inventory,
            clock,
            lambda: services.options.watch().crc_hot_share,
        )
        self.breakdowns = OsdBreakdowns(
            queries,
            services.cluster,
            self._peers,
            benched,
            clock,
            services.failing,
        )
        self.thresholds = _settings(services)
        self.watch = Watch(
            WatchInputs(
                collector=Collector(services.counters, services.members, clock, benched),
                pgs=MgrPgStates(services.mgr),
                health=services.health,
                probing=ActiveProbe(services.access.prober, clock, log),
                regressions=rounds.bench.regressions,
                detectors=detectors(services, self.crc, self._slow_cohorts),
                others=others,
                ceph_alerts=CephAlertDetector(
                    MgrCephAlerts(services.mgr, services.health), services.counters, clock
                ),
                breakdowns=self.breakdowns,
            ),
            WatchContext(services.store_thread, services.notifier, clock, log, services.failing),
            self.thresholds,
            services.options.watch,
            rounds.running,
        )
        self._asking = OsdPoller(
            queries,
            self.crc,
            lambda: services.options.crc_asked,
            benched,
            clock,
            services.failing,
        )
        # How OSDs were built; the same thread asks for it.
        self.builds = AllocatorSurvey(log)
        self._asking.also(self.builds.ask)
        self._thread: Optional[threading.Thread] = None

    def _slow_cohorts(self) -> Sequence[str]:
        return self.watch.slow_cohorts()

    def begin(self, stopped: threading.Event) -> None:
        """Start all threads, which run until ``stopped`` is set."""
        watching = threading.Thread(
            target=self.watch.run, args=(stopped,), name="perf-bench-watch", daemon=True
        )
        watching.start()
        self._thread = watching  # set after the start: only a started thread can be joined
        threading.Thread(
            target=self._asking.run, args=(stopped,), name="perf-bench-crc", daemon=True
        ).start()
        threading.Thread(
            target=self.breakdowns.run, args=(stopped,), name="perf-bench-why", daemon=True
        ).start()

    def leave(self) -> None:
        """Save the state of the watch; call it after ``stopped`` is set."""
        self.breakdowns.wake()
        if self._thread is not None:
            self._thread.join(_LEAVE_LIMIT)
            self.watch.leave()

    def _peers(self, osd: Osd) -> Sequence[Osd]:
        """The OSDs that this one is compared with: of its cohort, and not slow."""
        cohorts = {member.osd: member.cohort for member in self.watch.members()}
        slow = {
            number
            for number, verdict in self.watch.osd_snapshot().verdicts.items()
            if verdict.state in (OsdState.SLOW, OsdState.SUSPECT)
        }
        return peers_of(osd, self._cluster.osds(_MAPS_AGE), cohorts, slow)


def _settings(services: SharedServices) -> Thresholds:
    try:
        return Thresholds.of(services.options.detector)
    except InvalidValue as error:
        services.log.warning("mgr/perf_bench/detector is left aside: %s", error)
        return Thresholds()
