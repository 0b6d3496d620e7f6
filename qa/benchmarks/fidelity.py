"""Does a round report of an OSD what `ceph tell osd.N bench` reports? Pairs, interleaved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from math import exp, log, sqrt
from statistics import NormalDist, geometric_mean, median
from typing import Any

from .bed import OSDS, Bed, RoundAborted, bench_command
from .figures import Figure, Target

# By profile how many benches a figure is the mean of: single small ones differ by a quarter.
BENCHES = {"osd-throughput": 1, "osd-iops": 4}
PROFILES = tuple(BENCHES)
_TARGET = Target(0.97, 1.03)
_OPTION = "osd_bench_small_size_max_iops"
_ALLOWED = 3200
# Benches of each OSD before the first pair: the first ones write to parts of its file that do not
# exist yet, which takes up to twice as long.
_WARM = 3
# The part of pairs that may have no figure, as the guard ended their rounds.
_WITHOUT = 1 / 20


def run(bed: Bed, pairs: int, say: Callable[[str], None]) -> list[Figure]:
    """For each profile the ratio, round to tell, over `pairs` pairs on changing OSDs."""
    return [_profile(bed, profile, pairs, say) for profile in PROFILES]


def _profile(bed: Bed, profile: str, pairs: int, say: Callable[[str], None]) -> Figure:
    found: list[dict[str, Any]] = []
    without: list[str] = []
    for number in range(OSDS * _WARM):
        _by_tell(bed, profile, number % OSDS)
    for number in range(pairs):
        osd = number % OSDS
        hands = [_by_round, _by_tell]
        # Who comes second finds the OSD as the first left it: each is second half of the time.
        if (number + number // OSDS) % 2:
            hands.reverse()
        head = f"{profile}, pair {number + 1} of {pairs}"
        try:
            rates = {hand.__name__[4:]: hand(bed, profile, osd) for hand in hands}
        except RoundAborted as error:
            without.append(str(error))
            say(f"{head}: {error}")
            if len(without) > pairs * _WITHOUT:
                raise
            continue
        found.append({"osd": osd, **rates})
        say(f"{head}: {rates['round'] / rates['tell']:.3f}")
    what = "pairs"
    if without:
        what += f", {len(without)} without a figure, as their rounds were aborted"
    ratios = [pair["round"] / pair["tell"] for pair in found]
    detail = {"pairs": found, "without": without}
    return of_pairs(f"{profile}, round / tell", ratios, _TARGET, what, detail)


def of_pairs(
    name: str, ratios: Sequence[float], target: Target, what: str, detail: Mapping[str, Any]
) -> Figure:
    """The centre of the ratios of interleaved pairs; ``what`` was paired, for people."""
    centre, low, high = centre_of([log(ratio) for ratio in ratios])
    note = f"{len(ratios)} {what}; 95 % sure within {exp(low):.3f} .. {exp(high):.3f}"
    return Figure(name, exp(centre), "", target, note, detail)


def centre_of(values: Sequence[float]) -> tuple[float, float, float]:
    """The centre of a symmetric distribution, and between which values it lies with 95 %.

    As each comes first in half of the pairs, ratios are symmetric on a log scale, and their centre
    is known from a third fewer pairs than a median of any distribution: the median of the means of
    all pairs of values (Hodges and Lehmann 1963), with the interval of Wilcoxon's signed-rank test
    by its normal approximation. With fewer than ten values the interval is too narrow.
    """
    means = sorted((one + two) / 2 for one, two in combinations_with_replacement(values, 2))
    count = len(values)
    spread = sqrt(count * (count + 1) * (2 * count + 1) / 24)
    rank = max(0, int(len(means) / 2 - NormalDist().inv_cdf(0.975) * spread))
    return median(means), means[rank], means[-1 - rank]


def _by_round(bed: Bed, profile: str, osd: int) -> float:
    samples = bed.round(profile, osds=str(osd), repeats=BENCHES[profile])["samples"]
    return geometric_mean(float(sample["bytes_per_second"]) for sample in samples)


def _by_tell(bed: Bed, profile: str, osd: int) -> float:
    """As an operator types it, with the arguments that the round would use."""
    step = bed.plan(profile, osds=str(osd), repeats=1)["step"]
    words = [str(value) for value in bench_command(step).values()]

    def tell(*order: str) -> Any:
        return bed.cluster.ceph_json("tell", f"osd.{osd}", *order, timeout=300)

    # As the round before has put back its flags in the map: see docs/traps.md.
    for before in ("get_latest_osdmap", "status"):
        bed.cluster.ceph("tell", f"osd.{osd}", before, timeout=300)
    # A round on a fast drive raises this option for its own time.
    tell("config", "set", _OPTION, str(_ALLOWED))
    try:
        return geometric_mean(float(tell(*words)["bytes_per_sec"]) for _ in range(BENCHES[profile]))
    finally:
        tell("config", "unset", _OPTION)
