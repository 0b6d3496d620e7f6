"""How fast a figure grows over hours, with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import NamedTuple

BATCHES = 20
# Student's t for 95 % on both sides with BATCHES - 2 degrees of freedom.
_T = 2.101
_HOUR = 3600.0


class Slope(NamedTuple):
    """Growth in an hour, with the ends of its interval of 95 %."""

    each_hour: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.each_hour:+.2f} an hour ({self.low:+.2f} to {self.high:+.2f})"


def slope(samples: Sequence[tuple[float, float]]) -> Slope:
    """The least squares line through the means of batches of samples (seconds, value).

    Neighbouring samples are alike, so the interval of a line through all of them would be too
    narrow; means of batches of minutes are nearly independent (batch means; Law, Simulation
    Modeling and Analysis, chapter 9). Raises ValueError for fewer than two samples in a batch.
    """
    size = len(samples) // BATCHES
    if size < 2:
        raise ValueError(f"{len(samples)} samples are fewer than two for each of {BATCHES} batches")
    batches = [samples[number * size : (number + 1) * size] for number in range(BATCHES)]
    at = [mean(second for second, _ in batch) / _HOUR for batch in batches]
    values = [mean(value for _, value in batch) for batch in batches]
    middle, level = mean(at), mean(values)
    spread = sum((x - middle) ** 2 for x in at)
    rise = sum((x - middle) * (y - level) for x, y in zip(at, values)) / spread
    errors = sum((y - level - rise * (x - middle)) ** 2 for x, y in zip(at, values))
    wide = _T * (errors / (BATCHES - 2) / spread) ** 0.5
    return Slope(rise, rise - wide, rise + wide)
