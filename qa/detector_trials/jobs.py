"""What goes on in fleets without a drive being at fault: jobs that many drives have in common.

Each family draws its hosts, positions, times and sizes from a generator, so that a seed is one
variation of it. Ratios and times are those of the held-out recording (docs/benchmarks.md) and of
what such jobs do to a drive: a read of the whole surface, a trim, a copy of a day's changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator

_FRAMES_HOUR = 240
_FRAMES_DAY = 24 * _FRAMES_HOUR


@dataclass(frozen=True)
class Event:
    """These positions of a host are ``ratio`` times as slow for some frames of a day."""

    frame: int
    frames: int
    ratio: float
    host: int
    positions: Sequence[int]


class Job(Protocol):
    """Something that slows drives down."""

    def events(self, rng: Generator, day: int, frames: int) -> Iterator[Event]:
        """Its events on a day of so many frames."""


@dataclass(frozen=True)
class Bursts:
    """Short bursts of the same positions of some hosts.

    ``per_day`` is the number of bursts of a drive in 24 hours of data, a range over the drives.
    They begin on day ``first`` in the hour after ``frame``. ``apart`` says that each drive has
    them at its own times; else all of them within ``stagger`` frames.
    """

    hosts: Sequence[int]
    positions: Sequence[int]
    first: int
    frame: int
    per_day: tuple[float, float] = (20.0, 40.0)
    ratio: tuple[float, float] = (2.0, 4.0)
    length: tuple[int, int] = (1, 3)
    apart: bool = True
    stagger: int = 0

    def events(self, rng: Generator, day: int, frames: int) -> Iterator[Event]:
        if day < self.first:
            return
        own = np.random.default_rng([self.first, self.frame, len(self.hosts)])
        rates = own.uniform(*self.per_day, (len(self.hosts), len(self.positions)))
        common = np.flatnonzero(rng.random(frames) < np.mean(self.per_day) / _FRAMES_DAY)
        for host, row in zip(self.hosts, rates):
            for position, rate in zip(self.positions, row):
                begins = common
                if self.apart:
                    begins = np.flatnonzero(rng.random(frames) < rate / _FRAMES_DAY)
                late = int(rng.integers(0, _FRAMES_HOUR))
                if day == self.first:
                    begins = begins[begins >= self.frame]
                    if self.apart:
                        begins = np.unique(np.append(begins, self.frame + late))
                for begin in begins:
                    at = int(begin) + (int(rng.integers(0, self.stagger + 1)))
                    length = int(rng.integers(self.length[0], self.length[1] + 1))
                    yield Event(at, length, rng.uniform(*self.ratio), host, [position])


@dataclass(frozen=True)
class Daily:
    """Once a day for some time, begun everywhere within ``stagger`` frames of ``frame``.

    With ``turn`` each position begins so many frames after the one before, as patrol reads do.
    """

    hosts: Sequence[int]
    positions: Sequence[int]
    frame: int
    length: int
    ratio: tuple[float, float]
    stagger: int = 0
    turn: int = 0
    first: int = 0
    every: int = 1

    def events(self, rng: Generator, day: int, frames: int) -> Iterator[Event]:
        if day < self.first or (day - self.first) % self.every:
            return
        size = rng.uniform(*self.ratio)
        for host in self.hosts:
            late = int(rng.integers(0, self.stagger + 1))
            for number, position in enumerate(self.positions):
                begin = self.frame + late + number * self.turn
                if begin < frames:
                    length = int(self.length * rng.uniform(0.8, 1.2))
                    yield Event(begin, length, size * rng.uniform(0.9, 1.1), host, [position])


@dataclass(frozen=True)
class Periodic:
    """For some frames every ``period`` frames, at the same time everywhere but for ``stagger``."""

    hosts: Sequence[int]
    positions: Sequence[int]
    period: int
    length: int
    ratio: tuple[float, float]
    stagger: int = 0
    first: int = 0

    def events(self, rng: Generator, day: int, frames: int) -> Iterator[Event]:
        if day < self.first:
            return
        begin = -(day * frames) % self.period
        for frame in range(begin, frames, self.period):
            for host in self.hosts:
                late = int(rng.integers(0, self.stagger + 1))
                ratio = rng.uniform(*self.ratio)
                yield Event(frame + late, self.length, ratio, host, self.positions)


@dataclass(frozen=True)
class Scrubs:
    """Scrubs in a window: each drive is slower for some minutes with this chance."""

    hosts: Sequence[int]
    positions: Sequence[int]
    frame: int
    window: int
    chance: float
    first: int = 0

    def events(self, rng: Generator, day: int, frames: int) -> Iterator[Event]:
        if day < self.first:
            return
        for host in self.hosts:
            for position in self.positions:
                if rng.random() < self.chance:
                    begin = self.frame + int(rng.integers(0, self.window))
                    if begin < frames:
                        length = int(rng.integers(8, 41))
                        yield Event(begin, length, rng.uniform(1.2, 1.6), host, [position])


@dataclass(frozen=True)
class Level:
    """These drives are slower from day ``first`` on, the hosts within a few percent alike.

    ``positions`` None stands for all of a host.
    """

    hosts: Sequence[int]
    positions: Sequence[int]
    ratio: float
    first: int = 0
    alike: float = 0.01

    def events(self, rng: Generator, day: int, frames: int) -> Iterator[Event]:
        if day < self.first:
            return
        for host in self.hosts:
            ratio = self.ratio * float(np.exp(rng.normal(0, self.alike)))
            yield Event(0, frames, ratio, host, self.positions)


def held_out(rng: Generator, hosts: int, positions: int) -> list[Job]:
    """As on the recording that is held out, with variations.

    One host in six is of another generation, and a few of its positions have bursts from the
    second day on.
    """
    some = _some_hosts(rng, hosts, 0.17)
    few = _some_positions(rng, positions, int(rng.integers(3, 7)))
    return [
        Level(some, range(positions), float(rng.uniform(2.3, 2.5))),
        Bursts(some, few, 1, int(rng.integers(0, 480))),
    ]


def bursts(rng: Generator, hosts: int, positions: int) -> list[Job]:
    """Bursts of a few positions of some hosts, from a day on, apart or at the same times."""
    some = _some_hosts(rng, hosts, float(rng.uniform(0.08, 0.5)))
    few = _some_positions(rng, positions, int(rng.integers(1, 6)))
    first, frame = int(rng.integers(0, 5)), int(rng.integers(0, 480))
    slowest = float(rng.uniform(8, 30))
    rates = (slowest, slowest * float(rng.uniform(1.2, 3)))
    apart, stagger = bool(rng.random() < 0.6), int(rng.integers(0, 40))
    return [Bursts(some, few, first, frame, rates, apart=apart, stagger=stagger)]


def generation(rng: Generator, hosts: int, positions: int) -> list[Job]:
    """Some hosts are of another generation, as slow as each other since ever."""
    some = _some_hosts(rng, hosts, float(rng.uniform(0.1, 0.35)))
    return [Level(some, range(positions), float(rng.uniform(1.2, 2.6)))]


def cron(rng: Generator, hosts: int, _positions: int) -> list[Job]:
    """A job of a host role on its first positions, every hour or two, staggered by minutes."""
    some = _some_hosts(rng, hosts, float(rng.uniform(0.1, 1.0)))
    few = range(int(rng.integers(1, 4)))
    period = int(rng.choice([80, 120, 240, 480]))
    ratio = float(rng.uniform(2, 4))
    length, stagger = int(rng.integers(1, 9)), int(rng.integers(0, 21))
    first = int(rng.integers(0, 4))
    return [Periodic(some, few, period, length, (0.8 * ratio, 1.2 * ratio), stagger, first)]


def trim(rng: Generator, hosts: int, positions: int) -> list[Job]:
    """A trim of one model, once a day or a week, for 5 to 30 minutes."""
    few = _some_positions(rng, positions, int(rng.integers(2, 6)))
    ratio = float(rng.uniform(1.5, 3))
    at, stagger = int(rng.integers(0, 500)), int(rng.integers(0, 41))
    every, length = int(rng.choice([1, 1, 3, 7])), int(rng.integers(20, 121))
    return [
        Daily(range(hosts), few, at, length, (ratio, 1.2 * ratio), stagger, first=2, every=every)
    ]


def backup(rng: Generator, hosts: int, positions: int) -> list[Job]:
    """A backup of a host role: one to two hours a day on a few positions."""
    some = _some_hosts(rng, hosts, float(rng.uniform(0.1, 0.5)))
    few = _some_positions(rng, positions, int(rng.integers(1, 4)))
    ratio = float(rng.uniform(1.3, 2))
    at, length = int(rng.integers(0, 240)), int(rng.integers(240, 480))
    first, stagger = int(rng.integers(1, 4)), int(rng.integers(0, 61))
    return [Daily(some, few, at, length, (ratio, 1.1 * ratio), stagger, first=first)]


def patrol(rng: Generator, hosts: int, positions: int) -> list[Job]:
    """Patrol reads of controllers: one position after the other, everywhere on the same day."""
    some = _some_hosts(rng, hosts, float(rng.uniform(0.3, 1.0)))
    ratio, length = float(rng.uniform(1.5, 2.6)), int(rng.integers(40, 100))
    turn = max(20, 700 // positions)
    order = [int(each) for each in rng.permutation(positions)]
    at, stagger = int(rng.integers(0, 60)), int(rng.integers(0, 41))
    first, every = int(rng.integers(1, 4)), int(rng.choice([1, 3, 7]))
    daily = Daily(some, order, at, length, (ratio, 1.2 * ratio), stagger, turn, first, every)
    return [daily]


def firmware(rng: Generator, hosts: int, positions: int) -> list[Job]:
    """Housekeeping of one model's firmware: some bursts a day, each drive at its own times."""
    few = _some_positions(rng, positions, int(rng.integers(2, 7)))
    rate = float(rng.uniform(8, 50))
    job = Bursts(range(hosts), few, 0, 0, (0.5 * rate, 1.5 * rate), ratio=(2.0, 5.0), length=(2, 8))
    return [job]


def scrubs(rng: Generator, hosts: int, positions: int) -> list[Job]:
    """A scrub window that begins everywhere at once."""
    at, window = int(rng.integers(0, 360)), int(rng.integers(120, 360))
    return [Scrubs(range(hosts), range(positions), at, window, float(rng.uniform(0.1, 0.5)))]


def nothing(_rng: Generator, _hosts: int, _positions: int) -> list[Job]:
    """The recording as it is."""
    return []


FAMILIES: Mapping[str, Callable[[Generator, int, int], list[Job]]] = {
    "nothing": nothing,
    "held-out": held_out,
    "bursts": bursts,
    "generation": generation,
    "cron": cron,
    "trim": trim,
    "backup": backup,
    "patrol": patrol,
    "firmware": firmware,
    "scrubs": scrubs,
}


def _some_hosts(rng: Generator, hosts: int, share: float) -> list[int]:
    count = max(3, round(share * hosts))
    return sorted(int(host) for host in rng.permutation(hosts)[:count])


def _some_positions(rng: Generator, positions: int, count: int) -> list[int]:
    return sorted(int(each) for each in rng.permutation(positions)[:count])
