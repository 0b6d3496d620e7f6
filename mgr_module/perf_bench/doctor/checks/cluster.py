"""Checks of the cluster as a whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from statistics import median

from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot
from ...model.finding import Severity
from ...model.said import say
from .needs import is_alike
from .wording import as_numbers, config_rm, config_set, ids, numbers, some, target_of, together

_SCRUBS = ("noscrub", "nodeep-scrub")
_TARGET, _MOST = "mon_target_pg_per_osd", "mon_max_pg_per_osd"
# Multiple of the target: the autoscaler acts from three times on.
_FAR = 3.0
# Multiple of the median that is uneven, and the least median for which that matters.
_UNEVEN, _ENOUGH = 1.5, 32
_SKEW = "MON_CLOCK_SKEW"
# The share of the interval between ticks from which on the mgr is too busy.
_BUSY = 0.8
_TICK = "mgr/perf_bench/watch_tick_seconds"
# Seconds: the largest value of the option.
_LONGEST = 60


def scrub_flags(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Scrubs that are off, unless a running round holds the flags."""
    left = [flag for flag in _SCRUBS if flag in snapshot.flags and flag not in snapshot.held]
    if left:
        yield Advice(
            "SCRUB_OFF",
            Severity.WARNING,
            CLUSTER,
            say(
                "advice-scrub-off",
                "{flags:list} {flags#is|are} set, although no round holds it: without scrubs "
                "damaged data stays undetected",
                flags=left,
            ),
            together(f"ceph osd unset {flag}" for flag in left),
            "All-Flash Ceph RBD Storage (Bloomberg, 2024): do not leave scrubs off indefinitely",
            evidence={"flags": left},
        )


def placement_groups(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Far more placement groups per OSD than the target."""
    have = [p for p in snapshot.up() if p.osd.in_cluster and p.pgs is not None]
    target = snapshot.number(have[0], _TARGET) if have else None
    if not target:
        return
    middle = median(p.pgs or 0 for p in have)
    if middle > _FAR * target:
        yield Advice(
            "TOO_MANY_PGS",
            Severity.WARNING,
            CLUSTER,
            say(
                "advice-too-many-pgs",
                "OSDs have {pgs:.0f} placement groups (median), {option} is {target:.0f}: each "
                "uses memory and makes peering after a failure longer",
                pgs=middle,
                option=_TARGET,
                target=target,
            ),
            "ceph osd pool autoscale-status",
            "Ceph's documentation: placement groups; very fast clusters may gain from many "
            "(1 TiB/s, Clyso, 2024)",
            evidence={"median_pgs": middle, _TARGET: target},
        )


def uneven_placement_groups(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs with far more placement groups than others of their class and size."""
    by_class: dict[str, list[int]] = {}
    for details in snapshot.up():
        if details.osd.in_cluster and details.pgs is not None:
            by_class.setdefault(details.osd.device_class or "", []).append(details.osd.id)
    for name, found in sorted(by_class.items()):
        members = [snapshot.osds[number] for number in found]
        middle = median(p.pgs or 0 for p in members)
        have = [p for p in members if (p.pgs or 0) > _UNEVEN * middle]
        if middle >= _ENOUGH and is_alike(members) and have:
            most = max(have, key=lambda p: p.pgs or 0)
            yield Advice(
                "UNEVEN_PGS",
                Severity.WARNING,
                target_of(have),
                say(
                    "advice-uneven-pgs",
                    "{osds:osds} {osds#has|have} up to {most} placement groups, the peers of class "
                    "{class} {median:.0f} (median): more work in proportion, which slows the whole "
                    "pool",
                    osds=numbers(have),
                    most=most.pgs,
                    **{"class": name},
                    median=middle,
                ),
                "ceph balancer on && ceph balancer status",
                "Ceph's documentation: balancer",
                ids(have),
                {**some(have), "median_pgs": middle, "most_pgs": most.pgs},
            )


def mixed_releases(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs of several releases."""
    seen = Counter(p.release for p in snapshot.up() if p.release)
    if len(seen) > 1:
        newest = max(seen, key=as_numbers)
        old = [p for p in snapshot.up() if p.release and p.release != newest]
        yield Advice(
            "MIXED_RELEASES",
            Severity.INFO,
            CLUSTER,
            say(
                "advice-mixed-releases",
                "OSDs run {count} releases: {releases:all}; their performance and their counters "
                "may differ",
                count=len(seen),
                releases=[
                    say("count-of", "{count} of {release}", count=count, release=release)
                    for release, count in sorted(seen.items())
                ],
            ),
            "ceph versions",
            "Ceph's documentation: upgrading",
            ids(old),
            dict(seen),
        )


def clock_skew(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Monitors whose clocks differ, so that leases expire too early."""
    summary = snapshot.checks.get(_SKEW)
    if summary is not None:
        yield Advice(
            "CLOCK_SKEW",
            Severity.WARNING,
            CLUSTER,
            say(
                "advice-clock-skew",
                "{summary}: leases expire too early or too late, and times in logs cannot be "
                "compared",
                summary=summary,
            ),
            "chronyc makestep",
            f"Ceph's documentation: {_SKEW}",
            evidence={_SKEW: summary},
        )


def busy_mgr(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """A mgr that is too slow for the interval of the watch's ticks."""
    if snapshot.tick is not None and snapshot.tick[0] > _BUSY * snapshot.tick[1]:
        took, every = snapshot.tick
        yield Advice(
            "MGR_BUSY",
            Severity.WARNING,
            CLUSTER,
            say(
                "advice-mgr-busy",
                "the watch's newest tick took {took:.1f} s, and the interval is {every:.0f} s: the "
                "mgr is overloaded, which slows the dashboard too",
                took=took,
                every=every,
            ),
            together(_longer_ticks(snapshot, took, every)),
            "40GiB/s S3 Throughput With 22TB Spinners (Pawsey / IBM, 2024)",
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
