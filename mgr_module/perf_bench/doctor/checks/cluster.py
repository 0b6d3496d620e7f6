"""What concerns the cluster as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import median

from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot
from ...model.finding import Severity
from .wording import as_numbers, ids, osds, some, target_of, together, verb

_SCRUBS = ("noscrub", "nodeep-scrub")
_TARGET, _MOST = "mon_target_pg_per_osd", "mon_max_pg_per_osd"
# Times the target: up to this the autoscaler itself would not act (its threshold is 3).
_FAR = 3.0
# An OSD with as many more than the median does as many times the work.
_UNEVEN, _ENOUGH = 1.5, 32
_SKEW = "MON_CLOCK_SKEW"
# Of the time between two ticks of the watch: beyond it the mgr has no time for it.
_BUSY = 0.8
# Seconds; the option takes no more.
_LONGEST = 60


def scrub_flags(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Scrubs that are off, and not because a round of ours holds them."""
    left = [flag for flag in _SCRUBS if flag in chart.flags and flag not in chart.held]
    if left:
        yield Advice(
            "SCRUB_OFF",
            Severity.WARNING,
            CLUSTER,
            f"{' and '.join(left)} {'is' if len(left) == 1 else 'are'} set: right for a "
            "benchmark, but damage that nobody looks for stays",
            together(f"ceph osd unset {flag}" for flag in left),
            "All-Flash Ceph RBD Storage (Bloomberg, 2024): do not set it off indefinitely",
            evidence={"flags": left},
        )


def placement_groups(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Far more placement groups an OSD than meant."""
    have = [p for p in chart.up() if p.osd.in_cluster and p.pgs is not None]
    target = chart.number(have[0], _TARGET) if have else None
    if not target:
        return
    middle = median(p.pgs or 0 for p in have)
    if middle > _FAR * target:
        yield Advice(
            "TOO_MANY_PGS",
            Severity.WARNING,
            CLUSTER,
            f"an OSD has {middle:.0f} placement groups (median), {_TARGET} is {target:.0f}: each "
            "costs memory, and peering after a failure takes as many times longer",
            "ceph osd pool autoscale-status",
            "Ceph's documentation: placement groups; on very fast clusters many can pay "
            "(1 TiB/s, Clyso, 2024)",
            evidence={"median_pgs": middle, _TARGET: target},
        )


def uneven_placement_groups(chart: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs that have far more placement groups than the others of their class and size."""
    by_class: dict[str, list[int]] = {}
    for patient in chart.up():
        if patient.osd.in_cluster and patient.pgs is not None:
            by_class.setdefault(patient.osd.device_class or "", []).append(patient.osd.id)
    for name, numbers in sorted(by_class.items()):
        members = [chart.patients[number] for number in numbers]
        middle = median(p.pgs or 0 for p in members)
        # Where sizes differ, so must they.
        sizes = {p.db_total for p in members if not p.separate_db}
        have = [p for p in members if (p.pgs or 0) > _UNEVEN * middle]
        if middle >= _ENOUGH and len(members) >= 3 and len(sizes) <= 1 and have:
            most = max(have, key=lambda p: p.pgs or 0)
            yield Advice(
                "UNEVEN_PGS",
                Severity.WARNING,
                target_of(have),
                f"{osds(have)} {verb(have, 'has', 'have')} up to {most.pgs} placement groups, the "
                f"peers of class {name} {middle:.0f} (median): that is as much more work, and all "
                "wait for it",
                "ceph balancer on",
                "Ceph's documentation: balancer",
                ids(have),
                {**some(have), "median_pgs": middle, "most_pgs": most.pgs},
            )


def mixed_releases(chart: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs of several releases."""
    seen = Counter(p.release for p in chart.up() if p.release)
    if len(seen) > 1:
        newest = max(seen, key=as_numbers)
        old = [p for p in chart.up() if p.release and p.release != newest]
        yield Advice(
            "MIXED_RELEASES",
            Severity.INFO,
            CLUSTER,
            f"OSDs of {len(seen)} releases run: {_releases(seen)}; what they are capable of "
            "differs, and so do their counters",
            "ceph versions",
            "Ceph's documentation: upgrading",
            ids(old),
            dict(seen),
        )


def _releases(seen: Counter[str]) -> str:
    return ", ".join(f"{count} of {release}" for release, count in sorted(seen.items()))


def clock_skew(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Monitors whose clocks differ: leases run out too early then."""
    told = chart.checks.get(_SKEW)
    if told is not None:
        yield Advice(
            "CLOCK_SKEW",
            Severity.WARNING,
            CLUSTER,
            f"{told}: leases run out too early or too late, and times in logs cannot be compared",
            "chronyc makestep",
            f"Ceph's documentation: {_SKEW}",
            evidence={_SKEW: told},
        )


def busy_mgr(chart: DoctorSnapshot) -> Iterator[Advice]:
    """A mgr that has no time for a look every few seconds."""
    if chart.tick is not None and chart.tick[0] > _BUSY * chart.tick[1]:
        took, every = chart.tick
        yield Advice(
            "MGR_BUSY",
            Severity.WARNING,
            CLUSTER,
            f"the watch's newest look took {took:.1f} s and there is one every {every:.0f} s: the "
            "mgr is busy, and the dashboard is slow too",
            f"ceph config set mgr mgr/perf_bench/watch_tick_seconds {_longer(every)}",
            "40GiB/s S3 Throughput With 22TB Spinners (Pawsey / IBM, 2024)",
            evidence={"tick_seconds": took, "every_seconds": every},
        )


def _longer(every: float) -> int:
    return min(_LONGEST, max(30, 2 * round(every)))
