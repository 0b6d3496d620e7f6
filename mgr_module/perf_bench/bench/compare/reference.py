"""Figures that others have published, with their hardware and source: ``published.csv``.

The last two columns are ours. They stand where others ran Ceph's bench of single OSDs: its block
size, whether onto fresh or prefilled objects, the device class, and what an OSD wrote in bytes/s.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Optional

from ...model.plan import WRITE, Step
from ...model.round import Figure

FILE = "published.csv"


@lru_cache(maxsize=1)
def _rows() -> Sequence[Mapping[str, str]]:
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def published() -> tuple[Figure, ...]:
    """All figures of the file."""
    return tuple(map(_figure, _rows()))


def alike(step: Step, device_class: str) -> Optional[tuple[Figure, float]]:
    """The figure of others for the same bench of one OSD, and its bytes/s; None without one."""
    bench = f"{step.block_size} {'prefilled' if step.prefilled else 'fresh'} {device_class}"
    found = [row for row in _rows() if row["bench"] == bench and step.operation == WRITE]
    return (_figure(found[0]), float(found[0]["per_osd"])) if found else None


def _figure(row: Mapping[str, str]) -> Figure:
    return Figure(
        id=row["id"],
        scope=row["scope"],
        hardware=row["hardware"],
        ceph=row["ceph"] or None,
        osds=int(row["osds"]) if row["osds"] else None,
        redundancy=row["redundancy"] or None,
        workload=row["workload"],
        metric=row["metric"],
        value=float(row["value"]),
        unit=row["unit"],
        source=row["source"],
        note=row["note"],
    )
