"""A search for saturation as public JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ..bench.compare.saturation import conclude
from ..bench.compare.saturation_verdict import under_load, under_loads
from ..bench.plan.saturation_search import most_runs
from ..model.rados import LoadPlan, LoadSample
from ..model.saturation import CurvePoint
from ..report.shapes import Shape


def saturation_of(load: Optional[LoadPlan], samples: Sequence[LoadSample]) -> Optional[Shape]:
    """The runs so far in their order, and what those with figures say; None for no search."""
    if load is None or not load.saturates:
        return None
    runs = under_loads(samples)
    found = conclude(runs) if runs else None
    points = ("peak", "knee", "recommended")
    return {
        "most_runs": most_runs(load.bounds),
        "grid": len(load.bounds.grid),
        "runs": [_run(sample) for sample in samples],
        "curve": [_point(point, load.size) for point in found.curve] if found else [],
        **{name: _point(getattr(found, name), load.size) if found else None for name in points},
        "share_percent": found.share_percent if found else None,
        "reason": found.reason if found else None,
        "confirmed": found.confirmed if found else False,
    }


def _run(sample: LoadSample) -> Shape:
    run, why = under_load(sample)
    return {
        "repeat": sample.repeat,
        "clients": sample.load.clients if sample.load else None,
        "threads": sample.load.threads if sample.load else None,
        "bytes_per_second": run.bytes_per_second if run else None,
        "mean_latency": run.latency_seconds if run else None,
        "p99_latency": run.p99_seconds if run else None,
        "why": why,
    }


def _point(point: CurvePoint, size: int) -> Shape:
    return {
        "clients": point.load.clients,
        "threads": point.load.threads,
        "in_flight": point.load.in_flight,
        "runs": point.runs,
        "bytes_per_second": point.bytes_per_second,
        "lowest_bytes_per_second": point.lowest,
        "highest_bytes_per_second": point.highest,
        "iops": point.bytes_per_second / size,
        "mean_latency": point.latency_seconds,
        "p99_latency": point.p99_seconds,
    }
