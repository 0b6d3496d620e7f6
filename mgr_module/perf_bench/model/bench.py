"""A bench of an OSD: the step, the OSD's limits, the answer, the sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Optional

from .osd import BENCH_LARGE_MAX_THROUGHPUT, BENCH_SMALL_MAX_IOPS

KIB = 1 << 10
MIB = 1 << 20

# The operations of a step.
WRITE = "write"
READ = "read"
# Why an OSD cannot be read; neither its fault nor the round's.
OUT_OF_REACH = "is primary of no placement group of the pool perf_bench, so nothing is read"


@dataclass(frozen=True)
class Step:
    """The work of one sample (all sizes in bytes).

    WRITE is one call of Ceph's ``osd bench``, with its parameters. ``object_count`` 0 means
    *fresh*: every write makes a new object of ``block_size``. Otherwise the OSD first fills
    ``object_count`` objects of ``object_size``, and the measured writes overwrite them at random
    offsets, so that they do not include the creation of objects.

    READ reads, in turn, ``object_count`` objects of ``object_size`` that the round has made before
    its first sample (``ceph/read_probe.py``).
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
        """Bytes of the objects that are made before the measurement."""
        return self.object_size * self.object_count

    @property
    def operations(self) -> int:
        return self.total_bytes // self.block_size


@dataclass(frozen=True)
class BenchLimits:
    """An OSD's ``osd_bench_*`` options; the OSD refuses a bench beyond them.

    Its rule (``OSD::asok_command``, "bench"): with writes under 1 MiB a bench may write ``block
    size x small_max_iops x duration`` bytes, with larger ones ``large_max_throughput x duration``.
    """

    max_block_size: int = 64 * MIB
    small_max_iops: int = 100
    large_max_throughput: int = 100 * MIB
    duration: int = 30

    def max_bytes(self, block_size: int) -> int:
        """The most bytes that one bench with this block size may write."""
        if block_size < MIB:
            return block_size * self.small_max_iops * self.duration
        return self.large_max_throughput * self.duration

    @staticmethod
    def option_for(block_size: int) -> str:
        """The name of the option that limits the bytes of a bench with this block size."""
        if block_size < MIB:
            return BENCH_SMALL_MAX_IOPS
        return BENCH_LARGE_MAX_THROUGHPUT

    def needed(self, step: Step) -> dict[str, int]:
        """By option the least value for this step; empty if no option must be raised."""
        if step.operation == READ or step.total_bytes <= self.max_bytes(step.block_size):
            return {}
        unit = step.block_size if step.block_size < MIB else 1
        return {self.option_for(step.block_size): -(-step.total_bytes // (unit * self.duration))}

    def worst_seconds(self, step: Step) -> float:
        """The seconds that the step takes on the slowest OSD that these limits allow for."""
        if step.block_size < MIB:
            measured = step.operations / self.small_max_iops
        else:
            measured = step.total_bytes / self.large_max_throughput
        prepared = 0 if step.operation == READ else step.prepared_bytes
        return measured + prepared / self.large_max_throughput


@dataclass(frozen=True)
class BenchAnswer:
    """The answer of ``osd bench``. ``seconds`` is the measured time, without preparation."""

    bytes_written: int
    block_size: int
    seconds: float
    bytes_per_second: float
    iops: float


class Reason(str, Enum):
    """Why a sample has no figures, or does not count.

    NOT_ASKED: a bench before it had no answer (SILENT), and may still run. OUT_OF_REACH: a round
    of reads has no objects on the OSD. SHORT: it ended too soon to be measured.
    """

    DOWN = "down"
    WENT_DOWN = "went-down"
    SILENT = "silent"
    NOT_ASKED = "not-asked"
    OUT_OF_REACH = "out-of-reach"
    REFUSED = "refused"
    FAILED = "failed"
    NOT_STORABLE = "not-storable"
    SHORT = "short"


# With these a bench may still run on the OSD.
STILL_RUNS = (Reason.SILENT, Reason.NOT_ASKED)


@dataclass(frozen=True)
class Sample:
    """One measurement of one OSD. An invalid one has ``why`` and may lack figures.

    ``reason`` is what ``why`` says, for decisions.

    Times are unix seconds. ``call_seconds`` is the duration of the whole command: preparation,
    measurement, clean-up and transfer.
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
    reason: Optional[Reason] = None


@dataclass(frozen=True)
class Done:
    """The samples that a round has so far, also failed ones.

    ``samples`` are (phase, repeat, OSD). ``ended`` has by phase when its last sample ended (unix
    seconds). ``silent`` are the OSDs that did not answer a bench, which may still run.
    """

    samples: frozenset[tuple[str, int, int]] = frozenset()
    ended: Mapping[str, float] = field(default_factory=dict)
    silent: frozenset[int] = frozenset()
