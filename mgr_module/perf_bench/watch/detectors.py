"""What is seen: frames and placement groups go to the detectors, claims come from them."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Protocol

from ..model.finding import Claim
from ..model.frame import CHANNELS, Frame, Watched
from ..model.history import SavedState
from ..model.osd_snapshot import OsdSnapshot
from ..ports import Clock
from ..store.minute_ring import by_osd
from ..store.series_builder import SeriesBuilder
from .context import WatchInputs
from .detect.laggy_pgs.tracker import LaggyTracker, wants_by_osd
from .detect.slow_osd.detector import SlowDetector
from .detect.slow_osd.thresholds import Thresholds

# The names of the states that detectors save.
SLOW, LAGGY = "slow", "laggy"
_MOST_WAITING = 16
# The states of placement groups by OSD take 0.2 s at 262,144 of them, in one call that lets no
# other Python run: so often that this is 2 % of the time.
_GROUPS_SHARE = 50.0
# osd_stats take 18 us an OSD, and no other Python runs meanwhile.
_MOST_APPLIED = 2000


class _Restored(Protocol):
    def restore(self, state: Mapping[str, Any], now: float) -> None: ...


class Detectors:
    """The detectors and the last hours of what they were fed. Not thread-safe."""

    def __init__(
        self, senses: WatchInputs, settings: Thresholds, clock: Clock, log: logging.Logger
    ) -> None:
        self._inputs = senses
        self._clock = clock
        self._log = log
        self._hosts: dict[int, str] = {}
        self.slow = SlowDetector(settings)
        self.laggy = LaggyTracker(self._hosts.get)
        self.history = SeriesBuilder()
        self._newest: Optional[Frame] = None
        self._sight = OsdSnapshot()
        self._sight_of: tuple[Any, Any] = (None, None)
        # Frames that wait until it is known what was known before.
        self._waiting: deque[Frame] = deque(maxlen=_MOST_WAITING)
        # Those that came meanwhile and were too many.
        self.dropped = 0
        self._groups_due = 0.0

    # --- a tick's parts ----------------------------------------------------------------------

    def collect(self) -> None:
        """Let frames come; they wait for ``look``."""
        for frame in self._inputs.collector.tick():
            self.dropped += len(self._waiting) == self._waiting.maxlen
            self._waiting.append(frame)

    def look(self, running_round: Optional[int]) -> None:
        """Feed the frames that wait, and how the placement groups are now."""
        while self._waiting:
            self._take(self._inputs.probing.into(self._waiting.popleft()))
        self.history.step()
        self._look_at_pgs(running_round)

    def _take(self, frame: Frame) -> None:
        if self._newest is None or frame.roster is not self._newest.roster:
            self._hosts.clear()
            self._hosts.update((member.osd, member.host) for member in frame.roster.members)
        self._newest = frame
        self.slow.step(frame)
        self.history.feed(frame)

    def _look_at_pgs(self, running_round: Optional[int]) -> None:
        by_state = self._inputs.pgs.by_state()
        wanted = wants_by_osd(by_state)
        began = self._clock.monotonic()
        of_osds = None
        if wanted and began >= self._groups_due:
            of_osds = self._inputs.pgs.by_osd()
            took = self._clock.monotonic() - began
            self._groups_due = began + _GROUPS_SHARE * took
        self.laggy.step(
            self._clock.now(),
            by_state,
            self._inputs.pgs.by_pool() if wanted else {},
            of_osds,
            self._inputs.collector.stale,
            self._inputs.health.slow_ops(),
            running_round,
        )

    def claims(self) -> list[Claim]:
        """What the detectors think is wrong."""
        return [*self.slow.claims(), *self.laggy.claims()]

    # --- across mgrs -------------------------------------------------------------------------

    def save(self) -> dict[str, Mapping[str, object]]:
        """By name the detectors' states (JSON-ready)."""
        return {SLOW: self.slow.save(), LAGGY: self.laggy.save()}

    def restore(self, states: Mapping[str, SavedState]) -> None:
        """Begin with what was saved; what another version saved may be of no use."""
        detectors: tuple[tuple[str, _Restored], ...] = ((SLOW, self.slow), (LAGGY, self.laggy))
        for name, detector in detectors:
            try:
                if name in states:
                    detector.restore(states[name].state, self._clock.now())
            except (KeyError, TypeError, ValueError, IndexError):
                self._log.warning(
                    "a detector begins anew: what it saved cannot be read", exc_info=True
                )

    # --- what is seen now --------------------------------------------------------------------

    @property
    def newest(self) -> Optional[Frame]:
        """The newest frame."""
        return self._newest

    def members(self) -> Sequence[Watched]:
        """The watched OSDs by ID."""
        return self._newest.roster.members if self._newest is not None else ()

    def host_of(self, osd: int) -> Optional[str]:
        return self._hosts.get(osd)

    def sight(self) -> OsdSnapshot:
        """What is seen of all OSDs now; put together once a minute or when a verdict changes."""
        minute, verdicts = self.history.rings.newest, self.slow.verdicts()
        if minute is not self._sight_of[0] or verdicts is not self._sight_of[1]:
            latency = {} if minute is None else by_osd(minute, CHANNELS)
            self._sight_of = minute, verdicts
            self._sight = OsdSnapshot(verdicts, latency, self._applied())
        return self._sight

    def _applied(self) -> Mapping[int, float]:
        """What OSDs report themselves; not of very many, where it is one long call."""
        if len(self._hosts) > _MOST_APPLIED:
            return {}
        found = self._inputs.health.latencies()
        return {osd: apply for osd, (_, apply) in found.items()}
