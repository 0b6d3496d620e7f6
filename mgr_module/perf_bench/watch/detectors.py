"""Runs all detectors: passes the collected frames to each at every tick, and takes its claims."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_not
from typing import Callable, NamedTuple, Optional, TypeVar

from ..bench.comparisons import Regressions
from ..core.clock import Clock
from ..core.failing_parts import COLLECTOR, COUNTERS, FailingParts
from ..model.cluster import Notifier, OsdHealth, PgStates
from ..model.coverage import Look, away
from ..model.detector import Detector, Gauge, WatchTick
from ..model.finding import Claim, Finding
from ..model.finding_kinds import BY_CODE
from ..model.frame import CHANNELS, FRAME_SECONDS, Frame, Watched
from ..model.history import SavedState
from ..model.phrases import sentence
from ..model.verdict import Episode, OsdSnapshot, OsdState, OsdVerdict
from ..store.series import by_osd
from ..store.series_builder import SeriesBuilder
from ..store.sqlite import StoreThread
from .collect.collector import Collector
from .detect.ceph_alerts import CephAlerts
from .detect.laggy_pgs.detector import LaggyPgDetector
from .osd_breakdown import OsdBreakdowns
from .slow_osd.detector import SlowDetector
from .slow_osd.thresholds import Thresholds


class OtherPart(NamedTuple):
    """A part that the watch does not tick: its name in ``FailingParts``, its claims and looks."""

    name: str
    claims: Callable[[], Sequence[Claim]]
    looks: Callable[[], Sequence[Look]]


@dataclass(frozen=True)
class WatchInputs:
    """The inputs of the watch.

    ``regressions`` has the claims of rounds, ``others`` returns the parts that the watch does not
    tick. ``detectors`` run in addition to those for slow OSDs and laggy PGs. ``ceph_alerts`` are
    Ceph's own. ``breakdowns`` asks the OSDs of findings why they are slow.
    """

    collector: Collector
    pgs: PgStates
    health: OsdHealth
    regressions: Regressions
    detectors: Sequence[Detector] = ()
    others: Callable[[], Sequence[OtherPart]] = tuple
    ceph_alerts: Optional[CephAlerts] = None
    breakdowns: Optional[OsdBreakdowns] = None


@dataclass(frozen=True)
class WatchContext:
    """The services that the watch uses; ``failing`` is shared with all parts of the module."""

    store_thread: StoreThread
    notifier: Notifier
    clock: Clock
    log: logging.Logger
    failing: FailingParts


T = TypeVar("T")

_MOST_WAITING = 16
# Reports of an OSD that the mgr keeps.
_REPORTS_KEPT = 20
# Less is no step of the clock: the two clocks are read one after the other.
_LEAST_STEP = 10.0
# With more OSDs apply latencies are not read: osd_stats take 18 us per OSD, during which no other
# Python runs.
_MOST_APPLIED = 2000
# Seconds: what is suspect and was not in a snapshot that old became so since.
_LOOKED_BEFORE = 120.0
# After so long without a report of any OSD, and after so many of their periods, none comes.
_SILENT_SECONDS, _SILENT_PERIODS = 60.0, 3.0
SWITCH_ON = "'ceph config set mgr mgr/perf_bench/watch true' switches it on"
WATCH_OFF = "the watch is off"


class Detectors:
    """All detectors, and the last hours of their frames. Not thread-safe.

    A detector that fails does not stop the others, and keeps its last claims until it works again.
    """

    def __init__(
        self,
        inputs: WatchInputs,
        settings: Thresholds,
        clock: Clock,
        log: logging.Logger,
        failing: FailingParts,
    ) -> None:
        self._inputs = inputs
        self._clock = clock
        self._log = log
        self._failing = failing
        self.slow = SlowDetector(settings)
        self._laggy_pgs = LaggyPgDetector(inputs.pgs, inputs.health, clock)
        self.laggy = self._laggy_pgs.tracker
        self.all: Sequence[Detector] = (self.slow, self._laggy_pgs, *inputs.detectors)
        self._claims: dict[str, Sequence[Claim]] = {}
        # By detector: what it looks at, as it told last.
        self._looks: dict[str, Sequence[Look]] = {}
        # By detector: how many of its ticks and answers failed, since this mgr is active.
        self.failures = {detector.name: 0 for detector in self.all}
        # By detector the newest error with which it answered: logged once, not at every scrape.
        self._unanswered: dict[str, str] = {}
        self.history = SeriesBuilder()
        self._newest: Optional[Frame] = None
        self._hosts: dict[int, str] = {}
        self._snapshot = OsdSnapshot()
        # The minute, the judgement and whether it was quiet, of which the snapshot was made.
        self._snapshot_of: tuple[object, ...] = (None, None, None)
        # When it was made, and by OSD since when it is suspect; None where it was suspect in the
        # first one. Monotonic seconds.
        self._snapshot_at = -math.inf
        self._suspect_since: dict[int, Optional[float]] = {}
        # Frames that wait until the saved state is read.
        self._waiting: deque[Frame] = deque(maxlen=_MOST_WAITING)
        # When this mgr's steady clock was 0, in unix seconds: it moves only when the clock is set.
        self._begun: Optional[float] = None
        # The step of the clock before the newest tick, in seconds.
        self.clock_step = 0.0
        # By OSD when it was made, the mapping it was taken from, and when what the detectors know
        # of the other OSDs ends: when the saved state was saved, else when this mgr began (in
        # monotonic seconds: the clock may be set).
        self._created_at: dict[int, float] = {}
        self._created_of: Mapping[int, float] = self._created_at
        self._saved_at: Optional[float] = None
        self._started = clock.monotonic()
        # Number of frames that were dropped because too many waited, or that could not be made
        # because the mgr did not have their reports any more.
        self.dropped = 0
        # When frames were collected last, in monotonic seconds; None while the watch is off.
        self._collected_at: Optional[float] = None

    # --- a tick's parts ----------------------------------------------------------------------

    def collect(self) -> None:
        """Read new frames and queue them for ``tick``."""
        now, before = self._clock.monotonic(), self._collected_at
        self._collected_at = now
        if before is not None:
            lost = now - before - _REPORTS_KEPT * self._inputs.collector.stats_period
            self.dropped += max(0, int(lost // FRAME_SECONDS))
        collector = self._inputs.collector
        for frame in collector.tick():
            self.dropped += len(self._waiting) == self._waiting.maxlen
            self._waiting.append(frame)
        if collector.silent_seconds >= max(
            _SILENT_SECONDS, _SILENT_PERIODS * collector.stats_period
        ):
            self._failing.failed(COUNTERS, "no OSD that is up sends counters to the active mgr")
        else:
            self._failing.went_well(COUNTERS)

    def tick(self, on: bool, running_round: Optional[int]) -> None:
        """Run the detectors; while the watch is not ``on`` only those with ``while_off``."""
        frames = self._new_frames() if on else []
        if not on:
            self._collected_at = None
            resting = [detector.name for detector in self.all if not detector.while_off]
            self._failing.forget((COLLECTOR, COUNTERS, *resting))
        now = self._clock.now()
        begun = now - self._clock.monotonic()
        step = 0.0 if self._begun is None else begun - self._begun
        self._begun, self.clock_step = begun, step if abs(step) >= _LEAST_STEP else 0.0
        tick = WatchTick(
            now,
            on,
            frames,
            self.members(),
            self._inputs.collector.stale if on else (),
            running_round,
            self.clock_step,
            # Most detectors do not look while the watch is off, and each is told once.
            self._replaced(begun) if on else (),
        )
        for detector in self.all:
            if on or detector.while_off:
                self._run(detector, tick)
            else:
                self._claims.pop(detector.name, None)
        if on:
            self.history.cluster.note(self._inputs.pgs.work())

    def _replaced(self, begun: float) -> frozenset[int]:
        """Return the OSDs that were made after what the detectors know under their IDs.

        ``begun`` is when this mgr's steady clock was 0. A restart, an upgrade or another device
        name leaves the time of making as it is. Where it is not known, nothing is.
        """
        created_at = self._inputs.collector.created_at
        if created_at is self._created_of:
            return frozenset()
        self._created_of = created_at
        known_at = begun + self._started if self._saved_at is None else self._saved_at
        found = [osd for osd, at in created_at.items() if at > self._created_at.get(osd, known_at)]
        # Of an OSD that has no metadata for a while the last known time counts.
        self._created_at.update(created_at)
        return frozenset(found)

    def created_at(self, osd: int) -> Optional[float]:
        """Return when an OSD was made (unix seconds); None if that is not known."""
        return self._created_at.get(osd)

    def _new_frames(self) -> list[Frame]:
        frames = list(self._waiting)
        self._waiting.clear()
        for frame in frames:
            if self._newest is None or frame.roster is not self._newest.roster:
                self._hosts = {member.osd: member.host for member in frame.roster.members}
            self._newest = frame
            self.history.feed(frame)
        self.history.step()
        return frames

    def _run(self, detector: Detector, tick: WatchTick) -> None:
        try:
            detector.tick(tick)
            self._claims[detector.name] = detector.claims()
            self._failing.went_well(detector.name)
        except Exception as error:  # noqa: BLE001 - any error must leave the others running
            self._failing.failed(detector.name, error)
            self.failures[detector.name] += 1

    def claims(self) -> list[Claim]:
        """Return the current claims of all detectors."""
        return [claim for claims in self._claims.values() for claim in claims]

    def knows(self, finding: Finding) -> bool:
        """Return whether a detector knows that a restored finding without a claim is over."""
        problems = self._failing.problems()
        return any(
            detector.knows(finding)
            and any(finding.code in look.codes for look in self._looks_of(detector))
            for detector in self.all
            if detector.name in self._claims and detector.name not in problems
        )

    def looks(self, on: bool) -> list[Look]:
        """Return what the detectors look at and what they cannot; ``on``: the watch is on."""
        found: list[Look] = []
        for detector in self.all:
            looks = self._looks_of(detector)
            problems = self._failing.problems()
            problem = problems.get(detector.name)
            if problem is None and detector is self.slow:
                problem = problems.get(COLLECTOR)
            for look in looks:
                if not on and not any(BY_CODE[code].while_off for code in look.codes):
                    found.append(away(look, "off", WATCH_OFF, SWITCH_ON))
                elif problem is not None:
                    why = f"the detector failed: {problem}"
                    found.append(away(look, "failed", why))
                else:
                    found.append(look)
        return found

    def _looks_of(self, detector: Detector) -> Sequence[Look]:
        """What a detector looks at; if that fails, what it told before."""
        try:
            self._looks[detector.name] = detector.looks()
        except Exception as error:  # noqa: BLE001 - any error must leave the others told
            self._failing.failed(detector.name, error)
        return self._looks.get(detector.name, ())

    def looked_at(self, name: str) -> Optional[Sequence[str]]:
        """Return in words what the detector of this name looks at; None if there is none."""
        for detector in self.all:
            if detector.name == name:
                return [look.what for look in self._looks_of(detector)]
        return None

    def explain(self, osd: int, on: bool) -> list[str]:
        """Return the sentences on an OSD of the detectors that look; ``on``: the watch is on.

        Of a detector that fails one that says so.
        """

        def failed(detector: Detector, error: Exception) -> Sequence[str]:
            name, why = detector.name, sentence(repr(error))
            return (f"The detector '{name}' fails, what it knows of this OSD is not told: {why}",)

        return self._of_each(on, lambda detector: detector.explain(osd), failed)

    def gauges(self, per_osd: bool, on: bool) -> list[Gauge]:
        """Return metrics for Prometheus; with ``per_osd`` also those of single OSDs.

        Without those of detectors that do not look while the watch is not ``on``, and of those
        that fail, whose failures are counted.
        """
        found = self._of_each(on, lambda detector: detector.metrics(), lambda *_: ())
        return [gauge for gauge in found if per_osd or not gauge.per_osd]

    def _of_each(
        self,
        on: bool,
        ask: Callable[[Detector], Sequence[T]],
        failed: Callable[[Detector, Exception], Sequence[T]],
    ) -> list[T]:
        """What all detectors that look answer, and in the place of those that fail ``failed``."""
        found: list[T] = []
        for detector in self._looking(on):
            try:
                found += ask(detector)
            except Exception as error:  # noqa: BLE001 - any error must leave the others told
                found += failed(detector, error)
                self.failures[detector.name] += 1
                if self._unanswered.get(detector.name) != repr(error):
                    self._unanswered[detector.name] = repr(error)
                    self._log.exception("the detector '%s' does not answer", detector.name)
        return found

    def _looking(self, on: bool) -> list[Detector]:
        return [detector for detector in self.all if on or detector.while_off]

    # --- across mgrs -------------------------------------------------------------------------

    @property
    def urgent(self) -> bool:
        """Whether a detector's state must be saved now."""
        return any(detector.urgent for detector in self.all)

    def save(self, all_: bool = True) -> dict[str, Mapping[str, object]]:
        """Return the detectors' states by name, JSON-ready; without those that fail to save.

        Without ``all_`` only those that are urgent.
        """
        saved: dict[str, Mapping[str, object]] = {}
        for detector in self.all:
            if not (all_ or detector.urgent):
                continue
            try:
                state = detector.save()
            except Exception:  # noqa: BLE001 - any error must leave the others saved
                self._log.exception("the state of the detector '%s' is not saved", detector.name)
                continue
            if state:
                saved[detector.name] = state
        return saved

    def written(self, states: Collection[str]) -> None:
        """Take note that the states of these names are on their way to the store."""
        for detector in self.all:
            if detector.name in states:
                detector.urgent = False

    def restore(self, states: Mapping[str, SavedState], episodes: Sequence[Episode]) -> None:
        """Load saved states and episodes; a detector that cannot read its state starts cold."""
        if self.slow.name in states:
            # An OSD that was made since then is another one than what was saved.
            self._created_at, self._created_of = {}, {}
            self._saved_at = states[self.slow.name].at
        self.laggy.add_past(episodes)  # before its state, in which one of them may go on
        for detector in self.all:
            try:
                if detector.name in states:
                    detector.restore(states[detector.name].state, self._clock.now())
            except Exception:  # noqa: BLE001 - any error must leave the others restored
                self._log.warning(
                    "the detector '%s' begins anew: what it saved cannot be read",
                    detector.name,
                    exc_info=True,
                )

    # --- current data ------------------------------------------------------------------------

    @property
    def newest(self) -> Optional[Frame]:
        """The newest frame."""
        return self._newest

    def members(self) -> Sequence[Watched]:
        """The watched OSDs by ID."""
        return self._newest.roster.members if self._newest is not None else ()

    def host_of(self, osd: int) -> Optional[str]:
        """The host of an OSD; None for one that is not watched."""
        return self._hosts.get(osd)

    def osd_snapshot(self) -> OsdSnapshot:
        """Return the state of all OSDs; made once a minute, and when a verdict may have changed."""
        minute, slow = self.history.rings.newest, self.slow
        of = minute, slow.judgement, slow.quiet
        if any(map(is_not, of, self._snapshot_of)):
            latency = {} if minute is None else by_osd(minute, CHANNELS)
            # Copied: other threads read it without the lock. The detector makes a verdict when it
            # is looked up, and keeps the judgement behind it, which may be old by then.
            verdicts = self._with_since(dict(slow.verdicts()))
            self._snapshot = OsdSnapshot(verdicts, latency, self._applied())
            self._snapshot_of = of
        return self._snapshot

    def _with_since(self, verdicts: dict[int, OsdVerdict]) -> Mapping[int, OsdVerdict]:
        """The verdicts, where a suspect whose rule has no begin got when it was seen first.

        None where nobody looked shortly before: it may have been suspect for long.
        """
        now, before = self._clock.monotonic(), self._snapshot_at
        first = now if now - before <= _LOOKED_BEFORE else None
        unclear = [
            osd
            for osd, one in verdicts.items()
            if one.state is OsdState.SUSPECT and one.since is None
        ]
        self._suspect_since = {osd: self._suspect_since.get(osd, first) for osd in unclear}
        self._snapshot_at = now
        begun = self._clock.now() - now
        for osd, at in self._suspect_since.items():
            if at is not None:
                verdicts[osd] = replace(verdicts[osd], since=begun + at)
        return verdicts

    def _applied(self) -> Mapping[int, float]:
        """Return apply latencies by OSD in seconds; empty for very many OSDs: one long call."""
        if len(self._hosts) > _MOST_APPLIED:
            return {}
        found = self._inputs.health.latencies()
        return {osd: apply for osd, (_, apply) in found.items()}
