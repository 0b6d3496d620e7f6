"""Who spends how much of its op threads on checksums, now and in bursts, and who is slow at it.

The field case had 43 % of an OSD's op threads in CRC for 30 s, and 3 % minutes later
("Designing and Tuning for All-Flash Ceph RBD Storage", 2024). So an OSD is hot from half of that
on (an operator may say otherwise), if it is three times its peers; and it is told after 30 s, until
ten minutes after the last.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from ...model.checksum import HOT_SHARE, CounterWindow
from ...model.counter_trend import DAY
from ...model.statistics import against_others

HOT_TIMES = 3.0
HOT_SECONDS = 30.0
# A claim stays for so long after the last hot window.
_LINGER = 600.0
# A class as a whole is told when its median has been so high for so long.
_ALL_SECONDS = 300.0
# What is older says nothing about now; on 16 an OSD may be asked every hour only.
FRESH = 300.0
_BURSTS = 20
_MINUTES = 60
_MINUTE = 60.0


@dataclass
class Burst:
    """Hot windows without a pause of ``_LINGER`` between them; ``seconds`` is theirs alone."""

    begin: float
    end: float
    seconds: float
    peak: float


@dataclass
class OsdHistory:
    """What is remembered of one OSD."""

    newest: Optional[CounterWindow] = None
    peers: Optional[float] = None
    bursts: list[Burst] = field(default_factory=list)
    peak: Optional[tuple[float, float]] = None  # share, when
    minutes: deque[tuple[int, float]] = field(default_factory=lambda: deque(maxlen=_MINUTES))

    def hot(self, now: float) -> Optional[Burst]:
        """The burst that goes on, or has just ended, if it is worth telling."""
        last = self.bursts[-1] if self.bursts else None
        told = last is not None and last.seconds >= HOT_SECONDS and now - last.end < _LINGER
        return last if told else None

    def hourly(self, now: float) -> list[Optional[float]]:
        """The highest share of each of the last 60 minutes, oldest first; None without data."""
        found, this = dict(self.minutes), int(now // _MINUTE)
        return [found.get(minute) for minute in range(this - _MINUTES + 1, this + 1)]


class Hotspots:
    """Windows of OSDs → who is hot. Not for several threads."""

    def __init__(self) -> None:
        # From which share on an OSD is hot.
        self.bar = HOT_SHARE
        self.spots: dict[int, OsdHistory] = {}
        # By device class since when its median is hot.
        self.hot_classes: dict[str, float] = {}

    def step(
        self, windows: Mapping[int, Sequence[CounterWindow]], classes: Mapping[int, str], now: float
    ) -> None:
        """Take new windows by OSD. ``classes`` has by OSD whom it is compared with: its class."""
        for osd in self.spots.keys() - classes.keys():
            del self.spots[osd]
        for osd, those in windows.items():
            spot = self.spots.setdefault(osd, OsdHistory())
            for window in those:
                spot.newest = window
                _note(spot, window)
        for spot in self.spots.values():
            if spot.bursts:  # some are none any more where the bar was raised
                spot.bursts = [burst for burst in spot.bursts if burst.peak >= self.bar]
        self._compare(classes, now)
        for osd, those in windows.items():
            for window in those:
                _take(self.spots[osd], window, self.bar)

    def _compare(self, classes: Mapping[int, str], now: float) -> None:
        """Each OSD's share against the median of the others of its class."""
        by_class: dict[str, list[int]] = {}
        for osd, spot in self.spots.items():
            if spot.newest is not None and now - spot.newest.end < FRESH:
                by_class.setdefault(classes[osd], []).append(osd)
        medians = {}
        for name, osds in by_class.items():
            shares = [_share(self.spots[osd]) for osd in osds]
            reference = sorted(shares)
            medians[name] = reference[len(reference) // 2] if len(osds) > 1 else 0.0
            above = against_others(shares, reference)
            for osd, share, over in zip(osds, shares, above):
                self.spots[osd].peers = None if len(osds) < 2 else share - over
        self.hot_classes = {
            name: self.hot_classes.get(name, now)
            for name, middle in medians.items()
            if middle >= self.bar
        }

    def classes_hot(self, now: float) -> list[str]:
        """Device classes of which most OSDs have been hot for minutes."""
        return [name for name, at in self.hot_classes.items() if now - at >= _ALL_SECONDS]

    # --- over a failover ---

    def save(self, now: float) -> dict[str, Any]:
        """What is worth keeping: the bursts of the last day."""
        return {
            "bursts": {
                str(osd): [[b.begin, b.end, b.seconds, b.peak] for b in spot.bursts]
                for osd, spot in self.spots.items()
                if spot.bursts and now - spot.bursts[-1].end < DAY
            }
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """The other way."""
        for osd, those in state.get("bursts", {}).items():
            spot = self.spots.setdefault(int(osd), OsdHistory())
            spot.bursts = [*(Burst(*one) for one in those), *spot.bursts][-_BURSTS:]
            for burst in spot.bursts:
                _peak(spot, burst.peak, burst.end)


def _share(spot: OsdHistory) -> float:
    return spot.newest.share if spot.newest is not None else 0.0


def _note(spot: OsdHistory, window: CounterWindow) -> None:
    minute = int(window.end // _MINUTE)
    if spot.minutes and spot.minutes[-1][0] == minute:
        spot.minutes[-1] = (minute, max(window.share, spot.minutes[-1][1]))
    else:
        spot.minutes.append((minute, window.share))
    _peak(spot, window.share, window.end)


def _peak(spot: OsdHistory, share: float, at: float) -> None:
    if spot.peak is None or share >= spot.peak[0] or at - spot.peak[1] > DAY:
        spot.peak = share, at


def _take(spot: OsdHistory, window: CounterWindow, bar: float) -> None:
    """Put a hot window into the burst that goes on, or begin one."""
    if not window.judged or window.share < max(bar, HOT_TIMES * (spot.peers or 0.0)):
        return
    last = spot.bursts[-1] if spot.bursts else None
    if last is not None and window.begin - last.end < _LINGER:
        last.end = window.end
        last.seconds += window.end - window.begin
        last.peak = max(last.peak, window.share)
        return
    kept = [burst for burst in spot.bursts if window.end - burst.end < DAY]
    first = Burst(window.begin, window.end, window.end - window.begin, window.share)
    spot.bursts = [*kept[1 - _BURSTS :], first]


def hot_osds(spots: Mapping[int, OsdHistory], osds: Iterable[int], now: float) -> dict[int, Burst]:
    """Those of these OSDs that are hot, with their bursts."""
    bursts = {osd: spots[osd].hot(now) for osd in osds if osd in spots}
    return {osd: burst for osd, burst in bursts.items() if burst is not None}
