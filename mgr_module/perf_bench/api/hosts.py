"""Questions about hosts and their facts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Optional

from ..answers.findings import FindingAnswers
from ..answers.paging import MAPS_AGE, WHOLE, Page
from ..answers.shape import to_json
from ..answers.text import iso
from ..core.clock import Clock
from ..errors import NotFound
from ..hardware.host_facts import HostFactsRegistry, host_named
from ..model.cluster import Cluster
from ..model.hardware import KnownHost
from ..model.json_fields import Json
from ..model.osd import Osd, osds_by_host
from ..model.round import OsdResult, RoundLine
from ..model.statistics import median
from ..report import hosts as shapes
from ..store.sqlite import Store, StoreThread

# OSDs of a host whose rounds are read, 1 ms each, and the rounds that are shown.
_MOST_OSDS, _ROUNDS = 32, 20


class HostApi:
    """``ceph perf-bench host …``."""

    def __init__(
        self,
        hosts: HostFactsRegistry,
        cluster: Cluster,
        clock: Clock,
        store_thread: StoreThread,
        findings: FindingAnswers,
    ) -> None:
        self._hosts = hosts
        self._store_thread = store_thread
        self._findings = findings
        self._cluster = cluster
        self._clock = clock

    def take(self, host: str, facts: str) -> Json:
        """Import a host's facts, the text of a file, and return the host.

        Raises InvalidValue with the path of the bad field, NotFound for an unknown host.
        """
        osds = self._cluster.osds(MAPS_AGE)
        name, known = self._hosts.take(host, facts, osds)
        return self._host(name, osds_by_host(osds).get(name, ()), known)

    def ls(self, page: Page = WHOLE) -> tuple[list[Json], int]:
        """A page of the hosts by name, those without facts too, and how many there are."""
        known, osds = self._hosts.known(), self._cluster.osds(MAPS_AGE)
        by_host = osds_by_host(osds)
        names = sorted(by_host.keys() | known.keys())
        found = [self._host(name, by_host.get(name, ()), known.get(name)) for name in names]
        return page.of(found, shapes.FIELDS, shapes.SEARCHED)

    def show(self, name: str) -> Json:
        """A host with what it tells of itself, its findings, and rounds that measured its OSDs.

        Raises NotFound.
        """
        everything = self._cluster.osds(MAPS_AGE)
        with suppress(NotFound):  # of a host without OSDs there may be facts
            name = host_named(name, everything)
        osds = osds_by_host(everything).get(name, ())
        known = self._hosts.known().get(name)
        if not osds and known is None:
            raise NotFound(f"no host {name!a}: 'ceph perf-bench host ls' lists those there are")
        ids = [osd.id for osd in osds]
        findings, left_out = self._findings.of_host(name, ids)
        return {
            **self._host(name, osds, known),
            "told": shapes.told_by(known.facts if known else None),
            "findings": to_json(findings),
            "findings_left_out": left_out,
            "rounds": self._rounds(ids),
            "rounds_osds_left_out": max(0, len(ids) - _MOST_OSDS),
        }

    def _rounds(self, osds: Sequence[int]) -> list[Json]:
        """The newest rounds that measured these OSDs, and the median of their results."""

        def read(store: Store) -> dict[int, tuple[RoundLine, list[OsdResult]]]:
            found: dict[int, tuple[RoundLine, list[OsdResult]]] = {}
            for osd in osds[:_MOST_OSDS]:
                for line, result in store.history(osd, _ROUNDS):
                    found.setdefault(line.id, (line, []))[1].append(result)
            return found

        found = self._store_thread.call(read)
        newest = sorted(found.values(), key=lambda pair: -pair[0].id)[:_ROUNDS]
        return [_round(line, results) for line, results in newest]

    def _host(self, name: str, osds: Sequence[Osd], known: Optional[KnownHost]) -> Json:
        ids = [osd.id for osd in osds]
        if known is None:
            return shapes.host(name, ids, None, None, self._clock.now())
        return shapes.host(name, ids, known.facts, known.received_at, self._clock.now())


def _round(line: RoundLine, results: Sequence[OsdResult]) -> Json:
    peers = [one.percent_of_peers for one in results if one.percent_of_peers is not None]
    bytes_ = [
        one.median_bytes_per_second for one in results if one.median_bytes_per_second is not None
    ]
    iops = [one.median_iops for one in results if one.median_iops is not None]
    return {
        "id": line.id,
        "profile": line.profile,
        "verdict": line.verdict.value if line.verdict else None,
        "ended_at": iso(line.ended_at),
        "osds": len(results),
        "percent_of_peers": median(peers) if peers else None,
        "bytes_per_second": median(bytes_) if bytes_ else None,
        "iops": median(iops) if iops else None,
    }
