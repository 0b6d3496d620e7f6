"""How good a verdict was: found, missed, falsely accused, how soon, how sure we are of that."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from scipy.stats import chi2


@dataclass(frozen=True)
class Score:
    """True and false accusations, and those that are missing."""

    found: int
    false: int
    missed: int

    def __str__(self) -> str:
        return f"{self.found}/{self.false}/{self.missed}"


def score(accused: Iterable[str], real: Iterable[str]) -> Score:
    """Who was accused against who should have been."""
    accused, real = set(accused), set(real)
    return Score(len(accused & real), len(accused - real), len(real - accused))


@dataclass(frozen=True)
class Delays:
    """Seconds from a fault's begin until it was known; infinite for those never found."""

    seconds: Sequence[float]

    def within(self, limit: float) -> float:
        """The share that was found in that time."""
        return sum(delay <= limit for delay in self.seconds) / max(1, len(self.seconds))

    @property
    def found(self) -> float:
        """The share that was found at all."""
        return self.within(1e300)

    @property
    def median(self) -> float:
        return median(self.seconds) if self.seconds else math.inf


def poisson_bound(events: int, exposure: float, sure: float = 0.95) -> float:
    """The rate that so many events in that exposure do not exceed, as sure as that."""
    return float(chi2.ppf(sure, 2 * (events + 1))) / 2 / exposure
