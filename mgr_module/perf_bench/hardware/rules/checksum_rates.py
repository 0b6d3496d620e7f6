"""How fast OSDs compute checksums: bytes over the time it took, by the clock on the wall.

A low rate is a core that is starved, throttled or slow. On one busy virtual machine OSDs that were
well differed by a factor of 2.8 from reading to reading, so medians of at least three readings are
compared, and a third of the others' is low.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional

from ...model.checksum import ChecksumAnswer
from ...model.statistics import against_others, median

LOW = 1 / 3
# Readings of which there must be three, and what is older says nothing about now.
_LEAST, _MOST, _FRESH = 3, 5, 3600.0
# Under so much work a reading is noise: 16 MiB take 8 ms at 2 GB/s.
_BYTES, _SECONDS = 16 << 20, 0.004
# Whoever is compared must have so many to be compared with, besides himself.
_PEERS = 2


@dataclass
class Rate:
    """The newest rates of one OSD, each with its time."""

    last: Optional[ChecksumAnswer] = None
    found: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=_MOST))

    def take(self, answer: ChecksumAnswer) -> None:
        """Take what the OSD said; work that is too little adds up to the next answer."""
        before = self.last
        if before is None or answer.seconds < before.seconds or answer.bytes < before.bytes:
            self.last = answer
            return
        work, took = answer.bytes - before.bytes, answer.seconds - before.seconds
        if work >= _BYTES and took >= _SECONDS:
            self.found.append((answer.at, work / took))
            self.last = answer

    def now(self, now: float) -> Optional[float]:
        """Bytes per second; None while there are too few of the last hour."""
        fresh = [rate for at, rate in self.found if now - at < _FRESH]
        return median(fresh) if fresh else None

    def sure(self, now: float) -> Optional[float]:
        """The same where there are enough readings to accuse by."""
        return self.now(now) if sum(now - at < _FRESH for at, _ in self.found) >= _LEAST else None


@dataclass(frozen=True)
class Slow:
    """An OSD (or host, with ``osd`` None) that is slow at it, and the median of its peers."""

    host: str
    rate: float
    peers: float
    osd: Optional[int] = None


def against(rates: Mapping[str, float]) -> dict[str, float]:
    """By name the median of the others; empty for fewer than three."""
    if len(rates) <= _PEERS:
        return {}
    above = against_others(list(rates.values()), sorted(rates.values()))
    return {name: rate - over for (name, rate), over in zip(rates.items(), above)}


def host_rates(
    rates: Mapping[int, Rate], hosts: Mapping[int, str], now: float, *, sure: bool = False
) -> dict[str, float]:
    """By host the median of its OSDs."""
    by_host: dict[str, list[float]] = {}
    for osd, rate in rates.items():
        one = rate.sure(now) if sure else rate.now(now)
        if one is not None and osd in hosts:
            by_host.setdefault(hosts[osd], []).append(one)
    return {host: median(found) for host, found in by_host.items()}


def slow_rates(
    rates: Mapping[int, Rate],
    hosts: Mapping[int, str],
    cpus: Mapping[str, Optional[str]],
    now: float,
) -> list[Slow]:
    """Hosts slow against those of the same processor; then OSDs against those of their host."""
    by_host = host_rates(rates, hosts, now, sure=True)
    middles = host_peers(by_host, cpus)
    found = [
        Slow(host, rate, middles[host])
        for host, rate in by_host.items()
        if host in middles and rate < LOW * middles[host]
    ]
    accused = {slow.host for slow in found}
    for host, osds in _by_host(rates, hosts).items():
        sure = {str(osd): one for osd in osds for one in [rates[osd].sure(now)] if one is not None}
        for osd, middle in against(sure).items():
            if host not in accused and sure[osd] < LOW * middle:
                found.append(Slow(host, sure[osd], middle, int(osd)))
    return found


def host_peers(rates: Mapping[str, float], cpus: Mapping[str, Optional[str]]) -> dict[str, float]:
    """By host the median of the others that have the same processor."""
    by_cpu: dict[str, dict[str, float]] = {}
    for host, rate in rates.items():
        cpu = cpus.get(host)
        if cpu:
            by_cpu.setdefault(cpu, {})[host] = rate
    return {host: middle for alike in by_cpu.values() for host, middle in against(alike).items()}


def _by_host(rates: Mapping[int, Rate], hosts: Mapping[int, str]) -> dict[str, Sequence[int]]:
    found: dict[str, list[int]] = {}
    for osd in rates:
        if osd in hosts:
            found.setdefault(hosts[osd], []).append(osd)
    return dict(found)
