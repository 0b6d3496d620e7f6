"""What a round takes over what must be: its slowest calls in a row, and its settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from statistics import median
from typing import NamedTuple

from .bed import HOSTS, OSDS, Bed
from .fidelity import PROFILES
from .figures import Figure, Target

REPEATS = 3
_MEASURING = Target(high=1.05)
# The monitors take a second for a change of the OSD map: flags are set once and put back once.
_SETTINGS = Target(high=2.5)


class _Round(NamedTuple):
    """Seconds of measuring, of the slowest calls of its waves, and before and after measuring."""

    measuring: float
    calls: float
    settings: float


def run(bed: Bed, pairs: int, say: Callable[[str], None]) -> list[Figure]:
    """For each profile, in half as many rounds as there are pairs."""
    return [
        figure for profile in PROFILES for figure in _profile(bed, profile, max(pairs // 2, 1), say)
    ]


def _profile(
    bed: Bed, profile: str, rounds: int, say: Callable[[str], None]
) -> tuple[Figure, Figure]:
    found = []
    for number in range(rounds):
        found.append(one := _measured(bed, profile))
        say(
            f"{profile}, {number + 1} of {rounds}: measuring {one.measuring:.2f} s, its calls "
            f"{one.calls:.2f} s, settings {one.settings:.2f} s"
        )
    ratios = [one.measuring / one.calls for one in found]
    held = [one.settings for one in found]
    shape = f"{OSDS} OSDs on {HOSTS} hosts x {REPEATS}, median of {rounds}"
    raw = {"rounds": [one._asdict() for one in found]}
    return (
        Figure(
            f"{profile}, measuring / slowest calls",
            median(ratios),
            "",
            _MEASURING,
            f"{shape}, {min(ratios):.3f} .. {max(ratios):.3f}",
            raw,
        ),
        Figure(
            f"{profile}, settings held and put back",
            median(held),
            "s",
            _SETTINGS,
            f"{shape}, {min(held):.2f} .. {max(held):.2f}",
        ),
    )


def _measured(bed: Bed, profile: str) -> _Round:
    shape = bed.round(profile, repeats=REPEATS)
    samples = shape["samples"]
    slowest: dict[tuple[int, int], float] = defaultdict(float)
    for sample in samples:
        wave = sample["repeat"], sample["wave"]
        slowest[wave] = max(slowest[wave], sample["call_seconds"])
    begins = [datetime.fromisoformat(one["started_at"].rstrip("Z")).timestamp() for one in samples]
    ends = [at + one["call_seconds"] for at, one in zip(begins, samples)]
    measuring = max(ends) - min(begins)
    return _Round(measuring, sum(slowest.values()), shape["took_seconds"] - measuring)
