"""How the programs were built that OSDs run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Optional

from ...model.doctor_snapshot import Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity
from ...model.phrases import listed
from .wording import ids, osds, some, target_of, verb

# "… tentacle (stable - RelWithDebInfo)": Ceph says so since 20 (pull requests 62333 and 61637).
# 16 and 18 end in "(stable)", and nothing that they tell or count says how they were built.
_BUILT = re.compile(r"\(\w+ - (\w+)\)")
_DEBUG = "Debug"
_TCMALLOC = "tcmalloc"
# In facts: no other library is mapped. So it is, too, where one was linked in statically.
_LIBC = "libc"


def debug_build(chart: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs built for those who look for bugs; not known before 20."""
    have = [p for p in chart.up() if p.build and _DEBUG in _BUILT.findall(p.build.version)]
    if have:
        version = have[0].build.version if have[0].build else ""
        yield Advice(
            "DEBUG_BUILD",
            Severity.WARNING,
            target_of(have),
            f"{osds(have)} {verb(have, 'runs', 'run')} a debug build: without "
            "optimisation and with checks for developers, up to five times slower",
            f"ceph tell osd.{have[0].osd.id} version",
            "Ceph's README, build types; Ceph pull requests 25478 and 62333",
            ids(have),
            {**some(have), "version": version},
            risk=True,
        )


def other_allocator(chart: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs whose memory is not tcmalloc's."""
    other: dict[int, str] = {}
    for _, patients, facts in chart.hosts():
        processes = (facts.processes if facts else None) or ()
        told = {process.osd: process.allocator for process in processes}
        for patient in patients:
            name = _other(chart, patient, told.get(patient.osd.id))
            if name is not None:
                other[patient.osd.id] = name
    have = [patient for patient in chart.up() if patient.osd.id in other]
    if have:
        names = sorted(set(other.values()))
        yield Advice(
            "NO_TCMALLOC",
            Severity.INFO,
            target_of(have),
            f"{listed(names)} serves {osds(have)}: only with tcmalloc do caches follow "
            "osd_memory_target, so they may take more or less memory than they are given",
            f"ceph tell osd.{have[0].osd.id} dump_mempools",
            "Ceph's documentation: BlueStore, automatic cache sizing; osd_memory_target",
            ids(have),
            {**some(have), "allocators": names},
        )


def _other(chart: DoctorSnapshot, patient: OsdDetails, told: Optional[str]) -> Optional[str]:
    """What it uses in place of tcmalloc; None where it uses that, or nobody knows."""
    if told not in (None, _LIBC, _TCMALLOC):
        return told  # put before the one that it was built with
    asked = None if patient.build is None else chart.tcmalloc.get(patient.build)
    return (told or "another allocator") if asked is False and told != _TCMALLOC else None
