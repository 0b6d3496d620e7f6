"""Runs all detectors on the watch's own thread: frames and findings in, what they found out."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import is_not
from typing import Callable, NamedTuple, Optional, TypeVar, Union

from ..core.clock import Clock
from ..core.failing_parts import COLLECTOR, COUNTERS, LOST, FailingParts
from ..core.loop import Loop
from ..core.workers import Executor
from ..model.admission import WatchOptions
from ..model.cluster import Notifier, OsdHealth, PgStates
from ..model.finding import (
    CHANNELS,
    FRAME_SECONDS,
    Claim,
    Detector,
    Finding,
    Frame,
    Gauge,
    Look,
    Watched,
    WatchTick,
    away,
)
from ..model.finding_kinds import (
    BY_CODE,
    ENCLOSURE_FAULT,
    LINK_ERRORS,
    MEDIA_ERRORS,
    MULTIPATH_DEGRADED,
    WATCH_FAILED,
)
from ..model.hardware import STALE_SECONDS
from ..model.history import SavedState, SpanRow
from ..model.verdict import Episode, OsdSnapshot
from ..store.series import by_osd
from ..store.series_builder import SeriesBuilder
from ..store.sqlite import StoreThread
from .collect.collector import Collector
from .detect.ceph_alerts import CephAlerts
from .detect.laggy_pgs import LaggyPgDetector
from .findings import Key, lacks_section
from .osd_breakdown import OsdBreakdowns
from .slow_osd.detector import SlowDetector
from .slow_osd.thresholds import Thresholds


class OtherPart(NamedTuple):
    """A part that the watch does not tick: its name in ``FailingParts``, its claims and looks.

    ``knows`` is that of a ``Detector``.
    """

    name: str
    claims: Callable[[], Sequence[Claim]]
    looks: Callable[[], Sequence[Look]]
    knows: Callable[[Finding], bool] = lambda _finding: False


def at_once(finding: Finding) -> bool:  # noqa: ARG001
    """``knows`` of a part whose findings are over as soon as it does not claim them."""
    return True


Part = Union[Detector, OtherPart]
T = TypeVar("T")


@dataclass(frozen=True)
class WatchContext:
    """The services and the inputs of the watch; ``failing`` is shared with the whole module.

    ``thread`` runs what belongs to the detectors, one after the other. ``options`` are the current
    ones, ``running_round`` returns the ID of the bench round that runs. ``others`` returns the
    parts that the watch does not tick. ``detectors`` run in addition to those for slow OSDs and
    laggy PGs. ``ceph_alerts`` are Ceph's own. ``breakdowns`` asks the OSDs of findings why they
    are slow.
    """

    loop: Loop
    thread: Executor
    store_thread: StoreThread
    notifier: Notifier
    clock: Clock
    failing: FailingParts
    settings: Thresholds
    options: Callable[[], WatchOptions]
    running_round: Callable[[], Optional[int]]
    collector: Collector
    pgs: PgStates
    health: OsdHealth
    detectors: Sequence[Detector] = ()
    others: Callable[[], Sequence[OtherPart]] = tuple
    ceph_alerts: Optional[CephAlerts] = None
    breakdowns: Optional[OsdBreakdowns] = None


@dataclass(frozen=True)
class Asked:
    """What a tick needs to know: whether the watch is ``on``, the ID of the round that runs.

    ``live`` are the findings that are not closed, ``inherited`` those of them that were restored
    and not claimed since.
    """

    on: bool
    running_round: Optional[int]
    live: Sequence[Finding] = ()
    inherited: Sequence[Finding] = ()


@dataclass(frozen=True)
class Seen:
    """What a tick found: all claims, and what is to be stored.

    ``over`` are the inherited findings that are known to be over, ``unseen`` the findings of which
    nobody can tell now. ``looks`` are what was looked at, of this moment where a finding ends.
    ``collected`` says that the counters could be read, ``warm`` that slow OSDs were restored.
    """

    claims: Sequence[Claim]
    over: Collection[Key]
    unseen: Collection[Key]
    looks: Sequence[Look]
    rows: Sequence[SpanRow]
    settled: Optional[float]
    episodes: Sequence[Episode]
    collected: bool
    warm: bool
    cpu_seconds: float


# Reports of an OSD that the mgr keeps.
_REPORTS_KEPT = 20
# Less is no step of the clock: the two clocks are read one after the other.
_LEAST_STEP = 10.0
# With more OSDs apply latencies are not read: osd_stats take 18 us per OSD, during which no other
# Python runs.
_MOST_APPLIED = 2000
# After so long without a report of any OSD, and after so many of their periods, none comes.
_SILENT_SECONDS, _SILENT_PERIODS = 60.0, 3.0
# Seconds that the coverage is reused, for questions and for health details: it takes 0.05 s at
# 10,000 OSDs.
ASKED_AGE, _TOLD_AGE = 15.0, 60.0
# Rows of five minutes that are packed in one tick, 0.5 ms each.
_ROWS_A_TICK, _ALL = 30, 1_000_000
SWITCH_ON = "'ceph config set mgr mgr/perf_bench/watch true' switches it on"
WATCH_OFF = "the watch is off"
# Findings about what hosts tell.
_OF_FACTS = frozenset(
    one.code for one in (ENCLOSURE_FAULT, LINK_ERRORS, MEDIA_ERRORS, MULTIPATH_DEGRADED)
)


def while_off(code: str) -> bool:
    """Whether this kind is detected while the watch is off; False for an unknown code."""
    kind = BY_CODE.get(code)
    return kind is not None and kind.while_off


class Detectors:
    """All detectors, and the last hours of their frames. Only the watch's thread calls it.

    ``newest``, ``hosts`` and ``created_at`` may be read by others: they are replaced as a whole.
    A detector that fails does not stop the others, and keeps its last claims until it works again.
    """

    def __init__(self, context: WatchContext) -> None:
        self._context = context
        self._clock, self._failing = context.clock, context.failing
        self.slow = SlowDetector(context.settings)
        self.laggy = LaggyPgDetector(context.pgs, context.health, context.clock)
        self.all: Sequence[Detector] = (self.slow, self.laggy, *context.detectors)
        # By detector and other part: its newest claims and looks, for when it fails.
        self._claims: dict[str, Sequence[Claim]] = {}
        self._looks: dict[str, Sequence[Look]] = {}
        # What detectors looked at, when (monotonic seconds) that was computed, and whether the
        # watch was on.
        self._coverage: tuple[float, bool, Sequence[Look]] = (-math.inf, False, ())
        # By detector: how many of its ticks and answers failed, since this mgr is active.
        self.failures = {detector.name: 0 for detector in self.all}
        self.history = SeriesBuilder()
        self.newest: Optional[Frame] = None
        self.hosts: Mapping[int, str] = {}
        self._snapshot = OsdSnapshot()
        # The minute, the judgement and whether it was quiet, of which the snapshot was made.
        self._snapshot_of: tuple[object, ...] = (None, None, None)
        # Steady time is unix seconds as if the clock had not been set since this mgr began.
        self._began = self._clock.now()
        self._steady_less_monotonic = self._began - self._clock.monotonic()
        self._offset = 0.0
        # By OSD when it was made, the mapping it was taken from, and when what the detectors know
        # of the other OSDs ends: when the saved state was saved, else when this mgr began.
        self.created_at: Mapping[int, float] = {}
        self._created_of: Mapping[int, float] = {}
        self._saved_at: Optional[float] = None
        # Number of frames that could not be made because the mgr did not have their reports any
        # more.
        self.dropped = 0
        # When frames were collected last, in monotonic seconds; None while the watch is off.
        self._collected_at: Optional[float] = None

    # --- a tick ------------------------------------------------------------------------------

    def collect(self) -> Sequence[Frame]:
        """Read new frames."""
        now, before = self._clock.monotonic(), self._collected_at
        self._collected_at = now
        if before is not None:
            lost = now - before - _REPORTS_KEPT * self._context.collector.stats_period
            self.dropped += max(0, int(lost // FRAME_SECONDS))
        collector = self._context.collector
        frames = collector.tick()
        if collector.silent_seconds >= max(
            _SILENT_SECONDS, _SILENT_PERIODS * collector.stats_period
        ):
            self._failing.failed(COUNTERS, "no OSD that is up sends counters to the active mgr")
        else:
            self._failing.went_well(COUNTERS)
        return frames

    def tick(self, asked: Asked, started: bool) -> Optional[Seen]:
        """Collect and let all detectors look; None where they have not ``started`` yet.

        The mgr keeps the reports until then. While the watch is off only those with ``while_off``
        look.
        """
        if not started:
            return None
        cpu, on, collected = time.thread_time(), asked.on, True
        frames: Sequence[Frame] = ()
        if on:
            try:
                frames = self.collect()
                self._failing.went_well(COLLECTOR)
            except Exception as error:  # noqa: BLE001 - detectors without frames look on
                self._failing.failed(COLLECTOR, error)
                collected = False
        tick = self._next_tick(asked, frames)
        for detector in self.all:
            if on or detector.while_off:
                self._run(detector, tick)
            else:
                self._claims.pop(detector.name, None)
        if on:
            self.history.cluster.note(self._context.pgs.work())
        return self._seen(asked, tick.now, collected, cpu)

    def _next_tick(self, asked: Asked, frames: Sequence[Frame]) -> WatchTick:
        on = asked.on
        if on:
            self._take(frames)
        else:
            self._collected_at = None
            resting = [detector.name for detector in self.all if not detector.while_off]
            self._failing.forget((COLLECTOR, COUNTERS, *resting))
        now, before = self._clock.now(), self._offset
        offset = now - self._clock.monotonic() - self._steady_less_monotonic
        if abs(offset - before) >= _LEAST_STEP:
            self._offset = offset
        return WatchTick(
            now,
            on,
            frames,
            self.members(),
            self._context.collector.stale if on else (),
            asked.running_round,
            self._offset - before,
            # Most detectors do not look while the watch is off, and each is told once.
            self._replaced() if on else (),
            self._offset,
        )

    def _seen(self, asked: Asked, now: float, collected: bool, cpu: float) -> Seen:
        claims = [
            *(claim for part in self._context.others() for claim in self._claims_of(part)),
            *(claim for one in self.all for claim in self._claims.get(one.name, ())),
            *self._failing.claims(now),
        ]
        claimed = {claim.key for claim in claims}
        left = {one.key: one for one in asked.live if one.key not in claimed}
        inherited = [one for one in asked.inherited if one.key in left]
        over = {one.key for one in inherited if self._is_over(one, asked.on)}
        ends = left.keys() - {one.key for one in inherited} | over
        looks: Sequence[Look] = ()
        if asked.live or claims:
            looks = self.coverage(asked.on, 0.0 if ends else _TOLD_AGE)
        # What hosts tell counts as long as facts do, also where newer facts lack the section.
        unseen = {
            key
            for key, finding in left.items()
            if finding.code in _OF_FACTS
            and now - finding.last_seen < STALE_SECONDS
            and (asked.on or while_off(finding.code))
            and lacks_section(finding, looks)
        }
        return Seen(
            claims,
            over,
            unseen,
            looks,
            self.history.take(_ROWS_A_TICK),
            self.history.settled,
            self.laggy.to_store(),
            collected,
            self.slow.restored,
            time.thread_time() - cpu,
        )

    def _replaced(self) -> frozenset[int]:
        """Return the OSDs that were made after what the detectors know under their IDs.

        A restart, an upgrade or another device name leaves the time of making as it is. Where it
        is not known, nothing is.
        """
        created_at = self._context.collector.created_at
        if created_at is self._created_of:
            return frozenset()
        self._created_of = created_at
        known_at = self._began + self._offset if self._saved_at is None else self._saved_at
        found = [osd for osd, at in created_at.items() if at > self.created_at.get(osd, known_at)]
        # Of an OSD that has no metadata for a while the last known time counts.
        self.created_at = {**self.created_at, **created_at}
        return frozenset(found)

    def _take(self, frames: Sequence[Frame]) -> None:
        """Note what the frames tell of the OSDs."""
        for frame in frames:
            if self.newest is None or frame.roster is not self.newest.roster:
                self.hosts = {member.osd: member.host for member in frame.roster.members}
            self.newest = frame
            self.history.feed(frame)
        self.history.step()

    def _run(self, detector: Detector, tick: WatchTick) -> None:
        try:
            detector.tick(tick)
            self._claims[detector.name] = detector.claims()
            self._failing.went_well(detector.name)
        except Exception as error:  # noqa: BLE001 - any error must leave the others running
            self._failed(detector, error)

    def _claims_of(self, part: OtherPart) -> Sequence[Claim]:
        """The claims of a part; if that fails, what it told before."""
        try:
            self._claims[part.name] = part.claims()
            self._failing.went_well(part.name)
        except Exception as error:  # noqa: BLE001 - any error must leave the others told
            self._failing.failed(part.name, error)
        return self._claims.get(part.name, ())

    def _is_over(self, finding: Finding, on: bool) -> bool:
        """Whether a restored finding without a claim is known to be over, and not only unseen."""
        if finding.code == WATCH_FAILED.code:
            return self._failing.knows(finding.target.id)
        if not (on or while_off(finding.code)):
            return True
        problems = self._failing.problems()
        parts: Sequence[Part] = (*self.all, *self._context.others())
        return any(
            part.knows(finding) and any(finding.code in look.codes for look in self._looks_of(part))
            for part in parts
            if part.name in self._claims and part.name not in problems
        )

    # --- questions ---------------------------------------------------------------------------

    def coverage(self, on: bool, max_age: float = ASKED_AGE) -> Sequence[Look]:
        """What is looked at in the whole module, and what of that cannot be now."""
        now = self._clock.monotonic()
        computed_at, was_on, found = self._coverage
        if on is not was_on or now - computed_at >= max_age:
            found = [
                self._seen_now(one, look, on) for one in self.all for look in self._looks_of(one)
            ]
            self._coverage = now, on, found
        others = [
            self._unless_failed(look, part.name)
            for part in self._context.others()
            for look in self._looks_of(part)
        ]
        own = Look(
            "parts",
            "the parts of this module themselves",
            "part",
            len(LOST),
            (WATCH_FAILED.code,),
        )
        return [*found, *others, own]

    def _seen_now(self, detector: Detector, look: Look, on: bool) -> Look:
        if not on and not any(BY_CODE[code].while_off for code in look.codes):
            return away(look, "off", WATCH_OFF, SWITCH_ON)
        return self._unless_failed(look, detector.name, *[COLLECTOR] * (detector is self.slow))

    def _unless_failed(self, look: Look, *parts: str) -> Look:
        """The look; nothing of it, while one of these parts fails."""
        problems = self._failing.problems()
        problem = next((problems[part] for part in parts if part in problems), None)
        if problem is None:
            return look
        return away(look, "failed", f"this part of perf_bench failed: {problem}")

    def _looks_of(self, part: Part) -> Sequence[Look]:
        """What a part looks at; if that fails, what it told before."""
        try:
            self._looks[part.name] = part.looks()
        except Exception as error:  # noqa: BLE001 - any error must leave the others told
            self._failing.failed(part.name, error)
        return self._looks.get(part.name, ())

    def explain(self, osd: int, on: bool) -> list[str]:
        """Return the sentences on an OSD of the detectors that look; ``on``: the watch is on."""
        return [line for told in self._asked(on, lambda one: one.explain(osd)) for line in told]

    def gauges(self, per_osd: bool, on: bool) -> list[Gauge]:
        """Return metrics for Prometheus; with ``per_osd`` also those of single OSDs."""
        found = [gauge for told in self._asked(on, lambda one: one.metrics()) for gauge in told]
        return [gauge for gauge in found if per_osd or not gauge.per_osd]

    def _asked(self, on: bool, ask: Callable[[Detector], Sequence[T]]) -> Iterator[Sequence[T]]:
        """What the detectors that look answer; that one fails is told in ``status``."""
        for detector in self.all:
            if on or detector.while_off:
                try:
                    yield ask(detector)
                except Exception as error:  # noqa: BLE001 - any error must leave the others told
                    self._failed(detector, error)

    def _failed(self, detector: Detector, error: Exception) -> None:
        self._failing.failed(detector.name, error)
        self.failures[detector.name] += 1

    # --- across mgrs -------------------------------------------------------------------------

    def save(self) -> dict[str, Mapping[str, object]]:
        """Return the detectors' states by name, JSON-ready; without those that fail to save."""
        saved: dict[str, Mapping[str, object]] = {}
        for detector in self.all:
            try:
                state = detector.save()
            except Exception:  # any error must leave the others saved
                self._failing.log.exception(
                    "the state of the detector '%s' is not saved", detector.name
                )
                continue
            if state:
                saved[detector.name] = state
        return saved

    def restore(self, states: Mapping[str, SavedState], episodes: Sequence[Episode]) -> None:
        """Load saved states and episodes; a detector that cannot read its state starts cold."""
        if self.slow.name in states:
            # An OSD that was made since then is another one than what was saved.
            self.created_at, self._created_of = {}, {}
            self._saved_at = states[self.slow.name].at
        self.laggy.add_past(episodes)
        for detector in self.all:
            try:
                if detector.name in states:
                    detector.restore(states[detector.name].state, self._clock.now())
            except Exception:  # any error must leave the others restored
                self._failing.log.warning(
                    "the detector '%s' begins anew: what it saved cannot be read",
                    detector.name,
                    exc_info=True,
                )

    def last(
        self,
    ) -> tuple[Sequence[SpanRow], Mapping[str, Mapping[str, object]], Sequence[Episode]]:
        """What is left to be stored when this mgr leaves: rows, states and episodes."""
        self.history.close()
        return self.history.take(_ALL), self.save(), self.laggy.to_store()

    # --- current data ------------------------------------------------------------------------

    def members(self) -> Sequence[Watched]:
        """The watched OSDs by ID."""
        return self.newest.roster.members if self.newest is not None else ()

    def osd_snapshot(self) -> OsdSnapshot:
        """Return the state of all OSDs; made once a minute, and when a verdict may have changed."""
        minute, slow = self.history.newest, self.slow
        of = minute, slow.judgement, slow.quiet
        if any(map(is_not, of, self._snapshot_of)):
            latency = {} if minute is None else by_osd(minute, CHANNELS)
            self._snapshot = OsdSnapshot(slow.verdicts(), latency, self._applied())
            self._snapshot_of = of
        return self._snapshot

    def _applied(self) -> Mapping[int, float]:
        """Return apply latencies by OSD in seconds; empty for very many OSDs: one long call."""
        if len(self.hosts) > _MOST_APPLIED:
            return {}
        found = self._context.health.latencies()
        return {osd: apply for osd, (_, apply) in found.items()}
