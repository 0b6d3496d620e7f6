"""What a round takes over what must be: its slowest calls in a row, and the same chain by hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from statistics import median
from typing import Any

from .bed import HOSTS, OSDS, Bed, bench_command
from .fidelity import PROFILES
from .figures import Figure, Target

REPEATS = 3
_TARGET = Target(high=1.05)


def run(bed: Bed, pairs: int, say: Callable[[str], None]) -> list[Figure]:
    """For each profile the round over its calls, and over the chain by hand."""
    return [
        figure for profile in PROFILES for figure in _profile(bed, profile, max(pairs // 2, 1), say)
    ]


def _profile(bed: Bed, profile: str, pairs: int, say: Callable[[str], None]) -> list[Figure]:
    plan = bed.plan(profile, repeats=REPEATS)
    found = []
    for number in range(pairs):
        hands = [_by_round, _by_hand]
        if number % 2:
            hands.reverse()
        pair: dict[str, float] = {}
        for hand in hands:
            pair |= hand(bed, plan)
        found.append(pair)
        say(
            f"{profile}, pair {number + 1} of {pairs}: round {pair['wall']:.2f} s, its calls "
            f"{pair['calls']:.2f} s, by hand {pair['by_hand']:.2f} s"
        )
    what = f"{OSDS} OSDs on {HOSTS} hosts x {REPEATS}, median of {pairs}"
    return [
        _ratio(f"{profile}, round / slowest calls", found, "wall", "calls", what),
        _ratio(f"{profile}, round / by hand", found, "wall", "by_hand", what),
        _ratio(f"{profile}, start to saved / by hand", found, "seen", "by_hand", what, None),
    ]


def _ratio(
    name: str,
    found: list[dict[str, float]],
    over: str,
    under: str,
    what: str,
    target: Target | None = _TARGET,
) -> Figure:
    ratios = [pair[over] / pair[under] for pair in found]
    seconds = median(pair[over] for pair in found)
    note = f"{what}, {min(ratios):.3f} .. {max(ratios):.3f}; {seconds:.1f} s"
    return Figure(name, median(ratios), "", target, note, {"pairs": found})


def _by_round(bed: Bed, plan: dict[str, Any]) -> dict[str, float]:
    shape = bed.round(plan["profile"], repeats=REPEATS)
    slowest: dict[tuple[int, int], float] = defaultdict(float)
    for sample in shape["samples"]:
        wave = sample["repeat"], sample["wave"]
        slowest[wave] = max(slowest[wave], sample["call_seconds"])
    return {
        "wall": shape["took_seconds"],
        "calls": sum(slowest.values()),
        "seen": shape["seen_seconds"],
    }


def _by_hand(bed: Bed, plan: dict[str, Any]) -> dict[str, float]:
    command = bench_command(plan["step"])
    answer = bed.order(do="chain", waves=plan["waves"], repeats=REPEATS, command=command)
    return {"by_hand": answer["seconds"], "by_hand_calls": sum(map(max, answer["calls"]))}
