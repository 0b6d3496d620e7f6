"""Computes the growth of the counters of many OSDs over the same bins.

The OSDs of a read nearly always fill the same bins. Their points are in flat lists, so that ``map``
does the arithmetic: 40 ns per figure instead of 200.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add, mul, sub

from .interpolation import Cuts

_NAN = float("nan")

# By bin the figure of each OSD, in their order; NaN if unknown.
Table = list[list[float]]


class DeltaStrip:
    """The bins from ``first`` up to ``stop`` of OSDs that send the same ``slots``."""

    def __init__(self, first: int, stop: int, slots: Iterable[str]) -> None:
        self.first = first
        self.stop = stop
        self.slots = frozenset(slots)
        self.osds: list[int] = []
        self._shares: list[float] = []
        # Numbers instead of points: thousands of tuples would trigger the garbage collector.
        self._sums: dict[str, list[float]] = {slot: [] for slot in self.slots}
        self._numbers: dict[str, list[float]] = {slot: [] for slot in self.slots}

    def add(self, osd: int, cuts: Cuts) -> None:
        """Add an OSD; ``put`` adds its points afterwards, slot by slot."""
        self.osds.append(osd)
        self._shares += cuts.shares

    def put(self, slot: str, sums: Iterable[float], numbers: Iterable[float]) -> None:
        """Add the points before and after each edge, of the OSD that was added last."""
        self._sums[slot] += sums
        self._numbers[slot] += numbers

    def sums(self, slot: str) -> Table:
        """Return the growth of the counter's sum (or value); NaN if it fell after a restart."""
        return self._growths(self._sums[slot])

    def numbers(self, slot: str) -> Table:
        """Return the growth of the number of operations; NaN if it fell."""
        return self._growths(self._numbers[slot])

    def _growths(self, values: Sequence[float]) -> Table:
        before, after = values[0::2], values[1::2]
        steps = list(map(sub, after, before))
        _void(steps)
        edges = list(map(add, before, map(mul, self._shares, steps)))
        width = self.stop - self.first + 1
        table = []
        for number in range(width - 1):
            grown = list(map(sub, edges[number + 1 :: width], edges[number::width]))
            _void(grown)
            table.append(grown)
        return table


def _void(growths: list[float]) -> None:
    """Replace negative values by NaN in place; there are hardly ever any."""
    # A NaN at the beginning is its minimum, which is not >= 0; one elsewhere hides no other value.
    if growths and not min(growths) >= 0:
        growths[:] = [_NAN if growth < 0 else growth for growth in growths]
