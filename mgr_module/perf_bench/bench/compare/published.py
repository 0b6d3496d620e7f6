"""Figures that others have published, with their hardware and source: ``published.csv``.

The first eleven columns are as published. The last seven are ours and stand where one OSD's
result may be set beside the figure: the work (tool, operation, block size, prefilled objects),
the media it holds for, its value per OSD in bytes/s or operations/s, and whether it was measured
or is the least or the most that is plausible.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Optional

from ...model.reference import Alike, Bound, Figure, Work

FILE = "published.csv"


@lru_cache(maxsize=1)
def published() -> tuple[Figure, ...]:
    """All figures of the file; read once."""
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return tuple(_figure(row) for row in csv.DictReader(text.splitlines()))


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
        alike=_alike(row),
    )


def _alike(row: Mapping[str, str]) -> Optional[Alike]:
    if not row["method"]:
        return None
    value, unit = row["per_osd"].split()
    work = Work(row["method"], row["operation"], int(row["block_size"]), row["prefilled"] == "yes")
    media = frozenset(row["media"].split())
    return Alike(work, media, float(value), unit == "1/s", Bound(row["kind"]))
