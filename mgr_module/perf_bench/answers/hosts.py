"""Hosts and their facts: ``ceph perf-bench host …``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from statistics import median
from typing import Annotated, Any, ClassVar, Optional, Union

from ..errors import NotFound
from ..hardware.host_facts import host_named
from ..model.hardware import STALE_SECONDS, Cpu, Crc32c, Kernel, KnownHost, MemoryFacts, Numa
from ..model.json_fields import Tenths, Thousandths
from ..model.osd import Osd, osds_by_host
from ..model.phrases import plural
from ..model.round import OsdResult, RoundLine
from ..model.verdict import OsdSnapshot, OsdState, OsdVerdict
from ..store.sqlite import Store
from .api import Api
from .findings import Finding, finding_lines, of_host
from .paging import WHOLE, Page
from .question import File, Question
from .shape import Count, Keys
from .text import GAP, NOTHING, Column, duration, facts, listing, minute, number, rate, size, table

# OSDs of a host whose rounds are read, 1 ms each, and the rounds that are shown.
_MOST_OSDS, _ROUNDS = 32, 20
_SECTIONS = (
    "osds", "processes", "enclosures", "multipath", "phys", "pcie", "block", "smart", "cpu", "numa",
    "memory", "kernel", "crc32c",
)  # fmt: skip
_TOLD = {"cpu": Cpu, "numa": Numa, "memory": MemoryFacts, "kernel": Kernel, "crc32c": Crc32c}
# What a host tells of itself, by "SECTION_FIELD"; null for what it does not.
Told = Mapping[str, Optional[Union[str, float]]]


def _counted(section: str) -> property:
    def count(one: Host) -> Optional[int]:
        entries = one.told_of(section)
        return None if entries is None else len(entries)

    return property(count)


@dataclass(frozen=True)
class Host:
    """A host and what it told of itself; null: nothing.

    slow -- How many of its OSDs the watch calls slow; null: it has a verdict on none of them.
    worst_ratio -- The highest latency of its OSDs over what their peers take; null: not known.
    source -- Who told its facts; null: nobody.
    """

    KEYS: ClassVar[Keys] = (
        "host", "osds", "slow", "worst_ratio", ("collected_at", "known.facts.collected_at"),
        ("received_at", "known.received_at"), "age_seconds", "sections", "enclosures", "multipath",
        "disks", "source",
    )  # fmt: skip
    host: str
    verdicts: Sequence[OsdVerdict]  # of its OSDs
    known: Optional[KnownHost]
    now: float

    enclosures, multipath = _counted("enclosures"), _counted("multipath")
    disks = _counted("block")

    def told_of(self, section: str) -> Any:
        """A section of its facts; None: it told none."""
        return getattr(self.known.facts, section, None) if self.known else None

    @property
    def osds(self) -> Sequence[int]:
        return [one.osd for one in self.verdicts]

    @property
    def slow(self) -> Optional[Count]:
        judged = [one.state for one in self.verdicts if one.state is not OsdState.NO_DATA]
        return judged.count(OsdState.SLOW) if judged else None

    @property
    def worst_ratio(self) -> Optional[Thousandths]:
        return max((one.ratio for one in self.verdicts if one.ratio is not None), default=None)

    @property
    def age_seconds(self) -> Optional[Tenths]:
        return self.now - self.known.facts.collected_at if self.known else None

    @property
    def sections(self) -> Sequence[str]:
        return [one for one in _SECTIONS if self.told_of(one) is not None]

    @property
    def source(self) -> Optional[Annotated[str, "enum", ("host", "orchestrator")]]:
        return (self.known.facts.source or "host") if self.known else None


def _middle(name: str) -> property:
    def middle(one: HostRound) -> Optional[float]:
        values = [getattr(result, name) for result in one.results]
        known = [value for value in values if value is not None]
        return median(known) if known else None

    return property(middle)


@dataclass(frozen=True)
class HostRound:
    """A round, and the median of what it measured on the OSDs of a host."""

    KEYS = (
        ("id", "line.id"), ("profile", "line.profile"), ("verdict", "line.verdict"),
        ("ended_at", "line.ended_at"), "osds", "percent_of_peers", "bytes_per_second", "iops",
    )  # fmt: skip
    line: RoundLine
    results: list[OsdResult]

    percent_of_peers = _middle("percent_of_peers")
    bytes_per_second = _middle("median_bytes_per_second")
    iops = _middle("median_iops")

    @property
    def osds(self) -> int:
        return len(self.results)


@dataclass(frozen=True)
class HostDetail(Host):
    """A host with its findings, and rounds that measured its OSDs.

    findings_left_out -- How many more there are.
    rounds -- The newest 20.
    rounds_osds_left_out -- The OSDs of the host that are not counted in them.
    """

    KEYS: ClassVar[Keys] = (
        *Host.KEYS, "told", "findings", "findings_left_out", "rounds", "rounds_osds_left_out",
    )  # fmt: skip
    findings: Sequence[Finding]
    findings_left_out: int
    rounds: Sequence[HostRound]

    @property
    def rounds_osds_left_out(self) -> int:
        return max(0, len(self.verdicts) - _MOST_OSDS)

    @property
    def told(self) -> Optional[Told]:
        """What it tells beside its devices; the page of a host names and writes these."""
        if self.known is None:
            return None
        return {
            f"{section}_{field.name}": getattr(self.told_of(section), field.name, None)
            for section, kind in _TOLD.items()
            for field in fields(kind)
        }


def hosts(api: Api, page: Page = WHOLE) -> tuple[list[Host], int]:
    """List hosts, that of the slowest OSD first, and how old their facts are."""
    known, by_host = api.hosts.known(), osds_by_host(api.osds())
    snapshot = api.watch.osd_snapshot()
    found = [
        Host(**_seen(api, one, by_host.get(one, ()), known.get(one), snapshot))
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
    found, left_out = of_host(api, name, [osd.id for osd in osds])
    return HostDetail(
        **_seen(api, name, osds, known),
        findings=found,
        findings_left_out=left_out,
        rounds=_rounds(api, osds),
    )


def take(api: Api, host: str, facts: File) -> Host:
    """Take over what ceph-perf-bench facts printed on that host, from -i FILE.

    Raises InvalidValue with the path of the bad field, NotFound for an unknown host.
    """
    osds = api.osds()
    name, known = api.hosts.take(host, facts, osds)
    return Host(**_seen(api, name, osds_by_host(osds).get(name, ()), known))


def _seen(
    api: Api,
    name: str,
    osds: Sequence[Osd],
    known: Optional[KnownHost],
    snapshot: Optional[OsdSnapshot] = None,
) -> dict[str, Any]:
    """What a host is seen with, in lists and alone; 400 hosts need one ``snapshot``."""
    verdict = (snapshot or api.watch.osd_snapshot()).verdict
    verdicts = [verdict(osd.id) for osd in osds]
    return {"host": name, "verdicts": verdicts, "known": known, "now": api.clock.now()}


def _rounds(api: Api, osds: Sequence[Osd]) -> list[HostRound]:
    """The newest rounds that measured these OSDs, and the median of their results."""

    def read(store: Store) -> dict[int, HostRound]:
        found: dict[int, HostRound] = {}
        for osd in osds[:_MOST_OSDS]:
            for line, result in store.history(osd.id, _ROUNDS):
                found.setdefault(line.id, HostRound(line, [])).results.append(result)
        return found

    found = api.store.call(read)
    return sorted(found.values(), key=lambda one: -one.line.id)[:_ROUNDS]


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
    Column("ROUND", "line.id", "word"),
    Column("PROFILE", "line.profile", "word"),
    Column("VERDICT", "line.verdict", "word"),
    Column("ENDED (UTC)", "line.ended_at", "time"),
    Column("OSDS", "osds", "count"),
    Column("% PEERS", "percent_of_peers", "0"),
)


def host_text(one: HostDetail) -> str:
    """Text of ``host show``."""
    osds = ", ".join(f"osd.{osd}" for osd in one.osds)
    pairs = [("osds", osds), *finding_lines(one.findings, one.findings_left_out)]
    if one.known is not None:
        collected = minute(one.known.facts.collected_at)
        pairs.append(("facts of", f"{collected} UTC, age {_age(one.age_seconds)}"))
    told = (one.told or {}).items()
    pairs += [_written(name, value) for name, value in told if value is not None]
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
    Question("host ls", hosts, text=listing(_HOSTS), rest="GET host"),
    Question("host show", show, text=host_text, rest="GET host/NAME"),
    Question("host import", take, text=taken_text, writes=True),
)
