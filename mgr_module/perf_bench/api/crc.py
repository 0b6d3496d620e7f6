"""Questions about checksums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from ..hardware.checksums import ChecksumMonitor, ChecksumSnapshot, cpus_of
from ..hardware.rules.checksum_rates import against, host_peers, host_rates
from ..model.checksum import LINK_KINDS, MEDIA_KINDS
from ..model.json_fields import Json
from ..model.osd import Member
from ..report import crc as shapes
from ..report.listing import matching, ordered
from .paging import page_of

# The most rows of links and of media in one answer, worst first.
_MOST = 500


class CrcApi:
    """``ceph perf-bench crc …``."""

    def __init__(self, crc: ChecksumMonitor) -> None:
        self._crc = crc

    def ls(
        self,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        search: Optional[str] = None,
        sort: Optional[str] = None,
    ) -> tuple[Json, int]:
        """A page of OSDs by checksum share, with all error counters, and the number of OSDs.

        Raises StoreUnavailable while the facts of hosts are not read.
        """
        first, count = page_of(limit, offset)
        osds, links, media, hosts = self._crc.read(_made)
        if search:
            osds = matching(osds, shapes.FIELDS, shapes.SEARCHED, search)
        osds = ordered(osds, shapes.FIELDS, sort or "-checksum_share")
        page = osds[first : first + count]
        # Only for the page: for 10,000 OSDs it takes a third of a second.
        pasts = self._crc.read(lambda view: [_past(view, shape["osd"]) for shape in page])
        whole = [{**shape, **past} for shape, past in zip(page, pasts)]
        return shapes.whole(whole, links, media, hosts), len(osds)


def _made(view: ChecksumSnapshot) -> tuple[list[Json], list[Json], list[Json], list[Json]]:
    return _osds(view), _errors(view, LINK_KINDS), _errors(view, MEDIA_KINDS), _hosts(view)


def _osds(view: ChecksumSnapshot) -> list[Json]:
    by_host: dict[str, dict[str, float]] = {}
    for member in view.members:
        rate = view.rates.get(member.osd.id)
        speed = None if rate is None else rate.now(view.now)
        if speed is not None:
            by_host.setdefault(member.osd.host, {})[member.osd.name] = speed
    peers = {name: one for rates in by_host.values() for name, one in against(rates).items()}
    speeds = {name: one for rates in by_host.values() for name, one in rates.items()}
    return [shapes.osd(member.osd, _of(view, member, speeds, peers)) for member in view.members]


def _of(
    view: ChecksumSnapshot, member: Member, speeds: Mapping[str, float], peers: Mapping[str, float]
) -> Json:
    osd, history = member.osd, view.histories.get(member.osd.id)
    window = history and history.newest
    burst = history and history.hot(view.now)
    peak = history and history.peak
    return {
        "share": window and window.share,
        "seconds": window and window.end - window.begin,
        "threads": view.threads.get(osd.id),
        "peers": history and history.peers,
        "rate": speeds.get(osd.name),
        "rate_peers": peers.get(osd.name),
        "hot_since": burst and burst.begin,
        "peak": peak and peak[0],
        "peak_at": peak and peak[1],
    }


def _past(view: ChecksumSnapshot, osd: int) -> Json:
    history = view.histories.get(osd)
    if history is None:
        return shapes.past((), ())
    bursts = [(one.begin, one.end, one.peak) for one in history.bursts]
    return shapes.past(bursts, history.hourly(view.now))


def _errors(view: ChecksumSnapshot, kinds: Sequence[str]) -> list[Json]:
    found = [one for one in view.errors if one.kind in kinds]
    found.sort(key=lambda one: (-(one.growth.per_day(view.now) or 0), -one.growth.count))
    return [shapes.errors(one, view.now) for one in found[:_MOST]]


def _hosts(view: ChecksumSnapshot) -> list[Json]:
    hosts = {member.osd.id: member.osd.host for member in view.members}
    cpus = cpus_of(view.members, view.facts)
    rates = host_rates(view.rates, hosts, view.now)
    peers = host_peers(rates, cpus)
    found = []
    for name in sorted(set(hosts.values())):
        told = view.facts.get(name)
        core = told.crc32c.bytes_per_second if told and told.crc32c else None
        found.append(shapes.host(name, cpus.get(name), rates.get(name), peers.get(name), core))
    return found
