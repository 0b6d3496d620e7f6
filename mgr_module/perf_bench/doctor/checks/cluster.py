"""Checks of the cluster as a whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from ...model.doctor_snapshot import CLUSTER, DoctorSnapshot, OsdDetails
from ...model.phrases import listed
from .seen import Found, Need, Seen, as_numbers, config_rm, config_set, form, names

_SCRUBS = ("noscrub", "nodeep-scrub")
_TARGET = "mon_target_pg_per_osd"
# Multiple of the target: the autoscaler acts from three times on.
_FAR = 3.0
# Multiple of the median that is uneven, and the least median for which that matters.
_UNEVEN, _ENOUGH = 1.5, 32
# OSDs of a class that can be compared.
_ALIKE = 3
_NOT_ALIKE = Need(
    "not-alike",
    f"OSDs are compared only where a class has at least {_ALIKE}, all of one size",
)
_SKEW = "MON_CLOCK_SKEW"
# The share of the interval between ticks from which on the mgr is too busy.
_BUSY = 0.8
_TICK = "mgr/perf_bench/watch_tick_seconds"
# Seconds: the largest value of the option.
_LONGEST = 60


def scrub_flags(seen: Seen) -> Iterator[Found]:
    """Scrubs are off, and no running round holds the flags."""
    snapshot = seen.snapshot
    left = [flag for flag in _SCRUBS if flag in snapshot.flags - snapshot.held]
    if left:
        yield Found(
            f"{listed(left)} {form(left, 'is', 'are')} set, although no round holds it: without "
            "scrubs damaged data stays undetected",
            [f"ceph osd unset {flag}" for flag in left],
            evidence={"flags": left},
        )


def placement_groups(seen: Seen) -> Iterator[Found]:
    """OSDs have far more placement groups than the target."""
    have = [p for p in seen.counted() if p.osd.in_cluster]
    target = seen.snapshot.number(have[0], _TARGET) if have else None
    middle = median(p.pgs or 0 for p in have) if have else 0
    if target and middle > _FAR * target:
        yield Found(
            f"OSDs have {middle:.0f} placement groups (median), {_TARGET} is {target:.0f}: each "
            "uses memory and makes peering after a failure longer",
            ["ceph osd pool autoscale-status"],
            evidence={"median_pgs": middle, _TARGET: target},
        )


def uneven_placement_groups(seen: Seen) -> Iterator[Found]:
    """OSDs have far more placement groups than others of their class and size."""
    by_class: dict[str, list[OsdDetails]] = {}
    for details in seen.counted():
        if details.osd.in_cluster:
            by_class.setdefault(details.osd.device_class or "", []).append(details)
    every = [p for members in by_class.values() for p in members]
    seen.lack(
        _NOT_ALIKE,
        [p for members in by_class.values() if not _is_alike(members) for p in members],
        every,
    )
    for name, members in sorted(by_class.items()):
        middle = median(p.pgs or 0 for p in members)
        have = [p for p in members if (p.pgs or 0) > _UNEVEN * middle]
        if middle >= _ENOUGH and _is_alike(members) and have:
            most = max(p.pgs or 0 for p in have)
            yield Found(
                f"{names(have)} {form(have, 'has', 'have')} up to {most} placement groups, the "
                f"peers of class {name} {middle:.0f} (median): more work in proportion, which "
                "slows the whole pool",
                ["ceph balancer on", "ceph balancer status"],
                have,
                {"median_pgs": middle, "most_pgs": most},
            )


def _is_alike(members: Sequence[OsdDetails]) -> bool:
    """Whether OSDs of a class are enough and of one size, so that they can be compared."""
    sizes = {p.slow_total if p.separate_db else p.db_total for p in members}
    return len(members) >= _ALIKE and len(sizes) == 1 and None not in sizes


def mixed_releases(seen: Seen) -> Iterator[Found]:
    """OSDs run several releases."""
    have = seen.with_metadata()
    counts = Counter(str(p.release) for p in have)
    if len(counts) > 1:
        newest = max(counts, key=as_numbers)
        each = ", ".join(f"{count} of {name}" for name, count in sorted(counts.items()))
        yield Found(
            f"OSDs run {len(counts)} releases: {each}; their performance and their counters may "
            "differ",
            ["ceph versions"],
            [p for p in have if p.release != newest],
            dict(counts),
            target=CLUSTER,
        )


def clock_skew(seen: Seen) -> Iterator[Found]:
    """Monitors' clocks differ, so that leases expire too early."""
    summary = seen.health().get(_SKEW)
    if summary is not None:
        yield Found(
            f"{summary}: leases expire too early or too late, and times in logs cannot be compared",
            ["chronyc makestep"],
            evidence={_SKEW: summary},
        )


def busy_mgr(seen: Seen) -> Iterator[Found]:
    """The mgr is too slow for the interval of the watch's ticks."""
    took, every = seen.tick()
    if took > _BUSY * every:
        yield Found(
            f"the watch's newest tick took {took:.1f} s, and the interval is {every:.0f} s: the "
            "mgr is overloaded, which slows the dashboard too",
            _longer_ticks(seen.snapshot, took, every),
            evidence={"tick_seconds": took, "every_seconds": every},
        )


def _longer_ticks(snapshot: DoctorSnapshot, took: float, every: float) -> list[str]:
    """The commands for an interval in which such a tick fits, or the longest one."""
    longer = min(_LONGEST, max(30, 2 * round(every), math.ceil(took / _BUSY)))
    if every >= longer:
        return ["ceph mgr module ls"]  # which of the other modules may be disabled
    narrower = [one for one in snapshot.settings if one.name == _TICK and one.section != "global"]
    return [
        *(config_rm(one.who, _TICK) for one in narrower if one.who != "mgr"),
        config_set("mgr", _TICK, longer),
    ]
