"""A made-up cluster as the watch sees it: frames of known latencies, noise and faults."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Collection, Iterator, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from evidence import checked
from perf_bench.model.finding import COMMIT, FRAME_SECONDS, Frame, Roster, Watched
from perf_bench.watch.slow_osd.detector import SlowDetector
from perf_bench.watch.slow_osd.thresholds import Thresholds

# A Tuesday, 00:00 UTC; the start of a segment.
DAWN = 1_700_006_400.0
MINUTE, SEGMENT, HOUR = 4, 60, 240  # in frames

# Normal deviates, drawn once for a seed: to draw each anew took a third of the detector's tests.
_DEVIATES = 65_537

# The factor on an OSD's latency in a frame; gets the frame's number and the OSD.
Fault = Callable[[int, int], float]


@dataclass(frozen=True)
class OfSome:
    """A fault of these OSDs; the others are not asked for, as most frames have few slow ones."""

    osds: frozenset[int]
    factor: Fault

    def __call__(self, at: int, osd: int) -> float:
        return self.factor(at, osd) if osd in self.osds else 1.0


def of_some(osds: Collection[int], factor: Fault) -> OfSome:
    return OfSome(frozenset(osds), factor)


def slower(osds: Collection[int], ratio: float) -> OfSome:
    """These are ``ratio`` times as slow, always."""
    return of_some(osds, lambda at, osd: ratio)


def both(one: OfSome, other: OfSome) -> OfSome:
    """Two faults at once."""
    return of_some(one.osds | other.osds, lambda at, osd: one(at, osd) * other(at, osd))


@functools.lru_cache(maxsize=64)
def roster(hosts: int, each: int, *, racks: int = 0, cohort: str = "hdd") -> Roster:
    """``each`` OSDs on every host, numbered through; hosts dealt into racks in order."""
    members = []
    for osd in range(hosts * each):
        host = osd // each
        rack = f"rack-{host * racks // hosts}" if racks else None
        members.append(Watched(osd, f"osd.{osd}", f"host-{host}", cohort, rack))
    return Roster(tuple(members))


_NO_FAULT = slower((), 1.0)


@dataclass
class Farm:
    """``noise`` is the ln sd of a frame's mean of one OSD, ``weather`` that of all together."""

    roster: Roster
    noise: float = 0.1
    weather: float = 0.1
    base: float = 0.010
    ops: float = 400.0
    load: float = math.nan
    channels: tuple[str, ...] = (COMMIT,)
    settings: Thresholds = field(default_factory=Thresholds)
    seed: int = 1
    at: int = 0
    fault: Fault = _NO_FAULT
    marks: Mapping[int, int] = field(default_factory=dict)  # by OSD
    idle: frozenset[int] = frozenset()
    start: float = DAWN

    def __post_init__(self) -> None:
        self.detector = SlowDetector(self.settings)
        self._used = 0
        # The places and IDs of the OSDs that a fault has, of these members.
        self._slow: tuple[object, object, list[tuple[int, int]]] = (None, None, [])

    def frame(self) -> Frame:
        """The next one."""
        members = self.roster.members
        latency = {}
        for channel in self.channels:
            drawn = self._drawn(1 + len(members))
            level = self.base * math.exp(_deviates(self.seed)[drawn.start] * self.weather)
            own = _factors(self.seed, self.noise)[drawn.start + 1 : drawn.stop]
            latency[channel] = self._with_fault([level * factor for factor in own])
        ops = [self.ops] * len(members)
        if self.idle:
            for place, member in enumerate(members):
                if member.osd in self.idle:
                    ops[place] = 0.0
                    for of_all in latency.values():
                        of_all[place] = math.nan
        start = self.start + self.at * FRAME_SECONDS
        self.at += 1
        return Frame(
            start,
            start + FRAME_SECONDS,
            self.roster,
            latency,
            dict.fromkeys(self.channels, ops),
            [self.load] * len(members),
            [self.marks.get(member.osd, 0) for member in members]
            if self.marks
            else [0] * len(members),
        )

    def _with_fault(self, means: list[float]) -> list[float]:
        fault, members = self.fault, self.roster.members
        if not isinstance(fault, OfSome):
            return [mean * fault(self.at, one.osd) for mean, one in zip(means, members)]
        if fault.osds:
            if self._slow[0] is not fault or self._slow[1] is not members:
                slow = [(at, one.osd) for at, one in enumerate(members) if one.osd in fault.osds]
                self._slow = (fault, members, slow)
            for place, osd in self._slow[2]:
                means[place] *= fault.factor(self.at, osd)
        return means

    def _drawn(self, count: int) -> slice:
        """Where the next normal deviates are; they begin again when all were used."""
        if self._used + count > _DEVIATES:
            self._used = (self._used + count) % 997
        self._used += count
        return slice(self._used - count, self._used)

    def run(self, frames: int, fault: Optional[Fault] = None) -> Farm:
        """So many frames more, from now on with this fault if one is given."""
        self.fault = fault or self.fault
        for _ in range(frames):
            self.detector.step(self.frame())
        return self

    def until(self, names: set[str], frames: int) -> Optional[int]:
        """Frames until exactly these targets are claimed; None if that takes more than these."""
        for count in range(1, frames + 1):
            self.detector.step(self.frame())
            if self.named == names:
                return count
        return None

    def copy(self) -> Farm:
        """One that goes on as this one would, without a change to this one."""
        detector, layout = self.detector, self.detector.layout
        assert not detector._jobs, "waiting jobs are of the detector that they were made for"
        shared = (self.roster, self.settings, layout, *layout.cohorts)
        other = copy(self)
        other.detector = deepcopy(detector, {id(one): one for one in shared})
        return other

    @property
    def named(self) -> set[str]:
        """What is claimed: ``osd.3``, ``host host-0``."""
        return {
            str(claim.target)
            if claim.target.kind == "osd"
            else f"{claim.target.kind} {claim.target.id}"
            for claim in checked(self.detector.claims())
        }


def once(make: Callable[..., Farm], *arguments: Any) -> Farm:
    """The farm that ``make`` returns: simulated once, and each caller gets a copy of its own."""
    return _made(make, *arguments).copy()


@functools.lru_cache(maxsize=64)
def _made(make: Callable[..., Farm], *arguments: Any) -> Farm:
    return make(*arguments)


def settled(members: Roster, frames: int, *, noise: float = 0.1) -> Farm:
    """A farm after so many frames without a fault, as ``once`` returns it."""
    return once(_settled, members, frames, noise)


def _settled(members: Roster, frames: int, noise: float) -> Farm:
    return Farm(members, noise=noise).run(frames)


def deviates(chance: random.Random) -> Iterator[float]:
    """What ``chance.gauss(0, 1)`` returns again and again, but faster."""
    draw = chance.random
    while True:
        angle = draw() * math.tau
        length = math.sqrt(-2.0 * math.log(1.0 - draw()))
        yield math.cos(angle) * length
        yield math.sin(angle) * length


@functools.lru_cache(maxsize=4)
def _deviates(seed: int) -> list[float]:
    return list(itertools.islice(deviates(random.Random(seed)), _DEVIATES))  # noqa: S311  # a simulation


@functools.lru_cache(maxsize=16)
def _factors(seed: int, noise: float) -> list[float]:
    return [math.exp(noise * deviate) for deviate in _deviates(seed)]
