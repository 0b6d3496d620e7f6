"""Known faults of releases that make OSDs slow: a small table of well-proven ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ...model.doctor_snapshot import DoctorSnapshot, OsdDetails
from .seen import DOCS, INFO, Found, Seen, check, config_rm, config_set, names, release_of

_QUEUE, _SHARDS = "osd_op_queue", "osd_op_num_shards_hdd"
_THREADS = "osd_op_num_threads_per_shard_hdd"
# Upstream's packages of these; images are built on CentOS.
_DEBIAN = re.compile("debian|ubuntu", re.IGNORECASE)


class Fault(NamedTuple):
    """``fixed`` has by major release the first one without it; others never had it.

    ``concerns`` says whether an OSD of such a release is concerned, ``text`` what that means.
    """

    fixed: Mapping[int, tuple[int, ...]]
    concerns: Callable[[DoctorSnapshot, OsdDetails], bool]
    text: str
    source: str


def _is_debian(_: DoctorSnapshot, details: OsdDetails) -> bool:
    build = details.build
    return build is not None and not build.image and bool(_DEBIAN.search(build.system))


def _uses_mclock(snapshot: DoctorSnapshot, details: OsdDetails) -> bool:
    return (snapshot.option(details, _QUEUE) or "").startswith("mclock")


FAULTS = (
    Fault(
        {16: (16, 2, 15), 17: (17, 2, 8), 18: (18, 2, 4)},
        _is_debian,
        "if these are packages of ceph.com for Debian or Ubuntu, RocksDB in them is built without "
        "optimisation: compaction takes two to three times as long, and small writes are half as "
        "fast",
        "https://tracker.ceph.com/issues/64360; Ceph pull requests 54891 and 54918",
    ),
    Fault(
        {17: (17, 2, 7)},
        _uses_mclock,
        "mClock charges recovery a wrong cost: recovery and backfill take far longer than they "
        "need",
        "https://tracker.ceph.com/issues/58529; Ceph pull request 49973",
    ),
    Fault(
        {16: (16, 2, 11), 17: (17, 2, 4)},
        lambda *_: True,
        "duplicates in the logs of placement groups are never trimmed: OSDs grow by gigabytes, "
        "and take minutes to start",
        "https://tracker.ceph.com/issues/53729; Ceph pull request 47046",
    ),
)


@check("KNOWN_FAULT", INFO, f"{DOCS}: releases")
def known_faults(seen: Seen) -> Iterator[Found]:
    """The running release has a known fault that makes OSDs slow."""
    told = seen.with_metadata()
    for fault in FAULTS:
        have = [
            p
            for p in told
            for fixed in [fault.fixed.get(release_of(p)[0])]
            if fixed and release_of(p) < fixed and fault.concerns(seen.snapshot, p)
        ]
        if have:
            releases = sorted({str(p.release) for p in have})
            yield Found(
                f"{names(have)} ({', '.join(releases)}): {fault.text}; an update mends it",
                ["ceph versions"],
                have,
                {"fixed_in": [".".join(map(str, one)) for one in fault.fixed.values()]},
                source=fault.source,
            )


@check(
    "MCLOCK_SHARDS", INFO, f"{DOCS}: mClock config reference; https://tracker.ceph.com/issues/66289"
)
def mclock_shards(seen: Seen) -> Iterator[Found]:
    """OSDs on disks share out operations over shards of one thread, where mClock does badly."""
    snapshot = seen.snapshot
    have = [
        p
        for p in seen.with_metadata()
        if p.osd.rotational
        and _uses_mclock(snapshot, p)
        and (snapshot.number(p, _SHARDS) or 0) > 1
        and snapshot.number(p, _THREADS) == 1
    ]
    if have:
        set_ = [one for name in (_SHARDS, _THREADS) for one in snapshot.set_for(name, have)]
        yield Found(
            f"{names(have)} on disks use mClock with several shards of one thread, the default "
            "before 18.2.5 and 19.2.1: clients and recovery get uneven shares, with slow requests "
            "while recovery runs; a change takes effect when OSDs restart",
            [
                *(config_rm(one.who, one.name) for one in set_ if one.who != "osd"),
                config_set("osd", _SHARDS, 1),
                config_set("osd", _THREADS, 5),
            ],
            have,
        )
