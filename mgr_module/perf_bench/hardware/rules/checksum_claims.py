"""Claims about OSDs, hosts and device classes that spend much time on checksums, or are slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

from ...model.checksum import LOWER_BOUND
from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import CRC_HOTSPOT
from ...model.said import Said, say
from .checksum_rates import Slow
from .checksum_share import Burst, Hotspots, OsdHistory, hot_osds

# The share of a host's OSDs, at least two, that must be hot to blame the host.
_SHARE = 0.5
_GB = 1e9


class ChecksumEvidence(NamedTuple):
    """The host and the op threads of each OSD."""

    hosts: Mapping[int, str]
    threads: Mapping[int, int]


def checksum_claims(
    hotspots: Hotspots, slow: Sequence[Slow], evidence: ChecksumEvidence, now: float
) -> list[Claim]:
    """One claim for each device class, host or OSD; a host replaces its OSDs.

    A slow rate is added to the claim with the same target.
    """
    claims: dict[tuple[str, str], Claim] = {}
    for name in hotspots.classes_hot(now):
        _add(claims, _class_claim(name, hotspots))
    for host, osds in _by_host(evidence.hosts).items():
        hot = hot_osds(hotspots.histories, osds, now)
        known = sum(1 for osd in osds if osd in hotspots.histories)
        if len(hot) >= 2 and len(hot) >= _SHARE * known:
            _add(claims, _host_claim(host, hot))
        else:
            for osd, burst in hot.items():
                _add(claims, _osd_claim(osd, burst, hotspots.histories[osd], evidence))
    for one in slow:
        _add(claims, _slow_claim(one, now))
    return list(claims.values())


def _by_host(hosts: Mapping[int, str]) -> dict[str, list[int]]:
    by_host: dict[str, list[int]] = {}
    for osd, host in hosts.items():
        by_host.setdefault(host, []).append(osd)
    return by_host


def _add(claims: dict[tuple[str, str], Claim], claim: Claim) -> None:
    key = claim.target.kind, claim.target.id
    before = claims.get(key)
    if before is not None:
        claim = Claim(
            claim.code,
            claim.severity,
            claim.target,
            say("both", "{parts:clauses}", parts=[before.message, claim.message]),
            {**before.evidence, **claim.evidence},
            min(before.since, claim.since),
        )
    claims[key] = claim


def _hotspot(target: Target, text: str, evidence: Mapping[str, Any], since: float) -> Claim:
    return Claim(CRC_HOTSPOT.code, Severity.WARNING, target, text, evidence, since)


def _osd_claim(osd: int, burst: Burst, history: OsdHistory, evidence: ChecksumEvidence) -> Claim:
    threads = evidence.threads.get(osd)
    return _hotspot(
        Target("osd", str(osd)),
        say(
            "crc-osd",
            "osd.{osd} ({host}) spent {percent:.0f} % of the time of its {threads} on checksums of "
            "reads, for {seconds:.0f} s; its peers {peers} (a lower bound: other checksums are not "
            "counted)",
            osd=osd,
            host=evidence.hosts[osd],
            percent=100 * burst.peak,
            threads=_threads(threads),
            seconds=burst.seconds,
            peers="?" if history.peers is None else _percent(history.peers),
        ),
        {
            "peak_share": round(burst.peak, 4),
            "hot_seconds": round(burst.seconds, 1),
            "peers_median": history.peers,
            "op_threads": threads,
            "bursts": len(history.bursts),
            "bound": LOWER_BOUND,
        },
        burst.begin,
    )


def _percent(share: float) -> Said:
    return say("percent", "{percent:.0f} %", percent=100 * share)


def _threads(count: Optional[int]) -> Said:
    if not count:
        return say("op-threads", "op threads")
    return say("op-threads-of", "{count|op thread|op threads}", count=count)


def _host_claim(host: str, hot: Mapping[int, Burst]) -> Claim:
    peak = max(burst.peak for burst in hot.values())
    return _hotspot(
        Target("host", host),
        say(
            "crc-host",
            "{count|OSD|OSDs} of host {host} spent up to {percent:.0f} % of their op threads' time "
            "on checksums of reads ({osds:osds}): look at the clocks and the load of its cores (a "
            "lower bound: other checksums are not counted)",
            count=len(hot),
            host=host,
            percent=100 * peak,
            osds=hot.keys(),
        ),
        {"osds": list(hot), "peak_share": round(peak, 4), "bound": LOWER_BOUND},
        min(burst.begin for burst in hot.values()),
    )


def _class_claim(name: str, hotspots: Hotspots) -> Claim:
    middle = hotspots.class_shares[name]
    kind = name or "all"
    return _hotspot(
        Target("cohort", kind),
        say(
            "crc-class",
            "most OSDs of class {class} spend {percent:.0f} % or more of their op threads' time on "
            "checksums of reads: more cores, or a release with a faster CRC32C, would help",
            **{"class": kind},
            percent=100 * middle,
        ),
        {"median_share": round(middle, 4), "bound": LOWER_BOUND},
        hotspots.hot_classes[name],
    )


def _slow_claim(one: Slow, now: float) -> Claim:
    rates = say(
        "crc-rates",
        "{rate:.2g} GB/s, its peers {peers:.2g}",
        rate=one.rate / _GB,
        peers=one.peers / _GB,
    )
    evidence = {"bytes_per_second": round(one.rate), "rate_peers_median": round(one.peers)}
    if one.osd is None:
        return _hotspot(
            Target("host", one.host),
            say(
                "crc-slow-host",
                "the OSDs of host {host} compute checksums at {rates}, with the same processor: "
                "its cores are starved, throttled or set differently (cpupower frequency-info, "
                "top)",
                host=one.host,
                rates=rates,
            ),
            evidence,
            now,
        )
    return _hotspot(
        Target("osd", str(one.osd)),
        say(
            "crc-slow-osd",
            "osd.{osd} ({host}) computes checksums at {rates} of the same host: it gets too little "
            "of its cores (top, its cgroup, its NUMA node)",
            osd=one.osd,
            host=one.host,
            rates=rates,
        ),
        evidence,
        now,
    )
