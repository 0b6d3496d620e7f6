"""A search for saturation as text: where the knee is, and the curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from ..model.phrases import plural
from .text import GAP, NOTHING, facts, number, rate, table

Shape = Mapping[str, Any]
_NAMED = ("peak", "knee", "recommended")


def saturation(shape: Optional[Shape]) -> str:
    """What a search found so far; empty where no run has figures yet."""
    if shape is None or not shape["curve"]:
        return ""
    pairs = [(name, _under(shape[name])) for name in _NAMED]
    pairs.append(("why", shape["reason"]))
    return f"{facts(pairs)}{GAP}{_curve(shape)}"


def _under(point: Shape) -> str:
    return (
        f"{plural(point['clients'], 'client')} x {plural(point['threads'], 'thread')}: "
        f"{rate(point['bytes_per_second'])} MiB/s, {_ms(point['mean_latency'])} ms"
    )


def _curve(shape: Shape) -> str:
    rows = [
        [
            str(point["clients"]),
            str(point["threads"]),
            str(point["in_flight"]),
            str(point["runs"]),
            rate(point["bytes_per_second"]),
            number(point["iops"], 0),
            _ms(point["mean_latency"]),
            _ms(point["p99_latency"]),
            ", ".join(name for name in _NAMED if shape[name] == point),
        ]
        for point in shape["curve"]
    ]
    head = ["CLIENTS", "THREADS", "IN FLIGHT", "RUNS", "MiB/s", "IOPS", "MEAN ms", "p99 ms", "IS"]
    return table(head, rows)


def _ms(seconds: Optional[float]) -> str:
    return NOTHING if seconds is None else number(1000 * seconds, 2)
