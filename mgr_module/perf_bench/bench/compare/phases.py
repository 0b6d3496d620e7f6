"""From a round's samples to its parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Optional

from ...model.bench import Sample
from ...model.part import MeasuredPhase, Part
from ...model.plan import BEFORE, TOGETHER, Phase, Plan
from ...model.statistics import cv_percent, median


def parts_of(plan: Plan, samples: Sequence[Sample]) -> tuple[Part, ...]:
    """A plan's parts in their order, as far as they were measured."""
    by_phase: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_phase[sample.phase].append(sample)
    phases: dict[str, list[Phase]] = defaultdict(list)
    for phase in plan.phases:
        phases[phase.part or phase.name].append(phase)
    found: list[Part] = []
    for name, own in phases.items():
        load_ended = next((part.ended_at for part in found if part.name == TOGETHER), None)
        found.append(_part(name, own, by_phase, plan.repeats, load_ended))
    return tuple(
        replace(
            part, percent_of_before={op: percent_of_before(found, part, op) for op in part.measured}
        )
        for part in found
    )


def percent_of_before(
    parts: Sequence[Part], part: Part, operation: str, osds: Optional[Sequence[int]] = None
) -> Optional[float]:
    """What OSDs reach in a part, of what each of them reached in BEFORE; their median, in percent.

    Of these ``osds``, or of all that both measured; None where there are none.
    """
    before = next((one for one in parts if one.name == BEFORE), None)
    if before is None:
        return None
    then, now = before.measured.get(operation, {}), part.measured.get(operation, {})
    shared = [osd for osd in then if osd in now and (osds is None or osd in osds)]
    if not shared:
        return None
    return 100 * median([now[o].bytes_per_second / then[o].bytes_per_second for o in shared])


def _part(
    name: str,
    phases: Sequence[Phase],
    by_phase: Mapping[str, Sequence[Sample]],
    repeats: int,
    load_ended: Optional[float],
) -> Part:
    samples = [sample for phase in phases for sample in by_phase.get(phase.name, ())]
    osds = tuple(sorted({osd for phase in phases for osd in phase.osds}))
    part = Part(
        name,
        phases[0].rest_seconds,
        osds,
        measured={phase.step.operation: _by_osd(by_phase.get(phase.name, ())) for phase in phases},
    )
    if not samples:
        return part
    started = min(sample.started_at for sample in samples)
    planned = repeats * sum(phase.count for phase in phases)
    ended = max(sample.started_at + sample.call_seconds for sample in samples)
    since = None if load_ended is None else max(0.0, started - load_ended)
    all_there = len(samples) >= planned
    return replace(
        part, started_at=started, ended_at=ended if all_there else None, since_load=since
    )


def _by_osd(samples: Sequence[Sample]) -> Mapping[int, MeasuredPhase]:
    found: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        if sample.valid and sample.bytes_per_second:
            found[sample.osd].append(sample)
    return {osd: _measured(own) for osd, own in sorted(found.items())}


def _measured(samples: Sequence[Sample]) -> MeasuredPhase:
    rates = [sample.bytes_per_second or 0.0 for sample in samples]
    return MeasuredPhase(
        median(rates),
        median([sample.iops or 0.0 for sample in samples]),
        len(samples),
        cv_percent(rates),
    )
