"""Computes interim figures of a running round. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Optional

from ...model.distribution import Span
from ...model.interim import Interim, InterimClass, InterimOsd
from ...model.osd import Osd
from ...model.statistics import median

# By OSD its samples so far, each as bytes/s and operations/s.
Figures = Mapping[int, Sequence[tuple[float, float]]]
_SLOWEST = 10
# With fewer OSDs of a class its median says little about one of them.
_FEWEST = 3


def interim(figures: Figures, osds: Sequence[Osd], planned: int) -> Interim:
    """Return the medians of ``planned`` OSDs by class, and the slowest against their class."""
    known = {osd.id: osd for osd in osds}
    by_class: dict[Optional[str], list[tuple[int, float, float]]] = defaultdict(list)
    for number, samples in figures.items():
        class_ = known[number].device_class if number in known else None
        rate, iops = (median([sample[part] for sample in samples]) for part in (0, 1))
        by_class[class_].append((number, rate, iops))
    classes, ranked = [], []
    for class_, rows in sorted(by_class.items(), key=lambda entry: entry[0] or ""):
        rates = _span([rate for _, rate, _ in rows])
        classes.append(InterimClass(class_, len(rows), rates, _span([iops for *_, iops in rows])))
        if len(rows) >= _FEWEST and rates.median > 0:
            ranked += [
                InterimOsd(
                    number,
                    known[number].host if number in known else "",
                    class_,
                    rate,
                    iops,
                    100 * rate / rates.median,
                )
                for number, rate, iops in rows
            ]
    ranked.sort(key=lambda row: (row.percent_of_class, row.osd))
    return Interim(sum(map(len, by_class.values())), planned, classes, ranked[:_SLOWEST])


def _span(values: Sequence[float]) -> Span:
    return Span(min(values), median(values), max(values))
