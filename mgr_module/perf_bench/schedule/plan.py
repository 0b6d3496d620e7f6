"""Lay a round out in waves."""

from __future__ import annotations

from collections import defaultdict
from typing import Dict, List, Optional, Sequence, Tuple

from ..model.bench import BenchLimits, Step
from ..model.osd import Osd
from ..model.round import Plan


def lay_waves(osds: Sequence[Osd], max_parallel: int) -> Tuple[Tuple[int, ...], ...]:
    """Waves of OSD IDs: one OSD per host at a time, over all hosts in parallel.

    Hosts with more OSDs fill the later waves alone. A wave holds at most ``max_parallel`` OSDs
    (each costs the mgr a waiting thread); wider ones are split into even parts.
    """
    by_host: Dict[str, List[int]] = defaultdict(list)
    for osd in sorted(osds, key=lambda osd: osd.id):
        by_host[osd.host].append(osd.id)
    waves: List[Tuple[int, ...]] = []
    for turn in range(max((len(ids) for ids in by_host.values()), default=0)):
        wide = [ids[turn] for _, ids in sorted(by_host.items()) if turn < len(ids)]
        parts = -(-len(wide) // max_parallel)
        waves.extend(tuple(sorted(wide[part::parts])) for part in range(parts))
    return tuple(waves)


def make_plan(
    profile: str,
    step: Step,
    repeats: int,
    osds: Sequence[Osd],
    limits: BenchLimits,
    max_parallel: int,
    measured_seconds: Optional[Dict[int, float]] = None,
    notes: Sequence[str] = (),
) -> Plan:
    """The plan of a round, with an estimate of its length.

    ``measured_seconds`` tells by OSD how long one call of this step took in the last round;
    where it is missing, the rate that the ``osd_bench_*`` limits assume bounds it from above.
    """
    waves = lay_waves(osds, max_parallel)
    known = measured_seconds or {}
    worst = limits.worst_seconds(step)
    one_pass = sum(max(known.get(osd, worst) for osd in wave) for wave in waves)
    basis = "the last round" if all(osd.id in known for osd in osds) else "osd_bench limits"
    return Plan(
        profile, step, repeats, waves, round(one_pass * repeats, 1), basis, tuple(notes)
    )
