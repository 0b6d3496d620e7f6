"""Profiles: the named recipes of rounds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..errors import NotFound
from .bench import KIB, MIB, READ, WRITE, Step


class Layout(Enum):
    """How a profile's steps become phases.

    WAVES: its one step on waves. SANDWICH: each step alone, together, alone, and after rests.
    WAL: writes below and above the size up to which the OSDs defer them; its steps are those of
    OSDs as they come. SEARCH: under one load after the other until the cluster saturates.
    """

    WAVES = "waves"
    SANDWICH = "sandwich"
    WAL = "wal"
    SEARCH = "search"


# Alone, together, alone.
_SANDWICHED = 3


@dataclass(frozen=True)
class Profile:
    """A recipe. ``max_cv_percent`` is the spread over which a round is called noisy.

    ``repeats`` are always made, up to ``max_repeats`` until the figures are sure enough.
    ``rests`` of ``rest_seconds`` are made where nobody says otherwise.
    """

    name: str
    kind: str
    description: str
    steps: tuple[Step, ...]
    repeats: int
    max_repeats: int
    max_cv_percent: float = 10.0
    layout: Layout = Layout.WAVES
    rests: int = 0
    rest_seconds: int = 0

    @property
    def parts(self) -> int:
        """How often an OSD is measured in a repeat, at most."""
        return _SANDWICHED + self.rests if self.layout is Layout.SANDWICH else 1

    @property
    def writings(self) -> int:
        """How often its steps are written, at least; what clients read is written once."""
        reads = self.kind == "rados" and self.steps[0].operation != WRITE
        return 1 if reads else self.repeats * self.parts


# The four-argument call that OSDs themselves use to find their mClock capacity: fill 100 objects
# of 4 MiB, then overwrite them at random. Small writes onto *fresh* objects would measure the
# making of onodes (RocksDB) as much as the device, and no client pattern looks like that: RBD
# and CephFS overwrite 4 MiB objects. Prefilled results also compare with osd_mclock_max_capacity_*.
_PREFILL_SIZE = 4 * MIB
_PREFILL_COUNT = 100


def small_writes(block_size: int, total_bytes: int) -> Step:
    """A step of random overwrites of prefilled objects (for blocks under 1 MiB)."""
    return Step(WRITE, block_size, total_bytes, _PREFILL_SIZE, _PREFILL_COUNT)


def large_writes(block_size: int, total_bytes: int) -> Step:
    """A step of whole-object writes onto fresh objects (for blocks of 1 MiB and more).

    Making one object per 4 MiB costs next to nothing, it is what a client that streams does, it
    is how published figures were taken (``ceph tell osd.N bench`` without further arguments),
    and a prefill would add 400 MiB of wear to each measurement.
    """
    return Step(WRITE, block_size, total_bytes)


def writes(block_size: int, total_bytes: int) -> Step:
    """The step for a block size: the line at 1 MiB is the one ``osd bench`` itself draws."""
    make = small_writes if block_size < MIB else large_writes
    return make(block_size, total_bytes)


# 3,000 operations is what osd_bench_small_size_max_iops (100) x osd_bench_duration (30 s) allow
# by default, so these run on a cluster whose options nobody touched.
SMALL_OPERATIONS = 3000

# What is read: objects as RBD and CephFS have them, 256 MiB of them. A drive's own cache does not
# hold them until they are read again, for a bench writes four times as much in between.
_READ_SIZE = 4 * MIB
_READ_COUNT = 64

_ALL = (
    Profile(
        "osd-throughput",
        "osd",
        "4 MiB writes, fresh objects: bandwidth",
        (writes(4 * MIB, 1024 * MIB),),
        repeats=3,
        max_repeats=6,
    ),
    Profile(
        "osd-iops",
        "osd",
        "4 KiB random overwrites: IOPS",
        (writes(4 * KIB, 4 * KIB * SMALL_OPERATIONS),),
        repeats=5,
        max_repeats=10,
    ),
    Profile(
        "osd-balanced",
        "osd",
        "32 KiB random overwrites: between both",
        (writes(32 * KIB, 32 * KIB * SMALL_OPERATIONS),),
        repeats=5,
        max_repeats=10,
    ),
    Profile(
        "osd-sandwich",
        "osd",
        "one OSD alone, its host, alone again",
        (
            writes(4 * MIB, 1024 * MIB),
            Step(READ, 4 * MIB, 1024 * MIB, _READ_SIZE, _READ_COUNT),
        ),
        repeats=3,
        max_repeats=3,
        layout=Layout.SANDWICH,
        # In the published case it took several pauses of 20 to 30 min (Nelson 2024).
        rests=3,
        rest_seconds=1200,
    ),
    Profile(
        "osd-wal",
        "osd",
        "deferred or not: where is the WAL?",
        (
            writes(4 * KIB, 4 * KIB * SMALL_OPERATIONS),
            writes(128 * KIB, 128 * KIB * SMALL_OPERATIONS),
        ),
        repeats=3,
        max_repeats=3,
        layout=Layout.WAL,
    ),
)

# How long clients run unless told, and how fast an OSD is taken to be in that time: what
# osd_bench_large_size_max_throughput assumes by default.
LOAD_SECONDS = 30
LOAD_BYTES_PER_OSD = 100 * MIB
# A search makes many runs, and the size of a load shows soon.
SEARCH_SECONDS = 20
# The most that it makes with the bounds it has unless told.
_SEARCH_RUNS = 11

_LOADS = tuple(
    Profile(
        f"rados-{operation}",
        "rados",
        f"4 MiB {what} by many clients",
        (Step(operation, 4 * MIB, LOAD_SECONDS * LOAD_BYTES_PER_OSD),),
        repeats=3,
        max_repeats=3,
    )
    for operation, what in (
        ("write", "writes"),
        ("seq", "reads in order"),
        ("rand", "reads at random"),
    )
)

# None of reads in order: what one client wrote while all did is read before its time is over.
_SEARCHES = tuple(
    Profile(
        name,
        "rados",
        f"ever more 4 MiB {what}: the knee",
        (Step(operation, 4 * MIB, SEARCH_SECONDS * LOAD_BYTES_PER_OSD),),
        repeats=_SEARCH_RUNS,
        max_repeats=_SEARCH_RUNS,
        layout=Layout.SEARCH,
    )
    for name, operation, what in (
        ("rados-saturate", WRITE, "writes"),
        ("rados-saturate-rand", "rand", "random reads"),
    )
)

PROFILES = {profile.name: profile for profile in (*_ALL, *_LOADS, *_SEARCHES)}


def profile_named(name: str) -> Profile:
    """The profile of that name; raises NotFound with the names there are."""
    try:
        return PROFILES[name]
    except KeyError:
        raise NotFound(f"no profile '{name}': there are {', '.join(PROFILES)}") from None
