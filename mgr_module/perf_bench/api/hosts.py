"""Questions about hosts and their facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ..hardware.host_facts import HostFactsRegistry, StoredFacts
from ..model.json_fields import Json
from ..model.osd import Osd, osds_by_host
from ..ports import Clock, Cluster
from ..report import hosts as shapes
from .paging import MAPS_AGE, WHOLE, Page


class HostApi:
    """``ceph perf-bench host …``."""

    def __init__(self, hosts: HostFactsRegistry, cluster: Cluster, clock: Clock) -> None:
        self._hosts = hosts
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

    def _host(self, name: str, osds: Sequence[Osd], known: Optional[StoredFacts]) -> Json:
        ids = [osd.id for osd in osds]
        if known is None:
            return shapes.host(name, ids, None, None, self._clock.now())
        return shapes.host(name, ids, known.facts, known.received_at, self._clock.now())
