"""The bursts of one cohort in one channel: OSDs that are repeatedly slow for about 30 s.

Slow frames of 15 s are counted, not averaged: with minutes they are found hours later.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...model.finding import FRAME_SECONDS
from ...model.statistics import median, valid
from .rules import Facts, Flag, Fold, anscombe
from .state import Kept
from .thresholds import Thresholds
from .topology import Cohort
from .windows import load_against

_DAY = round(86400 / FRAME_SECONDS)  # in frames
# A burst ends after a minute that is not slow. A new one counts from ten minutes on: a scrub with
# noise crosses the border repeatedly.
_CALM, _APART = 4, 40
# A frame of few operations must be slower by so many of its standard errors.
_ERRORS = 6.0


@dataclass
class Episodes:
    """An OSD's bursts in the last 24 hours of data: the frames at which they began.

    ``last`` is the newest slow frame, ``frames`` how many were slow.
    """

    facts: Facts
    begins: Sequence[int] = ()
    last: int = -_DAY
    frames: int = 0
    worst: float = 0.0


class Bursts:
    """What is known of the last 24 hours of data, by OSD."""

    KEPT: ClassVar[Kept] = {"episodes": dict[int, Episodes], "flags": dict[int, Flag]}

    def __init__(self, cohort: Cohort, settings: Thresholds) -> None:
        self.cohort = cohort
        self._set = settings
        self.frames = 0  # the number of the newest frame
        self.episodes: dict[int, Episodes] = {}
        self.flags: dict[int, Flag] = {}

    def frame(
        self,
        latency: Sequence[float],
        ops: Sequence[float],
        load: Sequence[float],
        out: Container[int],
        scale: float,
        slope: float,
    ) -> None:
        """Add a frame: seconds (NaN for no data), operations and bytes/s by place, but of ``out``.

        ``scale`` is the cohort's of a minute, ``slope`` how latency follows load.
        """
        least = max(math.log(self._set.burst_ratio), self._set.burst_noise * scale)
        factor = math.exp(min(least, 50.0))
        whole = None
        for group in self.cohort.groups:
            span = range(group.start, group.end)
            ordered = reference = valid(latency[group.start : group.end])
            if len(ordered) < 3 or not group.key:
                reference = whole = whole or valid(latency)
            count = len(reference)
            if count < 2 or not ordered:
                continue
            # The median of the others, for any member of the upper half.
            peers = (reference[count // 2 - 1] + reference[(count - 1) // 2]) / 2
            if ordered[-1] <= peers * factor:
                continue
            more = load_against(load[group.start : group.end])
            for at in [at for at in span if latency[at] > peers * factor and at not in out]:
                explained = max(0.0, slope * more[at - group.start])
                level, usual = math.log(latency[at]), math.log(peers)
                excess = level - usual - explained
                if excess - _ERRORS / math.sqrt(max(ops[at], 1e-9)) > least:
                    facts = Facts(excess, 0.0, level, usual, count - 1, least, explained)
                    self._slow(self.cohort.members[at].osd, facts)

    def _slow(self, osd: int, facts: Facts) -> None:
        """Count a slow frame; extend or open a burst."""
        found = self.episodes.setdefault(osd, Episodes(facts))
        calm = self.frames - found.last > _CALM
        if calm and (not found.begins or self.frames - found.begins[-1] >= _APART):
            found.begins = (*found.begins, self.frames)
        found.last, found.facts = self.frames, facts
        found.frames += 1
        found.worst = max(found.worst, facts.excess)

    def judge(self, now: float, minute: int, fold: Fold) -> None:
        """Flag the OSDs with more bursts in 24 h than their cohort. Called once per segment.

        A flag ends when fewer than ``burst_episodes`` are in the last 24 h of data. What OSDs with
        bursts have in common goes to ``fold``.
        """
        for osd, found in list(self.episodes.items()):
            before = len(found.begins)
            found.begins = [at for at in found.begins if at > self.frames - _DAY]
            found.frames = round(found.frames * len(found.begins) / max(1, before))
            if not found.begins:
                del self.episodes[osd]
        counts = {osd: len(found.begins) for osd, found in self.episodes.items()}
        idle = self.cohort.size - len(counts)
        usual = max(1.0, median([0] * idle + sorted(counts.values())) if counts else 0.0)
        known, self.flags = self.flags, {}
        for osd, found in self.episodes.items():
            z = anscombe(counts[osd], usual)
            if counts[osd] >= self._set.burst_episodes and (osd in known or z >= self._set.burst_z):
                begun = now - FRAME_SECONDS * (self.frames - found.begins[0])
                since = known[osd].since if osd in known else begun
                facts, windows = found.facts._replace(z=z), min(_DAY, self.frames)
                self.flags[osd] = Flag(since, minute, facts, found.worst, found.frames, windows)
        # All with two in common, and those with many: OSDs with a third of the bursts of one that
        # is flagged would be flagged later.
        several = {self.cohort.place[osd]: count for osd, count in counts.items() if count > 1}
        fold.note(now, self.cohort, several.keys(), self._set.common_chance)
        if self.flags:
            least = min(counts[osd] for osd in self.flags) / 3
            many = [at for at, count in several.items() if count >= least]
            fold.note(now, self.cohort, many, self._set.common_chance)

    def count(self, osd: int) -> int:
        """Its bursts in the last 24 hours of data."""
        return len(self.episodes[osd].begins) if osd in self.episodes else 0
