"""A bench of an OSD, profiles, the plan of a round, and schedules of rounds.

A plan has phases, each a step on waves of OSDs. Results of other tools are rounds too, with what
the tool reported in their plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Optional

from ..errors import InvalidValue, NotFound
from .json_fields import Moment
from .osd import BENCH_LARGE_MAX_THROUGHPUT, BENCH_SMALL_MAX_IOPS
from .rados import LoadPlan

KIB = 1 << 10
MIB = 1 << 20

# The operations of a step.
WRITE = "write"
READ = "read"
# Why an OSD cannot be read; neither its fault nor the round's.
OUT_OF_REACH = "is primary of no placement group of the pool perf_bench, so nothing is read"


@dataclass(frozen=True)
class Step:
    """The work of one sample: a call of osd bench, or a read; sizes in bytes.

    WRITE is one call of Ceph's ``osd bench``, with its parameters. ``object_count`` 0 means
    *fresh*: every write makes a new object of ``block_size``. Otherwise the OSD first fills
    ``object_count`` objects of ``object_size``, and the measured writes overwrite them at random
    offsets, so that they do not include the creation of objects.

    READ reads, in turn, ``object_count`` objects of ``object_size`` that the round has made before
    its first sample (``ceph/read_probe.py``).
    """

    KEYS = ("operation", "block_size", "total_bytes", "object_size", "object_count", "prefilled")
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


# --- The plan of a round ---


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
    """One step on waves of OSDs, which run at the same time, after a rest.

    part -- What it belongs to in a round of several parts, else "".
    """

    KEYS = ("name", "part", "rest_seconds", "step", "waves")
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
    """What another tool measured, taken over. ``began`` and ``ended`` are unix seconds."""

    KEYS = ("tool", "version", "jobs")
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


# --- Profiles: what rounds measure, by name ---


class Layout(Enum):
    """How a profile's steps become phases.

    WAVES: one step on waves. SANDWICH: each step on one OSD, on all OSDs together, on one OSD
    again, and after rests. WAL: writes below and above the size up to which OSDs defer writes; the
    profile's steps are those for Ceph's defaults. SEARCH: increasing loads until the cluster
    saturates.
    """

    WAVES = "waves"
    SANDWICH = "sandwich"
    WAL = "wal"
    SEARCH = "search"


# The profile that measures small writes, and their bytes unless a request has another size. Only
# figures of that size are comparable with mClock's capacities.
SMALL_WRITES = "osd-iops"
SMALL_WRITE_BYTES = 4 * KIB
# Alone, together, alone.
_SANDWICHED = 3


class Estimate(NamedTuple):
    """For one OSD, at most."""

    seconds: float
    bytes_per_osd: int


@dataclass(frozen=True)
class Profile:
    """A recipe of rounds. A round with a CV over max_cv_percent is noisy.

    ``repeats`` are always made, up to ``max_repeats`` until the figures are precise enough.
    ``rests`` of ``rest_seconds`` are the default. ``options`` are the fields of a request that its
    rounds have; all have a label.

    estimate -- For one OSD, at most.
    """

    KEYS = (
        *("name", "kind", "description", "repeats", "max_cv_percent", "steps", "estimate"),
        "max_repeats",
    )
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
    options: frozenset[str] = frozenset(("osds", "repeats", "max_repeats", "size"))

    @property
    def parts(self) -> int:
        """The highest number of measurements of one OSD in a repeat."""
        return _SANDWICHED + self.rests if self.layout is Layout.SANDWICH else 1

    @property
    def estimate(self) -> Estimate:
        """At the rate that the limits of ``osd bench`` assume by default."""
        times, limits = self.repeats * self.parts, BenchLimits()
        worst = times * sum(limits.worst_seconds(step) for step in self.steps)
        reads = self.kind == "rados" and self.steps[0].operation != WRITE
        # Data for clients' reads are written once.
        written = (1 if reads else times) * sum(step.bytes_written for step in self.steps)
        kept = sum(step.prepared_bytes for step in self.steps if step.operation == READ)
        return Estimate(round(worst + self.rests * self.rest_seconds, 1), written + kept)


# The call that OSDs use to measure their mClock capacity: fill 100 objects of 4 MiB, then overwrite
# them at random. Small writes onto *fresh* objects would measure the creation of onodes (RocksDB)
# as much as the device, unlike clients: RBD and CephFS overwrite 4 MiB objects. These results can
# be compared with osd_mclock_max_capacity_*.
_PREFILL_SIZE = 4 * MIB
_PREFILL_COUNT = 100


def writes(block_size: int, total_bytes: int) -> Step:
    """Random overwrites of prefilled objects; of 1 MiB and more whole objects, which are fresh.

    Creating one object per 4 MiB takes negligible time, streaming clients do it, published figures
    were measured in this way (``ceph tell osd.N bench`` without further arguments), and filling
    objects first would add 400 MiB of wear to each measurement. ``osd bench``, too, distinguishes
    sizes at 1 MiB.
    """
    prefilled = (_PREFILL_SIZE, _PREFILL_COUNT) if block_size < MIB else ()
    return Step(WRITE, block_size, total_bytes, *prefilled)


# The operations that osd_bench_small_size_max_iops (100) x osd_bench_duration (30 s) allow by
# default, so that these profiles run with default options.
SMALL_OPERATIONS = 3000

# Objects for reads: 256 MiB in objects of the size of RBD and CephFS. They are not in a drive's
# cache, because a bench writes four times as much between two reads.
_READ_SIZE = 4 * MIB
_READ_COUNT = 64


def _of_osds(name: str, words: str, size: int, operations: int, repeats: int) -> Profile:
    """A profile of writes; up to twice the repeats follow until figures are precise."""
    steps = (writes(size, size * operations),)
    return Profile(name, "osd", words, steps, repeats, max_repeats=2 * repeats)


_ALL = (
    _of_osds("osd-throughput", "4 MiB writes, fresh objects: bandwidth", 4 * MIB, 256, 3),
    _of_osds(SMALL_WRITES, "4 KiB random overwrites: IOPS", SMALL_WRITE_BYTES, SMALL_OPERATIONS, 5),
    _of_osds(
        "osd-balanced", "32 KiB random overwrites: between both", 32 * KIB, SMALL_OPERATIONS, 5
    ),
    Profile(
        "osd-sandwich",
        "osd",
        "one OSD alone, its host, alone again",
        (writes(4 * MIB, 1024 * MIB), Step(READ, 4 * MIB, 1024 * MIB, _READ_SIZE, _READ_COUNT)),
        repeats=3,
        max_repeats=3,
        layout=Layout.SANDWICH,
        # In the published case several pauses of 20 to 30 min were needed (Nelson 2024).
        rests=3,
        rest_seconds=1200,
        options=frozenset(("osds", "repeats", "rest", "rests", "solo")),
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
        options=frozenset(("osds", "repeats")),
    ),
)

# The default duration of clients, and the assumed speed of an OSD: the default of
# osd_bench_large_size_max_throughput.
LOAD_SECONDS = 30
LOAD_BYTES_PER_OSD = 100 * MIB
# Shorter, because a search makes many runs.
SEARCH_SECONDS = 20
# A search decides which loads it repeats.
_SEARCH_OPTIONS = frozenset(
    ("pool", "foreign_pool", "clients", "threads", "seconds", "size", "workers")
)
# The most runs that a search makes with the default bounds.
_SEARCH_RUNS = 11


def _of_clients(name: str, words: str, operation: str, layout: Layout = Layout.WAVES) -> Profile:
    searches = layout is Layout.SEARCH
    seconds, repeats = (SEARCH_SECONDS, _SEARCH_RUNS) if searches else (LOAD_SECONDS, 3)
    steps = (Step(operation, 4 * MIB, seconds * LOAD_BYTES_PER_OSD),)
    options = _SEARCH_OPTIONS if searches else _SEARCH_OPTIONS | {"repeats"}
    return Profile(name, "rados", words, steps, repeats, repeats, layout=layout, options=options)


_CLIENTS = (
    _of_clients("rados-write", "4 MiB writes by many clients", WRITE),
    _of_clients("rados-seq", "4 MiB reads in order by many clients", "seq"),
    _of_clients("rados-rand", "4 MiB reads at random by many clients", "rand"),
    # There is none for reads in order: a client would have read all its objects before its time
    # ends.
    _of_clients("rados-saturate", "ever more 4 MiB writes: the knee", WRITE, Layout.SEARCH),
    _of_clients(
        "rados-saturate-rand", "ever more 4 MiB random reads: the knee", "rand", Layout.SEARCH
    ),
)

PROFILES = {profile.name: profile for profile in (*_ALL, *_CLIENTS)}


def uses_pool(profile: Profile) -> bool:
    """Whether its rounds read or write objects of a pool; ``osd bench`` needs none."""
    return profile.kind == "rados" or any(step.operation == READ for step in profile.steps)


def profile_named(name: str) -> Profile:
    """The profile of that name. Raises NotFound."""
    if name not in PROFILES:
        raise NotFound(f"no profile '{name}': 'ceph perf-bench profile ls' lists them")
    return PROFILES[name]


def check_options(profile: Profile, given: Sequence[str]) -> None:
    """Raise InvalidValue for options (fields of a request) that rounds of the profile do not have.

    They are refused rather than ignored, all together.
    """
    wrong = [name for name in given if name not in profile.options]
    if wrong:
        told, known = (", ".join(map(_typed, names)) for names in (wrong, sorted(profile.options)))
        do = "does" if len(wrong) == 1 else "do"
        why = f"{told} {do} not apply to rounds of {profile.name}, which take {known}"
        raise InvalidValue(why, field=wrong[0])


def _typed(name: str) -> str:
    return f"--{name.replace('_', '-')}"


# --- Schedules of rounds, and their states ---


class Missed(str, Enum):
    """What to do about runs that were due while no mgr was active: run once, or skip."""

    ONCE = "once"
    SKIP = "skip"


@dataclass(frozen=True)
class Window:
    """The hours of a day within which rounds may run, in minutes since local midnight.

    ``end`` is exclusive; an end not after ``start`` is on the next day.
    """

    start: int
    end: int

    @property
    def minutes(self) -> int:
        """Its length in minutes of local time."""
        return (self.end - self.start) % 1440 or 1440

    def __str__(self) -> str:
        return f"{_clock(self.start)}-{_clock(self.end)}"


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


@dataclass(frozen=True)
class ScheduleRequest:
    """The arguments of ``schedule add`` as typed."""

    name: str
    profile: str
    every: Optional[str] = None
    cron: Optional[str] = None
    window: Optional[str] = None
    timezone: Optional[str] = None
    osds: Optional[str] = None
    missed: Optional[str] = None
    may_raise: bool = True


@dataclass(frozen=True)
class Schedule:
    """A scheduled round; either ``every`` (seconds) or ``cron`` (five fields) is set.

    ``every`` counts from ``anchor`` (unix seconds). ``since`` is when the schedule was made or last
    resumed; earlier runs are ignored. ``timezone`` applies to ``cron`` and ``window``. ``osds`` is
    an expression as in ``round start --osds``, ``may_raise`` is that of its rounds' requests.
    """

    name: str
    profile: str
    every: Optional[int] = None
    cron: Optional[str] = None
    window: Optional[Window] = None
    timezone: str = "UTC"
    osds: Optional[str] = None
    missed: Missed = Missed.ONCE
    paused: bool = False
    anchor: float = 0.0
    since: float = 0.0
    may_raise: bool = True


@dataclass(frozen=True)
class Pending:
    """A run that is due and has not started; reasons are why not yet.

    It starts within [``start``, ``until``), not before ``retry_at``; ``tries`` attempts were
    refused.
    """

    KEYS = ("due", "retry_at", "until", "tries", "reasons")
    due: Moment
    start: Moment
    until: Moment
    retry_at: Moment
    tries: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScheduleState:
    """The state of a schedule, saved for a failover.

    Runs due at or before ``seen`` (unix seconds) are done. ``given_up``
    says why the newest run did not start within its window, ``given_up_since`` since when none has;
    both are None once a run has started. ``problem`` says why its times cannot be computed.
    """

    seen: float = 0.0
    pending: Optional[Pending] = None
    last_round: Optional[int] = None
    given_up: Optional[str] = None
    given_up_since: Optional[float] = None
    problem: Optional[str] = None
