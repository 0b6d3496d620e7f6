"""Hosts and their facts: ``ceph perf-bench host …``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Optional, Union

from ..errors import NotFound
from ..hardware.host_facts import host_named
from ..model.hardware import STALE_SECONDS, Cpu, Crc32c, Kernel, KnownHost, MemoryFacts, Numa
from ..model.json_fields import Tenths, Thousandths
from ..model.osd import Osd, osds_by_host
from ..model.phrases import plural
from ..model.verdict import OsdSnapshot, OsdState, OsdVerdict
from .api import Api
from .findings import Finding, finding_lines, of_host
from .paging import WHOLE, Page
from .question import File, Question
from .shape import Count, Keys
from .text import NOTHING, Column, duration, facts, listing, minute

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

    KEYS: ClassVar[Keys] = (
        "host", "osds", "slow", "worst_ratio", ("collected_at", "known.facts.collected_at"),
        ("received_at", "known.received_at"), "age_seconds", "sections", "source",
    )  # fmt: skip
    host: str
    verdicts: Sequence[OsdVerdict]  # of its OSDs
    known: Optional[KnownHost]
    now: float

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


@dataclass(frozen=True)
class HostDetail(Host):
    """A host with its findings.

    findings_left_out -- How many more there are.
    """

    KEYS: ClassVar[Keys] = (*Host.KEYS, "told", "findings", "findings_left_out")
    findings: Sequence[Finding]
    findings_left_out: int

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
    """Show a host: what it tells of itself, and its findings.

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
    return HostDetail(**_seen(api, name, osds, known), findings=found, findings_left_out=left_out)


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
)


def host_text(one: HostDetail) -> str:
    """Text of ``host show``."""
    osds = ", ".join(f"osd.{osd}" for osd in one.osds)
    pairs = [("osds", osds), *finding_lines(one.findings, one.findings_left_out)]
    if one.known is not None:
        collected = minute(one.known.facts.collected_at)
        pairs.append(("facts of", f"{collected} UTC, age {_age(one.age_seconds)}"))
    told = (one.told or {}).items()
    pairs += [(name.replace("_", " "), str(value)) for name, value in told if value is not None]
    return f"host {one.host}\n{facts(pairs)}"


def taken_text(one: Host) -> str:
    """Text of ``host import``."""
    told = ", ".join(one.sections) or "nothing but the host's name"
    return f"the facts of {one.host} are taken over\n{facts([('told', told)])}"


QUESTIONS = (
    Question("host ls", hosts, text=listing(_HOSTS), rest="GET host"),
    Question("host show", show, text=host_text, rest="GET host/NAME"),
    Question("host import", take, text=taken_text, writes=True),
)
