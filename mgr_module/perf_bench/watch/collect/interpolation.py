"""Finds where the edges of bins lie between the points that an OSD has sent.

The mgr stamps every point on arrival, and its clock may step. A counter is assumed to grow evenly
between two points: a delta over several bins (with a busy mgr reports are 20 s apart and more) is
divided between them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple, Optional

from ...model.frame import FRAME_SECONDS

# Reports further apart than this (seconds) are an outage or a step of the clock.
_GAP = 300.0


class Cuts(NamedTuple):
    """The bins from ``first`` up to ``stop``, and the positions of their edges.

    ``around`` has for each edge the indexes of the points before and after it, counted from the
    newest (-1); ``shares`` the position of the edge between the two, 0 to 1.
    """

    first: int
    stop: int
    around: tuple[int, ...]
    shares: tuple[float, ...]


def bin_at(moment: float) -> int:
    """Return the number of the bin that contains this moment (unix seconds)."""
    return int(moment // FRAME_SECONDS)


def usable(times: Sequence[float], latest: float) -> tuple[int, int]:
    """Return the range of the newest stamps that only grow and are no later than ``latest``.

    After the clock stepped back, points before the step have stamps in the future. After it
    stepped far ahead, the delta over the step cannot be assigned to bins.
    """
    stop = len(times)
    if times and times[-1] <= latest and times[-1] - times[0] <= _GAP and _grows(times):
        return 0, stop  # the usual case
    while stop and times[stop - 1] > latest:
        stop -= 1
    start = max(0, stop - 1)
    while start and 0 <= times[start] - times[start - 1] <= _GAP:
        start -= 1
    return start, stop


def cuts_of(times: Sequence[float], next_bin: int, latest: float) -> Optional[Cuts]:
    """Return the bins from ``next_bin`` on that points with these stamps cover completely."""
    start, stop = usable(times, latest)
    if stop - start < 2:
        return None
    # The first edge not before the first point, and the last not after the last.
    first = max(next_bin, -bin_at(-times[start]))
    last = bin_at(times[stop - 1])
    if last <= first:
        return None
    around: list[int] = []
    shares: list[float] = []
    after = start + 1
    for number in range(first, last + 1):
        edge = number * FRAME_SECONDS
        after = bisect_left(times, edge, after, stop)
        before = times[after - 1]
        around += (after - 1 - len(times), after - len(times))
        # Two points can have the same stamp.
        shares.append((edge - before) / (times[after] - before) if edge > before else 0.0)
    return Cuts(first, last, tuple(around), tuple(shares))


def _grows(times: Sequence[float]) -> bool:
    return sorted(times) == list(times)  # a fourth of the time of comparing one by one
