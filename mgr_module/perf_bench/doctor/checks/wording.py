"""Phrases and commands in advice."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from ...model.doctor_snapshot import CLUSTER, DoctorSnapshot, OsdDetails
from ...model.finding import Target

# OSDs and hosts that evidence names; the rest is counted.
NAMED = 20
# The report on missed interrupts, NUMA, swap and CRC32C among others.
BLOOMBERG = "Designing and Tuning for All-Flash Ceph RBD Storage (Bloomberg, 2024)"


def ids(entries: Iterable[OsdDetails]) -> frozenset[int]:
    """The IDs of these OSDs."""
    return frozenset(details.osd.id for details in entries)


def target_of(entries: Sequence[OsdDetails]) -> Target:
    """The narrowest target with all of them: an OSD, a host or the cluster."""
    if len(entries) == 1:
        return Target("osd", str(entries[0].osd.id))
    hosts = {details.osd.host for details in entries}
    return Target("host", hosts.pop()) if len(hosts) == 1 else CLUSTER


def numbers(entries: Iterable[OsdDetails]) -> list[int]:
    """The IDs of these OSDs in order, for a sentence."""
    return sorted(ids(entries))


def together(commands: Iterable[str]) -> str:
    """The commands as one shell line, each once."""
    return "; ".join(dict.fromkeys(commands))


def config_set(who: str, option: str, value: object) -> str:
    """The command that sets an option for a section, with its mask."""
    return f"ceph config set {shlex.quote(who)} {option} {shlex.quote(str(value))}"


def config_rm(who: str, option: str) -> str:
    """The command that removes a setting."""
    return f"ceph config rm {shlex.quote(who)} {option}"


def without_own(snapshot: DoctorSnapshot, entries: Sequence[OsdDetails], option: str) -> list[str]:
    """The commands that remove values of single OSDs, which would override a common value."""
    return [
        config_rm(details.osd.name, option)
        for details in entries
        if snapshot.own(details, option) is not None
    ]


def some(entries: Sequence[OsdDetails]) -> dict[str, Any]:
    """OSDs as evidence: their number, and the first IDs."""
    found = numbers(entries)
    return {"osds": found[:NAMED], "osds_in_all": len(found)}


def as_numbers(release: str) -> tuple[int, ...]:
    """A release as a tuple that can be compared: (18, 2, 7)."""
    return tuple(int(part) if part.isdigit() else 0 for part in release.split("."))


def release_of(details: OsdDetails) -> tuple[int, ...]:
    """An OSD's release as a tuple; empty if unknown."""
    return as_numbers(details.release) if details.release else ()
