"""Compare a round with published figures of the same work.

Figures that others have published, with their hardware and source: ``published.csv``.

The first eleven columns are as published. The last seven are ours and stand where one OSD's
result may be set beside the figure: the work (tool, operation, block size, prefilled objects),
the media it holds for, its value per OSD in bytes/s or operations/s, and whether it was measured
or is the least or the most that is plausible.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Optional

from ...model.osd import Osd
from ...model.round import Alike, Bound, Context, Figure, OsdRates, Round, Verdict, Work
from ...model.statistics import median

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


_KIND = "osd"
_METHOD = "osd bench"
# Rounds with other verdicts are not compared.
_SHOWN = (Verdict.VALID, Verdict.NOISY)


def closest(
    round_: Round, rates: Sequence[OsdRates], osds: Sequence[Osd] = ()
) -> tuple[Context, ...]:
    """For each medium that the round measured, the published figures for the same work.

    ``osds`` as the cluster knows them tell NVMe from other flash. Empty for a round that is not
    of OSDs by themselves, or whose figures are worth nothing.
    """
    if round_.kind != _KIND or round_.verdict not in _SHOWN:
        return ()
    known = {osd.id: medium(osd) for osd in osds}
    by_medium: dict[str, list[OsdRates]] = defaultdict(list)
    for one in rates:
        found = known.get(one.osd) or one.device_class
        if found and one.bytes_per_second and one.iops:
            by_medium[found].append(one)
    return tuple(_context(round_, name, rows) for name, rows in sorted(by_medium.items()))


def medium(osd: Osd) -> Optional[str]:
    """The medium with its data: hdd, ssd (other flash than NVMe) or nvme; None if unknown.

    Ceph puts NVMe drives into the class "ssd" unless told otherwise, so the kernel's names of the
    devices decide; where it has a drive of each kind (a DB beside it), the class.
    """
    if osd.rotational or osd.device_class == "hdd":
        return "hdd"
    names = [name for name in (osd.devices or "").split(",") if name]
    if names and all(name.startswith("nvme") for name in names):
        return "nvme"
    return osd.device_class


def _context(round_: Round, name: str, rows: Sequence[OsdRates]) -> Context:
    step = round_.plan.step
    work = Work(_METHOD, step.operation, step.block_size, step.prefilled)
    found = list(_like(work, name))
    like = {alike.bound: figure for figure, alike in found}
    operations = any(alike.operations for _, alike in found)
    rates = [row.iops if operations else row.bytes_per_second for row in rows]
    return Context(
        work,
        name,
        len(rows),
        median(rates),
        operations,
        like.get(Bound.MEASURED),
        like.get(Bound.LEAST),
        like.get(Bound.MOST),
    )


def _like(work: Work, name: str) -> Iterator[tuple[Figure, Alike]]:
    for figure in published():
        alike = figure.alike
        if alike is not None and alike.work == work and name in alike.media:
            yield figure, alike
