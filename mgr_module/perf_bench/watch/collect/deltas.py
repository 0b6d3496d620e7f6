"""The counters of many OSDs over the same bins, worked out together.

The OSDs of a slice nearly always have the same bins to fill. Their points lie one behind the
other in flat lists, so that ``map`` does the arithmetic: 40 ns a figure instead of 200.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from operator import add, mul, sub

from .interpolation import Cuts

_NAN = float("nan")

# By bin the figure of each OSD, in their order; NaN is not known.
Table = list[list[float]]


class DeltaStrip:
    """The bins from ``first`` up to ``stop`` of some OSDs, by slot of their counters."""

    def __init__(self, first: int, stop: int, slots: Iterable[str]) -> None:
        self.first = first
        self.stop = stop
        self.osds: list[int] = []
        self._shares: list[float] = []
        # Bare numbers, not points: thousands of tuples kept would set off the garbage collector.
        self._sums: dict[str, list[float]] = {slot: [] for slot in slots}
        self._numbers: dict[str, list[float]] = {slot: [] for slot in slots}

    def add(self, osd: int, cuts: Cuts) -> None:
        """An OSD; what is known of it is put afterwards, slot by slot."""
        self.osds.append(osd)
        self._shares += cuts.shares

    def put(self, slot: str, sums: Iterable[float], numbers: Iterable[float]) -> None:
        """What the points around each edge say of the OSD that was added last."""
        self._sums[slot] += sums
        self._numbers[slot] += numbers

    def sums(self, slot: str) -> Table:
        """How much the counter's sum (or value) grew; NaN where it fell: it began anew."""
        return self._growths(self._sums[slot])

    def numbers(self, slot: str) -> Table:
        """How much the number behind the sum grew; NaN where it fell."""
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
    """Make NaN of those that are negative; there are hardly ever any."""
    # A NaN among them makes the sum NaN, and the minimum worthless.
    if isnan(sum(growths)) or min(growths, default=0.0) < 0:
        growths[:] = [_NAN if growth < 0 else growth for growth in growths]
