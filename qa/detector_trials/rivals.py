"""Other systems' rules for slow disks, on the same data as ours.

Each takes latencies in an array whose last axis is one group of peers, NaN for no data, and says
who is accused. The rules are written anew from their descriptions; their constants are theirs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
# A rule for one group over time: (spans, peers) -> which of the peers are accused.
Rule = Callable[[Array], Array]

# To make the median absolute deviation comparable to a standard deviation.
_MAD_TO_SIGMA = 1.4826


def hdfs_outliers(
    latency: Array, low: float = 0.0, times_median: float = 3.0, least: int = 5
) -> Array:
    """HDFS OutlierDetector: over ``low``, 3 medians, and the median and 3 scaled MADs.

    ``low`` (20 ms for disks) is 0 by default: the data's unit is not known. ``times_median`` 0
    takes away the guard of 3 medians.
    """
    middle, spread = _median_mad(latency)
    limit = np.maximum(low, middle + 3 * _MAD_TO_SIGMA * spread)
    limit = np.maximum(limit, times_median * middle)
    enough = np.sum(~np.isnan(latency), axis=-1, keepdims=True) >= least
    outliers: Array = (latency > limit) & enough
    return outliers


def hdfs(latency: Array, windows: int = 1, times_median: float = 3.0) -> Array:
    """Accused in at least so many windows (of 30 minutes)."""
    found: Array = hdfs_outliers(latency, times_median=times_median).sum(axis=0) >= windows
    return found


def zfs_autosit(latency: Array, insensitivity: float = 50.0) -> Array:
    """OpenZFS RAID-Z autosit: the slowest, if beyond a Tukey fence, gains points; 20 sit it out."""
    children = latency.shape[-1]
    counts, events, sat = np.zeros(children), 0, np.zeros(children, dtype=bool)
    known = np.sum(~np.isnan(latency), axis=-1) >= 5
    low, high = _quartiles(latency)
    span = high - low
    fence = high + insensitivity * np.maximum(span, low / 4)
    worst = np.nanmax(np.where(known[:, None], latency, 0.0), axis=-1)
    for tick in np.flatnonzero(known & (worst > fence)):
        child = int(np.nanargmax(latency[tick]))
        over = (worst[tick] - fence[tick]) / max(span[tick], 1e-12)
        counts[child] += min(max(over, 1.0), 5.0)
        events += 1
        if events >= children:
            counts, events = np.maximum(counts - 2, 0), 0
        if counts[child] > 20:
            sat[child] = True
            counts[:] = 0
    return sat


def ceph_pr(
    latency: Array,
    score: float = 10.0,
    least_latency: float = 0.0,
    mad_floor: float = 0.0,
    persistence: int = 3,
    least: int = 5,
) -> Array:
    """``FailSlowOSDDetector`` of ceph/ceph pull request 69995, one check a row.

    (value - median) / max(MAD, floor) >= 10 and latency at least 100 ms (0 here: the unit is not
    known); a counter goes up when flagged and is halved when not; 3 warn.
    """
    values = np.where(latency > 0, latency, np.nan)
    middle, spread = _median_mad(values)
    scale = np.maximum(spread, max(mad_floor, 1e-12))
    enough = np.sum(~np.isnan(values), axis=-1, keepdims=True) >= least
    flagged = ((values - middle) / scale >= score) & (values >= least_latency) & enough
    counts = np.zeros(latency.shape[-1])
    warned = np.zeros(latency.shape[-1], dtype=bool)
    for now in flagged:
        halved = np.floor(counts / 2)
        counts = np.where(now, counts + 1, np.where(halved < 2, 0, halved))
        warned |= counts >= persistence
    return warned


def accused(latency: Array, groups: Iterable[Sequence[int]], rule: Rule) -> set[int]:
    """The members that the rule accuses, group by group; ``latency`` is (spans, members)."""
    found: set[int] = set()
    for group in groups:
        members = np.array(group)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # spans without any data
            found.update(members[rule(latency[:, members])].tolist())
    return found


def _median_mad(values: Array) -> tuple[Array, Array]:
    """Median and raw median absolute deviation over the last axis, which is kept."""
    middle = np.nanmedian(values, axis=-1, keepdims=True)
    return middle, np.nanmedian(np.abs(values - middle), axis=-1, keepdims=True)


def _quartiles(values: Array) -> tuple[Array, Array]:
    """First and third quartile over the last axis, between neighbours in proportion."""
    ordered = np.sort(values, axis=-1)  # NaN comes last
    last = np.sum(~np.isnan(values), axis=-1) - 1

    def quantile(share: float) -> Array:
        place = np.maximum(last * share, 0)
        low = np.floor(place).astype(int)
        high = np.minimum(low + 1, np.maximum(last, 0))
        below = np.take_along_axis(ordered, low[..., None], -1)[..., 0]
        above = np.take_along_axis(ordered, high[..., None], -1)[..., 0]
        found: Array = below + (place - low) * (above - below)
        return found

    return quantile(0.25), quantile(0.75)
