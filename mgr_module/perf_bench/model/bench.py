"""What an OSD is asked to do, what it may be asked, and what it answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from .osd_options import BENCH_LARGE_MAX_THROUGHPUT, BENCH_SMALL_MAX_IOPS

KIB = 1 << 10
MIB = 1 << 20

# What a step does.
WRITE = "write"
READ = "read"
# Why an OSD cannot be read: no fault of it, and none of the round.
OUT_OF_REACH = "is primary of no placement group of the pool perf_bench, so nothing is read"


@dataclass(frozen=True)
class Step:
    """What one sample measures (all sizes in bytes).

    WRITE is one call of Ceph's own ``osd bench``, in its own terms. ``object_count`` 0 means
    *fresh*: every write makes a new object of ``block_size``. Otherwise the OSD first fills
    ``object_count`` objects of ``object_size`` and the measured writes overwrite them at random
    offsets, so no write pays for making an object.

    READ reads objects that a round has made before its first sample (``ceph/read_probe.py``):
    ``object_count`` of ``object_size``, round and round.
    """

    operation: str
    block_size: int
    total_bytes: int
    object_size: int = 0
    object_count: int = 0

    @property
    def prefilled(self) -> bool:
        return self.object_count > 0

    @property
    def bytes_written(self) -> int:
        """Bytes one call writes to the device, preparation included."""
        return 0 if self.operation == READ else self.total_bytes + self.prepared_bytes

    @property
    def prepared_bytes(self) -> int:
        """Bytes of the objects that it works on, and that have to be made first."""
        return self.object_size * self.object_count

    @property
    def operations(self) -> int:
        return self.total_bytes // self.block_size


@dataclass(frozen=True)
class BenchLimits:
    """An OSD's own ``osd_bench_*`` options, which refuse a bench beyond them.

    The rule is the OSD's (``OSD::asok_command``, "bench"): writes under 1 MiB may take
    ``block size x small_max_iops x duration`` bytes, larger ones ``large_max_throughput x
    duration``.
    """

    max_block_size: int = 64 * MIB
    small_max_iops: int = 100
    large_max_throughput: int = 100 * MIB
    duration: int = 30

    def max_bytes(self, block_size: int) -> int:
        """Most bytes one bench with this block size may write."""
        if block_size < MIB:
            return block_size * self.small_max_iops * self.duration
        return self.large_max_throughput * self.duration

    @staticmethod
    def option_for(block_size: int) -> str:
        """Name of the option that bounds the bytes of a bench with this block size."""
        if block_size < MIB:
            return BENCH_SMALL_MAX_IOPS
        return BENCH_LARGE_MAX_THROUGHPUT

    def needed(self, step: Step) -> dict[str, int]:
        """By option the value that it must be raised to for this step; empty if none must."""
        if step.operation == READ or step.total_bytes <= self.max_bytes(step.block_size):
            return {}
        unit = step.block_size if step.block_size < MIB else 1
        return {self.option_for(step.block_size): -(-step.total_bytes // (unit * self.duration))}

    def worst_seconds(self, step: Step) -> float:
        """How long the step takes on the slowest OSD these limits were made for."""
        if step.block_size < MIB:
            measured = step.operations / self.small_max_iops
        else:
            measured = step.total_bytes / self.large_max_throughput
        prepared = 0 if step.operation == READ else step.prepared_bytes
        return measured + prepared / self.large_max_throughput


@dataclass(frozen=True)
class BenchAnswer:
    """What ``osd bench`` reported. ``seconds`` is the measured part, without preparation."""

    bytes_written: int
    block_size: int
    seconds: float
    bytes_per_second: float
    iops: float


@dataclass(frozen=True)
class Sample:
    """One measurement of one OSD. An invalid one has ``why`` and may lack figures.

    Times are unix seconds. ``call_seconds`` is the whole command as the round saw it:
    preparation, measurement, clean-up and the way there and back.
    """

    osd: int
    phase: str
    repeat: int
    wave: int
    started_at: float
    call_seconds: float
    block_size: int
    bytes_written: int = 0
    seconds: Optional[float] = None
    bytes_per_second: Optional[float] = None
    iops: Optional[float] = None
    valid: bool = True
    why: Optional[str] = None


@dataclass(frozen=True)
class Done:
    """What a round has measured so far, also without an answer.

    ``samples`` are (phase, repeat, OSD). ``ended`` is by phase when its last one ended, in unix
    seconds.
    """

    samples: frozenset[tuple[str, int, int]] = frozenset()
    ended: Mapping[str, float] = field(default_factory=dict)
