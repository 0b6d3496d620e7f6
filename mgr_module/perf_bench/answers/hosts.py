"""Hosts and their facts: ``ceph perf-bench host …``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from statistics import median
from typing import Any, Literal, Optional, Union

from ..errors import NotFound
from ..hardware.host_facts import host_named
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
from ..model.json_fields import iso
from ..model.osd import Osd, osds_by_host
from ..model.phrases import plural
from ..model.round import OsdResult, RoundLine
from ..model.verdict import OsdSnapshot, OsdState
from ..store.sqlite import Store
from .api import Api
from .findings import Finding, finding_lines, of_host
from .paging import WHOLE, Page
from .question import File, Question
from .shape import Count, Stamp, copied
from .text import (
    GAP,
    NOTHING,
    Column,
    duration,
    facts,
    minute,
    number,
    rate,
    rounded,
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

    slow -- How many of its OSDs the watch calls slow; null: it has a verdict on none of them.
    worst_ratio -- The highest latency of its OSDs over what their peers take; null: not known.
    source -- Who told its facts; null: nobody.
    """

    host: str
    osds: Sequence[Count]
    slow: Optional[Count]
    worst_ratio: Optional[float]
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


def hosts(api: Api, page: Page = WHOLE) -> tuple[list[Host], int]:
    """List hosts, that of the slowest OSD first, and how old their facts are."""
    known, by_host = api.hosts.known(), osds_by_host(api.osds())
    snapshot = api.watch.osd_snapshot()
    found = [
        Host(**_keys(api, one, by_host.get(one, ()), known.get(one), snapshot))
        for one in sorted(by_host.keys() | known.keys())
    ]
    return page.of(found, Host, "-worst_ratio")


def show(api: Api, name: str) -> HostDetail:
    """Show a host: what it tells of itself, its findings, rounds of its OSDs.

    Raises NotFound.
    """
    everything = api.osds()
    with suppress(NotFound):  # of a host without OSDs there may be facts
        name = host_named(name, everything)
    osds = osds_by_host(everything).get(name, ())
    known = api.hosts.known().get(name)
    if not osds and known is None:
        raise NotFound(f"no host {name!a}: 'ceph perf-bench host ls' lists those there are")
    keys = _keys(api, name, osds, known, api.watch.osd_snapshot())
    found, left_out = of_host(api, name, keys["osds"])
    return HostDetail(
        **keys,
        told=_told(known.facts) if known else None,
        findings=found,
        findings_left_out=left_out,
        rounds=_rounds(api, keys["osds"]),
        rounds_osds_left_out=max(0, len(osds) - _MOST_OSDS),
    )


def take(api: Api, host: str, facts: File) -> Host:
    """Take over what ceph-perf-bench facts printed on that host, from -i FILE.

    Raises InvalidValue with the path of the bad field, NotFound for an unknown host.
    """
    osds = api.osds()
    name, known = api.hosts.take(host, facts, osds)
    its_osds, snapshot = osds_by_host(osds).get(name, ()), api.watch.osd_snapshot()
    return Host(**_keys(api, name, its_osds, known, snapshot))


def _rounds(api: Api, osds: Sequence[int]) -> list[HostRound]:
    """The newest rounds that measured these OSDs, and the median of their results."""

    def read(store: Store) -> dict[int, tuple[RoundLine, list[OsdResult]]]:
        found: dict[int, tuple[RoundLine, list[OsdResult]]] = {}
        for osd in osds[:_MOST_OSDS]:
            for line, result in store.history(osd, _ROUNDS):
                found.setdefault(line.id, (line, []))[1].append(result)
        return found

    found = api.store.call(read)
    newest = sorted(found.values(), key=lambda pair: -pair[0].id)[:_ROUNDS]
    return [_round(line, results) for line, results in newest]


def _keys(
    api: Api, name: str, osds: Sequence[Osd], known: Optional[KnownHost], snapshot: OsdSnapshot
) -> dict[str, Any]:
    """The fields that a host has in lists, and alone; without facts their fields are None."""
    facts_ = known.facts if known else None
    told = [one for one in _SECTIONS if getattr(facts_, one, None) is not None]
    verdicts = [snapshot.verdict(osd.id) for osd in osds]
    judged = [one.state for one in verdicts if one.state is not OsdState.NO_DATA]
    ratios = [one.ratio for one in verdicts if one.ratio is not None]
    return {
        "host": name,
        "osds": [osd.id for osd in osds],
        "slow": judged.count(OsdState.SLOW) if judged else None,
        "worst_ratio": rounded(max(ratios)) if ratios else None,
        "collected_at": iso(facts_.collected_at) if facts_ else None,
        "received_at": iso(known.received_at) if known else None,
        "age_seconds": round(api.clock.now() - facts_.collected_at, 1) if facts_ else None,
        "source": (facts_.source or "host") if facts_ else None,
        "sections": told,
        "enclosures": _count(facts_, "enclosures"),
        "multipath": _count(facts_, "multipath"),
        "disks": _count(facts_, "block"),
    }


def _count(known: Optional[HostFacts], section: str) -> Optional[int]:
    entries = getattr(known, section, None)
    return None if entries is None else len(entries)


def _told(known: HostFacts) -> Told:
    """What a host tells of itself beside its devices; the page of a host names and writes these."""
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
        osds=len(results),
        percent_of_peers=middle("percent_of_peers"),
        bytes_per_second=middle("median_bytes_per_second"),
        iops=middle("median_iops"),
    )


# --- as text -------------------------------------------------------------------------------------


def _age(seconds: Optional[float]) -> str:
    """The age of facts; stale ones are marked, as nothing is concluded from them."""
    if seconds is None:
        return NOTHING
    if seconds < STALE_SECONDS:
        return duration(seconds)
    return f"{plural(round(seconds / 86400), 'day')}, stale"


_HOSTS = (
    Column("HOST", "host", "word", 20, front=True),
    Column("OSDS", lambda one: len(one.osds), "count"),
    Column("SLOW", "slow", "count"),
    Column("RATIO", "worst_ratio", "0.00"),
    Column("FACTS", "age_seconds", _age),
    Column("DISKS", "disks", "count"),
    Column("ENCL", "enclosures", "count"),
    Column("MPATH", "multipath", "count"),
)
_ROUNDS_OF = (
    Column("ROUND", "id", "word"),
    Column("PROFILE", "profile", "word"),
    Column("VERDICT", "verdict", "word"),
    Column("ENDED (UTC)", "ended_at", "time"),
    Column("OSDS", "osds", "count"),
    Column("% PEERS", "percent_of_peers", "0"),
)


def hosts_text(found: Sequence[Host]) -> str:
    """Text of ``host ls``."""
    return table(_HOSTS, found)


def host_text(one: HostDetail) -> str:
    """Text of ``host show``."""
    pairs = [
        ("osds", ", ".join(f"osd.{osd}" for osd in one.osds)),
        *finding_lines(one.findings, one.findings_left_out),
    ]
    if one.told is not None:
        age = _age(one.age_seconds)
        pairs.append(("facts of", f"{minute(one.collected_at)} UTC, age {age}"))
        pairs += [_written(name, value) for name, value in one.told.items() if value is not None]
    listed = table(_ROUNDS_OF, one.rounds) if one.rounds else "no round has measured its OSDs yet"
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


def taken_text(one: Host) -> str:
    """Text of ``host import``."""
    told = ", ".join(one.sections) or "nothing but the host's name"
    return f"the facts of {one.host} are taken over\n{facts([('told', told)])}"


QUESTIONS = (
    Question("host ls", hosts, text=hosts_text, rest="GET host"),
    Question("host show", show, text=host_text, rest="GET host/NAME"),
    Question("host import", take, text=taken_text, writes=True),
)
