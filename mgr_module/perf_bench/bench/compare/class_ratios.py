"""Each OSD's newest throughput and IOPS against the median of its device class. Pure.

Throughput is that of rounds with blocks of 1 MiB and more, operations those of smaller ones. Only
figures of the same profile and block size are set against each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Optional

from ...model.bench import MIB
from ...model.comparison import ClassRatios
from ...model.round import OsdResult, RoundLine
from ...model.statistics import median

# With fewer OSDs of a class its median says little about one of them.
_FEWEST = 3


def class_ratios(
    latest: Mapping[tuple[int, str], tuple[RoundLine, OsdResult]],
    classes: Mapping[int, Optional[str]],
    profile: Optional[str] = None,
) -> dict[int, ClassRatios]:
    """By OSD of ``classes`` (its device class) its ratios; with ``profile`` only of that one."""
    large = _percents(latest, classes, profile, large=True)
    small = _percents(latest, classes, profile, large=False)
    return {osd: ClassRatios(large.get(osd), small.get(osd)) for osd in large.keys() | small.keys()}


def _percents(
    latest: Mapping[tuple[int, str], tuple[RoundLine, OsdResult]],
    classes: Mapping[int, Optional[str]],
    profile: Optional[str],
    *,
    large: bool,
) -> dict[int, float]:
    newest: dict[int, RoundLine] = {}
    figures: dict[int, float] = {}
    for (osd, name), (line, result) in latest.items():
        # Operations and bytes are the same ratio: all of a group have one block size.
        figure = result.median_bytes_per_second
        wanted = (line.step.block_size >= MIB) is large and profile in (None, name)
        if not wanted or not figure or osd not in classes:
            continue
        if osd not in newest or newest[osd].id < line.id:
            newest[osd], figures[osd] = line, figure
    groups: dict[tuple[Optional[str], str, int], list[int]] = defaultdict(list)
    for osd, line in newest.items():
        groups[classes[osd], line.profile, line.step.block_size].append(osd)
    percents: dict[int, float] = {}
    for osds in groups.values():
        if len(osds) >= _FEWEST:
            middle = median([figures[osd] for osd in osds])
            percents.update((osd, 100 * figures[osd] / middle) for osd in osds)
    return percents
