"""How fast OSDs compute checksums: bytes divided by elapsed time.

A low rate points to a core that is starved, throttled or slow. On a busy virtual machine readings
of healthy OSDs differed by a factor of 2.8, so medians of at least three readings are compared,
and less than a third of the others' median is low.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional

from ...model.checksum import ChecksumAnswer
from ...model.statistics import against_others, median

LOW = 1 / 3
# Readings needed and kept, and the age in seconds from which a reading is ignored.
_LEAST, _MOST, _FRESH = 3, 5, 3600.0
# With less work than this a reading is noise: 16 MiB take 8 ms at 2 GB/s.
_BYTES, _SECONDS = 16 << 20, 0.004
# The least number of peers to compare with.
_PEERS = 2


@dataclass
class Rate:
    """The newest readings of one OSD: time and bytes per second."""

    last: Optional[ChecksumAnswer] = None
    readings: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=_MOST))

    def take(self, answer: ChecksumAnswer) -> None:
        """Take an OSD's answer; too little work is added to that of the next answer."""
        before = self.last
        if before is None or answer.seconds < before.seconds or answer.bytes < before.bytes:
            self.last = answer
            return
        work, took = answer.bytes - before.bytes, answer.seconds - before.seconds
        if work >= _BYTES and took >= _SECONDS:
            self.readings.append((answer.at, work / took))
            self.last = answer

    def now(self, now: float) -> Optional[float]:
        """Bytes per second; None without a reading of the last hour."""
        fresh = self._fresh(now)
        return median(fresh) if fresh else None

    def sure(self, now: float) -> Optional[float]:
        """Bytes per second; None with too few readings for a claim."""
        fresh = self._fresh(now)
        return median(fresh) if len(fresh) >= _LEAST else None

    def _fresh(self, now: float) -> list[float]:
        return [rate for read_at, rate in self.readings if now - read_at < _FRESH]


@dataclass(frozen=True)
class Slow:
    """An OSD (or host, with ``osd`` None) with a low rate, and the median of its peers."""

    host: str
    rate: float
    peers: float
    osd: Optional[int] = None


def against(rates: Mapping[str, float]) -> dict[str, float]:
    """By name the median of the other rates; empty for fewer than three."""
    if len(rates) <= _PEERS:
        return {}
    above = against_others(list(rates.values()), sorted(rates.values()))
    return {name: rate - over for (name, rate), over in zip(rates.items(), above)}


def host_rates(
    rates: Mapping[int, Rate], hosts: Mapping[int, str], now: float, *, sure: bool = False
) -> dict[str, float]:
    """By host the median rate of its OSDs; with ``sure`` only OSDs with enough readings count."""
    by_host: dict[str, list[float]] = {}
    for osd, rate in rates.items():
        one = rate.sure(now) if sure else rate.now(now)
        if one is not None and osd in hosts:
            by_host.setdefault(hosts[osd], []).append(one)
    return {host: median(own_rates) for host, own_rates in by_host.items()}


def slow_rates(
    rates: Mapping[int, Rate],
    hosts: Mapping[int, str],
    cpus: Mapping[str, Optional[str]],
    now: float,
) -> list[Slow]:
    """Hosts slower than others with the same processor, and OSDs slower than others of their host.

    OSDs of a slow host are left out.
    """
    by_host = host_rates(rates, hosts, now, sure=True)
    middles = host_peers(by_host, cpus)
    slow_ones = [
        Slow(host, rate, middles[host])
        for host, rate in by_host.items()
        if host in middles and rate < LOW * middles[host]
    ]
    accused = {slow.host for slow in slow_ones}
    for host, osds in _by_host(rates, hosts).items():
        sure = {str(osd): one for osd in osds for one in [rates[osd].sure(now)] if one is not None}
        for osd, middle in against(sure).items():
            if host not in accused and sure[osd] < LOW * middle:
                slow_ones.append(Slow(host, sure[osd], middle, int(osd)))
    return slow_ones


def host_peers(rates: Mapping[str, float], cpus: Mapping[str, Optional[str]]) -> dict[str, float]:
    """By host the median rate of the other hosts with the same processor."""
    by_cpu: dict[str, dict[str, float]] = {}
    for host, rate in rates.items():
        cpu = cpus.get(host)
        if cpu:
            by_cpu.setdefault(cpu, {})[host] = rate
    return {host: middle for alike in by_cpu.values() for host, middle in against(alike).items()}


def _by_host(rates: Mapping[int, Rate], hosts: Mapping[int, str]) -> dict[str, Sequence[int]]:
    by_host: dict[str, list[int]] = {}
    for osd in rates:
        if osd in hosts:
            by_host.setdefault(hosts[osd], []).append(osd)
    return dict(by_host)
