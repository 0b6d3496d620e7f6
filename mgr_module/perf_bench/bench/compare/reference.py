"""Published figures.

Figures that others have published, with their hardware and source: ``published.csv``.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from ...model.round import Figure

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
    )
