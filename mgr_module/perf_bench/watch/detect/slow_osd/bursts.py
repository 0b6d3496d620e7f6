"""The intermittent path: finds OSDs that are repeatedly slow for about 30 s.

Slow frames of 15 s are counted, not averaged. The threshold is what a typical member exceeds once
in a thousand frames. It is the median of the members' own quantiles: one OSD that is 183 times as
slow would raise the quantile of all frames and hide itself.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any, Callable

from ....model.frame import FRAME_SECONDS
from ....model.statistics import median, valid
from .common_cause import NONE, Folded, common_cause
from .packing import pack, unpack
from .persistence import Facts, Flag, burst_flag_of, flag_state
from .thresholds import Thresholds
from .topology import Cohort, Group

_FRAMES_HOUR = round(3600 / FRAME_SECONDS)
_FRAMES_DAY = 24 * _FRAMES_HOUR
# A burst ends after this many frames that are not slow: one minute.
_CALM_FRAMES = 4
_RARE = 0.001  # the part of its frames in which a member exceeds its quantile


class Episodes:
    """An OSD's bursts in the last 24 hours of data, by hour."""

    __slots__ = ("by_hour", "counted", "facts", "first", "frames", "last_frame", "worst")

    def __init__(self, first: float) -> None:
        self.first = first  # unix seconds
        self.by_hour: dict[int, int] = {}
        self.frames = 0
        self.last_frame = self.counted = -(10**9)
        self.worst = 0.0
        self.facts = Facts(0.0, 0.0, 0.0, 0.0, 0)

    @property
    def count(self) -> int:
        return sum(self.by_hour.values())


class Bursts:
    """The bursts of one cohort in one channel."""

    def __init__(self, cohort: Cohort, settings: Thresholds) -> None:
        self.cohort = cohort
        self._set = settings
        least = math.log(settings.burst_ratio)
        # Candidate thresholds, 15 % apart, from the smallest that can be in use.
        self._rungs = [least / settings.burst_margin * 1.15**step for step in range(12)]
        self._least = math.exp(self._rungs[0])
        self._doubt = settings.burst_errors * settings.burst_op_cv
        self._apart = 60 * settings.burst_apart_minutes / FRAME_SECONDS
        self._counts = [array("H", bytes(2 * cohort.size)) for _ in self._rungs]
        self._seen = 0  # frames that the counts cover; both are halved once a day
        self.frames = 0
        self.threshold = math.inf
        self.episodes: dict[int, Episodes] = {}
        self.flags: dict[int, Flag] = {}
        self.folded = Folded(hold=math.inf, young=math.inf)

    def frame(
        self,
        start: float,
        latency: Sequence[float],
        ops: Sequence[float],
        load: Callable[[Group], Sequence[float]],
        out: Container[int],
    ) -> None:
        """Add a frame: latency in seconds (NaN for no data) and operations, by cohort position.

        ``load`` returns what a group's load explains, in ln units; it is called for few frames.
        Places in ``out`` are not judged.
        """
        self.frames += 1
        self._seen += 1
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
            high = reference[count // 2]
            low = reference[count // 2 - 1]
            peers = (low + high) / 2 if count % 2 else low
            limit = peers * self._least
            if ordered[-1] > limit:
                more, usual = load(group), math.log(peers)
                for place, mean in enumerate(own, group.start):
                    if mean > limit and place not in out:
                        explained = max(0.0, more[place - group.start])
                        level = math.log(mean)
                        excess = level - usual - explained
                        facts = Facts(excess, 0.0, level, usual, count - 1, explained)
                        self._slow_frame(start, place, facts, ops[place])

    def _slow_frame(self, start: float, place: int, facts: Facts, ops: float) -> None:
        """Count a slow frame by its excess less its error; extend or open a burst."""
        sure = facts.excess - (self._doubt / math.sqrt(ops) if ops > 0 else 0.0)
        for rung in range(bisect_right(self._rungs, sure)):
            counts = self._counts[rung]
            counts[place] = min(counts[place] + 1, 65535)
        if sure > self.threshold:
            self._episode(start, place, facts)

    def _episode(self, start: float, place: int, facts: Facts) -> None:
        osd = self.cohort.members[place].osd
        found = self.episodes.get(osd)
        if found is None:
            found = self.episodes[osd] = Episodes(start)
        calm = self.frames - found.last_frame > _CALM_FRAMES
        if calm and self.frames - found.counted >= self._apart:
            found.counted = self.frames
            hour = self.frames // _FRAMES_HOUR
            found.by_hour[hour] = found.by_hour.get(hour, 0) + 1
        found.last_frame = self.frames
        found.frames += 1
        found.facts = facts
        found.worst = max(found.worst, facts.excess)

    def judge(self, now: float) -> None:
        """Flag the OSDs with more bursts in 24 h than their cohort. Called once per segment."""
        self._calibrate()
        hour = self.frames // _FRAMES_HOUR
        self._forget(hour)
        others = sorted(found.count for found in self.episodes.values())
        idle = self.cohort.size - len(others)
        usual = max(1.0, median([0] * idle + others) if others else 0.0)
        for osd, found in self.episodes.items():
            z = anscombe(found.count, usual)
            if (
                found.count >= self._set.burst_episodes
                and len(found.by_hour) >= self._set.burst_hours
                and z >= self._set.burst_z
            ):
                self._raise(osd, found, z, now)
        hold = self._set.burst_hold_hours * 3600
        for osd in [osd for osd, flag in self.flags.items() if now - flag.last_data > hold]:
            if osd not in self.episodes or self.episodes[osd].count < self._set.burst_episodes:
                del self.flags[osd]
        self._fold(now)

    def _fold(self, now: float) -> None:
        """Fold the flags of OSDs whose bursts have a cause in common.

        OSDs with a third of the bursts count: they would be flagged later. All with more than one
        show which positions have a cause in common before anybody is flagged.
        """
        common, spared = NONE, set()
        place = self.cohort.place
        counts = {
            place[osd]: found.count for osd, found in self.episodes.items() if found.count > 1
        }
        self.folded.note(now, common_cause(self.cohort, counts, self._set))
        if self.flags:
            least = min(flag.bursts for flag in self.flags.values()) / 3
            least = max(least, self._set.burst_episodes)
            many = [at for at, count in counts.items() if count >= least]
            common = common_cause(self.cohort, many, self._set)
            if common.places:
                usual = median([counts[at] for at in common.places])
                spared = {
                    osd
                    for osd, flag in self.flags.items()
                    if flag.bursts >= self._set.common_bursts * usual
                    and anscombe(flag.bursts, usual) >= self._set.burst_z
                }
        self.folded.update(now, self.flags, self.cohort, common, spared)

    def drop_flag(self, osd: int) -> None:
        for kept in (self.flags, self.episodes, self.folded.seen):
            kept.pop(osd, None)

    def take_flag(self, osd: int, other: Bursts) -> None:
        """Hold another cohort's flag of an OSD, unless it had a cause in common there."""
        if osd in other.flags and osd not in other.folded.seen:
            self.flags[osd] = other.flags[osd]

    def _raise(self, osd: int, found: Episodes, z: float, now: float) -> None:
        facts = replace(found.facts, z=z)
        since = self.flags[osd].since if osd in self.flags else found.first
        share = min(_FRAMES_DAY, self.frames)
        self.flags[osd] = Flag(
            since, facts, found.worst, found.frames, share, last_data=now, bursts=found.count
        )

    def _forget(self, hour: int) -> None:
        for osd, found in list(self.episodes.items()):
            for old in [old for old in found.by_hour if old <= hour - 24]:
                found.frames -= round(found.frames * found.by_hour[old] / found.count)
                del found.by_hour[old]
            if not found.by_hour:
                del self.episodes[osd]

    def _calibrate(self) -> None:
        least = math.log(self._set.burst_ratio)
        if self._seen < self._set.burst_calibration_hours * _FRAMES_HOUR:
            return
        usual = 0.0
        for rung, counts in zip(self._rungs, self._counts):
            rare = sum(count > _RARE * self._seen for count in counts)
            if 2 * rare < len(counts):
                break
            usual = rung * 1.15
        self.threshold = max(least, self._set.burst_margin * usual)
        if self._seen >= _FRAMES_DAY:
            self._seen //= 2
            self._counts = [array("H", [n // 2 for n in counts]) for counts in self._counts]

    def clock_stepped(self, seconds: float) -> None:
        """Move the flags along with the clock: they are held for a day, whatever it says."""
        for flag in self.flags.values():
            flag.last_data += seconds

    def adopt(self, cohort: Cohort) -> None:
        """Continue with another list of members."""
        before, self.cohort = self.cohort, cohort
        self.folded.adopt(before, cohort)
        self._move(before.place)
        for kept in (self.episodes, self.flags):
            for osd in [osd for osd in kept if osd not in cohort.place]:
                del kept[osd]

    def _move(self, place: Mapping[int, int]) -> None:
        self._counts = [
            array("H", [counts[place[m.osd]] if m.osd in place else 0 for m in self.cohort.members])
            for counts in self._counts
        ]

    def save(self) -> dict[str, Any]:
        return {
            "osds": [member.osd for member in self.cohort.members],
            "counts": [pack(counts) for counts in self._counts],
            "seen": self._seen,
            "frames": self.frames,
            "threshold": None if math.isinf(self.threshold) else self.threshold,
            "episodes": [
                [
                    osd,
                    found.first,
                    list(found.by_hour.items()),
                    found.frames,
                    found.worst,
                    list(astuple(found.facts)),
                ]
                for osd, found in self.episodes.items()
            ],
            "flags": [[osd, flag_state(flag)] for osd, flag in self.flags.items()],
            "folded": self.folded.save(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self._counts = [unpack("H", text) for text in state["counts"]]
        self._move({osd: at for at, osd in enumerate(state["osds"])})
        self._seen, self.frames = state["seen"], state["frames"]
        self.threshold = math.inf if state["threshold"] is None else state["threshold"]
        for osd, first, by_hour, frames, worst, facts in state["episodes"]:
            found = self.episodes[osd] = Episodes(first)
            found.by_hour = dict(by_hour)
            found.frames, found.worst, found.facts = frames, worst, Facts(*facts)
        self.flags = {osd: burst_flag_of(flag) for osd, flag in state["flags"]}
        if "folded" in state:  # not in the state of an older version
            self.folded.restore(state["folded"])


def anscombe(count: float, usual: float) -> float:
    """Return how many standard deviations a Poisson count is above the usual count."""
    return 2 * (math.sqrt(count + 0.375) - math.sqrt(usual + 0.375))
