"""What `osd ls` sorts and searches by, read from the OSDs themselves.

A list of 10,000 OSDs is sorted before any becomes JSON: 10,000 shapes take 100 ms, 50 none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from ..model.osd import Osd
from ..model.round import OsdResult, RoundLine
from .listing import Fields

# By OSD the round that measured it last and what that found.
Newest = Mapping[int, tuple[RoundLine, OsdResult]]


def osd_fields(newest: Newest) -> Fields[Osd]:
    """By key what the shape of an OSD has there; None where there is nothing."""

    def of_result(name: str) -> Callable[[Osd], Any]:
        def of(osd: Osd) -> Any:
            bench = newest.get(osd.id)
            return None if bench is None else getattr(bench[1], name)

        return of

    return {
        "osd": lambda osd: osd.id,
        "host": lambda osd: osd.host,
        "class": lambda osd: osd.device_class,
        "device": lambda osd: osd.device,
        "model": lambda osd: osd.model,
        "up": lambda osd: osd.up,
        "enclosure": lambda osd: osd.location.get("enclosure"),
        "last_bench.round": lambda osd: newest[osd.id][0].id if osd.id in newest else None,
        "last_bench.bytes_per_second": of_result("median_bytes_per_second"),
        "last_bench.iops": of_result("median_iops"),
        "last_bench.cv_percent": of_result("cv_percent"),
        "last_bench.robust_z": of_result("robust_z"),
        "last_bench.percent_of_peers": of_result("percent_of_peers"),
    }
