"""Faults put into a recording of healthy drives: their own noise, load and tails stay."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perf_bench.model.finding import FRAME_SECONDS, Roster

from .faults import Fault
from .recording import Recording

# Where the recording pauses for longer than this, a new day begins.
_PAUSE = 3600.0


@dataclass(frozen=True)
class Injected:
    """A recording with faults. A fault's times are unix seconds."""

    recording: Recording
    faults: tuple[Fault, ...]


def days(recording: Recording) -> list[tuple[float, float]]:
    """First and last moment of each stretch without a pause."""
    starts = recording.starts
    breaks = np.flatnonzero(np.diff(starts) > _PAUSE)
    first = [0, *(breaks + 1).tolist()]
    last = [*breaks.tolist(), len(starts) - 1]
    return [(float(starts[a]), float(starts[b]) + FRAME_SECONDS) for a, b in zip(first, last)]


def injected(recording: Recording, faults: Sequence[Fault]) -> Injected:
    """The recording with these faults in it."""
    logs = np.log(recording.latency)
    for row, start in zip(logs, recording.starts.tolist()):
        for fault in faults:
            fault.apply(row, "", start, FRAME_SECONDS)
    return Injected(recording.with_latency(np.exp(logs)), tuple(faults))


def healthy(recording: Recording, slow: Collection[str]) -> list[int]:
    """The members that are not labelled, and are there most of the time."""
    there = np.mean(~np.isnan(recording.latency), axis=0)
    return [
        place
        for place, member in enumerate(recording.roster.members)
        if member.name not in slow and there[place] > 0.5
    ]


def acute(recording: Recording, well: Sequence[int], seed: int, ratio: float = 3.0) -> Injected:
    """Four drives at a time are slow for 15 minutes, four times a day from the second on."""
    rng = np.random.default_rng(seed)
    faults = []
    for begin, end in days(recording)[1:]:
        for window in range(4):
            at = begin + 600 + window * 2400
            if at + 900 <= end:
                members = _of_different_hosts(recording, rng.permutation(well), 4)
                faults += [Fault([member], ratio, at, at + 900) for member in members]
    return injected(recording, faults)


def bursts(recording: Recording, well: Sequence[int], seed: int, ratio: float = 3.0) -> Injected:
    """One drive in fifty has 30 s of it in each half hour, at a time of its own."""
    rng = np.random.default_rng(seed)
    members = _of_different_hosts(recording, rng.permutation(well), len(well) // 50)
    first = float(recording.starts[0])
    faults = [
        Fault([member], ratio, first + rng.uniform(0, 1800), every=1800.0) for member in members
    ]
    return injected(recording, faults)


def host_wide(recording: Recording, slow: Collection[str], ratio: float = 1.3) -> Injected:
    """Two hosts a day are slow from a quarter of an hour on, after two days without."""
    members = recording.roster.members
    hosts = {
        host: places
        for host, places in recording.hosts().items()
        if not any(members[place].name in slow for place in places) and len(places) >= 6
    }
    pairs = list(zip(*[iter(hosts.values())] * 2))
    faults = [
        Fault(places, ratio, begin + 900, end)
        for (begin, end), pair in zip(days(recording)[2:], pairs)
        for places in pair
    ]
    return injected(recording, faults)


def groups_of_three(recording: Recording, well: Sequence[int]) -> Recording:
    """Threes of drives of one host, each a cohort of its own."""
    kept = set(well)
    threes = [
        three
        for places in recording.hosts().values()
        for three in zip(*[iter([place for place in places if place in kept])] * 3)
    ]
    small = recording.only([place for three in threes for place in three])
    members = tuple(
        replace(member, cohort=f"group-{place // 3}")
        for place, member in enumerate(small.roster.members)
    )
    return replace(small, roster=Roster(members))


def one_of_three(groups: Recording, after_days: int, ratio: float = 2.0) -> Injected:
    """In each fourth group of three the first is slow from that day on.

    More at the same time would be a storm, which the ledger tells in fewer findings.
    """
    begin = days(groups)[after_days][0]
    firsts = range(0, len(groups.roster.members), 12)
    return injected(groups, [Fault([place], ratio, begin) for place in firsts])


def _of_different_hosts(recording: Recording, places: NDArray[Any], count: int) -> list[int]:
    found: dict[str, int] = {}
    for place in places.tolist():
        found.setdefault(recording.roster.members[place].host, place)
        if len(found) >= max(1, count):
            break
    return list(found.values())


def data_seconds(recording: Recording, begin: float, end: float) -> float:
    """How much of the time between the two was recorded."""
    starts = recording.starts
    return float(np.sum((starts >= begin) & (starts < end))) * FRAME_SECONDS
