"""Runs of ``rados bench``: clients, orders, searches, their pools, workers on other hosts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple, Optional

from ..errors import InvalidValue
from .json_fields import Micros, Moment, count, known, many, matching, needed, within, word
from .statistics import mean


class Row(NamedTuple):
    """A line of a run at a whole ``second``: the operations finished by then.

    ``mean_latency`` is the mean of all operations so far, in seconds.
    """

    second: int
    finished: int
    mean_latency: float


@dataclass(frozen=True)
class WorkerPart:
    """The worker that ran a client, and its clock relative to the mgr's host.

    Its clock was ahead by ``clock_offset`` seconds, plus or minus ``clock_error``. It started its
    clients ``late_seconds`` after the agreed start.
    """

    id: str
    host: str
    clock_offset: Micros
    clock_error: Micros
    late_seconds: Micros


@dataclass(frozen=True)
class ClientRun:
    """One client's whole run. Latencies are seconds; ``prefix`` names the objects of a write.

    ``started_at`` is unix seconds by the clock of the mgr's host, 0 if unknown. ``worker`` is None
    for a client on the mgr's host.
    """

    op_size: int
    seconds: float
    operations: int
    mean_latency: float
    min_latency: float
    max_latency: float
    rows: tuple[Row, ...]
    started_at: float = 0.0
    prefix: str = ""
    worker: Optional[WorkerPart] = None

    @property
    def ended_at(self) -> float:
        return self.started_at + self.seconds

    @property
    def bytes_per_second(self) -> float:
        return self.operations * self.op_size / self.seconds if self.seconds else 0.0

    def packed(self) -> dict[str, Any]:
        """The run as JSON; its many rows are not copied."""
        return {**asdict(replace(self, rows=())), "rows": self.rows}


@dataclass(frozen=True)
class CombinedRun:
    """All clients in the time in which all of them ran, ``seconds`` long.

    ``per_second`` has the bytes/s of all clients in each whole second of that time. Percentiles are
    of the means of each client's seconds, weighted by operations: of single operations
    ``rados bench`` reports only the slowest and the fastest. ``first_done`` and ``last_done`` are
    seconds from the first client's start.
    """

    seconds: float
    bytes_per_second: float
    iops: float
    mean_latency: float
    p50_latency: float
    p95_latency: float
    p99_latency: float
    max_latency: float
    cv_percent: Optional[float]
    first_done: float
    last_done: float
    per_second: tuple[float, ...]


# The operations of clients: write new objects, read earlier ones in order or at random.
OPERATIONS = ("write", "seq", "rand")
MAX_CLIENTS, MAX_THREADS = 64, 256
MIN_SECONDS, MAX_SECONDS = 2, 3600
# Each operation in flight holds its data in the memory of the host that its client runs on.
MAX_IN_FLIGHT = 4096 << 20


# The bench pool, and the application that marks it.
POOL = "perf_bench"
APPLICATION = "perf_bench"
# A worker's name; it appears in tables, in lists with commas and in caps of keys.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_name = matching(NAME.pattern, "the name of a worker")
_MAX_OBJECT = 128 << 20


@dataclass(frozen=True)
class LoadOrder:
    """One run of ``clients`` processes, each with ``threads`` operations in flight.

    They write to ``namespace`` of ``pool`` only. A client writes at most ``max_objects`` of
    ``size`` bytes (0: as many as it can in ``seconds``); a client reads the objects that it has
    written. The clients run on the mgr's host or are distributed over the ``workers``.

    The readers are those of a worker, which carries out no others: only ``rados bench``, in a
    round's namespace of the bench pool, within the limits of rounds.
    """

    pool: str = needed(word(POOL))
    namespace: str = needed(matching("round-[!-~]{1,200}", "the namespace of a round"))
    operation: str = needed(word(*OPERATIONS))
    seconds: int = needed(within(count, MIN_SECONDS, MAX_SECONDS))
    clients: int = needed(within(count, 1, MAX_CLIENTS))
    threads: int = needed(within(count, 1, MAX_THREADS))
    size: int = needed(within(count, 1, _MAX_OBJECT))
    max_objects: int = known(within(count, 0, 1 << 40), 0)
    workers: tuple[str, ...] = known(many(_name, MAX_CLIENTS), ())


@dataclass(frozen=True)
class LoadPlan:
    """The load of a round's clients in each repeat; for the fields see LoadOrder.

    ``bytes_per_repeat`` is the most that a repeat of writes, or the filling before reads, leaves in
    the pool; ``max_objects`` enforces it. A round that ``saturates`` increases the load up to
    ``clients`` and ``threads``.
    """

    pool: str
    operation: str
    seconds: int
    clients: int
    threads: int
    size: int
    max_objects: int
    bytes_per_repeat: int
    saturates: bool = False
    workers: tuple[str, ...] = ()

    @property
    def most(self) -> SearchLoad:
        """The load of each repeat, or the highest load of a search."""
        return SearchLoad(self.clients, self.threads)

    @property
    def reads(self) -> bool:
        return self.operation != "write"

    def order(
        self, namespace: str, operation: str = "", under: Optional[SearchLoad] = None
    ) -> LoadOrder:
        """The order of one run, with the plan's operation and load unless given."""
        load = under or self.most
        return LoadOrder(
            pool=self.pool,
            namespace=namespace,
            operation=operation or self.operation,
            seconds=self.seconds,
            clients=load.clients,
            threads=load.threads,
            size=self.size,
            max_objects=self.max_objects * self.clients // load.clients,
            workers=self.workers,
        )


@dataclass(frozen=True)
class LoadSample:
    """One repeat: every client's run, or ``why`` there are none. ``started_at`` is unix seconds.

    ``load`` is the load of this run of a search, None if all repeats have the plan's load.
    """

    repeat: int
    started_at: float
    runs: tuple[ClientRun, ...] = ()
    why: Optional[str] = None
    load: Optional[SearchLoad] = None


# Runs of the same load differ by 1 to 2.5 % on a tuned cluster (Stachecki 2024); twice that,
# because a rise compares two runs.
NOISE = 0.05
# The number of runs that confirms a load.
CONFIRMED = 2


@dataclass(frozen=True, order=True)
class SearchLoad:
    """``clients`` processes that keep ``threads`` operations in flight each."""

    clients: int
    threads: int

    @property
    def in_flight(self) -> int:
        """Operations in flight at any time, all clients together."""
        return self.clients * self.threads

    @cached_property
    def grid(self) -> tuple[SearchLoad, ...]:
        """Every load up to this one whose clients and threads are powers of two."""
        return tuple(
            SearchLoad(1 << clients, 1 << threads)
            for clients in range(self.clients.bit_length())
            for threads in range(self.threads.bit_length())
        )


# The highest load of a search, unless a user gives another; powers of two.
MOST_LOAD = SearchLoad(16, 64)


@dataclass(frozen=True)
class LoadRun:
    """One run under a load: bytes/s of all clients together, latencies of an operation.

    ``p99_latency`` is None if unknown.
    """

    load: SearchLoad
    bytes_per_second: float
    mean_latency: float
    p99_latency: Optional[float] = None
    iops: float = 0.0


@dataclass(frozen=True)
class LoadPoint(SearchLoad):
    """A load with the means of its runs; latencies are seconds.

    in_flight -- Operations in flight at any time, all clients together.
    """

    KEYS = (
        *("clients", "threads", "in_flight", "runs", "bytes_per_second"),
        *("lowest_bytes_per_second", "highest_bytes_per_second", "iops"),
        *("mean_latency", "p99_latency"),
    )
    runs: int
    bytes_per_second: float
    lowest_bytes_per_second: float
    highest_bytes_per_second: float
    iops: float
    mean_latency: float
    p99_latency: Optional[float] = None

    @property
    def load(self) -> SearchLoad:
        return SearchLoad(self.clients, self.threads)

    @classmethod
    def of(cls, runs: Sequence[LoadRun]) -> LoadPoint:
        """The point of these runs, at least one, all of the same load."""
        rates = [run.bytes_per_second for run in runs]
        slowest = [run.p99_latency for run in runs if run.p99_latency is not None]
        return cls(
            clients=runs[0].load.clients,
            threads=runs[0].load.threads,
            runs=len(runs),
            bytes_per_second=mean(rates),
            lowest_bytes_per_second=min(rates),
            highest_bytes_per_second=max(rates),
            iops=mean([run.iops for run in runs]),
            mean_latency=mean([run.mean_latency for run in runs]),
            p99_latency=mean(slowest) if slowest else None,
        )


def curve(runs: Iterable[LoadRun]) -> tuple[LoadPoint, ...]:
    """The points of all loads, by operations in flight."""
    by_load: dict[SearchLoad, list[LoadRun]] = defaultdict(list)
    for run in runs:
        by_load[run.load].append(run)
    points = map(LoadPoint.of, by_load.values())
    return tuple(sorted(points, key=lambda point: (point.in_flight, point)))


def highest(points: Iterable[LoadPoint]) -> LoadPoint:
    """The point of the highest throughput."""
    return max(points, key=lambda point: point.bytes_per_second)


def least(points: Iterable[LoadPoint], peak: LoadPoint, share: float) -> LoadPoint:
    """The point of the lowest latency with at least ``share`` of the peak's throughput."""
    enough = [point for point in points if point.bytes_per_second >= share * peak.bytes_per_second]
    return min(enough, key=lambda point: point.mean_latency)


def knee_of(points: Iterable[LoadPoint], peak: LoadPoint) -> LoadPoint:
    """The point of the lowest latency that reaches the peak's throughput within noise."""
    return least(points, peak, 1 - NOISE)


@dataclass(frozen=True)
class SearchResult:
    """What the runs of a search tell; see Saturation."""

    curve: tuple[LoadPoint, ...]
    peak: LoadPoint
    knee: LoadPoint
    recommended: LoadPoint
    reason: str
    confirmed: bool


@dataclass(frozen=True)
class SearchRun:
    """A run of a search; latencies are seconds, null where there is no figure, and why not."""

    repeat: int
    clients: Optional[int] = None
    threads: Optional[int] = None
    bytes_per_second: Optional[float] = None
    mean_latency: Optional[float] = None
    p99_latency: Optional[float] = None
    why: Optional[str] = None


@dataclass(frozen=True)
class Saturation:
    """What a search found so far.

    most_runs -- So many runs are made at most.
    runs -- In the order in which they were made.
    curve -- By operations in flight.
    peak -- The highest throughput.
    knee -- The lowest latency that reaches it within noise.
    recommended -- The load to run at.
    reason -- Why it is recommended.
    confirmed -- Whether peak and knee were measured more than once each.
    """

    most_runs: int
    runs: Sequence[SearchRun]
    curve: Sequence[LoadPoint] = ()
    peak: Optional[LoadPoint] = None
    knee: Optional[LoadPoint] = None
    recommended: Optional[LoadPoint] = None
    reason: Optional[str] = None
    confirmed: bool = False

    def is_(self, point: LoadPoint) -> str:
        """What a point of the curve is, as "peak, knee"."""
        named = (("peak", self.peak), ("knee", self.knee), ("recommended", self.recommended))
        return ", ".join(name for name, one in named if one == point)


# --- A pool, with the properties that matter for rounds of clients ---


# Ceph's default, used in plans while the pool does not exist.
COPIES_OF_A_NEW_POOL = 3.0


@dataclass(frozen=True)
class Pool:
    """A pool. ``copies`` is the number of bytes on devices for each byte of clients.

    ``available_bytes`` is what clients can still write, None if not known yet; quotas are 0 if
    there are none. ``osds`` hold its placement groups. An erasure-coded pool stores objects in
    whole stripes of ``stripe_bytes``; 0 in others.
    """

    name: str
    kind: str
    copies: float
    size: int
    pg_num: int
    applications: tuple[str, ...]
    flags: tuple[str, ...]
    objects: int
    stored_bytes: int
    available_bytes: Optional[int]
    quota_bytes: int
    quota_objects: int
    compression: str
    osds: tuple[int, ...]
    stripe_bytes: int = 0

    @property
    def full(self) -> bool:
        return bool({"full", "full_quota"} & set(self.flags))

    @property
    def room_bytes(self) -> Optional[int]:
        """The bytes that clients may still write until it is full or at its quota."""
        left = [self.quota_bytes - self.stored_bytes] if self.quota_bytes else []
        known = left if self.available_bytes is None else [*left, self.available_bytes]
        return max(0, min(known)) if known else None

    @property
    def room_objects(self) -> Optional[int]:
        """The number of objects that its quota still allows; None without a quota."""
        return max(0, self.quota_objects - self.objects) if self.quota_objects else None

    def stored_size(self, size: int) -> int:
        """The bytes of an object of ``size`` bytes with its padding, without copies."""
        return -(-size // self.stripe_bytes) * self.stripe_bytes if self.stripe_bytes else size

    def operation_size(self, size: int) -> int:
        """The bytes that ``rados bench -b SIZE`` writes: whole stripes where overwrites are off."""
        return size if "ec_overwrites" in self.flags else self.stored_size(size)

    @property
    def facts(self) -> dict[str, Any]:
        """The properties that are stored with results (JSON-ready)."""
        names = ("name", "kind", "size", "copies", "pg_num", "compression")
        shared = {name: getattr(self, name) for name in names}
        return {**shared, "applications": list(self.applications), "osds": len(self.osds)}


class Groups(NamedTuple):
    """A pool's placement groups: their number, and by OSD those of which it is primary."""

    pg_num: int
    by_primary: Mapping[int, Collection[int]]


# --- Workers: processes on other hosts that run clients of a round ---


# A worker that hears nothing of the mgr for this time kills its clients; one that the mgr does not
# hear of for this time is lost. It is long because mgrs stand still for seconds.
LEASE_SECONDS = 10.0


class WorkerState(str, Enum):
    """The state of a worker.

    READY and BUSY workers answer; a DUPLICATE has the name of another one, a MISMATCHED one has
    another version than the mgr, and a LOST one does not answer.
    """

    READY = "ready"
    BUSY = "busy"
    LOST = "lost"
    DUPLICATE = "duplicate"
    MISMATCHED = "mismatched"


@dataclass(frozen=True)
class Worker:
    """A host that waits to run clients of rounds.

    instance -- Another one each time it starts.
    clock_offset -- Seconds its clock is ahead of the mgr's, plus or minus clock_error; null: it
        does not answer.
    note -- A sentence about it; empty where there is nothing to say.
    """

    id: str
    host: str
    version: str
    instance: str
    state: WorkerState
    last_seen: Moment
    clock_offset: Optional[Micros] = None
    clock_error: Optional[Micros] = None
    note: str = ""


def checked_numbers(numbers: Any, order: LoadOrder) -> tuple[int, ...]:
    """Check the numbers of the order's clients that a worker must run. Raises InvalidValue."""
    good = (
        isinstance(numbers, list)
        and numbers
        and all(type(number) is int and 0 <= number < order.clients for number in numbers)
        and len(set(numbers)) == len(numbers)
    )
    if not good:
        raise InvalidValue("the clients are none of the order's", field="workers")
    if len(numbers) * order.threads * order.size > MAX_IN_FLIGHT:
        raise InvalidValue(
            f"{len(numbers)} clients would hold over {MAX_IN_FLIGHT >> 20} MiB in memory",
            field="threads",
        )
    return tuple(numbers)
