"""The parts of a round as public JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from ..bench.compare.phases import MeasuredPhase, Part, parts_of, percent_of_before
from ..model.bench import READ, WRITE, Sample
from ..model.plan import Plan
from ..model.statistics import median
from ..report.shapes import Shape
from ..report.text import iso

_NAMES = {WRITE: "writes", READ: "reads"}


def phases_of(plan: Plan, hosts: Mapping[int, str], samples: Sequence[Sample]) -> list[Shape]:
    """A round's parts where it has several, each with its OSDs; ``hosts`` is by OSD."""
    if len(plan.phases) == 1:
        return []
    parts = parts_of(plan, samples)
    return [_part(parts, part, hosts) for part in parts]


def _part(parts: Sequence[Part], part: Part, hosts: Mapping[int, str]) -> Shape:
    return {
        "name": part.name,
        "rest_seconds": part.rest_seconds,
        "started_at": iso(part.started_at),
        "ended_at": iso(part.ended_at),
        "seconds_since_load": part.since_load,
        "osds": list(part.osds),
        **{_NAMES[operation]: _operation(parts, part, operation) for operation in _NAMES},
        "per_osd": [
            {
                "osd": osd,
                "host": hosts.get(osd),
                **{_NAMES[operation]: _osd(part, operation, osd) for operation in _NAMES},
            }
            for osd in part.osds
        ],
    }


def _operation(parts: Sequence[Part], part: Part, operation: str) -> Optional[Shape]:
    found = part.measured.get(operation)
    if found is None:
        return None
    values = list(found.values())
    return {
        "median_bytes_per_second": _median([one.bytes_per_second for one in values]),
        "median_iops": _median([one.iops for one in values]),
        "percent_of_before": percent_of_before(parts, part, operation),
    }


def _median(values: Sequence[float]) -> Optional[float]:
    return median(values) if values else None


def _osd(part: Part, operation: str, osd: int) -> Optional[Shape]:
    found = part.measured.get(operation)
    if found is None:
        return None
    one: Optional[MeasuredPhase] = found.get(osd)
    return {
        "bytes_per_second": one and one.bytes_per_second,
        "iops": one and one.iops,
        "cv_percent": one and one.cv_percent,
        "samples": one.samples if one else 0,
    }
