"""Which OSDs spend too much of their op threads' time on checksums, and what is to blame.

The field case had 43 % of an OSD's op threads in CRC for 30 s, and 3 % minutes later
("Designing and Tuning for All-Flash Ceph RBD Storage", 2024). So an OSD is hot from half of that on
(an option changes it). It is reported after 30 s, and until ten minutes after its last hot window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ...model.finding import Claim, Severity, Target, Watched
from ...model.finding_kinds import CRC_HOTSPOT
from ...model.hardware import LOWER_BOUND, Share
from ...model.osd import Osd
from ...model.phrases import osd_names, plural, unit_named
from ...model.statistics import medians_of_others
from ...watch.blame import CLUSTER, Blamed, causes, units_of

# Seconds in which an OSD must be hot to be reported: one report that came late is no burst.
HOT_SECONDS = 30.0
# Seconds without a hot window after which an OSD is not reported any more.
LINGER = 600.0
# Seconds in which most OSDs of a device class must be hot: a short load of large reads on all of
# them is no fault.
CLASS_SECONDS = 300.0
_BYTES, _SECONDS = 16 << 20, 0.004


@dataclass(frozen=True)
class Hot:
    """Hot windows of an OSD with pauses under ``LINGER``; ``seconds`` is their sum.

    ``peak`` is the highest share of the time of its op ``threads``.
    """

    begin: float
    end: float
    seconds: float
    peak: float
    threads: int

    def lasts(self, threshold: float, now: float) -> bool:
        """Whether it goes on; the threshold may have been raised, and the clock set back."""
        return self.peak >= threshold and 0 <= now - self.end < LINGER

    def is_told(self, threshold: float, now: float) -> bool:
        """Whether it goes on, and was long enough to be reported."""
        return self.seconds >= HOT_SECONDS and self.lasts(threshold, now)


def hot_after(before: Optional[Hot], new: Share, threshold: float) -> Optional[Hot]:
    """The hot windows of an OSD after another one."""
    lasting = before if before and before.lasts(threshold, new.end) else None
    if new.share < threshold:
        return lasting
    known = lasting or Hot(new.begin, new.begin, 0.0, 0.0, new.threads)
    seconds = known.seconds + new.end - new.begin
    return Hot(known.begin, new.end, seconds, max(known.peak, new.share), new.threads)


def peers_of(shares: Mapping[int, float], osds: Mapping[int, Osd]) -> dict[int, float]:
    """By OSD the median of the others of its device class, of those that have peers."""
    by_class: dict[Optional[str], list[int]] = {}
    for osd in shares:
        by_class.setdefault(osds[osd].device_class, []).append(osd)
    peers: dict[int, float] = {}
    for inside in by_class.values():
        if len(inside) > 1:
            peers.update(zip(inside, medians_of_others([shares[osd] for osd in inside])))
    return peers


def checksum_claims(
    hot: Mapping[int, Hot],
    shares: Mapping[int, Share],
    osds: Mapping[int, Osd],
    members: Sequence[Watched],
) -> list[Claim]:
    """One claim for each unit or OSD that is to blame, or for a device class as a whole.

    ``hot`` are those to report, ``shares`` those of now, ``members`` the OSDs with what they share.
    """
    if not hot:
        return []
    peers = peers_of({osd: one.share for osd, one in shares.items()}, osds)
    claims = []
    for name in sorted({osds[osd].device_class or "" for osd in hot}):
        own = {osd for osd, one in osds.items() if (one.device_class or "") == name}
        inside = [one for one in members if one.osd in own]
        for one in causes(hot.keys() & own, units_of(inside)):
            burst = [hot[osd] for osd in sorted(one.osds)]
            first = osds[min(one.osds)]
            if one.target != CLUSTER:
                claims.append(_claim(one, burst, first, peers.get(first.id)))
            elif max(hot_.seconds for hot_ in burst) >= CLASS_SECONDS:
                claims.append(_claim(one, burst, first, None))
    return claims


def _claim(one: Blamed, burst: Sequence[Hot], osd: Osd, peers: Optional[float]) -> Claim:
    """``osd`` is the first of those to blame, ``peers`` the median of its peers."""
    target, hottest = one.target, max(burst, key=lambda hot: hot.peak)
    seconds, their = max(hot.seconds for hot in burst), "their" if one.unit else "its"
    evidence: dict[str, Any] = {"peak_share": round(hottest.peak, 4), "bound": LOWER_BOUND}
    if target == CLUSTER:
        target = Target("cohort", osd.device_class or "all")
        who = f"most OSDs of class {target.id}"
        more = "more cores, or a release with a faster CRC32C, would help"
    elif one.unit is None:
        who = f"{osd.name} ({osd.host})"
        more = f"its peers {'?' if peers is None else f'{100 * peers:.0f} %'}"
        evidence["peers_median"] = peers
        evidence["hot_seconds"], evidence["op_threads"] = round(seconds, 1), hottest.threads
    else:
        who = f"{plural(len(burst), 'OSD')} of {unit_named(target.kind, target.id)}"
        more = f"{osd_names(one.osds)}: look at the clocks and the load of the cores"
        evidence["osds"] = sorted(one.osds)
    return Claim(
        CRC_HOTSPOT.code,
        Severity.WARNING,
        target,
        f"{who} spent up to {100 * hottest.peak:.0f} % of the time of {their} "
        f"{plural(hottest.threads, 'op thread')} on checksums of reads, for {seconds:.0f} s; "
        f"{more} (a lower bound: other checksums are not counted)",
        evidence,
        min(hot.begin for hot in burst),
    )


def rate_between(seconds: float, count: int) -> Optional[float]:
    """Bytes per second of checksums; None where the work was too little.

    With less than 16 MiB or 4 ms (16 MiB take 8 ms at 2 GB/s) the quotient is noise.
    """
    return count / seconds if count >= _BYTES and seconds >= _SECONDS else None
