"""Multipath devices: active against expected paths, and what lost paths have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Optional

from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import MULTIPATH_DEGRADED
from ...model.hardware import (
    DAY,
    NO_OSDS,
    UNKNOWN,
    Drives,
    Enclosure,
    HardwareSnapshot,
    HostFacts,
    KnownHost,
    Multipath,
    OsdsOnDrive,
    Path,
)
from ...model.phrases import listed, osd_names, plural
from .enclosures import active_paths, is_active
from .identity import OsdsOn, by_disk, differ, map_keys, osds_on

OK, DEGRADED, FAILED, FLAPPING, BARE = "ok", "degraded", "failed", "flapping", "bare"
# Losses of a path within a day from which on it flaps; facts come hourly.
_FLAPS = 3


def multipaths_of(hosts: Mapping[str, KnownHost], drives: Drives, now: float) -> list[Multipath]:
    """All multipath devices by host, and disks with several paths of which OSDs use only one.

    Stale facts say nothing about their states.
    """
    multipaths: list[Multipath] = []
    for host, known in sorted(hosts.items()):
        on = drives.get(host, {})
        osds, joined = osds_on(on), {one.name for one in known.facts.joined_by_kernel()}
        found = [
            # cephadm takes for paths whatever has one serial number.
            _of_nobody(one) if differ([path.device for path in one.paths], osds) else one
            for one in _mapped(host, known, on, now)
            # An NVMe drive with two ports may have one that is connected.
            if one.expected != 1 or one.name not in joined
        ]
        found += _bare(known.facts, host, on, osds)
        multipaths += found if known.facts.is_fresh(now) else map(_without_states, found)
    return multipaths


def _of_nobody(one: Multipath) -> Multipath:
    """A map of what different OSDs are on: it is none, and nothing is known of it."""
    return _without_states(replace(one, on=NO_OSDS))


def _without_states(one: Multipath) -> Multipath:
    paths = tuple(replace(path, state=None, checker=None) for path in one.paths)
    return replace(one, state=UNKNOWN, paths=paths)


def _mapped(
    host: str, known: KnownHost, on: Mapping[str, OsdsOnDrive], now: float
) -> list[Multipath]:
    multipaths, keys, memory = [], map_keys(known.facts), known.memory
    for one in known.facts.maps():
        name, usable = keys[one.name], len(active_paths(one))
        known_active = sum(is_active(path) for path in one.paths)
        expected = one.expected_paths
        if expected is None:
            expected = max(memory.paths.get(name, 0), len(one.paths)) or None
        drops = sum(now - dropped_at < DAY for dropped_at in memory.drops.get(name, ()))
        state = _state(known_active, usable, expected, drops)
        multipaths.append(
            Multipath(
                host=host,
                name=one.name,
                state=state,
                on=_osds_on([one.name, *(path.device for path in one.paths)], on),
                wwid=one.wwid,
                paths=one.paths,
                expected=expected,
                active=known_active if state == UNKNOWN else usable,
                drops=drops,
            )
        )
    return multipaths


def _state(active: int, usable: int, expected: Optional[int], drops: int) -> str:
    """The state of a disk with so many active paths; ``usable`` are those not known to be lost."""
    if usable == 0:
        return FAILED
    if expected is not None and usable < expected:
        return DEGRADED
    if active < usable:
        return UNKNOWN
    return FLAPPING if drops >= _FLAPS else OK


def _bare(
    facts: HostFacts, host: str, on: Mapping[str, OsdsOnDrive], osds: OsdsOn
) -> list[Multipath]:
    """Disks with OSDs and several paths, but without a multipath device."""
    mapped = {path.device for one in facts.multipath or () for path in one.paths}
    if facts.multipath is None or on.keys() <= mapped:
        return []
    wwids = {disk.device: disk.wwid for disk in facts.block or () if disk.wwid}
    disks = []
    for key, devices in sorted(by_disk(facts, osds).items()):
        on_disk = _osds_on(devices, on)
        # Namespaces of an NVMe drive have different WWIDs, paths to a disk have the same.
        several = len({wwids[device] for device in devices if device in wwids}) > 1
        if len(devices) > 1 and not several and on_disk and not mapped & set(devices):
            paths = tuple(Path(device) for device in devices)
            disks.append(Multipath(host, key, BARE, on_disk, None, paths, len(devices), 1))
    return disks


def _osds_on(devices: Sequence[str], on: Mapping[str, OsdsOnDrive]) -> OsdsOnDrive:
    """The OSDs on a disk, which has one entry for each of its names."""
    return next((on[device] for device in devices if device in on), NO_OSDS)


def path_claims(snapshot: HardwareSnapshot) -> list[Claim]:
    """One claim for each host whose fresh facts show lost, flapping or unused paths of OSDs.

    It names what all of them share: an enclosure, or an HBA that none of them reaches.
    """
    by_host: dict[str, list[Multipath]] = {}
    for one in snapshot.multipaths:
        if one.state not in (OK, UNKNOWN) and one.on:
            by_host.setdefault(one.host, []).append(one)
    return [_claim(host, bad, snapshot) for host, bad in sorted(by_host.items())]


def _claim(host: str, bad: Sequence[Multipath], snapshot: HardwareSnapshot) -> Claim:
    osds = sorted({osd for one in bad for osd in one.on.all})
    lost = [one for one in bad if one.state in (DEGRADED, FAILED)]
    shared = _shared(
        lost, [one for one in snapshot.multipaths if one.host == host], snapshot.enclosures
    )
    counts = [(sum(one.state == state for one in bad), text) for state, text in _TEXTS.items()]
    words = [f"{plural(count, 'disk')} {text}" for count, text in counts if count]
    names = [f"{one.name} of {osd_names(one.on.all)}" for one in bad]
    message = f"{host}: {listed(words)} ({listed(names)})"
    return Claim(
        MULTIPATH_DEGRADED.code,
        Severity.ERROR if any(one.state == FAILED for one in bad) else Severity.WARNING,
        Target("host", host),
        message if shared is None else f"{message}: {shared}",
        {
            "osds": osds,
            "states": {one.name: _paths(one) for one in bad[:20]},
            "shared": shared,
        },
        snapshot.hosts[host].facts.collected_at,
    )


def _paths(one: Multipath) -> str:
    if one.expected is None:
        return plural(one.active, "path")
    return f"{one.active} of {plural(one.expected, 'path')}"


# By state what follows the number of disks.
_TEXTS = {
    FAILED: "without a path",
    DEGRADED: "with lost paths",
    FLAPPING: "with paths that come and go",
    BARE: "used over one of several paths",
}


def _shared(
    lost: Sequence[Multipath], all_: Sequence[Multipath], enclosures: Sequence[Enclosure]
) -> Optional[str]:
    """What the disks that lost paths have in common and the others have not; else None."""
    if len(lost) < 2:
        return None
    osds = {osd for one in lost for osd in one.on.all}
    for enclosure in enclosures:
        if osds <= enclosure.osds and any(
            not enclosure.osds.issuperset(one.on.all) for one in all_
        ):
            return f"all of enclosure {enclosure.id}"
    used = {hba for one in all_ for hba in _hbas(one, active=False)}
    dead = used - {hba for one in lost for hba in _hbas(one, active=True)}
    if len(dead) == 1 and len(used) > 1:
        return f"none of them has a path over SCSI host {dead.pop()}"
    return None


def _hbas(one: Multipath, active: bool) -> set[str]:
    """The SCSI hosts of its paths."""
    return {
        path.hctl.partition(":")[0]
        for path in one.paths
        if path.hctl and (not active or path.state != "failed")
    }
