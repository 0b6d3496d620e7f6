"""What the doctor looks at: one look at the cluster's settings, OSDs, health and hosts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Optional

from .commit_stall import CommitStall
from .facts import HostFacts
from .finding import Severity, Target
from .osd import Osd

# Of a setting's mask.
_CLASS = "class"


class Setting(NamedTuple):
    """A value that somebody set in the cluster's configuration; ``mask`` as "class:ssd"."""

    section: str
    mask: str
    name: str
    value: str

    @property
    def who(self) -> str:
        """As ``ceph config set`` and ``rm`` take it: "osd.3", "osd/host:host-1"."""
        return f"{self.section}/{self.mask}" if self.mask else self.section

    @property
    def places(self) -> frozenset[str]:
        """The types of CRUSH buckets that it is bound to, such as "host"."""
        return frozenset(kind for kind, _ in self._mask()) - {_CLASS}

    def concerns(self, osd: Osd) -> bool:
        """Whether it is for this OSD, by section and mask."""
        return self.section in ("global", "osd", osd.name) and all(
            value == (osd.device_class if kind == _CLASS else osd.location.get(kind))
            for kind, value in self._mask()
        )

    def _mask(self) -> list[tuple[str, str]]:
        parts = [part.partition(":") for part in self.mask.split("/") if part]
        return [(kind, value) for kind, _, value in parts]


class Build(NamedTuple):
    """The programs that an OSD runs.

    ``version`` as Ceph words it, ``system`` is the host's or the container's, ``image`` the
    container's ("" where there is none).
    """

    version: str
    system: str = ""
    image: str = ""


@dataclass(frozen=True)
class OsdDetails:
    """An OSD with what its metadata and newest counters say. Sizes are bytes; None: not known.

    ``fsid`` is its own, as ceph-volume wants it. ``slow_used`` is what of its database lies on the
    slow device, ``wal_used`` its write-ahead log where that has a device of its own.
    """

    osd: Osd
    release: Optional[str] = None
    host_memory: Optional[int] = None
    separate_db: bool = False
    db_rotational: Optional[bool] = None
    pgs: Optional[int] = None
    db_total: Optional[int] = None
    db_used: Optional[int] = None
    slow_used: Optional[int] = None
    wal_used: Optional[int] = None
    stall: Optional[CommitStall] = None
    build: Optional[Build] = None
    fsid: Optional[str] = None

    @property
    def kind(self) -> str:
        """Whose options it has: "hdd" or "ssd", as the OSD itself decides."""
        turns = self.osd.rotational
        return "hdd" if turns or (turns is None and self.osd.device_class == "hdd") else "ssd"


@dataclass(frozen=True)
class MeasuredCapacity:
    """What rounds found of an OSD with small writes: IOPS, and the round."""

    iops: float
    round: int


@dataclass(frozen=True)
class DoctorSnapshot:
    """``options`` has by device class the values that count where no OSD has its own.

    ``placed`` has, of options that somebody set for a host or another bucket, the value by OSD.
    ``checks`` are the cluster's own health checks, summary by code. ``held`` are flags and settings
    that a round of ours holds now. ``short_rounds`` are the newest rounds by profile whose verdict
    is too-short. ``tick`` is how long the watch's newest tick took and how often there is one, in
    seconds. ``tcmalloc`` says of the builds of which an OSD was asked whether they use it.
    """

    patients: Mapping[int, OsdDetails] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    settings: Sequence[Setting] = ()
    flags: frozenset[str] = frozenset()
    checks: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, HostFacts] = field(default_factory=dict)
    held: frozenset[str] = frozenset()
    short_rounds: Mapping[str, int] = field(default_factory=dict)
    measured: Mapping[int, MeasuredCapacity] = field(default_factory=dict)
    tick: Optional[tuple[float, float]] = None
    tcmalloc: Mapping[Build, bool] = field(default_factory=dict)
    placed: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def option(self, patient: OsdDetails, name: str) -> Optional[str]:
        """What an option is on this OSD; None where the release does not have it."""
        own = self.own(patient, name)
        if own is not None:
            return own
        placed = self.placed.get(name)
        if placed is not None:
            return placed.get(patient.osd.id)
        return self.options.get(patient.osd.device_class or "", {}).get(name)

    def own(self, patient: OsdDetails, name: str) -> Optional[str]:
        """The value that is set for this OSD alone; None where there is none."""
        for setting in self.of(name, patient.osd.name):
            return setting.value
        return None

    def of(self, name: str, section: str) -> Sequence[Setting]:
        """What is set of an option in a section, such as "osd", "global" or "osd.3"."""
        return self._by_name.get((name, section), ())

    def set_for(self, name: str, patients: Sequence[OsdDetails]) -> list[Setting]:
        """What is set of an option for any of these OSDs, each once."""
        found: dict[Setting, None] = {}
        for patient in patients:
            for section in ("global", "osd", patient.osd.name):
                those = self.of(name, section)
                found.update((one, None) for one in those if one.concerns(patient.osd))
        return list(found)

    def several(self, name: str) -> bool:
        """Whether an option is set for more than single OSDs."""
        return name in self._for_several

    # Large clusters have a setting for every OSD: what mClock found at its start.
    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Sequence[Setting]]:
        found: dict[tuple[str, str], list[Setting]] = {}
        for setting in self.settings:
            found.setdefault((setting.name, setting.section), []).append(setting)
        return found

    @cached_property
    def _for_several(self) -> frozenset[str]:
        return frozenset(s.name for s in self.settings if not s.section.startswith("osd."))

    def number(self, patient: OsdDetails, name: str) -> Optional[float]:
        """The same as a number; None too where it is none."""
        try:
            return float(self.option(patient, name) or "")
        except ValueError:
            return None

    def hosts(self) -> Iterator[tuple[str, list[OsdDetails], Optional[HostFacts]]]:
        """By name each host, its OSDs that are up, and its facts."""
        by_host: dict[str, list[OsdDetails]] = {}
        for patient in self.patients.values():
            if patient.osd.up:
                by_host.setdefault(patient.osd.host, []).append(patient)
        for host in sorted(by_host):
            yield host, by_host[host], self.facts.get(host)

    def up(self) -> list[OsdDetails]:
        """The OSDs that are up, by ID."""
        return [patient for _, patient in sorted(self.patients.items()) if patient.osd.up]


@dataclass(frozen=True)
class Advice:
    """What the doctor says: one thing, once, about all that have it.

    ``message`` says what is and why it matters, ``fix`` is the command that mends it, ``source``
    where that is known from. ``risk``: it belongs into the cluster's health.
    """

    code: str
    severity: Severity
    target: Target
    message: str
    fix: str
    source: str
    osds: frozenset[int] = frozenset()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    risk: bool = False


CLUSTER = Target("cluster", "cluster")
