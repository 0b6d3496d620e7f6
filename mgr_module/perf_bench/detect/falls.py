"""OSDs of one enclosure that fell together: more than chance would have it.

An OSD falls by itself at most once in 30 days (that is 12 a year; disks die at 0.01 to 0.04 a year,
the rest is restarts and crashes). How many of n fell within ten minutes of each other by chance is
Poisson then, and so many are asked for that an enclosure is wrongly accused at most once in 1,000
months: 3 of 12 OSDs, 4 of 60.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import lru_cache

WINDOW = 600.0
_MONTH = 30 * 86400.0
# Falls of one OSD a second.
RATE = 1.0 / _MONTH
_FALSE_A_MONTH = 1e-3
# Of all OSDs that fell at that time: of fewer the enclosure is not what they have in common.
_SHARE = 0.75
_LEAST = 3


@lru_cache(maxsize=1024)
def needed(osds: int) -> int:
    """How many of so many OSDs must have fallen together."""
    count = _LEAST
    while osds * _others(osds * RATE * WINDOW, count - 1) > _FALSE_A_MONTH:
        count += 1
    return count


def _others(mean: float, count: int) -> float:
    """The chance that ``count`` or more fall within a window that has ``mean`` of them."""
    return max(0.0, 1 - sum(math.exp(-mean) * mean**n / math.factorial(n) for n in range(count)))


def together(fell: Mapping[int, float], members: Collection[int]) -> list[int]:
    """Those of the members that are down and fell together; empty where chance would do.

    ``fell`` is by OSD that is down when it went down, in unix seconds.
    """
    ours = sorted((at, osd) for osd, at in fell.items() if osd in members)
    best: list[int] = []
    begin = 0.0
    for place, (at, _) in enumerate(ours):
        group = [osd for when, osd in ours[place:] if when - at <= WINDOW]
        if len(group) > len(best):
            best, begin = group, at
    if len(best) < needed(len(members)):
        return []
    all_ = sum(1 for at in fell.values() if 0 <= at - begin <= WINDOW)
    return sorted(best) if len(best) >= _SHARE * all_ else []
