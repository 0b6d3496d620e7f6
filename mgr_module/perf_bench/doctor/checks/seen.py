"""What a check reads, what it finds, and what it could not know.

A check is a function of ``Seen``, a snapshot that it asks. Where a value is missing, ``Seen`` notes
it, or raises ``Unknown``, so that silence is not taken for health.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any, NamedTuple, Optional

from ...model.coverage import Gap, facts_gaps
from ...model.doctor_snapshot import CLUSTER, DoctorSnapshot, OsdDetails
from ...model.facts import HostFacts
from ...model.finding import Severity, Target
from ...model.osd import Osd
from ...model.phrases import listed, osd_names

# OSDs and hosts that evidence names; the rest is counted.
NAMED = 20
_OF_CLASS = "osd/class:"
# The largest published test of Ceph's throughput, and the report on missed interrupts, NUMA, swap
# and CRC32C among others.
CLYSO = "Ceph: A Journey to 1 TiB/s (Clyso, 2024)"
BLOOMBERG = "Designing and Tuning for All-Flash Ceph RBD Storage (Bloomberg, 2024)"
PAWSEY = "40GiB/s S3 Throughput With 22TB Spinners (Pawsey / IBM, 2024)"
DOCS = "Ceph's documentation"
ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


class Unknown(Exception):
    """Without this a check cannot look at anything."""

    def __init__(self, gap: Gap) -> None:
        super().__init__(gap.why)
        self.gap = gap


# What a check finds wrong in a snapshot; forward, as it is made of the classes below.
Find = Callable[["Seen"], Iterable["Found"]]


class Found(NamedTuple):
    """A problem: what it is and why it matters, and the ``commands`` that solve it, in order.

    It concerns ``osds``; the ``target`` is the narrowest with all of them (the cluster without any)
    unless named. ``severity`` and ``source`` are those of the check unless named.
    """

    message: str
    commands: Iterable[str]
    osds: Sequence[OsdDetails] = ()
    evidence: Mapping[str, Any] = {}
    severity: Optional[Severity] = None
    target: Optional[Target] = None
    source: Optional[str] = None


class Check(NamedTuple):
    """A row of the table: what ``find`` finds has this code, severity and source.

    With ``risk`` it is also raised as a health check. The docstring of ``find`` says what is wrong.
    """

    code: str
    severity: Severity
    source: str
    find: Find
    risk: bool


def check(
    code: str, severity: Severity, source: str, risk: bool = False
) -> Callable[[Find], Check]:
    """Make a row of the function below; ``source`` is where the advice is published."""
    return lambda find: Check(code, severity, source, find, risk)


class Host(NamedTuple):
    """A host with its OSDs that are up and its facts."""

    name: str
    osds: Sequence[OsdDetails]
    facts: HostFacts

    @property
    def target(self) -> Target:
        return Target("host", self.name)


NO_OSDS = Gap("no-osds", "no OSD is up")
METADATA = Gap("no-metadata", "the mgr has no metadata of the OSDs", "wait until it has read them")
COUNTERS = Gap("no-counters", "the OSDs have sent no counters to the mgr", "wait some seconds")

NO_HEALTH = Gap("no-health", "the monitors have not sent the cluster's health yet", "wait")
NO_TICK = Gap(
    "watch-off",
    "the watch is off, or has not run yet",
    "'ceph config set mgr mgr/perf_bench/watch true' switches it on",
)


class Seen:
    """A snapshot for one check, which notes in ``gaps`` what the check could not read."""

    def __init__(self, snapshot: DoctorSnapshot) -> None:
        self.snapshot = snapshot
        self.gaps: list[Gap] = []

    def up(self) -> list[OsdDetails]:
        """The OSDs that are up, by ID. Raises Unknown if there are none."""
        up = self.snapshot.up()
        if not up:
            raise Unknown(NO_OSDS)
        return up

    def known(self, gap: Gap, read: Callable[[OsdDetails], Any]) -> list[OsdDetails]:
        """The OSDs that are up and of which ``read`` returns no None; notes the others."""
        up = self.up()
        told = [read(details) is not None for details in up]
        self.lack(gap, [details for details, known in zip(up, told) if not known], up)
        return [details for details, known in zip(up, told) if known]

    def with_metadata(self) -> list[OsdDetails]:
        """The OSDs that are up and whose metadata the mgr has; notes the others."""
        return self.known(METADATA, lambda osd: osd.release or None)

    def counted(self) -> list[OsdDetails]:
        """The OSDs that are up and have sent counters; notes the others."""
        self.with_metadata()
        return self.known(COUNTERS, lambda osd: osd.pgs)

    def health(self) -> Mapping[str, str]:
        """The summaries of the cluster's health checks. Raises Unknown before they have come."""
        if not self.snapshot.health_known:
            raise Unknown(NO_HEALTH)
        return self.snapshot.checks

    def tick(self) -> tuple[float, float]:
        """Duration and interval of the watch's ticks, in s. Raises Unknown before the first."""
        if self.snapshot.tick is None:
            raise Unknown(NO_TICK)
        return self.snapshot.tick

    def lack(
        self, gap: Gap, without: Sequence[OsdDetails], all_: Optional[Sequence[OsdDetails]] = None
    ) -> None:
        """Note that these OSDs lack it, of ``all_`` that it concerns; in part if that is None."""
        if without:
            self.lack_of(gap, names(without), len(without) == len(all_ or ()))

    def lack_of(self, gap: Gap, places: str, whole: bool) -> None:
        """Note that it is missing in these places: everywhere, or only in a part."""
        self.gaps.append(replace(gap, why=f"{gap.why} ({places})", partly=not whole))

    def hosts(
        self,
        section: str,
        read: Callable[[HostFacts], Any],
        concerns: Callable[[OsdDetails], bool] = lambda _: True,
    ) -> list[tuple[Host, Any]]:
        """The hosts with what ``read`` returns of their facts, where that is not None or "".

        Notes the others that have OSDs which it ``concerns``; ``section`` is what they do not tell.
        """
        self.up()
        snapshot = self.snapshot
        hosts = list(snapshot.hosts())
        concerned = [name for name, osds, _ in hosts if any(map(concerns, osds))]

        def mute(facts: HostFacts) -> bool:
            return read(facts) in (None, "")

        gaps = facts_gaps(concerned, snapshot.facts, snapshot.at, mute, section)
        whole = sum(gap.count for gap in gaps) == len(concerned)
        for gap in gaps:
            self.lack_of(gap, listed(gap.units), whole)
        return [
            (Host(name, osds, facts), read(facts))
            for name, osds, facts in hosts
            if facts is not None and not mute(facts)
        ]


def names(osds: Iterable[OsdDetails]) -> str:
    """The OSDs in order, for a sentence."""
    return osd_names(details.osd.id for details in osds)


def form(counted: Sized, one: str, several: str) -> str:
    """The word for one or for several."""
    return one if len(counted) == 1 else several


def is_true(value: Optional[str]) -> bool:
    """Whether an option is on; the mgr has "True", the monitors "true"."""
    return value is not None and value.lower() == "true"


def is_false(value: Optional[str]) -> bool:
    """Whether an option is off, and known."""
    return value is not None and value.lower() == "false"


def target_of(osds: Sequence[OsdDetails]) -> Target:
    """The narrowest target with all of them: an OSD, a host or the cluster."""
    if len(osds) == 1:
        return Target("osd", str(osds[0].osd.id))
    hosts = {details.osd.host for details in osds}
    return Target("host", hosts.pop()) if len(hosts) == 1 else CLUSTER


def config_set(who: str, option: str, value: object) -> str:
    """The command that sets an option for a section, with its mask."""
    return f"ceph config set {shlex.quote(who)} {option} {shlex.quote(str(value))}"


def config_rm(who: str, option: str) -> str:
    """The command that removes a setting."""
    return f"ceph config rm {shlex.quote(who)} {option}"


def set_for_all(
    snapshot: DoctorSnapshot,
    entries: Sequence[OsdDetails],
    option: str,
    value: object,
    section: Callable[[Osd], str],
) -> list[str]:
    """The commands after which all these OSDs have a value.

    ``section`` returns where it is set for an OSD: "osd", with a mask, or the OSD's name. Values of
    single OSDs, which would override it, are removed. An OSD gets a value of its own where another
    mask concerns it: of masks the narrower one counts (ConfigMap::generate_entity_map), and a place
    is narrower than a class.
    """
    removed: list[str] = []
    sections: list[str] = []
    for details in entries:
        who = section(details.osd)
        masks = [
            setting
            for setting in snapshot.of(option, "osd")
            if setting.mask and setting.who != who and setting.concerns(details.osd)
        ]
        if "/" in who and not who.startswith(_OF_CLASS):
            masks = [setting for setting in masks if setting.places]
        if masks:
            who = details.osd.name
        if who != details.osd.name and snapshot.own(details, option) is not None:
            removed.append(config_rm(details.osd.name, option))
        sections.append(who)
    return [*removed, *(config_set(who, option, value) for who in sections)]


def in_host_bucket(snapshot: DoctorSnapshot, osd: Osd) -> str:
    """The section for the OSDs in its CRUSH host; its own where that has OSDs of another host."""
    bucket = osd.location.get("host", "")
    alone = len(snapshot.hosts_in_bucket.get(bucket, ())) == 1
    return f"osd/host:{bucket}" if alone else osd.name


def of_class(osd: Osd) -> str:
    """The section for all OSDs of its device class."""
    return f"{_OF_CLASS}{osd.device_class}" if osd.device_class else osd.name


def as_numbers(release: str) -> tuple[int, ...]:
    """A release as a tuple that can be compared: (18, 2, 7)."""
    return tuple(int(part) if part.isdigit() else 0 for part in release.split("."))


def release_of(details: OsdDetails) -> tuple[int, ...]:
    """An OSD's release as a tuple; empty if unknown."""
    return as_numbers(details.release) if details.release else ()


def releases(osds: Iterable[OsdDetails]) -> list[str]:
    """The releases that these OSDs run, in order."""
    return sorted({details.release for details in osds if details.release}, key=as_numbers)
