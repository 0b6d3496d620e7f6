"""Fleets built out of real recordings: whole days of healthy drives, with common jobs laid over.

A host of a fleet is a host of a recording, with its days in another order; a host that is used
twice has its days in two orders. What all hosts have in common at a time of day comes from one
recorded day for the whole fleet. So everything that positions, hosts and hours have in common
stays, and no two drives of a fleet show the same noise.

Same recording and seed, same frames.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perf_bench.model.finding import COMMIT, FRAME_SECONDS, Frame, Roster, Watched

from . import inject
from .jobs import Event, Job
from .recording import Recording

Array = NDArray[Any]
BEGAN = 1_790_000_000.0 // 86400 * 86400 + 13 * 3600
_DAY = 86400.0
_HOSTS_A_RACK = 16
# A host with fewer drives in the recording is not used.
_LEAST_DRIVES = 10


@dataclass(frozen=True)
class Material:
    """The healthy days of a recorded cluster, in ln units.

    ``common`` is the median of all drives, ``(days, frames)``; ``excess`` and ``load`` are those of
    each drive, ``(days, frames, hosts, positions)``, the excess over ``common``. NaN is no data.
    """

    name: str
    common: Array
    excess: Array
    load: Array

    @classmethod
    def of(
        cls,
        name: str,
        recording: Recording,
        slow: Collection[str],
        part: int | None = None,
        sick: Collection[tuple[str, int]] = (),
    ) -> Material:
        """The hosts with even (``part`` 0), odd (1) or all numbers; without the drives in ``slow``.

        ``sick`` are pairs of a host and the first of its days that are not used.
        """
        days = inject.days(recording)
        frames = min(round((end - begin) / FRAME_SECONDS) for begin, end in days)
        first = [int(np.searchsorted(recording.starts, begin)) for begin, _ in days]
        rows = np.array([list(range(at, at + frames)) for at in first])
        hosts = [
            (host, _by_position(recording, places))
            for host, places in sorted(recording.hosts().items())
            if len(places) >= _LEAST_DRIVES
        ]
        width = max(len(places) for _, places in hosts)
        log = np.log(recording.latency, dtype=np.float32)
        healthy = [m.name not in slow for m in recording.roster.members]
        log[:, ~np.array(healthy)] = np.nan
        common = np.nanmedian(log, axis=1)[rows]
        kept = [each for at, each in enumerate(hosts) if part is None or at % 2 == part]
        shape = (len(days), frames, len(kept), width)
        excess, load = np.full(shape, np.nan, np.float32), np.zeros(shape, np.float32)
        for at, (host, places) in enumerate(kept):
            excess[:, :, at, : len(places)] = log[rows][:, :, places] - common[:, :, None]
            load[:, :, at, : len(places)] = recording.load[rows][:, :, places]
            for ill, day in sick:
                if ill == host:
                    excess[day:, :, at] = np.nan
        return cls(name, common.astype(np.float32), excess, load)


def _by_position(recording: Recording, places: Sequence[int]) -> list[int]:
    """A host's members by the number in the disk's name."""

    def number(place: int) -> int:
        digits = "".join(filter(str.isdigit, recording.roster.members[place].name.split("/")[-1]))
        return int(digits or 0)

    return sorted(places, key=number)


@dataclass(frozen=True)
class Noise:
    """How a fleet's noise differs from the recording's; all but ``factor`` are of ln values.

    ``factor`` multiplies what each drive deviates from its own mean, ``white`` is the standard
    deviation of a noise that is added to each frame. ``load`` is that of a load that comes and
    goes within minutes; latency follows it with the slope ``coupling``. ``share`` is that of a
    lasting difference in load between drives, which latency does not follow.
    """

    factor: float = 1.0
    white: float = 0.0
    load: float = 0.0
    coupling: float = 0.0
    share: float = 0.0


# The noise of A and B made that of the other two clusters of the data set, as DETECTION has them
# in "What the data looks like": one of twice to four times the noise, and one of less than half.
NOISES = {
    "recorded": Noise(),
    "noisy": Noise(1.1, 0.38, 0.36, 0.5, 0.3),
    "quiet": Noise(0.4),
}
# Autocorrelation of a load that comes and goes, from one frame to the next.
_LOAD_MEMORY = 0.6


@dataclass(frozen=True)
class FleetSpec:
    """A fleet: so many hosts for so many days. ``jobs`` make the events that are laid over it."""

    hosts: int
    days: int
    seed: int
    noise: Noise = NOISES["recorded"]
    jobs: Sequence[Job] = field(default=())


class Fleet:
    """The frames of a fleet, one after the other."""

    def __init__(self, material: Material, spec: FleetSpec) -> None:
        self.spec = spec
        self._material = material
        self._rng = np.random.default_rng(spec.seed)
        days, self.frames_a_day, real, self.positions = material.excess.shape
        self._hosts = np.concatenate(
            [self._rng.permutation(real) for _ in range(-(-spec.hosts // real))]
        )[: spec.hosts]
        usable = [
            np.flatnonzero(~np.isnan(material.excess[:, :, host]).all(axis=(1, 2)))
            for host in self._hosts
        ]
        self._orders = [self._order(days) for days in usable]
        self._common = self._order(np.arange(days))
        known = (~np.isnan(material.excess)).sum(axis=(0, 1))
        sums = np.nansum(material.excess, axis=(0, 1))
        self._centre = np.where(known, sums / np.maximum(known, 1), np.nan)  # of each drive
        # Drives without data: those that are labelled slow in the recording.
        self.absent = np.flatnonzero(np.isnan(self._centre[self._hosts])).tolist()
        shape = (spec.hosts, self.positions)
        self._share = self._rng.normal(0, spec.noise.share, shape) if spec.noise.share else None
        self.roster = Roster(tuple(map(self._watched, range(spec.hosts * self.positions))))

    def _order(self, days: Array) -> Array:
        """As many days as the fleet has, each day of the recording as often as any other."""
        turns = -(-self.spec.days // len(days))
        return np.concatenate([self._rng.permutation(days) for _ in range(turns)])[: self.spec.days]

    def _watched(self, osd: int) -> Watched:
        host, position = divmod(osd, self.positions)
        name, rack = host_name(host), f"rack-{host // _HOSTS_A_RACK}"
        return Watched(osd, f"{name}/disk{position + 1}", name, "all", rack)

    def arrays(self, days: float = math.inf) -> Iterator[Frame]:
        """All frames with numpy's arrays for lists."""
        count = len(self.roster.members)
        nothing, unmarked = np.full(count, np.nan), np.zeros(count, np.int64)
        for day in range(min(self.spec.days, math.ceil(min(days, 1e9)))):
            latency, load = self.day(day)
            began = BEGAN + day * _DAY
            for frame, (row, rates) in enumerate(zip(latency, load)):
                start = began + frame * FRAME_SECONDS
                arrays: Any = ({COMMIT: row}, {COMMIT: nothing}, rates, unmarked)
                yield Frame(start, start + FRAME_SECONDS, self.roster, *arrays)

    def frames(self) -> Iterator[Frame]:
        """The same with lists."""
        for frame in self.arrays():
            plain: Any = frame
            latency = {channel: row.tolist() for channel, row in plain.latency.items()}
            ops = {channel: row.tolist() for channel, row in plain.ops.items()}
            lists = (latency, ops, plain.load.tolist(), plain.marks.tolist())
            yield Frame(frame.start, frame.end, frame.roster, *lists)

    def day(self, day: int) -> tuple[Array, Array]:
        """Latency and load of a day, ``(frames, members)``."""
        material, noise = self._material, self.spec.noise
        days = [order[day] for order in self._orders]
        excess = material.excess[days, :, self._hosts]  # hosts, frames, positions
        if noise.factor != 1.0:
            centre = self._centre[self._hosts][:, None, :]
            excess = centre + noise.factor * (excess - centre)
        if noise.white:
            shape = excess.shape
            excess = excess + noise.white * self._rng.standard_normal(shape, dtype=np.float32)
        load = material.load[days, :, self._hosts]
        if noise.load:
            changes = self._changes(excess.shape)
            excess = excess + noise.coupling * noise.load * changes
            load = load * np.exp(noise.load * changes)
        if self._share is not None:
            load = load * np.exp(self._share)[:, None, :]
        common = material.common[self._common[day]]
        log = (excess + common[None, :, None]).transpose(1, 0, 2).reshape(self.frames_a_day, -1)
        for job in self.spec.jobs:
            for event in job.events(self._rng, day, self.frames_a_day):
                self._lay(log, event)
        return np.exp(log), load.transpose(1, 0, 2).reshape(self.frames_a_day, -1)

    def _changes(self, shape: tuple[int, ...]) -> Array:
        """An autoregressive noise of standard deviation 1, ``(hosts, frames, positions)``."""
        shocks = self._rng.standard_normal(shape, dtype=np.float32)
        shocks[:, 1:] *= math.sqrt(1 - _LOAD_MEMORY**2)
        for frame in range(1, shape[1]):
            shocks[:, frame] += _LOAD_MEMORY * shocks[:, frame - 1]
        return shocks

    def _lay(self, log: Array, event: Event) -> None:
        members = event.host * self.positions + np.asarray(event.positions)
        log[event.frame : event.frame + event.frames, members] += math.log(event.ratio)


def host_name(host: int) -> str:
    """The name of a fleet's host."""
    return f"host-{host:03}"
