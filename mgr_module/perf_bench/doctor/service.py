"""The doctor's practice: looks when somebody asks, and by itself every ten minutes for health."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Optional

from ..bench.service import Bench
from ..errors import PerfBenchError
from ..hardware.host_facts import HostFactsRegistry
from ..model.doctor_snapshot import Advice, DoctorSnapshot, MeasuredCapacity
from ..model.finding import Claim
from ..model.finding_kinds import CONFIG_RISK
from ..model.profile import PROFILES
from ..model.round import Verdict
from ..ports import Clock, DoctorSource
from .checks import RANK, advise

_EVERY = 600.0
# Until the first look, and then the second: OSDs have reported by then, and findings of the mgr
# before are not let go of yet.
_SOON = 60.0
# Whoever asks again within so many seconds is told the same: a look costs 0.6 s at 10,000 OSDs.
_FRESH = 20.0
# What has been there in so many looks in a row belongs into health; one may be a change under way.
_LOOKS = 2
# The profile whose figures tell of small operations.
_SMALL = "osd-iops"
_SCRUBS = frozenset(("noscrub", "nodeep-scrub"))


class Doctor:
    """Ticks on one thread; may be asked from any."""

    def __init__(
        self,
        charts: DoctorSource,
        bench: Bench,
        hosts: HostFactsRegistry,
        clock: Clock,
        log: logging.Logger,
        tick: Callable[[], Optional[tuple[float, float]]],
    ) -> None:
        """``tick`` tells how long the watch's newest tick took, and how often there is one."""
        self._source = charts
        self._bench = bench
        self._hosts = hosts
        self._clock = clock
        self._log = log
        self._lock = threading.Lock()
        self._due = clock.monotonic() + _SOON
        self._looks = 0
        self._chart: Optional[tuple[float, DoctorSnapshot]] = None
        # By what they are about: since when in a row, how often, and the newest.
        self._risks: dict[tuple[str, str, str], tuple[float, int, Advice]] = {}
        self._tick = tick

    def tick(self) -> None:
        """To be called every few seconds; looks every ten minutes."""
        if self._clock.monotonic() < self._due:
            return
        self._due = self._clock.monotonic() + (_EVERY if self._looks else _SOON)
        self._looks += 1
        try:
            found = [advice for advice in advise(self.chart()) if advice.risk]
        except PerfBenchError as error:
            self._log.info("the doctor could not look: %s", error)
            return
        now = self._clock.now()
        kept = {}
        for advice in found:
            key = (advice.code, advice.target.kind, advice.target.id)
            since, looks, _ = self._risks.get(key, (now, 0, advice))
            kept[key] = (since, looks + 1, advice)
        self._risks = kept

    def claims(self) -> Sequence[Claim]:
        """What belongs into the cluster's health: one claim a target."""
        by_target: dict[tuple[str, str], list[tuple[float, Advice]]] = {}
        for (_, kind, id_), (since, looks, advice) in self._risks.items():
            if looks >= _LOOKS:
                by_target.setdefault((kind, id_), []).append((since, advice))
        return [_claim(entries) for entries in by_target.values()]

    def advice(self) -> list[Advice]:
        """All advice, worst first. Raises CommandFailed where the monitors do not answer."""
        return advise(self.chart())

    def chart(self) -> DoctorSnapshot:
        """The chart of now, or of some seconds ago."""
        with self._lock:
            now = self._clock.monotonic()
            if self._chart is None or now - self._chart[0] >= _FRESH:
                self._chart = now, self._look()
            return self._chart[1]

    def forget(self) -> None:
        """Settings have been changed: the next question looks anew."""
        with self._lock:
            self._chart = None

    def _look(self) -> DoctorSnapshot:
        known = self._hosts.cached() or {}
        return replace(
            self._source.look(),
            facts={host: one.facts for host, one in known.items()},
            held=frozenset() if self._bench.active is None else _SCRUBS,
            short_rounds=self._short_rounds(),
            measured=self._measured(),
            tick=self._tick(),
        )

    def _measured(self) -> dict[int, MeasuredCapacity]:
        return {
            osd: MeasuredCapacity(result.median_iops, line.id)
            for osd, (line, result) in self._bench.newest(_SMALL).items()
            if result.median_iops is not None
        }

    def _short_rounds(self) -> dict[str, int]:
        """By profile its newest round, where that was too short."""
        found = {}
        for profile in PROFILES:
            lines = [line for line, _ in self._bench.newest(profile).values()]
            newest = max(lines, key=lambda line: line.id, default=None)
            if newest is not None and newest.verdict is Verdict.TOO_SHORT:
                found[profile] = newest.id
        return found


def _claim(entries: Sequence[tuple[float, Advice]]) -> Claim:
    """One for all that is said of a target; the worst speaks."""
    worst = min((advice for _, advice in entries), key=lambda one: RANK.index(one.severity))
    more = f" (and {len(entries) - 1} more: ceph perf-bench doctor)" if len(entries) > 1 else ""
    return Claim(
        CONFIG_RISK.code,
        worst.severity,
        worst.target,
        f"{worst.message}{more}",
        {
            "advice": [advice.code for _, advice in entries],
            "fix": worst.fix,
            "source": worst.source,
            **worst.evidence,
        },
        min(since for since, _ in entries),
    )
