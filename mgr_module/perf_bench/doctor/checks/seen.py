"""What a check reads, what it finds, and what it could not know.

A check is a function of ``Seen``, a snapshot that it asks. Where a value is missing, ``Seen`` notes
it, or raises ``Unknown``, so that silence is not taken for health.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Optional

from ...model.doctor_snapshot import CLUSTER, DoctorSnapshot, OsdDetails
from ...model.finding import Gap, Severity, Target, facts_gaps
from ...model.hardware import HostFacts
from ...model.phrases import listed, osd_names

# OSDs and hosts that evidence names; the rest is counted.
NAMED = 20
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


class Seen:
    """A snapshot for one check, which notes in ``gaps`` what the check could not read."""

    def __init__(self, snapshot: DoctorSnapshot) -> None:
        self.snapshot = snapshot
        self.gaps: list[Gap] = []

    def up(self) -> list[OsdDetails]:
        """The OSDs that are up, by ID. Raises Unknown if there are none."""
        up = self.snapshot.up
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

    def counted(self, read: Callable[[OsdDetails], Any] = lambda osd: osd.pgs) -> list[OsdDetails]:
        """The OSDs that are up and have sent what ``read`` returns; notes the others."""
        self.with_metadata()
        return self.known(COUNTERS, read)

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


def target_of(osds: Sequence[OsdDetails]) -> Target:
    """The narrowest target with all of them: an OSD, a host or the cluster."""
    if len(osds) == 1:
        return Target("osd", str(osds[0].osd.id))
    hosts = {details.osd.host for details in osds}
    return Target("host", hosts.pop()) if len(hosts) == 1 else CLUSTER
