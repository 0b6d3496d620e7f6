"""The share of their op threads' time that OSDs spend on checksums, and who spends too much.

The field case had 43 % of an OSD's op threads in CRC for 30 s, and 3 % minutes later
("Designing and Tuning for All-Flash Ceph RBD Storage", 2024). So an OSD is hot from half of that
on (an option changes it) if it also has three times the share of its peers. It is reported after
30 s, and until ten minutes after its last hot window.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional

from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import CRC_HOTSPOT
from ...model.frame import Watched
from ...model.hardware import LOWER_BOUND, Share
from ...model.osd import Osd
from ...model.phrases import osd_names, plural, unit_named
from ...model.statistics import against_others
from ...watch.blame import causes, units_of

HOT_TIMES = 3.0
# Seconds in which an OSD must be hot to be reported: one report that came late is no burst.
HOT_SECONDS = 30.0
# Seconds without a hot window after which an OSD is not reported any more.
LINGER = 600.0
# Seconds that a device class's median must be hot until the class is reported instead of nobody.
CLASS_SECONDS = 300.0
# Seconds after which a share tells nothing of now.
FRESH = 300.0
_BYTES, _SECONDS = 16 << 20, 0.004


@dataclass(frozen=True)
class Hot:
    """Hot windows of an OSD with pauses under ``LINGER``; ``seconds`` is their sum."""

    begin: float
    end: float
    seconds: float
    peak: float

    def and_(self, more: Share) -> Hot:
        """With another hot window."""
        seconds = self.seconds + more.end - more.begin
        return Hot(self.begin, more.end, seconds, max(self.peak, more.share))


@dataclass(frozen=True)
class Hotspots:
    """The newest share of each OSD, the median of its peers, and who is hot.

    ``medians`` and ``hot_classes`` are by device class: the median share (0 of an OSD alone), and
    since when (unix seconds) that is hot. ``peers`` lacks OSDs without a fresh share and peers.
    """

    shares: Mapping[int, Share] = field(default_factory=dict)
    peers: Mapping[int, float] = field(default_factory=dict)
    hot: Mapping[int, Hot] = field(default_factory=dict)
    medians: Mapping[str, float] = field(default_factory=dict)
    hot_classes: Mapping[str, float] = field(default_factory=dict)

    def after(
        self, new: Mapping[int, Share], osds: Mapping[int, Osd], threshold: float, now: float
    ) -> Hotspots:
        """The state after these new shares; OSDs that are not in ``osds`` are forgotten."""
        shares = {osd: one for osd, one in {**self.shares, **new}.items() if osd in osds}
        peers, medians = _compared(
            {osd: one.share for osd, one in shares.items() if 0 <= now - one.end < FRESH}, osds
        )
        hot = {
            osd: one
            for osd, one in self.hot.items()
            # The threshold may have been raised, and the clock set back.
            if osd in osds and one.peak >= threshold and 0 <= now - one.end < LINGER
        }
        for osd, one in new.items():
            if osd in osds and one.share >= max(threshold, HOT_TIMES * peers.get(osd, 0.0)):
                before = hot.get(osd) or Hot(one.begin, one.begin, 0.0, 0.0)
                hot[osd] = before.and_(one)
        since = {
            name: min(now, self.hot_classes.get(name, now))
            for name, middle in medians.items()
            if middle >= threshold
        }
        return Hotspots(shares, peers, hot, medians, since)

    def without(self, osds: Collection[int]) -> Hotspots:
        """Without what these OSDs did: it was of others with their IDs."""
        shares = {osd: one for osd, one in self.shares.items() if osd not in osds}
        hot = {osd: one for osd, one in self.hot.items() if osd not in osds}
        return replace(self, shares=shares, hot=hot)

    def fresh(self, osd: int, now: float) -> Optional[Share]:
        """The share of an OSD; None if it is so old that it tells nothing of now."""
        share = self.shares.get(osd)
        return share if share is not None and now - share.end < FRESH else None

    def told(self) -> dict[int, Hot]:
        """The OSDs that are hot for long enough."""
        return {osd: one for osd, one in self.hot.items() if one.seconds >= HOT_SECONDS}


def _compared(
    shares: Mapping[int, float], osds: Mapping[int, Osd]
) -> tuple[dict[int, float], dict[str, float]]:
    """By OSD the median of the others of its class, and by class the median of all."""
    by_class: dict[str, list[int]] = {}
    for osd in shares:
        by_class.setdefault(osds[osd].device_class or "", []).append(osd)
    peers: dict[int, float] = {}
    medians = {}
    for name, inside in by_class.items():
        values = [shares[osd] for osd in inside]
        ordered = sorted(values)
        # The lower of two middle ones: more than half of the OSDs do so much.
        medians[name] = ordered[(len(ordered) - 1) // 2] if len(inside) > 1 else 0.0
        if len(inside) > 1:
            above = against_others(values, ordered)
            peers.update(zip(inside, (own - over for own, over in zip(values, above))))
    return peers, medians


def checksum_claims(
    hotspots: Hotspots, osds: Mapping[int, Osd], members: Sequence[Watched], now: float
) -> list[Claim]:
    """One claim for each device class, and for each unit or OSD that is to blame.

    ``members`` are the OSDs with what they share.
    """
    claims = [
        _class_claim(name, hotspots.medians[name], since)
        for name, since in hotspots.hot_classes.items()
        if now - since >= CLASS_SECONDS
    ]
    hot = hotspots.told()
    for one in causes(hot, units_of(members)) if hot else ():
        if one.unit is None:
            (osd,) = one.osds
            claims.append(_osd_claim(osds[osd], hot[osd], hotspots))
        else:
            claims.append(_unit_claim(one.target, {osd: hot[osd] for osd in sorted(one.osds)}))
    return claims


def _hotspot(target: Target, text: str, evidence: Mapping[str, Any], since: float) -> Claim:
    every = {**evidence, "bound": LOWER_BOUND}
    return Claim(CRC_HOTSPOT.code, Severity.WARNING, target, text, every, since)


def _osd_claim(osd: Osd, hot: Hot, hotspots: Hotspots) -> Claim:
    threads, peers = hotspots.shares[osd.id].threads, hotspots.peers.get(osd.id)
    beside = "?" if peers is None else f"{100 * peers:.0f} %"
    return _hotspot(
        Target("osd", str(osd.id)),
        f"{osd.name} ({osd.host}) spent {100 * hot.peak:.0f} % of the time of its "
        f"{plural(threads, 'op thread')} on checksums of reads, for {hot.seconds:.0f} s; its peers "
        f"{beside} (a lower bound: other checksums are not counted)",
        {
            "peak_share": round(hot.peak, 4),
            "hot_seconds": round(hot.seconds, 1),
            "peers_median": peers,
            "op_threads": threads,
        },
        hot.begin,
    )


def _unit_claim(target: Target, hot: Mapping[int, Hot]) -> Claim:
    peak = max(one.peak for one in hot.values())
    return _hotspot(
        target,
        f"{plural(len(hot), 'OSD')} of {unit_named(target.kind, target.id)} spent up to "
        f"{100 * peak:.0f} % of their op threads' time on checksums of reads ({osd_names(hot)}): "
        "look at the clocks and the load of the cores (a lower bound: other checksums are not "
        "counted)",
        {"osds": list(hot), "peak_share": round(peak, 4)},
        min(one.begin for one in hot.values()),
    )


def _class_claim(name: str, middle: float, since: float) -> Claim:
    return _hotspot(
        Target("cohort", name or "all"),
        f"most OSDs of class {name or 'all'} spend {100 * middle:.0f} % or more of their op "
        "threads' time on checksums of reads: more cores, or a release with a faster CRC32C, would "
        "help",
        {"median_share": round(middle, 4)},
        since,
    )


def rate_between(seconds: float, count: int) -> Optional[float]:
    """Bytes per second of checksums; None where the work was too little.

    With less than 16 MiB or 4 ms (16 MiB take 8 ms at 2 GB/s) the quotient is noise.
    """
    return count / seconds if count >= _BYTES and seconds >= _SECONDS else None
