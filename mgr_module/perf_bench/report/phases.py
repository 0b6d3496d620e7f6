"""The parts of a round as JSON and as text, writes and reads side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from ..answers.text import GAP, NOTHING, duration, iso, number, rate, table
from ..model.bench import READ, WRITE
from ..model.json_fields import Json
from ..model.round import MeasuredPhase, Part
from ..model.statistics import median

_NAMES = {WRITE: "writes", READ: "reads"}


def parts_json(parts: Sequence[Part], hosts: Mapping[int, str]) -> list[Json]:
    """A round's parts, each with its OSDs; ``hosts`` is by OSD."""
    return [_part(part, hosts) for part in parts]


def _part(part: Part, hosts: Mapping[int, str]) -> Json:
    return {
        "name": part.name,
        "rest_seconds": part.rest_seconds,
        "started_at": iso(part.started_at),
        "ended_at": iso(part.ended_at),
        "seconds_since_load": part.since_load,
        "osds": list(part.osds),
        **{_NAMES[operation]: _operation(part, operation) for operation in _NAMES},
        "per_osd": [
            {
                "osd": osd,
                "host": hosts.get(osd),
                **{_NAMES[operation]: _osd(part, operation, osd) for operation in _NAMES},
            }
            for osd in part.osds
        ],
    }


def _operation(part: Part, operation: str) -> Optional[Json]:
    found = part.measured.get(operation)
    if found is None:
        return None
    values = list(found.values())
    return {
        "median_bytes_per_second": _median([one.bytes_per_second for one in values]),
        "median_iops": _median([one.iops for one in values]),
        "percent_of_before": part.percent_of_before.get(operation),
    }


def _median(values: Sequence[float]) -> Optional[float]:
    return median(values) if values else None


def _osd(part: Part, operation: str, osd: int) -> Optional[Json]:
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


# --- as text ---------------------------------------------------------------------------------


def parts_table(shapes: Sequence[Json]) -> str:
    """Text of the parts in ``round show``; empty for a round with one phase."""
    if not shapes:
        return ""
    if not any(s["reads"] for s in shapes):
        return f"{GAP}{_writes_only(shapes)}"
    rows = [
        [
            s["name"],
            duration(s["rest_seconds"]) if s["rest_seconds"] else NOTHING,
            duration(s["seconds_since_load"]),
            str(len(s["osds"])),
            *_figures(s["writes"]),
            *_figures(s["reads"]),
        ]
        for s in shapes
    ]
    head = ["PHASE", "REST", "SINCE LOAD", "OSDS", "WRITE MiB/s", "%", "READ MiB/s", "%"]
    return f"{GAP}{table(head, rows)}"


def _writes_only(shapes: Sequence[Json]) -> str:
    rows = [
        [
            s["name"],
            str(len(s["osds"])),
            rate(s["writes"]["median_bytes_per_second"]),
            number(s["writes"]["median_iops"], 0),
        ]
        for s in shapes
    ]
    return table(["PHASE", "OSDS", "MiB/s", "IOPS"], rows)


def _figures(shape: Optional[Json]) -> tuple[str, str]:
    if shape is None:
        return NOTHING, NOTHING
    return rate(shape["median_bytes_per_second"]), number(shape["percent_of_before"], 0)
