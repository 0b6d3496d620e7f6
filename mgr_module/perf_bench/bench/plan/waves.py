"""Lay a round out in waves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ...model.bench import BenchLimits, Step
from ...model.osd import Osd


def lay_waves(osds: Sequence[Osd], max_parallel: int) -> tuple[tuple[int, ...], ...]:
    """Waves of OSD IDs: one OSD per host at a time, over all hosts in parallel.

    Hosts with more OSDs fill the later waves alone. A wave holds at most ``max_parallel`` OSDs
    (each costs the mgr a waiting thread); wider ones are split into even parts.
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


def estimate(
    waves: Sequence[Sequence[int]], step: Step, limits: BenchLimits, measured: Mapping[int, float]
) -> tuple[float, str]:
    """Seconds that one pass over the waves takes, and what that figure rests on.

    ``measured`` tells by OSD how long one call of this step took in the last round; where it is
    missing, the rate that the ``osd_bench_*`` limits assume bounds it from above.
    """
    worst = limits.worst_seconds(step)
    seconds = sum(max(measured.get(osd, worst) for osd in wave) for wave in waves)
    known = all(osd in measured for wave in waves for osd in wave)
    return seconds, "the last round" if known else "osd_bench limits"
