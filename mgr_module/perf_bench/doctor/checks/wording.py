"""How advice names things."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from ...model.doctor_snapshot import CLUSTER, DoctorSnapshot, OsdDetails
from ...model.finding import Target
from ...model.phrases import osd_names

# OSDs and hosts that evidence and sentences name; the rest is counted.
NAMED = 20
GIB = 1 << 30


def ids(patients: Iterable[OsdDetails]) -> frozenset[int]:
    """Their IDs."""
    return frozenset(patient.osd.id for patient in patients)


def target_of(patients: Sequence[OsdDetails]) -> Target:
    """The narrowest that has all of them: an OSD, a host, the cluster."""
    if len(patients) == 1:
        return Target("osd", str(patients[0].osd.id))
    hosts = {patient.osd.host for patient in patients}
    return Target("host", hosts.pop()) if len(hosts) == 1 else CLUSTER


def osds(patients: Sequence[OsdDetails]) -> str:
    """As "osd.3", "osd.3 and osd.4", or "osd.1, osd.2, osd.3, osd.4 and 56 more"."""
    return osd_names(ids(patients))


def verb(patients: Sequence[Any], one: str, several: str) -> str:
    """As many need it: "osd.3 runs", "osd.3 and osd.4 run"."""
    return one if len(patients) == 1 else several


def together(commands: Iterable[str]) -> str:
    """One line to paste, each command once."""
    return "; ".join(dict.fromkeys(commands))


def config_set(who: str, option: str, value: object) -> str:
    """The command that sets an option for a section, with its mask."""
    return f"ceph config set {shlex.quote(who)} {option} {shlex.quote(str(value))}"


def config_rm(who: str, option: str) -> str:
    """The command that takes a setting away."""
    return f"ceph config rm {shlex.quote(who)} {option}"


def without_own(chart: DoctorSnapshot, patients: Sequence[OsdDetails], option: str) -> list[str]:
    """Commands after which no value of a single OSD stands before what is set for all of these."""
    return [
        config_rm(patient.osd.name, option)
        for patient in patients
        if chart.own(patient, option) is not None
    ]


def some(patients: Sequence[OsdDetails]) -> dict[str, Any]:
    """OSDs as evidence: how many, and the first of them."""
    numbers = sorted(ids(patients))
    return {"osds": numbers[:NAMED], "osds_in_all": len(numbers)}


def as_numbers(release: str) -> tuple[int, ...]:
    """As (18, 2, 7), so that releases can be compared."""
    return tuple(int(part) if part.isdigit() else 0 for part in release.split("."))


def release_of(patient: OsdDetails) -> tuple[int, ...]:
    """The same of an OSD; empty where it is not known."""
    return as_numbers(patient.release) if patient.release else ()
