"""Hosts and their facts: ``ceph perf-bench host …``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from statistics import median
from typing import Any, Literal, Optional, Union

from ..core.clock import Clock
from ..errors import NotFound
from ..hardware.host_facts import HostFactsRegistry, host_named
from ..model.cluster import Cluster
from ..model.hardware import (
    STALE_SECONDS,
    Cpu,
    Crc32c,
    HostFacts,
    Kernel,
    KnownHost,
    MemoryFacts,
    Numa,
)
from ..model.osd import Osd, osds_by_host
from ..model.phrases import plural
from ..model.round import OsdResult, RoundLine
from ..store.sqlite import Store, StoreThread
from .findings import Finding, FindingAnswers, more_findings
from .paging import MAPS_AGE, WHOLE, Page, keyed
from .shape import Count, Stamp, copied
from .text import (
    GAP,
    NOTHING,
    clip_front,
    duration,
    facts,
    iso,
    minute,
    number,
    rate,
    shown,
    size,
    table,
)

# OSDs of a host whose rounds are read, 1 ms each, and the rounds that are shown.
_MOST_OSDS, _ROUNDS = 32, 20
_SECTIONS = (
    "osds", "processes", "enclosures", "multipath", "phys", "pcie", "block", "smart", "cpu", "numa",
    "memory", "kernel", "crc32c",
)  # fmt: skip
_TOLD = {"cpu": Cpu, "numa": Numa, "memory": MemoryFacts, "kernel": Kernel, "crc32c": Crc32c}
# What a host tells of itself, by "SECTION_FIELD"; null for what it does not.
Told = Mapping[str, Optional[Union[str, float]]]


@dataclass(frozen=True)
class Host:
    """A host and what it told of itself; null: nothing.

    source -- Who told its facts; null: nobody.
    """

    host: str
    osds: Sequence[Count]
    collected_at: Optional[Stamp]
    received_at: Optional[Stamp]
    age_seconds: Optional[float]
    sections: Sequence[str]
    enclosures: Optional[int]
    multipath: Optional[int]
    disks: Optional[int]
    source: Optional[Literal["host", "orchestrator"]]


@dataclass(frozen=True)
class HostRound:
    """A round, and the median of what it measured on the OSDs of a host."""

    id: int
    profile: str
    verdict: Optional[str]
    ended_at: Optional[Stamp]
    osds: int
    percent_of_peers: Optional[float]
    bytes_per_second: Optional[float]
    iops: Optional[float]


@dataclass(frozen=True)
class HostDetail(Host):
    """A host with its findings, and rounds that measured its OSDs.

    findings_left_out -- How many more there are.
    rounds -- The newest 20.
    rounds_osds_left_out -- The OSDs of the host that are not counted in them.
    """

    told: Optional[Told]
    findings: Sequence[Finding]
    findings_left_out: int
    rounds: Sequence[HostRound]
    rounds_osds_left_out: int


_FIELDS: Mapping[str, Callable[[Host], Any]] = {
    **keyed("host", "collected_at", "received_at", "age_seconds"),
    "osds": lambda one: len(one.osds),
}


class HostAnswers:
    """What is asked of hosts."""

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

    def take(self, host: str, facts: str) -> Host:
        """Import a host's facts, the text of a file, and return the host.

        Raises InvalidValue with the path of the bad field, NotFound for an unknown host.
        """
        osds = self._cluster.osds(MAPS_AGE)
        name, known = self._hosts.take(host, facts, osds)
        return Host(**self._keys(name, _ids(osds_by_host(osds).get(name, ())), known))

    def ls(self, page: Page = WHOLE) -> tuple[list[Host], int]:
        """A page of the hosts by name, those without facts too, and how many there are."""
        known, osds = self._hosts.known(), self._cluster.osds(MAPS_AGE)
        by_host = osds_by_host(osds)
        names = sorted(by_host.keys() | known.keys())
        found = [
            Host(**self._keys(name, _ids(by_host.get(name, ())), known.get(name))) for name in names
        ]
        return page.of(found, _FIELDS, ("host",))

    def show(self, name: str) -> HostDetail:
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
        ids = _ids(osds)
        findings, left_out = self._findings.of_host(name, ids)
        return HostDetail(
            **self._keys(name, ids, known),
            told=told_by(known.facts if known else None),
            findings=findings,
            findings_left_out=left_out,
            rounds=self._rounds(ids),
            rounds_osds_left_out=max(0, len(ids) - _MOST_OSDS),
        )

    def _rounds(self, osds: Sequence[int]) -> list[HostRound]:
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

    def _keys(self, name: str, osds: Sequence[int], known: Optional[KnownHost]) -> dict[str, Any]:
        facts_, received = (known.facts, known.received_at) if known else (None, None)
        return host_keys(name, osds, facts_, received, self._clock.now())


def _ids(osds: Sequence[Osd]) -> list[int]:
    return [osd.id for osd in osds]


def host_keys(
    name: str,
    osds: Sequence[int],
    known: Optional[HostFacts],
    received_at: Optional[float],
    now: float,
) -> dict[str, Any]:
    """The fields that a host has in lists, and alone; without facts their fields are None."""
    told = [one for one in _SECTIONS if known is not None and getattr(known, one) is not None]
    return {
        "host": name,
        "osds": osds,
        "collected_at": None if known is None else iso(known.collected_at),
        "received_at": iso(received_at),
        "age_seconds": None if known is None else round(now - known.collected_at, 1),
        "source": None if known is None else known.source or "host",
        "sections": told,
        "enclosures": _count(known, "enclosures"),
        "multipath": _count(known, "multipath"),
        "disks": _count(known, "block"),
    }


def _count(known: Optional[HostFacts], section: str) -> Optional[int]:
    entries = getattr(known, section, None)
    return None if entries is None else len(entries)


def told_by(known: Optional[HostFacts]) -> Optional[Told]:
    """What a host tells of itself beside its devices; None without facts.

    The page of a host names and writes these.
    """
    if known is None:
        return None
    return {
        f"{section}_{field.name}": getattr(getattr(known, section), field.name, None)
        for section, kind in _TOLD.items()
        for field in fields(kind)
    }


def _round(line: RoundLine, results: Sequence[OsdResult]) -> HostRound:
    def middle(name: str) -> Optional[float]:
        known = [value for value in (getattr(one, name) for one in results) if value is not None]
        return median(known) if known else None

    return copied(
        HostRound,
        line,
        verdict=line.verdict.value if line.verdict else None,
        osds=len(results),
        percent_of_peers=middle("percent_of_peers"),
        bytes_per_second=middle("median_bytes_per_second"),
        iops=middle("median_iops"),
    )


# --- as text -------------------------------------------------------------------------------------


def hosts_text(hosts: Sequence[Host]) -> str:
    """Text of ``host ls``."""
    rows = [
        [
            clip_front(one.host, 20),
            str(len(one.osds)),
            minute(one.collected_at),
            _age(one.age_seconds),
            *map(shown, (one.disks, one.enclosures, one.multipath)),
        ]
        for one in hosts
    ]
    return table(["HOST", "OSDS", "COLLECTED (UTC)", "AGE", "DISKS", "ENCL", "MPATH"], rows)


def host_text(one: HostDetail) -> str:
    """Text of ``host show``."""
    pairs = [
        ("osds", ", ".join(f"osd.{osd}" for osd in one.osds)),
        *[
            ("finding", f"{found.id} ({found.state.value}): {found.message}")
            for found in one.findings
        ],
        ("", more_findings(one.findings_left_out)),
    ]
    if one.told is not None:
        age = _age(one.age_seconds)
        pairs.append(("facts of", f"{minute(one.collected_at)} UTC, age {age}"))
        pairs += [_written(name, value) for name, value in one.told.items() if value is not None]
    rows = [
        [
            str(found.id),
            found.profile,
            found.verdict or NOTHING,
            minute(found.ended_at),
            str(found.osds),
            number(found.percent_of_peers, 0),
        ]
        for found in one.rounds
    ]
    head = ["ROUND", "PROFILE", "VERDICT", "ENDED (UTC)", "OSDS", "% PEERS"]
    listed = table(head, rows) if rows else "no round has measured its OSDs yet"
    unread = one.rounds_osds_left_out
    if unread:
        listed += f"\n(without what they measured of {unread} of the host's OSDs)"
    return f"host {one.host}\n{facts(pairs)}{GAP}{listed}"


# How figures are written, by the end of their names.
_UNITS: Mapping[str, Callable[[float], str]] = {
    "_bytes_per_second": lambda value: f"{rate(value)} MiB/s",
    "_bytes": size,
    "_seconds": lambda value: f"{value:g} s",
    "_percent": lambda value: f"{number(value)} %",
}


def _written(name: str, value: Any) -> tuple[str, str]:
    """The name in words, and the value with its unit."""
    for end, write in _UNITS.items():
        if name.endswith(end):
            return name[: -len(end)].replace("_", " "), write(value)
    return name.replace("_", " "), str(value)


def _age(seconds: Optional[float]) -> str:
    """The age of facts; stale ones are marked, as nothing is concluded from them."""
    if seconds is None:
        return NOTHING
    if seconds < STALE_SECONDS:
        return duration(seconds)
    return f"{plural(round(seconds / 86400), 'day')}, stale"


def taken_text(one: Host) -> str:
    """Text of ``host import``."""
    told = ", ".join(one.sections) or "nothing but the host's name"
    return f"the facts of {one.host} are taken over\n{facts([('told', told)])}"
