"""Metrics for Prometheus."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Callable, NamedTuple, Optional

from ..bench.service import Bench
from ..core.clock import Clock
from ..errors import PerfBenchError
from ..hardware.checksums import ChecksumMonitor, ChecksumSnapshot
from ..model.cluster import Cluster
from ..model.hardware import Errors
from ..model.round import RoundState
from ..model.verdict import OsdState
from ..report.metrics import OsdReading, Readings, RoundReading, metrics
from ..store.care import Care
from ..store.sqlite import Store, StoreThread
from ..version import VERSION
from ..watch.service import Watch
from .paging import MAPS_AGE

# Seconds: reading the database costs the cluster some writes, and Prometheus asks every 15 s.
_STORE_AGE = 60.0


class Sources(NamedTuple):
    """The services whose figures are exported."""

    bench: Bench
    watch: Watch
    crc: ChecksumMonitor
    care: Care


class Checksums(NamedTuple):
    """Checksum shares and rates by OSD, and error counters."""

    shares: Mapping[int, float]
    rates: Mapping[int, float]
    errors: Sequence[Errors]


def _checksums(view: ChecksumSnapshot) -> Checksums:
    fresh = {osd: view.hotspots.fresh(osd, view.now) for osd in view.hotspots.shares}
    shares = {osd: share.share for osd, share in fresh.items() if share is not None}
    return Checksums(shares, view.rates, view.errors)


class MetricsApi:
    """``ceph perf-bench metrics`` and the HTTP endpoint: the same text."""

    def __init__(
        self,
        sources: Sources,
        cluster: Cluster,
        store_thread: StoreThread,
        clock: Clock,
        release: Callable[[], str],
    ) -> None:
        self._bench = sources.bench
        self._watch = sources.watch
        self._crc = sources.crc
        self._care = sources.care
        self._cluster = cluster
        self._store_thread = store_thread
        self._clock = clock
        self._release = release
        self._looked = -math.inf
        self._rounds: dict[str, int] = {}
        self._backend = ""
        self._up: Optional[bool] = None

    def text(self, per_osd: bool = True) -> str:
        """All metrics in Prometheus' text format; with ``per_osd`` series for each OSD."""
        self._look_at_store()
        now, _, pools, _ = self._watch.laggy_groups()
        osd_snapshot, stats = self._watch.osd_snapshot(), self._watch.tick_stats
        states = dict.fromkeys(OsdState, 0)
        checksums = self._checksums()
        for osd in self._cluster.osds(MAPS_AGE):
            states[osd_snapshot.verdict(osd.id).state] += 1
        return metrics(
            Readings(
                version=VERSION,
                release=self._release(),
                findings=self._watch.ledger.findings(),
                osd_states=states,
                osds=self._osds(checksums) if per_osd else (),
                errors=checksums.errors if checksums else (),
                laggy=now if now.at is not None else None,
                laggy_pg_seconds=self._watch.detectors.laggy.laggy_pg_seconds,
                pools=pools,
                rounds=self._rounds,
                newest=self._newest(),
                tick_at=stats.looked_at,
                tick_seconds=stats.cpu_seconds,
                frames_dropped=self._watch.detectors.dropped,
                detector_errors=self._watch.detectors.failures,
                store_errors=self._watch.journal.errors,
                store_backend=self._backend,
                store_up=self._up,
                store_usage=self._care.usage,
                store_limit=self._care.rules.bytes,
                store_kinds=self._care.sizes.kinds if self._care.sizes else (),
                rounds_removed=self._care.removed,
                cohorts=self._watch.cohorts(),
                gauges=self._watch.gauges(per_osd),
                coverage=self._watch.coverage(),
            ),
            per_osd,
        )

    def _look_at_store(self) -> None:
        now = self._clock.monotonic()
        if now - self._looked < _STORE_AGE:
            return
        self._looked = now

        def read(store: Store) -> tuple[str, dict[str, int]]:
            counts = {state.value: store.rounds(state=state, limit=0)[1] for state in RoundState}
            return store.backend, counts

        try:
            self._backend, self._rounds = self._store_thread.call(read, limit=2.0)
            self._up = True
        except PerfBenchError:
            self._up = False

    def _checksums(self) -> Optional[Checksums]:
        """None while the facts of hosts are not read."""
        try:
            return _checksums(self._crc.read())
        except PerfBenchError:
            return None

    def _osds(self, checksums: Optional[Checksums]) -> list[OsdReading]:
        osd_snapshot = self._watch.osd_snapshot()
        laggy = {one.osd: one.laggy_pg_seconds for one in self._watch.laggy_groups()[1]}
        newest = self._bench.newest()
        found = []
        for osd in self._cluster.osds(MAPS_AGE):
            verdict, bench = osd_snapshot.verdict(osd.id), newest.get(osd.id)
            latency = {
                channel: of_channel[osd.id]
                for channel, of_channel in osd_snapshot.latency.items()
                if osd.id in of_channel
            }
            found.append(
                OsdReading(
                    osd=osd.id,
                    host=osd.host,
                    device_class=osd.device_class or "",
                    state=verdict.state,
                    latency=latency,
                    ratio=verdict.ratio,
                    robust_z=verdict.robust_z,
                    risk=verdict.risk,
                    laggy_pg_seconds=laggy.get(osd.id),
                    bench_profile=bench and bench[0].profile,
                    bench_bytes_per_second=bench and bench[1].median_bytes_per_second,
                    bench_iops=bench and bench[1].median_iops,
                    bench_percent_of_peers=bench and bench[1].percent_of_peers,
                    checksum_share=checksums and checksums.shares.get(osd.id),
                    checksum_rate=checksums and checksums.rates.get(osd.id),
                )
            )
        return found

    def _newest(self) -> list[RoundReading]:
        """The newest round with a figure, by profile."""
        return [
            RoundReading(
                profile=profile,
                ended_at=line.ended_at or 0.0,
                median_bytes_per_second=line.summary.get("median_bytes_per_second"),
                median_iops=line.summary.get("median_iops"),
                median_cv_percent=line.summary.get("median_cv_percent"),
            )
            for profile, line in sorted(self._bench.newest_rounds.items())
        ]
