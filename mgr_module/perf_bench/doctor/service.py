"""The doctor: gives advice on request, and every ten minutes raises risks as health checks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Optional, Protocol

from ..bench.service import Bench
from ..core.clock import Clock
from ..errors import CommandFailed, PerfBenchError
from ..hardware.host_facts import HostFactsRegistry
from ..hardware.osd_asker import OsdQuery
from ..model.doctor_snapshot import (
    Advice,
    Build,
    DoctorSnapshot,
    MeasuredCapacity,
    OsdDetails,
)
from ..model.finding import Claim, Look, Target, away
from ..model.finding_kinds import CONFIG_RISK
from ..model.history import ClusterSpan
from ..model.plan import PROFILES, SMALL_WRITE_BYTES, SMALL_WRITES
from ..model.round import RoundLine, Verdict
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
_SCRUBS = frozenset(("noscrub", "nodeep-scrub"))
# Builds asked in one step; a cluster rarely has more.
_AT_ONCE = 5
# OSDs of a build that are tried before the next snapshot.
_TRIED = 3


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
            held=frozenset() if self._bench.active is None else _SCRUBS,
            short_rounds=self._short_rounds(),
            measured=self._measured(),
            tick=self._tick(),
            at=now,
            minutes=self._minutes(now - _MINUTES, now),
            has_rounds=not PROFILES.keys().isdisjoint(self._bench.results.rounds),
        )

    def _measured(self) -> dict[int, MeasuredCapacity]:
        """By OSD its newest figure that is believed.

        A round that is not hides no valid one before it: advice would come and go with it.
        """
        valid = self._bench.results.small_writes
        found = {osd: next(iter(rounds.items())) for osd, rounds in valid.items()}
        for osd, (line, result) in self._bench.results.newest(SMALL_WRITES).items():
            if result.median_iops is not None and _is_believed(line):
                found[osd] = line.id, result.median_iops
        return {
            osd: MeasuredCapacity(iops, number, tuple(valid.get(osd, {}).values()))
            for osd, (number, iops) in found.items()
        }

    def _short_rounds(self) -> dict[str, int]:
        """By profile the ID of its newest round, if that was too short."""
        too_short = {}
        for profile in PROFILES:
            lines = [line for line, _ in self._bench.results.newest(profile).values()]
            newest = max(lines, key=lambda line: line.id, default=None)
            if newest is not None and newest.verdict is Verdict.TOO_SHORT:
                too_short[profile] = newest.id
        return too_short


def _is_believed(line: RoundLine) -> bool:
    """Whether a round's figures are comparable with mClock's capacities."""
    return line.verdict in _BELIEVED and line.step.block_size == SMALL_WRITE_BYTES


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


class AllocatorSurvey:
    """Finds out which builds use tcmalloc, by asking one OSD of each build once.

    An OSD compiled without it refuses ``heap stats`` with EOPNOTSUPP, on 16 to 20. That is decided
    when Ceph is built, so one OSD answers for all of the same build. Gets the OSDs from the doctor
    (``seen``), and asks them on the poller's thread (``ask``). Each of the two replaces a mapping
    of its own, and only reads the other's.
    """

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._known: Mapping[Build, bool] = {}
        self._osds: Mapping[Build, list[int]] = {}

    def seen(self, entries: Iterable[OsdDetails]) -> Mapping[Build, bool]:
        """By build whether it uses tcmalloc, as far as known; unknown builds are asked soon."""
        by_build: dict[Build, list[int]] = {}
        for details in entries:
            if details.build is not None and details.osd.up:
                by_build.setdefault(details.build, []).append(details.osd.id)
        self._osds = {build: osds[:_TRIED] for build, osds in by_build.items()}
        return {build: uses for build, uses in self._known.items() if build in by_build}

    def ask(self, asker: OsdQuery, busy: set[int]) -> None:
        """Ask one OSD of each unknown build, but none of the busy ones."""
        present = self._osds
        known = {build: uses for build, uses in self._known.items() if build in present}
        unknown = [build for build in present if build not in known]
        for build in unknown[:_AT_ONCE]:
            osds = present[build]
            osd = next((osd for osd in osds if osd not in busy), None)
            if osd is None:
                continue
            try:
                known[build] = asker.tcmalloc(osd)
            except CommandFailed as error:
                self._log.debug("osd.%d did not tell its allocator: %s", osd, error)
                osds.remove(osd)
        self._known = known
