"""Figures over all OSDs of a round: their distribution and interim figures."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Callable, Optional

from ...model.osd import Osd
from ...model.plan import MIB
from ...model.round import (
    Distribution,
    Histogram,
    Histograms,
    Interim,
    InterimClass,
    InterimOsd,
    OsdResult,
    Span,
)
from ...model.statistics import median
from .summary import is_slow

_MOST_BINS = 30


def distribution(results: Sequence[OsdResult]) -> Distribution:
    """How the figures of all OSDs of a round are distributed."""

    def counted(read: Callable[[OsdResult], Optional[float]], *how: float) -> Optional[Histogram]:
        found = [(read(one), one) for one in results]
        known = [(value, one) for value, one in found if value is not None and math.isfinite(value)]
        slow = [value for value, one in known if is_slow(one)]
        return histogram([value for value, _ in known], slow, *how)

    return Distribution(
        len(results),
        Histograms(
            # Percentages of few OSDs have narrow bins too, so that a slow OSD stands apart.
            counted(lambda one: one.percent_of_peers, 1.0, _MOST_BINS),
            counted(lambda one: one.median_bytes_per_second, float(MIB)),
            counted(lambda one: one.median_iops, 1.0),
        ),
    )


def histogram(
    values: Sequence[float], slow: Sequence[float], unit: float, fewest: float = 5
) -> Optional[Histogram]:
    """Values in at most about 30 bins, and about ``fewest`` if they are few; None without values.

    ``slow`` are those of the values that are slow against their peers. The width of a bin is 1, 2
    or 5 times a power of ten units.
    """
    if not values:
        return None
    low, high = min(values), max(values)
    wanted = min(_MOST_BINS, max(fewest, math.ceil(math.sqrt(len(values)))))
    width = unit * _round_width(((high - low) / wanted or abs(low) / 10 or 1.0) / unit)
    first = math.floor(low / width)
    bins = math.floor(high / width) - first + 1

    def counted(which: Sequence[float]) -> list[int]:
        counts = [0] * bins
        for value in which:
            counts[math.floor(value / width) - first] += 1
        return counts

    counts = counted(values)
    return Histogram(first, width, counts, counted(slow), len(values), low, high, median(values))


def _round_width(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    return next((factor for factor in (1, 2, 5) if factor * power >= width), 10) * power


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
        class_ = getattr(known.get(number), "device_class", None)
        rate, iops = (median([sample[part] for sample in samples]) for part in (0, 1))
        by_class[class_].append((number, rate, iops))
    classes, ranked = [], []
    for class_, rows in sorted(by_class.items(), key=lambda entry: entry[0] or ""):
        rates = _span([rate for _, rate, _ in rows])
        classes.append(InterimClass(class_, len(rows), rates, _span([iops for *_, iops in rows])))
        if len(rows) >= _FEWEST and rates.median > 0:
            for number, rate, iops in rows:
                host = getattr(known.get(number), "host", "")
                percent = 100 * rate / rates.median
                ranked.append(InterimOsd(number, host, class_, rate, iops, percent))
    ranked.sort(key=lambda row: (row.percent_of_class, row.osd))
    return Interim(sum(map(len, by_class.values())), planned, classes, ranked[:_SLOWEST])


def _span(values: Sequence[float]) -> Span:
    return Span(min(values), median(values), max(values))
