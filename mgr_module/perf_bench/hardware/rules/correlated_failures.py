"""Decide whether OSDs of one enclosure went down together by a common cause or by chance.

Assumptions: an OSD goes down by itself at most once in 30 days (12 a year; disks die at 0.01 to
0.04 a year, the rest is restarts and crashes). OSDs that share a drive, for data or DB, go down
with it: a drive dies, hangs or is pulled at most once a year (25 times the rate at which they die).
Then the number of OSDs that go down within ten minutes by chance has a Poisson distribution. The
least number for a claim is such that an enclosure is wrongly accused at most once in 1,000 months:
3 of 12 OSDs, 4 of 60; of 24 that share two drives for their DBs, all OSDs of both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache

WINDOW = 600.0
_MONTH = 30 * 86400.0
# Independent failures of one OSD, per second.
RATE = 1.0 / _MONTH
# Failures of one drive that several OSDs share, per second.
DRIVE_RATE = 1.0 / (365 * 86400.0)
_FALSE_A_MONTH = 1e-3
# Shared drives and single OSDs reach the same number in several ways, as 2 + 2 or 2 + 1 + 1: each
# way may use at most a quarter of the allowed false alarms.
_OF_SEVERAL_WAYS = 0.25
# The least share of all OSDs that went down at that time; below it the enclosure is not the cause.
_SHARE = 0.75
# The least number of OSDs for a claim.
LEAST = 3


@lru_cache(maxsize=4096)
def beyond_chance(osds: int, drives: int, fallen: tuple[int, ...]) -> bool:
    """Whether this happens by chance less than once in 1,000 months.

    ``osds`` counts all OSDs, ``drives`` the drives that several of them share. ``fallen`` has the
    number of OSDs that went down on each drive, 1 for an OSD with a drive of its own.
    """
    most = _FALSE_A_MONTH if max(fallen) == 1 else _FALSE_A_MONTH * _OF_SEVERAL_WAYS
    return false_alarms(osds, drives, fallen) <= most


def false_alarms(osds: int, drives: int, fallen: tuple[int, ...]) -> float:
    """Expected false alarms per month, summed over all explanations."""
    worst = sorted(fallen, reverse=True)
    shared = sum(count > 1 for count in worst)
    return sum(
        _expected(osds, drives, sum(worst[dead:]), dead) for dead in range(min(shared, drives) + 1)
    )


def _expected(osds: int, drives: int, alone: int, dead: int) -> float:
    """Windows per month in which ``alone`` OSDs fail by themselves and ``dead`` drives fail."""
    single, shared = osds * RATE, drives * DRIVE_RATE
    rate = 0.0
    if alone:
        rate += single * _others(single * WINDOW, alone - 1) * _others(shared * WINDOW, dead)
    if dead:
        rate += shared * _others(single * WINDOW, alone) * _others(shared * WINDOW, dead - 1)
    return rate * _MONTH


def _others(mean: float, count: int) -> float:
    """The Poisson probability of ``count`` or more failures in a window with this ``mean``."""
    chance = fewer = 0.0
    for number in range(count):
        # From one term to the next: the factorial of 171 is beyond any float.
        chance = chance * mean / number if number else math.exp(-mean)
        fewer += chance
    return max(0.0, 1 - fewer)


def together(
    fell: Mapping[int, float], members: Collection[int], drive_groups: Mapping[int, int]
) -> list[int]:
    """The members that went down together; empty if chance explains it.

    ``fell`` has by OSD when it went down (unix seconds). ``drive_groups`` has by OSD a number that
    is the same for all OSDs that share drives; an OSD without one shares no drive.
    """
    events = sorted([(fell_at, osd) for osd, fell_at in fell.items() if osd in members])
    best: list[int] = []
    begin = 0.0
    for place, (last_at, _) in enumerate(events[LEAST - 1 :]):
        first_at = events[place][0]
        if last_at - first_at > WINDOW:
            continue  # fewer than are needed for a claim
        group = [osd for fell_at, osd in events[place:] if fell_at - first_at <= WINDOW]
        if len(group) > len(best):
            best, begin = group, first_at
    if not best:
        return []
    on_drive = Counter(drive_groups.get(osd, osd) for osd in members)
    shared = sum(count > 1 for count in on_drive.values())
    fallen = Counter(drive_groups.get(osd, osd) for osd in best)
    if not beyond_chance(len(members), shared, tuple(sorted(fallen.values()))):
        return []
    everywhere = sum(1 for fell_at in fell.values() if 0 <= fell_at - begin <= WINDOW)
    return sorted(best) if len(best) >= _SHARE * everywhere else []
