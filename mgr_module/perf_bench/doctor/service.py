"""The doctor: gives advice on request, and every ten minutes raises risks as health checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Optional, Protocol

from ..bench.service import Bench
from ..core.clock import Clock
from ..errors import PerfBenchError
from ..hardware.host_facts import HostFactsRegistry
from ..model.doctor_snapshot import Advice, DoctorSnapshot, MeasuredCapacity
from ..model.finding import Claim, Look, Target, away
from ..model.finding_kinds import CONFIG_RISK
from ..model.history import ClusterSpan
from ..model.plan import SMALL_WRITE_BYTES, SMALL_WRITES
from ..model.round import Verdict
from .checks import RANK, Examined, examine

_EVERY = 600.0
# Seconds until the first snapshot, and from it to the second: OSDs have reported by then, and
# findings of the last active mgr have not been cleared yet.
_SOON = 60.0
# Seconds that a snapshot is reused: making one takes 0.6 s at 10,000 OSDs.
_FRESH = 20.0
# Seconds of which the watch has the cluster's minutes in memory.
_MINUTES = 3 * 3600.0
# Rounds whose figures count: others were ended, or had recovery or the like beside them. A short
# one is at least as long as what an OSD does itself when it starts: 12 MB in writes of 4 KiB.
_BELIEVED = (Verdict.VALID, Verdict.NOISY, Verdict.TOO_SHORT)


class DoctorSource(Protocol):
    """Reads the doctor's snapshot from the mgr's maps and the monitors, not from OSDs."""

    def look(self) -> DoctorSnapshot:
        """The snapshot of all OSDs, without facts and rounds. Raises CommandFailed.

        Waits for the monitors at most 15 s. Takes some 60 us for each OSD, 110 us for one that
        compacts, so do not call it every few seconds.
        """


class Doctor:
    """Ticks on one thread; all other methods may be called on any.

    What they read is replaced whole, never changed. Two that ask at the same moment may make a
    snapshot each.
    """

    def __init__(
        self,
        source: DoctorSource,
        bench: Bench,
        hosts: HostFactsRegistry,
        clock: Clock,
        tick: Callable[[], Optional[tuple[float, float]]],
        minutes: Callable[[float, float], Sequence[ClusterSpan]],
    ) -> None:
        """``tick`` returns the duration and the interval of the watch's ticks, in seconds.

        ``minutes`` gets two times and returns the cluster's minutes between them.
        """
        self._source = source
        self._bench = bench
        self._hosts = hosts
        self._clock = clock
        self._due = clock.monotonic() + _SOON
        self._ticks = 0
        # When it was made, and what the checks found in it.
        self._newest: Optional[tuple[float, DoctorSnapshot, Examined]] = None
        # By code and target of a risk in the newest snapshot since when, and the claims about
        # those that were in the one before too.
        self._since: Mapping[tuple[str, Target], float] = {}
        self._claims: Sequence[Claim] = []
        self._tick = tick
        self._minutes = minutes
        # What the checks could look at in the newest snapshot.
        begun = examine(DoctorSnapshot()).look
        self._look = away(begun, "begun", "the doctor has not looked yet")

    def tick(self) -> None:
        """Call every few seconds; checks for risks every ten minutes.

        Raises CommandFailed if the cluster's settings cannot be read; then nothing has changed.
        """
        if self._clock.monotonic() < self._due:
            return
        self._due = self._clock.monotonic() + (_EVERY if self._ticks else _SOON)
        self._ticks += 1
        try:
            risks = {(one.code, one.target): one for one in self.advice() if one.risk}
        except PerfBenchError as error:
            why = f"the cluster's settings cannot be read: {error}"
            self._look = away(self._look, "failed", why)
            raise
        now, before = self._clock.now(), self._since
        by_target: dict[Target, list[Advice]] = {}
        for key, advice in risks.items():
            if key in before:
                by_target.setdefault(advice.target, []).append(advice)
        self._since = {key: before.get(key, now) for key in risks}
        self._claims = [
            _claim(of, min(before[one.code, one.target] for one in of)) for of in by_target.values()
        ]

    def claims(self) -> Sequence[Claim]:
        """The risks for the cluster's health: one claim for each target.

        Those of two snapshots in a row: a single one may show a change under way.
        """
        return self._claims

    def advice(self) -> list[Advice]:
        """All advice, worst first. Raises CommandFailed without the monitors."""
        return self._fresh()[2].advice

    def newest(self) -> Sequence[Advice]:
        """The advice of the newest snapshot; none before there is one."""
        return () if self._newest is None else self._newest[2].advice

    def snapshot(self) -> DoctorSnapshot:
        """The present snapshot, at most 20 s old. Raises CommandFailed without the monitors."""
        return self._fresh()[1]

    def _fresh(self) -> tuple[float, DoctorSnapshot, Examined]:
        now, newest = self._clock.monotonic(), self._newest
        if newest is None or now - newest[0] >= _FRESH:
            snapshot = self._make()
            newest = self._newest = now, snapshot, examine(snapshot)
            self._look = newest[2].look
        return newest

    def looks(self) -> Sequence[Look]:
        """What the checks could look at in the newest snapshot; makes none."""
        return [self._look]

    def forget(self) -> None:
        """Drop the snapshot, after settings were changed."""
        self._newest = None

    def _make(self) -> DoctorSnapshot:
        known, now = self._hosts.cached() or {}, self._clock.now()
        return replace(
            self._source.look(),
            facts={host: one.facts for host, one in known.items()},
            measured=self._measured(),
            tick=self._tick(),
            at=now,
            minutes=self._minutes(now - _MINUTES, now),
        )

    def _measured(self) -> dict[int, MeasuredCapacity]:
        """By OSD its newest figure that is believed.

        A round that is not hides no valid one before it: advice would come and go with it.
        """
        valid = self._bench.results.small_writes
        found = {osd: next(iter(rounds.items())) for osd, rounds in valid.items()}
        for osd, (line, result) in self._bench.results.newest(SMALL_WRITES).items():
            comparable = line.verdict in _BELIEVED and line.step.block_size == SMALL_WRITE_BYTES
            if result.median_iops is not None and comparable:
                found[osd] = line.id, result.median_iops
        return {
            osd: MeasuredCapacity(iops, number, tuple(valid.get(osd, {}).values()))
            for osd, (number, iops) in found.items()
        }


def _claim(entries: Sequence[Advice], since: float) -> Claim:
    """One claim for all advice on a target, with the message of the worst."""
    worst = min(entries, key=lambda one: RANK.index(one.severity))
    message = worst.message
    if len(entries) > 1:
        message += f" (and {len(entries) - 1} more: 'ceph perf-bench doctor')"
    evidence = {
        "advice": [advice.code for advice in entries],
        "fix": worst.fix,
        "source": worst.source,
        **worst.evidence,
    }
    return Claim(CONFIG_RISK.code, worst.severity, worst.target, message, evidence, since)
