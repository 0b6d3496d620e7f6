"""The whole cluster over one span: latencies of its OSDs, work of clients, OSDs that stood out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

# The group of all OSDs; the others are device classes.
ALL_OSDS = ""
# What ``ClusterSpan.work`` has, in this order: operations, bytes and recovered bytes per second,
# and the number of placement groups that are scrubbed.
WORK = ("read_ops", "write_ops", "read_bytes", "write_bytes", "recovery_bytes", "scrubbing")
Work = tuple[Optional[float], ...]
# OSDs that stand out, and events, of one span; the worst are kept.
MOST_APART = 512
MOST_EVENTS = 100


@dataclass(frozen=True)
class ClusterSpan:
    """One span. Latencies are in seconds, times unix seconds.

    ``latency`` has (group, channel, OSDs with data, median, 95th and 99th percentile of the OSDs'
    means). ``work`` has means in the order of WORK, None for not known. ``apart`` has (OSD, frames
    in which it was slow against its peers), worst first, ``more_apart`` how many are left out.
    ``osds`` is how many OSDs had data, ``silent`` are watched ones without any. ``restarted`` and
    ``went_down`` have (OSD, time).
    """

    start: int
    seconds: int
    osds: int
    latency: tuple[tuple[str, str, int, float, float, float], ...] = ()
    work: tuple[Optional[float], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    more_apart: int = 0
    restarted: tuple[tuple[int, int], ...] = ()
    went_down: tuple[tuple[int, int], ...] = ()
    silent: tuple[int, ...] = ()
    more_silent: int = 0

    @property
    def end(self) -> int:
        return self.start + self.seconds


def mean_work(works: Sequence[Work]) -> Work:
    """Return the mean of each figure over the samples that have it."""
    found = []
    for values in zip(*works):
        known = [value for value in values if value is not None]
        found.append(short(sum(known) / len(known)) if known else None)
    return tuple(found)


def short(value: float) -> float:
    """The value with four significant digits."""
    return float(f"{value:.4g}")


def merged(start: int, seconds: int, parts: Sequence[ClusterSpan]) -> ClusterSpan:
    """Return spans in order as one: percentiles and work are means over the parts."""
    if len(parts) == 1 and parts[0].seconds == seconds:
        return parts[0]
    latency: dict[tuple[str, str], list[tuple[int, float, float, float]]] = {}
    frames: Counter[int] = Counter()
    # Silent in all parts.
    silent = set.intersection(*(set(part.silent) for part in parts))
    for part in parts:
        for group, channel, *figures in part.latency:
            latency.setdefault((group, channel), []).append(tuple(figures))  # type: ignore[arg-type]
        frames.update(dict(part.apart))
    worst = sorted(frames.items(), key=lambda pair: (-pair[1], pair[0]))
    return ClusterSpan(
        start,
        seconds,
        max(part.osds for part in parts),
        tuple(
            (group, channel, max(one[0] for one in of), *_means([one[1:] for one in of]))
            for (group, channel), of in latency.items()
        ),
        mean_work([part.work for part in parts if len(part.work) == len(WORK)]),
        tuple(worst[:MOST_APART]),
        max(0, len(worst) - MOST_APART) + max(part.more_apart for part in parts),
        tuple(one for part in parts for one in part.restarted)[:MOST_EVENTS],
        tuple(one for part in parts for one in part.went_down)[:MOST_EVENTS],
        tuple(sorted(silent)),
        min(part.more_silent for part in parts),
    )


def _means(of: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    median, high, highest = (short(sum(values) / len(values)) for values in zip(*of))
    return median, high, highest
