"""The bursts of one cohort in one channel: OSDs that are repeatedly slow for about 30 s.

Slow frames of 15 s are counted, not averaged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ...model.finding import FRAME_SECONDS
from ...model.statistics import median, valid
from .rules import Facts, Flag, Fold, Kept, anscombe
from .thresholds import Thresholds
from .topology import Cohort, Group

_FRAMES_HOUR = round(3600 / FRAME_SECONDS)
_FRAMES_DAY = 24 * _FRAMES_HOUR
# A burst ends after a minute that is not slow. A new one counts from ten minutes on: a scrub with
# noise crosses the border repeatedly.
_CALM_FRAMES, _APART = 4, 40
# Frames of data before the first burst is counted, in which the cohort's scale is learned.
_FIRST = _FRAMES_HOUR
# A frame of few operations must be slower by so many of its standard errors.
_ERRORS = 6.0
_HOURS = 2  # in so many hours of the day at the least


@dataclass
class Episodes:
    """An OSD's bursts in the last 24 hours of data: the frames at which they began.

    ``last`` is the newest slow frame, ``frames`` how many were slow.
    """

    facts: Facts
    begins: list[int] = field(default_factory=list)
    last: int = -_FRAMES_DAY
    frames: int = 0
    worst: float = 0.0


class Bursts:
    """What is known of the last 24 hours of data, by OSD."""

    KEPT: ClassVar[Kept] = {
        "frames": int,
        "episodes": dict[int, Episodes],
        "flags": dict[int, Flag],
    }

    def __init__(self, cohort: Cohort, settings: Thresholds) -> None:
        self.cohort = cohort
        self._set = settings
        self.frames = 0
        self.episodes: dict[int, Episodes] = {}
        self.flags: dict[int, Flag] = {}

    def frame(
        self,
        scale: float,
        latency: Sequence[float],
        ops: Sequence[float],
        load: Callable[[Group], Sequence[float]],
        out: Container[int],
    ) -> None:
        """Add a frame: latency in seconds (NaN for no data) and operations, by place.

        ``scale`` is the cohort's of a minute. ``load`` returns what a group's load explains, in ln
        units; it is called for few frames. Places in ``out`` are not judged.
        """
        self.frames += 1
        if self.frames <= _FIRST or math.isnan(scale):
            return
        least = max(math.log(self._set.burst_ratio), self._set.burst_noise * scale)
        factor = math.exp(min(least, 50.0))
        whole = None
        for group in self.cohort.groups:
            own = latency[group.start : group.end]
            ordered = valid(own)
            reference = ordered
            if len(ordered) < 3 or (group.wide and len(own) < len(latency)):
                reference = whole = whole or valid(latency)
            count = len(reference)
            if count < 2 or not ordered:
                continue
            # The median of the others, for any member of the upper half.
            low, high = reference[count // 2 - 1], reference[count // 2]
            peers = (low + high) / 2 if count % 2 else low
            if ordered[-1] <= peers * factor:
                continue
            more, usual = load(group), math.log(peers)
            for place, mean in enumerate(own, group.start):
                if mean > peers * factor and place not in out:
                    explained = max(0.0, more[place - group.start])
                    level = math.log(mean)
                    excess = level - usual - explained
                    error = _ERRORS / math.sqrt(ops[place]) if ops[place] > 0 else 0.0
                    if excess - error > least:
                        facts = Facts(excess, 0.0, level, usual, count - 1, least, explained)
                        self._slow(self.cohort.members[place].osd, facts)

    def _slow(self, osd: int, facts: Facts) -> None:
        """Count a slow frame; extend or open a burst."""
        found = self.episodes.setdefault(osd, Episodes(facts))
        calm = self.frames - found.last > _CALM_FRAMES
        if calm and (not found.begins or self.frames - found.begins[-1] >= _APART):
            found.begins.append(self.frames)
        found.last = self.frames
        found.frames += 1
        found.facts = facts
        found.worst = max(found.worst, facts.excess)

    def judge(self, now: float, minute: int, fold: Fold) -> None:
        """Flag the OSDs with more bursts in 24 h than their cohort. Called once per segment.

        A flag ends when fewer than ``burst_episodes`` are in the last 24 h of data. What OSDs with
        bursts have in common goes to ``fold``.
        """
        oldest = self.frames - _FRAMES_DAY
        for osd, found in list(self.episodes.items()):
            before = len(found.begins)
            found.begins = [begin for begin in found.begins if begin > oldest]
            found.frames = round(found.frames * len(found.begins) / max(1, before))
            if not found.begins:
                del self.episodes[osd]
        counts = {osd: len(found.begins) for osd, found in self.episodes.items()}
        idle = self.cohort.size - len(counts)
        usual = max(1.0, median([0] * idle + sorted(counts.values())) if counts else 0.0)
        flags = {}
        for osd, found in self.episodes.items():
            count, z = counts[osd], anscombe(counts[osd], usual)
            hours = len({begin // _FRAMES_HOUR for begin in found.begins})
            known = self.flags.get(osd)
            beyond = hours >= _HOURS and z >= self._set.burst_z
            if count >= self._set.burst_episodes and (known or beyond):
                since = now - (self.frames - found.begins[0]) * FRAME_SECONDS
                flags[osd] = Flag(
                    known.since if known else since,
                    minute,
                    found.facts._replace(z=z),
                    found.worst,
                    found.frames,
                    min(_FRAMES_DAY, self.frames),
                )
        self.flags = flags
        self._note(now, fold, counts)

    def _note(self, now: float, fold: Fold, counts: Mapping[int, int]) -> None:
        """Look for what OSDs with bursts have in common: all with two, and those with many.

        OSDs with a third of the bursts of one that is flagged count: they would be flagged later.
        """
        several = {self.cohort.place[osd]: count for osd, count in counts.items() if count > 1}
        fold.note(now, self.cohort, several.keys(), self._set.common_chance)
        if self.flags:
            least = min(counts[osd] for osd in self.flags) / 3
            many = [at for at, count in several.items() if count >= least]
            fold.note(now, self.cohort, many, self._set.common_chance)

    def count(self, osd: int) -> int:
        """Its bursts in the last 24 hours of data."""
        found = self.episodes.get(osd)
        return len(found.begins) if found else 0

    def take(self, osds: Collection[int], other: Bursts) -> None:
        """Go on with what another cohort knew of these OSDs."""
        moved = self.frames - other.frames
        for osd in other.episodes.keys() & osds:
            found = self.episodes[osd] = other.episodes[osd]
            found.begins = [begin + moved for begin in found.begins]
            found.last += moved
        self.flags.update({osd: flag for osd, flag in other.flags.items() if osd in osds})
