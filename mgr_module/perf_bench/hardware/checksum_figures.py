"""From a snapshot of checksums to the figures of OSDs and hosts, and to the worst errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ..model.checksum import Errors, HostChecksums, OsdChecksums
from .checksums import ChecksumSnapshot, cpus_of
from .rules.checksum_rates import against, host_peers, host_rates
from .rules.checksum_share import OsdHistory

# The most errors of a kind in one answer.
_MOST = 500


def osd_checksums(view: ChecksumSnapshot) -> list[OsdChecksums]:
    """Every OSD, in the order of the snapshot."""
    rates: dict[int, float] = {}
    by_host: dict[str, dict[str, float]] = {}
    for member in view.members:
        rate = view.rates.get(member.osd.id)
        now = None if rate is None else rate.now(view.now)
        if now is not None:
            rates[member.osd.id] = now
            by_host.setdefault(member.osd.host, {})[member.osd.name] = now
    peers = {name: one for of_host in by_host.values() for name, one in against(of_host).items()}
    found = []
    for member in view.members:
        osd, history = member.osd, view.histories.get(member.osd.id) or OsdHistory()
        window, burst, peak = history.fresh(view.now), history.hot(view.now), history.peak
        found.append(
            OsdChecksums(
                osd=osd,
                share=window.share if window else None,
                seconds=window.end - window.begin if window else None,
                threads=view.threads.get(osd.id),
                peers=history.peers if window else None,
                rate=rates.get(osd.id),
                rate_peers=peers.get(osd.name),
                hot_since=burst.begin if burst else None,
                peak=peak[0] if peak else None,
                peak_at=peak[1] if peak else None,
            )
        )
    return found


def recent(
    view: ChecksumSnapshot, osd: int
) -> tuple[Sequence[tuple[float, float, float]], Sequence[Optional[float]]]:
    """An OSD's bursts as (begin, end, peak), and its share in each minute of the last hour."""
    history = view.histories.get(osd)
    if history is None:
        return (), ()
    bursts = [(burst.begin, burst.end, burst.peak) for burst in history.bursts]
    return bursts, history.hourly(view.now)


def worst_errors(view: ChecksumSnapshot, kinds: Sequence[str]) -> tuple[list[Errors], int]:
    """At most ``_MOST`` error counters of these kinds, the fastest first; how many there are."""
    found = [one for one in view.errors if one.kind in kinds]
    found.sort(key=lambda one: (-(one.growth.per_day(view.now) or 0), -one.growth.count))
    return found[:_MOST], len(found)


def host_checksums(view: ChecksumSnapshot) -> list[HostChecksums]:
    """Every host with OSDs, by name."""
    hosts = {member.osd.id: member.osd.host for member in view.members}
    cpus = cpus_of(view.members, view.facts)
    rates = host_rates(view.rates, hosts, view.now)
    peers = host_peers(rates, cpus)
    found = []
    for name in sorted(set(hosts.values())):
        facts = view.facts.get(name)
        core = facts.crc32c.bytes_per_second if facts and facts.crc32c else None
        found.append(HostChecksums(name, cpus.get(name), rates.get(name), peers.get(name), core))
    return found
