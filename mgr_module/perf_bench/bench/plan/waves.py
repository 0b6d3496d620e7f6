"""Distribute a round's OSDs over waves, and estimate their duration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ...model.bench import BenchLimits, Step
from ...model.osd import Osd


def lay_waves(osds: Sequence[Osd], max_parallel: int) -> tuple[tuple[int, ...], ...]:
    """Waves of OSD IDs: one OSD of each host, on all hosts in parallel.

    Later waves have only hosts with more OSDs. A wave has at most ``max_parallel`` OSDs, because
    each needs a thread of the mgr; wider ones are split into even parts.
    """
    by_host: dict[str, list[int]] = defaultdict(list)
    for osd in sorted(osds, key=lambda osd: osd.id):
        by_host[osd.host].append(osd.id)
    waves: list[tuple[int, ...]] = []
    for turn in range(max((len(ids) for ids in by_host.values()), default=0)):
        wide = [ids[turn] for _, ids in sorted(by_host.items()) if turn < len(ids)]
        parts = -(-len(wide) // max_parallel)
        waves.extend(tuple(sorted(wide[part::parts])) for part in range(parts))
    return tuple(waves)


# The bases of an estimate.
LAST_ROUND, ASSUMED = "the last round", "osd_bench limits"


def estimate(
    waves: Sequence[Sequence[int]], step: Step, limits: BenchLimits, measured: Mapping[int, float]
) -> tuple[float, str]:
    """Seconds of one pass over the waves, and the basis of that estimate.

    ``measured`` has by OSD the duration of one call of this step in the last round; otherwise the
    rate that the ``osd_bench_*`` limits assume gives an upper bound.
    """
    worst = limits.worst_seconds(step)
    seconds = sum(max(measured.get(osd, worst) for osd in wave) for wave in waves)
    known = all(osd in measured for wave in waves for osd in wave)
    return seconds, LAST_ROUND if known else ASSUMED
