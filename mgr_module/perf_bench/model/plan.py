"""What a user asks for, and the plan of a round: phases, each a step on waves of OSDs.

Results of other tools are rounds too, with what the tool reported in their plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Optional

from .bench import READ, Step
from .rados import LoadPlan

# The parts of a round of layout SANDWICH. Those after a rest are RESTED with a number: "rested-1".
BEFORE = "before"
TOGETHER = "together"
AFTER = "after"
RESTED = "rested"
# The parts of a round of layout WAL.
DEFERRED = "deferred"
DIRECT = "direct"


@dataclass(frozen=True)
class Phase:
    """One step on waves of OSDs. A wave has the IDs of OSDs that run at the same time.

    ``part`` is its part of the round, "" if the round has only one. The phase begins
    ``rest_seconds`` after the end of the last phase.
    """

    step: Step
    waves: tuple[tuple[int, ...], ...]
    part: str = ""
    rest_seconds: float = 0.0

    @property
    def name(self) -> str:
        """The name in its samples, unique in the plan."""
        return f"{self.part}-{self.step.operation}" if self.part else self.step.operation

    @cached_property
    def osds(self) -> tuple[int, ...]:
        return tuple(sorted(chain.from_iterable(self.waves)))

    @property
    def count(self) -> int:
        """The number of OSDs that it measures."""
        return sum(map(len, self.waves))


@dataclass(frozen=True)
class Plan:
    """The plan of a round.

    In each phase a pass over all waves is one repeat. ``seconds`` is an estimate with rests,
    ``basis`` its source. ``repeats`` are always made; up to ``max_repeats`` (only with one phase)
    follow until the figures are precise enough. ``raised`` are options of OSDs with the least
    values that they must have while the round runs. ``copies`` is the number of copies of an object
    that is read.

    A round of clients has a ``load``: its phase has all loaded OSDs at once, and its step is what
    a repeat writes to each of them. Results of another tool are ``imported``: then there is no
    wave, and the step is the job with the most bytes.
    """

    profile: str
    phases: tuple[Phase, ...]
    repeats: int
    seconds: float
    basis: str
    notes: tuple[str, ...] = ()
    max_repeats: int = 0
    raised: tuple[tuple[str, int], ...] = ()
    load: Optional[LoadPlan] = None
    imported: Optional[Imported] = None
    copies: int = 1

    @property
    def leading(self) -> Phase:
        """The phase whose figures represent the round: the first of those with the most OSDs."""
        return max(self.phases, key=lambda phase: phase.count)

    @property
    def step(self) -> Step:
        return self.leading.step

    @property
    def waves(self) -> tuple[tuple[int, ...], ...]:
        return self.leading.waves

    @property
    def most(self) -> int:
        """The highest number of repeats."""
        return max(self.repeats, self.max_repeats)

    @cached_property
    def osds(self) -> tuple[int, ...]:
        return tuple(sorted(set().union(*(phase.osds for phase in self.phases))))

    @property
    def samples(self) -> int:
        if self.load is not None:
            return self.repeats
        return self.repeats * sum(phase.count for phase in self.phases)

    @property
    def benches(self) -> int:
        """All calls of ``osd bench``, with the highest number of repeats."""
        if self.load is not None:
            return 0
        return self.most * sum(phase.count for phase in self.phases if phase.step.operation != READ)

    @property
    def benched_at_once(self) -> int:
        """The most OSDs on which ``osd bench`` runs at the same time."""
        if self.load is not None:
            return 0
        phases = [phase for phase in self.phases if phase.step.operation != READ]
        return max((len(wave) for phase in phases for wave in phase.waves), default=0)

    @property
    def rest_seconds(self) -> float:
        return sum(phase.rest_seconds for phase in self.phases)

    @property
    def reads(self) -> Mapping[int, Step]:
        """By OSD the step that reads it; its objects are made before the round."""
        return {
            osd: phase.step
            for phase in self.phases
            if phase.step.operation == READ
            for osd in phase.osds
        }

    @property
    def kept_bytes(self) -> int:
        """Bytes of objects in the bench pool while the round runs, without copies."""
        return sum(step.prepared_bytes for step in self.reads.values())

    def bytes_by_osd(self, repeats: int) -> Mapping[int, int]:
        """Bytes that ``repeats`` repeats write to each OSD's device, with preparation.

        The copies of objects for reads are on other OSDs, but all copies are counted for the OSD
        that is read, so that the sum is right.
        """
        written = dict.fromkeys(self.osds, 0)
        for osd, step in self.reads.items():
            written[osd] += step.prepared_bytes * self.copies
        for phase in self.phases:
            more = repeats * phase.step.bytes_written
            for osd in phase.osds:
                written[osd] += more
        return written

    @property
    def bytes_per_osd(self) -> int:
        """The most bytes that ``repeats`` write to any OSD."""
        return max(self.bytes_by_osd(self.repeats).values(), default=0)

    @property
    def most_bytes_per_osd(self) -> int:
        """The most bytes that the highest number of repeats writes to any OSD."""
        return max(self.bytes_by_osd(self.most).values(), default=0)

    @property
    def most_seconds(self) -> float:
        """The duration with the highest number of repeats."""
        return (self.seconds - self.rest_seconds) * self.most / self.repeats + self.rest_seconds


TOOLS = ("fio", "elbencho", "warp")
# In one round.
MOST_JOBS = 64


@dataclass(frozen=True)
class Job:
    """One kind of operation of one job. Sizes are bytes, times seconds; None is unknown.

    ``block_size`` is the mean size of an operation, 0 if their number is unknown.
    """

    name: str
    operation: str
    seconds: float
    bytes: int
    bytes_per_second: float
    operations: Optional[int] = None
    iops: Optional[float] = None
    block_size: int = 0
    mean_latency: Optional[float] = None
    min_latency: Optional[float] = None
    max_latency: Optional[float] = None
    p50_latency: Optional[float] = None
    p95_latency: Optional[float] = None
    p99_latency: Optional[float] = None


@dataclass(frozen=True)
class Imported:
    """A file of results. ``began`` and ``ended`` are unix seconds."""

    tool: str
    version: str
    began: float
    ended: float
    jobs: tuple[Job, ...]


# The options that rounds of some profiles have and others not.
_OF_PROFILES = (
    *("osds", "repeats", "max_repeats", "size", "rest", "rests", "solo"),
    *("pool", "foreign_pool", "clients", "threads", "seconds", "workers"),
)


@dataclass(frozen=True)
class Request:
    """The arguments of ``round start`` as typed.

    ``may_raise``: the round may raise the ``osd_bench_*`` options, where the option ``quiesce``
    lets it; False for a user of the dashboard who may not change the configuration.
    """

    profile: str
    osds: Optional[str] = None
    repeats: Optional[int] = None
    size: Optional[str] = None
    label: Optional[str] = None
    force: bool = False
    max_repeats: Optional[int] = None
    rest: Optional[str] = None
    rests: Optional[int] = None
    solo: Optional[str] = None
    pool: Optional[str] = None
    clients: Optional[int] = None
    threads: Optional[int] = None
    seconds: Optional[int] = None
    foreign_pool: bool = False
    workers: Optional[str] = None
    may_raise: bool = True

    @property
    def given(self) -> Sequence[str]:
        """Its options that not all profiles have."""
        return [name for name in _OF_PROFILES if getattr(self, name) not in (None, False)]
