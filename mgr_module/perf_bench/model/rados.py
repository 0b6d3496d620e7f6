"""Runs of ``rados bench``: one client's run, several clients combined, and their orders."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Optional

from .saturation import Bounds, SearchLoad


@dataclass(frozen=True)
class Row:
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
    clock_offset: float
    clock_error: float
    late_seconds: float


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
        """The run as JSON, with each row as a list of its three numbers."""
        rows = [[row.second, row.finished, row.mean_latency] for row in self.rows]
        return {**asdict(replace(self, rows=())), "rows": rows}


@dataclass(frozen=True)
class CombinedRun:
    """All clients in the time in which all of them ran, ``seconds`` long.

    ``per_second`` has the bytes/s of all clients in each whole second of that time. Percentiles are
    of the means of each client's seconds, weighted by operations: of single operations
    ``rados bench`` reports only the slowest and the fastest. ``first_done`` and ``last_done`` are
    seconds from the first client's start.
    """

    clients: int
    seconds: float
    bytes_per_second: float
    iops: float
    mean_latency: float
    p50_latency: float
    p95_latency: float
    p99_latency: float
    min_latency: float
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


@dataclass(frozen=True)
class LoadOrder:
    """One run of ``clients`` processes, each with ``threads`` operations in flight.

    They write to ``namespace`` of ``pool`` only. A client writes at most ``max_objects`` of
    ``size`` bytes (0: as many as it can in ``seconds``); a client reads the objects that it has
    written. The clients run on the mgr's host or are distributed over the ``workers``.
    """

    pool: str
    namespace: str
    operation: str
    seconds: int
    clients: int
    threads: int
    size: int
    max_objects: int = 0
    workers: tuple[str, ...] = ()


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
    def bounds(self) -> Bounds:
        return Bounds(self.clients, self.threads)

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
