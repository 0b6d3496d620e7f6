"""OSDs in a list before they become JSON: 10,000 shapes take 100 ms, those of one page none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

from ..model.osd import Osd
from ..model.round import OsdResult, Round
from . import shapes


class OsdLine(NamedTuple):
    """An OSD with the round that measured it last and what that found, if one has."""

    osd: Osd
    bench: Optional[tuple[Round, OsdResult]]

    @property
    def shape(self) -> shapes.Shape:
        """As ``osd ls`` answers it."""
        return shapes.osd(self.osd, shapes.last_bench(*self.bench) if self.bench else None)


def _of_result(name: str) -> Callable[[OsdLine], Any]:
    return lambda line: getattr(line.bench[1], name) if line.bench else None


# What the shape has at these keys; None where there is nothing.
FIELDS: Mapping[str, Callable[[OsdLine], Any]] = {
    "osd": lambda line: line.osd.id,
    "host": lambda line: line.osd.host,
    "class": lambda line: line.osd.device_class,
    "device": lambda line: line.osd.device,
    "model": lambda line: line.osd.model,
    "up": lambda line: line.osd.up,
    "enclosure": lambda line: line.osd.location.get("enclosure"),
    "last_bench.round": lambda line: line.bench[0].id if line.bench else None,
    "last_bench.bytes_per_second": _of_result("median_bytes_per_second"),
    "last_bench.iops": _of_result("median_iops"),
    "last_bench.cv_percent": _of_result("cv_percent"),
    "last_bench.robust_z": _of_result("robust_z"),
    "last_bench.percent_of_peers": _of_result("percent_of_peers"),
}
