"""What `osd ls` sorts and searches by, read from the OSDs themselves.

A list of 10,000 OSDs is sorted before any becomes JSON: 10,000 shapes take 100 ms, 50 none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from ..model.frame import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE
from ..model.osd import Osd
from ..model.osd_snapshot import OsdSnapshot
from ..model.round import OsdResult, RoundLine
from .listing import Fields
from .text import iso

# By OSD the round that measured it last and what that found.
Newest = Mapping[int, tuple[RoundLine, OsdResult]]


def osd_fields(newest: Newest, sight: OsdSnapshot) -> Fields[Osd]:
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
        "commit_ms": lambda osd: sight.latency_ms(osd.id, COMMIT),
        "apply_ms": lambda osd: sight.apply_ms(osd.id),
        "read_ms": lambda osd: sight.latency_ms(osd.id, CLIENT_READ),
        "write_ms": lambda osd: sight.latency_ms(osd.id, CLIENT_WRITE),
        "queue_ms": lambda osd: sight.latency_ms(osd.id, QUEUE),
        "ratio": lambda osd: sight.verdict(osd.id).ratio,
        "robust_z": lambda osd: sight.verdict(osd.id).robust_z,
        "risk": lambda osd: sight.verdict(osd.id).risk,
        "state": lambda osd: sight.verdict(osd.id).state.value,
        "since": lambda osd: iso(sight.verdict(osd.id).since),
        "last_bench.round": lambda osd: newest[osd.id][0].id if osd.id in newest else None,
        "last_bench.bytes_per_second": of_result("median_bytes_per_second"),
        "last_bench.iops": of_result("median_iops"),
        "last_bench.cv_percent": of_result("cv_percent"),
        "last_bench.robust_z": of_result("robust_z"),
        "last_bench.percent_of_peers": of_result("percent_of_peers"),
    }
