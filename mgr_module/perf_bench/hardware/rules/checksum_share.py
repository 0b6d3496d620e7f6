"""The share of their op threads' time that OSDs spend on checksums, and bursts of it.

The field case had 43 % of an OSD's op threads in CRC for 30 s, and 3 % minutes later
("Designing and Tuning for All-Flash Ceph RBD Storage", 2024). So an OSD is hot from half of that
on (an option changes it) if it also has three times the share of its peers. It is reported after
30 s, and until ten minutes after its last hot window.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional

from ...model.checksum import HOT_SHARE, CounterWindow
from ...model.counter_trend import DAY
from ...model.statistics import against_others

HOT_TIMES = 3.0
HOT_SECONDS = 30.0
# Seconds that a claim stays after the last hot window.
_LINGER = 600.0
# Seconds that a device class's median must be hot until the class is reported.
_ALL_SECONDS = 300.0
# Seconds after which a window is ignored.
FRESH = 300.0
# Seconds after a window from which on nothing is known of its OSD: a turn of 10,000 OSDs that are
# asked takes 5,000 s.
TOLD_SECONDS = 7200.0
_BURSTS = 20
_MINUTES = 60
_MINUTE = 60.0


@dataclass
class Burst:
    """Hot windows with pauses under ``_LINGER``; ``seconds`` is their sum without pauses."""

    begin: float
    end: float
    seconds: float
    peak: float


@dataclass
class OsdHistory:
    """The windows and bursts of one OSD."""

    newest: Optional[CounterWindow] = None
    peers: Optional[float] = None
    bursts: list[Burst] = field(default_factory=list)
    peak: Optional[tuple[float, float]] = None  # share, when
    minutes: deque[tuple[int, float]] = field(default_factory=lambda: deque(maxlen=_MINUTES))

    def fresh(self, now: float) -> Optional[CounterWindow]:
        """The newest window; None if it is so old that nothing is known of the OSD any more."""
        if self.newest is None or now - self.newest.end >= TOLD_SECONDS:
            return None
        return self.newest

    def hot(self, now: float) -> Optional[Burst]:
        """The present burst, or one that has just ended, if it is long enough to be reported."""
        last = self.bursts[-1] if self.bursts else None
        if last is None or last.seconds < HOT_SECONDS or now - last.end >= _LINGER:
            return None
        return last

    def hourly(self, now: float) -> list[Optional[float]]:
        """The highest share of each of the last 60 minutes, oldest first; None without data."""
        by_minute, this = dict(self.minutes), int(now // _MINUTE)
        return [by_minute.get(minute) for minute in range(this - _MINUTES + 1, this + 1)]


class Hotspots:
    """Finds hot OSDs and device classes. Not thread-safe."""

    def __init__(self) -> None:
        # The share from which on an OSD is hot.
        self.threshold = HOT_SHARE
        self.histories: dict[int, OsdHistory] = {}
        # By device class its median share; 0 for an OSD alone.
        self.class_shares: dict[str, float] = {}
        # By device class the time since which its median is hot.
        self.hot_classes: dict[str, float] = {}

    def step(
        self, windows: Mapping[int, Sequence[CounterWindow]], classes: Mapping[int, str], now: float
    ) -> None:
        """Take new windows by OSD. ``classes`` has the device class of each OSD, its peers."""
        for osd in self.histories.keys() - classes.keys():
            del self.histories[osd]
        for osd, new in windows.items():
            history = self.histories.setdefault(osd, OsdHistory())
            for window in new:
                history.newest = window
                _note(history, window)
        for history in self.histories.values():
            if history.bursts:  # the threshold may have been raised since
                history.bursts = [burst for burst in history.bursts if burst.peak >= self.threshold]
        self._compare(classes, now)
        for osd, new in windows.items():
            for window in new:
                _take(self.histories[osd], window, self.threshold)

    def _compare(self, classes: Mapping[int, str], now: float) -> None:
        """Compare each OSD's share with the median of the others in its class."""
        by_class: dict[str, list[int]] = {}
        for osd, history in self.histories.items():
            if history.newest is not None and now - history.newest.end < FRESH:
                by_class.setdefault(classes[osd], []).append(osd)
        medians = {}
        for name, osds in by_class.items():
            shares = [_share(self.histories[osd]) for osd in osds]
            reference = sorted(shares)
            # The lower of two middle ones: more than half of the OSDs do so much.
            medians[name] = reference[(len(reference) - 1) // 2] if len(osds) > 1 else 0.0
            above = against_others(shares, reference)
            for osd, share, over in zip(osds, shares, above):
                self.histories[osd].peers = None if len(osds) < 2 else share - over
        self.class_shares = medians
        self.hot_classes = {
            name: self.hot_classes.get(name, now)
            for name, middle in medians.items()
            if middle >= self.threshold
        }

    def classes_hot(self, now: float) -> list[str]:
        """The device classes whose median has been hot for minutes."""
        return [name for name, since in self.hot_classes.items() if now - since >= _ALL_SECONDS]

    # --- saved state ---

    def save(self, now: float) -> dict[str, Any]:
        """The bursts of the last day as JSON."""
        return {
            "at": now,
            "bursts": {
                str(osd): [[b.begin, b.end, b.seconds, b.peak] for b in history.bursts]
                for osd, history in self.histories.items()
                if history.bursts and now - history.bursts[-1].end < DAY
            },
        }

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        """Add bursts that ``save`` returned. Raises TypeError or ValueError for other JSON."""
        found = {
            int(osd): [Burst(*one) for one in saved]
            for osd, saved in state.get("bursts", {}).items()
        }
        # If the clock of the mgr before was ahead, they would last until this one gets there.
        # "at" is not in the state of an older version.
        times = [
            state.get("at", now),
            *(burst.end for bursts in found.values() for burst in bursts),
        ]
        ahead = max(0.0, max(times) - now)
        for osd, bursts in found.items():
            moved = [replace(one, begin=one.begin - ahead, end=one.end - ahead) for one in bursts]
            history = self.histories.setdefault(osd, OsdHistory())
            history.bursts = [*moved, *history.bursts][-_BURSTS:]
            for burst in history.bursts:
                _peak(history, burst.peak, burst.end)


def _share(history: OsdHistory) -> float:
    return history.newest.share if history.newest is not None else 0.0


def _note(history: OsdHistory, window: CounterWindow) -> None:
    minute = int(window.end // _MINUTE)
    if history.minutes and history.minutes[-1][0] == minute:
        history.minutes[-1] = (minute, max(window.share, history.minutes[-1][1]))
    else:
        history.minutes.append((minute, window.share))
    _peak(history, window.share, window.end)


def _peak(history: OsdHistory, share: float, at: float) -> None:
    if history.peak is None or share >= history.peak[0] or at - history.peak[1] > DAY:
        history.peak = share, at


def _take(history: OsdHistory, window: CounterWindow, threshold: float) -> None:
    """Add a hot window to the present burst, or begin a new burst."""
    if not window.judged or window.share < max(threshold, HOT_TIMES * (history.peers or 0.0)):
        return
    last = history.bursts[-1] if history.bursts else None
    if last is not None and window.begin - last.end < _LINGER:
        last.end = window.end
        last.seconds += window.end - window.begin
        last.peak = max(last.peak, window.share)
        return
    kept = [burst for burst in history.bursts if window.end - burst.end < DAY]
    first = Burst(window.begin, window.end, window.end - window.begin, window.share)
    history.bursts = [*kept[1 - _BURSTS :], first]


def hot_osds(
    histories: Mapping[int, OsdHistory], osds: Iterable[int], now: float
) -> dict[int, Burst]:
    """The hot ones of these OSDs, with their bursts."""
    bursts = {osd: histories[osd].hot(now) for osd in osds if osd in histories}
    return {osd: burst for osd, burst in bursts.items() if burst is not None}
