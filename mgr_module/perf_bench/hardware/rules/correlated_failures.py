"""OSDs of one enclosure that fell together: more than chance would have it.

An OSD falls by itself at most once in 30 days (that is 12 a year; disks die at 0.01 to 0.04 a year,
the rest is restarts and crashes). OSDs that share a drive, with their data or with their DB, fall
with it: a drive dies, hangs or is pulled at most once a year (25 times the rate at which they die).
How many of n fall within ten minutes of each other by chance is Poisson then, and so many are asked
for that an enclosure is wrongly accused at most once in 1,000 months: 3 of 12 OSDs, 4 of 60; of 24
that share two drives for their DBs, all OSDs of both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache

WINDOW = 600.0
_MONTH = 30 * 86400.0
# Falls of one OSD by itself a second.
RATE = 1.0 / _MONTH
# Of one drive that several OSDs share.
DRIVE_RATE = 1.0 / (365 * 86400.0)
_FALSE_A_MONTH = 1e-3
# Drives and OSDs that have one for themselves add up to enough in several ways, as 2 + 2 or
# 2 + 1 + 1: none of these takes more than a quarter of it.
_OF_MANY_WAYS = 0.25
# Of all OSDs that fell at that time: of fewer the enclosure is not what they have in common.
_SHARE = 0.75
# Of fewer nothing is said, however few OSDs there are.
LEAST = 3


@lru_cache(maxsize=4096)
def beyond_chance(osds: int, drives: int, fallen: tuple[int, ...]) -> bool:
    """Whether chance would not have this once in 1,000 months.

    ``osds`` are all, ``drives`` those that several of them share; ``fallen`` has for every drive
    that OSDs fell on how many did, 1 for an OSD with a drive of its own.
    """
    most = _FALSE_A_MONTH if max(fallen) == 1 else _FALSE_A_MONTH * _OF_MANY_WAYS
    return false_alarms(osds, drives, fallen) <= most


def false_alarms(osds: int, drives: int, fallen: tuple[int, ...]) -> float:
    """Expected false alarms per month, summed over all explanations."""
    worst = sorted(fallen, reverse=True)
    shared = sum(count > 1 for count in worst)
    return sum(
        _expected(osds, drives, sum(worst[dead:]), dead) for dead in range(min(shared, drives) + 1)
    )


def _expected(osds: int, drives: int, alone: int, dead: int) -> float:
    """A month's windows in which so many OSDs fall by themselves, and so many drives fail."""
    own, shared = osds * RATE, drives * DRIVE_RATE
    found = 0.0
    if alone:
        found += own * _others(own * WINDOW, alone - 1) * _others(shared * WINDOW, dead)
    if dead:
        found += shared * _others(own * WINDOW, alone) * _others(shared * WINDOW, dead - 1)
    return found * _MONTH


def _others(mean: float, count: int) -> float:
    """The chance that ``count`` or more fall within a window that has ``mean`` of them."""
    return max(0.0, 1 - sum(math.exp(-mean) * mean**n / math.factorial(n) for n in range(count)))


def together(
    fell: Mapping[int, float], members: Collection[int], mates: Mapping[int, int]
) -> list[int]:
    """Those of the members that are down and fell together; empty where chance would do.

    ``fell`` is by OSD that is down when it went down, in unix seconds. ``mates`` is by OSD one that
    is the same for all that share drives; without it an OSD shares none.
    """
    ours = sorted((at, osd) for osd, at in fell.items() if osd in members)
    best: list[int] = []
    begin = 0.0
    for place, (at, _) in enumerate(ours):
        group = [osd for when, osd in ours[place:] if when - at <= WINDOW]
        if len(group) > len(best):
            best, begin = group, at
    if len(best) < LEAST:
        return []
    on_drive = Counter(mates.get(osd, osd) for osd in members)
    shared = sum(count > 1 for count in on_drive.values())
    fallen = Counter(mates.get(osd, osd) for osd in best)
    if not beyond_chance(len(members), shared, tuple(sorted(fallen.values()))):
        return []
    all_ = sum(1 for at in fell.values() if 0 <= at - begin <= WINDOW)
    return sorted(best) if len(best) >= _SHARE * all_ else []
