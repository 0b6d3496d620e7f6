"""What a round takes over what must be: its slowest calls in a row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from statistics import median

from .bed import HOSTS, OSDS, Bed
from .fidelity import PROFILES
from .figures import Figure, Target

REPEATS = 3
_TARGET = Target(high=1.05)


def run(bed: Bed, pairs: int, say: Callable[[str], None]) -> list[Figure]:
    """For each profile the round over its calls, in half as many rounds as there are pairs."""
    return [_profile(bed, profile, max(pairs // 2, 1), say) for profile in PROFILES]


def _profile(bed: Bed, profile: str, rounds: int, say: Callable[[str], None]) -> Figure:
    found = []
    for number in range(rounds):
        found.append(_measured(bed, profile))
        wall, calls = found[-1]
        say(f"{profile}, {number + 1} of {rounds}: round {wall:.2f} s, its calls {calls:.2f} s")
    ratios = [wall / calls for wall, calls in found]
    seconds = median(wall for wall, _ in found)
    note = (
        f"{OSDS} OSDs on {HOSTS} hosts x {REPEATS}, median of {rounds}, "
        f"{min(ratios):.3f} .. {max(ratios):.3f}; {seconds:.1f} s"
    )
    name = f"{profile}, round / slowest calls"
    return Figure(name, median(ratios), "", _TARGET, note, {"rounds": found})


def _measured(bed: Bed, profile: str) -> tuple[float, float]:
    """How long a round took, and the slowest calls of its waves, in seconds."""
    shape = bed.round(profile, repeats=REPEATS)
    slowest: dict[tuple[int, int], float] = defaultdict(float)
    for sample in shape["samples"]:
        wave = sample["repeat"], sample["wave"]
        slowest[wave] = max(slowest[wave], sample["call_seconds"])
    return shape["took_seconds"], sum(slowest.values())
