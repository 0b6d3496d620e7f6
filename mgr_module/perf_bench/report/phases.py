"""The phases of a round that has several, writes and reads side by side, as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from .text import GAP, NOTHING, duration, number, rate, table

Shape = Mapping[str, Any]


def parts_table(shapes: Sequence[Shape]) -> str:
    """Print the phases of ``round show``; empty for a round that has but one."""
    if not shapes:
        return ""
    if not any(s["reads"] for s in shapes):
        return f"{GAP}{_writes_only(shapes)}"
    rows = [
        [
            s["name"],
            duration(s["rest_seconds"]) if s["rest_seconds"] else NOTHING,
            _since(s["seconds_since_load"]),
            str(len(s["osds"])),
            *_figures(s["writes"]),
            *_figures(s["reads"]),
        ]
        for s in shapes
    ]
    head = ["PHASE", "REST", "SINCE LOAD", "OSDS", "WRITE MiB/s", "%", "READ MiB/s", "%"]
    return f"{GAP}{table(head, rows)}"


def _writes_only(shapes: Sequence[Shape]) -> str:
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


def _since(seconds: Optional[float]) -> str:
    return NOTHING if seconds is None else duration(seconds)


def _figures(shape: Optional[Shape]) -> tuple[str, str]:
    if shape is None:
        return NOTHING, NOTHING
    return rate(shape["median_bytes_per_second"]), number(shape["percent_of_before"], 0)
