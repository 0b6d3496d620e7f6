"""Checks of the builds that OSDs run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Optional

from ...model.doctor_snapshot import Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity
from ...model.said import say
from .needs import LIBC
from .wording import ids, numbers, some, target_of

# "… tentacle (stable - RelWithDebInfo)", in versions since 20 (pull requests 62333 and 61637).
# Versions of 16 and 18 end in "(stable)"; their build type cannot be found out.
_BUILT = re.compile(r"\(\w+ - (\w+)\)")
_DEBUG = "Debug"
_TCMALLOC = "tcmalloc"
_ANOTHER = say("another-allocator", "another allocator")


def debug_build(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Debug builds; known since 20."""
    have = [p for p in snapshot.up() if p.build and _DEBUG in _BUILT.findall(p.build.version)]
    if have:
        version = have[0].build.version if have[0].build else ""
        yield Advice(
            "DEBUG_BUILD",
            Severity.WARNING,
            target_of(have),
            say(
                "advice-debug-build",
                "{osds:osds} {osds#runs|run} a debug build: without optimisation and with extra "
                "checks it is up to five times slower",
                osds=numbers(have),
            ),
            "ceph osd versions",
            "Ceph's README, build types; Ceph pull requests 25478 and 62333",
            ids(have),
            {**some(have), "version": version},
            risk=True,
        )


def other_allocator(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs that do not use tcmalloc."""
    other: dict[int, str] = {}
    for _, entries, facts in snapshot.hosts():
        processes = (facts.processes if facts else None) or ()
        mapped = {process.osd: process.allocator for process in processes}
        for details in entries:
            name = _other(snapshot, details, mapped.get(details.osd.id))
            if name is not None:
                other[details.osd.id] = name
    have = [details for details in snapshot.up() if details.osd.id in other]
    if have:
        names = sorted(set(other.values()))
        yield Advice(
            "NO_TCMALLOC",
            Severity.INFO,
            target_of(have),
            say(
                "advice-no-tcmalloc",
                "{osds:osds} {osds#uses|use} {names:list} instead of tcmalloc: caches follow "
                "osd_memory_target only with tcmalloc, so memory use may be over or under it",
                osds=numbers(have),
                names=names,
            ),
            "ceph tell 'osd.*' heap stats",
            "Ceph's documentation: BlueStore, automatic cache sizing; osd_memory_target",
            ids(have),
            {**some(have), "allocators": names},
        )


def _other(snapshot: DoctorSnapshot, details: OsdDetails, mapped: Optional[str]) -> Optional[str]:
    """The allocator used instead of tcmalloc; None if it is tcmalloc, or unknown.

    ``mapped`` is the library that facts name.
    """
    if mapped not in (None, LIBC, _TCMALLOC):
        return mapped  # preloaded: it replaces the one that the OSD was built with
    built_with = None if details.build is None else snapshot.tcmalloc.get(details.build)
    return (mapped or _ANOTHER) if built_with is False and mapped != _TCMALLOC else None
