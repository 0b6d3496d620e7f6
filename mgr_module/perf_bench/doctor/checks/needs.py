"""What the doctor's checks need, and where it is missing: so that silence is not taken for health.

A need is a function from a snapshot to the ``Lack``s that keep a check from looking.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ...model.coverage import command_help, facts_gaps
from ...model.doctor_snapshot import DoctorSnapshot, OsdDetails
from ...model.facts import HostFacts
from ...model.finding_kinds import CRC_HOTSPOT
from ...model.profile import PROFILES
from ...model.said import say
from .mclock import unmeasured
from .wording import numbers, release_of


@dataclass(frozen=True)
class Lack:
    """What is missing: ``why`` as a clause with its places, ``help`` what brings it.

    Nothing could be looked at if it is ``whole``, otherwise only a part. ``since`` is unix seconds.
    """

    code: str
    why: str
    help: str = ""
    whole: bool = True
    since: Optional[float] = None


Need = Callable[[DoctorSnapshot], Iterator[Lack]]
# The release from which on OSDs raise alerts on stalled reads.
_STALLED = (18,)
# "… (stable - RelWithDebInfo)", since 20.
_BUILD_TYPE = re.compile(r"\(\w+ - \w+\)")
# Hosts with the same processor, and OSDs of a class, that can be compared.
_ALIKE = 3
# In facts: no other allocator library is mapped, or one is linked statically.
LIBC = "libc"


def of_facts(
    section: str,
    known: Callable[[HostFacts], Any],
    concerns: Callable[[DoctorSnapshot, OsdDetails], bool] = lambda _snapshot, _details: True,
) -> Need:
    """Facts of the hosts whose OSDs it ``concerns``; ``known`` returns None where they lack it."""

    def need(snapshot: DoctorSnapshot) -> Iterator[Lack]:
        hosts = [
            name
            for name, entries, _ in snapshot.hosts()
            if any(concerns(snapshot, details) for details in entries)
        ]
        gaps = facts_gaps(
            hosts, snapshot.facts, snapshot.at, lambda one: known(one) is None, section
        )
        whole = sum(one.count for one in gaps) == len(hosts)
        for one in gaps:
            where = say("lack-of", "{why} ({places:list})", why=one.why, places=one.units)
            yield Lack(one.code, where, one.help, whole, one.since)

    return need


def _of_osds(
    code: str, why: str, help_: str, lacks: Callable[[OsdDetails], bool]
) -> Callable[[DoctorSnapshot], Iterator[Lack]]:
    def need(snapshot: DoctorSnapshot) -> Iterator[Lack]:
        up = snapshot.up()
        without = [details for details in up if lacks(details)]
        if without:
            where = say("lack-of-osds", "{why} ({osds:osds})", why=why, osds=numbers(without))
            yield Lack(code, where, help_, len(without) == len(up))

    return need


metadata = _of_osds(
    "no-metadata",
    say("no-metadata", "the mgr has no metadata of the OSDs"),
    say("no-metadata-help", "wait until it has read them"),
    lambda details: not details.release,
)
counters = _of_osds(
    "no-counters",
    say("no-counters", "the OSDs have sent no counters to the mgr"),
    say("wait-seconds", "wait some seconds"),
    lambda details: details.pgs is None,
)
host_memory = _of_osds(
    "no-metadata",
    say("no-host-memory", "the OSDs' metadata do not tell the memory of their host"),
    "",
    lambda details: details.host_memory is None,
)


def osds_up(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """At least one OSD that is up."""
    if not snapshot.up():
        yield Lack("no-osds", say("no-osds", "no OSD is up"))


def build_type(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """Versions that name their build type."""
    up = snapshot.up()
    mute = [p for p in up if p.build is None or not _BUILD_TYPE.search(p.build.version)]
    if mute:
        why = say(
            "no-build-type",
            "versions before 20 do not tell how they were built ({osds:osds})",
            osds=numbers(mute),
        )
        yield Lack("no-build-type", why, "", len(mute) == len(up))


def allocators(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """Whether the builds use tcmalloc, from one OSD of each or from facts."""
    up = snapshot.up()
    told = {
        process.osd
        for facts in snapshot.facts.values()
        for process in facts.processes or ()
        if process.allocator not in (None, LIBC)
    }
    mute = [p for p in up if p.build not in snapshot.tcmalloc and p.osd.id not in told]
    if mute:
        why = say(
            "allocator-unknown",
            "the OSDs were not asked yet which allocator they use ({osds:osds})",
            osds=numbers(mute),
        )
        help_ = say("wait-minute", "wait a minute")
        yield Lack("not-asked", why, help_, len(mute) == len(up))


def small_writes(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """Measured IOPS of the OSDs that use mClock; without them only the range is checked."""
    without = unmeasured(snapshot)
    if without:
        yield Lack(
            "no-round",
            say(
                "no-small-writes",
                "no round has measured the small writes of {osds:osds}, so their capacities are "
                "only checked against Ceph's range",
                osds=numbers(without),
            ),
            command_help("ceph perf-bench round start osd-iops"),
            whole=False,
        )


def any_round(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """A round, whose samples may be too short."""
    if not snapshot.has_rounds:
        yield Lack(
            "no-round",
            say("no-round", "no round has run"),
            command_help(f"ceph perf-bench round start {next(iter(PROFILES))}"),
        )


def health(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """The cluster's health."""
    if not snapshot.health_known:
        why = say("no-health", "the monitors have not sent the cluster's health yet")
        yield Lack("no-health", why, say("wait", "wait"))


def stalled_alerts(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """Releases that raise alerts on stalled reads."""
    up = [details for details in snapshot.up() if details.release]
    old = [details for details in up if release_of(details) < _STALLED]
    if old:
        why = say(
            "no-stalled-alert",
            "versions before 18 have no alert on stalled reads ({osds:osds})",
            osds=numbers(old),
        )
        yield Lack("no-alert", why, "", len(old) == len(up))


def ticks(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """A tick of the watch."""
    if snapshot.tick is None:
        yield Lack(
            "watch-off",
            say("watch-not-run", "the watch is off, or has not run yet"),
            say(
                "watch-on-help",
                "'{command}' switches it on",
                command="ceph config set mgr mgr/perf_bench/watch true",
            ),
        )


def hot_checksums(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """The watch, which looks for hotspots; one that was found is enough."""
    if CRC_HOTSPOT.code not in snapshot.checks:
        yield from ticks(snapshot)


def alike_hosts(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """Three hosts with each processor, to compare the rates of their cores."""
    models: Counter[str] = Counter()
    for facts in snapshot.facts.values():
        if facts.cpu is not None and facts.cpu.model and facts.crc32c is not None:
            models[facts.cpu.model] += 1
    few = sorted(model for model, count in models.items() if count < _ALIKE)
    if few:
        why = say(
            "few-alike-hosts",
            "fewer than {least} hosts with the processor {models:list} to compare",
            least=_ALIKE,
            models=few,
        )
        yield Lack("no-peers", why, "", len(few) == len(models))


def alike_sizes(snapshot: DoctorSnapshot) -> Iterator[Lack]:
    """Three OSDs in each class, all of one size: others have other numbers of placement groups."""
    by_class: dict[str, list[OsdDetails]] = {}
    for details in snapshot.up():
        if details.osd.in_cluster and details.pgs is not None:
            by_class.setdefault(details.osd.device_class or "", []).append(details)
    apart = {name: found for name, found in by_class.items() if not is_alike(found)}
    if apart:
        why = say(
            "no-alike-sizes",
            "OSDs are compared only where a class has at least {least}, all of one size "
            "({osds:osds})",
            least=_ALIKE,
            osds=numbers(one for found in apart.values() for one in found),
        )
        yield Lack("not-alike", why, "", len(apart) == len(by_class))


def is_alike(members: Sequence[OsdDetails]) -> bool:
    """Whether OSDs of a class are enough and of one size, so that they can be compared."""
    sizes = {p.slow_total if p.separate_db else p.db_total for p in members}
    return len(members) >= _ALIKE and len(sizes) == 1 and None not in sizes


def joined(*needs: Need) -> Need:
    """All of these needs."""

    def need(snapshot: DoctorSnapshot) -> Iterator[Lack]:
        for one in needs:
            yield from one(snapshot)

    return need


def has_nvme(snapshot: DoctorSnapshot, details: OsdDetails) -> bool:  # noqa: ARG001
    """Whether an OSD is on NVMe, or may be: its devices are not known."""
    return details.osd.devices is None or "nvme" in details.osd.devices


def is_before_multipath(snapshot: DoctorSnapshot, details: OsdDetails) -> bool:  # noqa: ARG001
    """Whether an OSD's release handles multipath devices badly."""
    return bool(details.release) and release_of(details) < MULTIPATH


# The release from which on ceph-volume handles multipath devices.
MULTIPATH = (18, 2, 1)


def lacks(needs: Sequence[Need], snapshot: DoctorSnapshot) -> list[Lack]:
    """Everything that is missing for a check, the worst first."""
    found = [one for need in needs for one in need(snapshot)]
    return sorted(found, key=lambda one: not one.whole)


def cpu(name: str) -> Callable[[HostFacts], Optional[object]]:
    """Reads a property of the processor in facts."""
    return lambda facts: None if facts.cpu is None else getattr(facts.cpu, name)
