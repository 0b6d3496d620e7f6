"""What ``rados bench`` reported: one client's run, and several of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Optional

from .saturation import Bounds, SearchLoad


@dataclass(frozen=True)
class Row:
    """A line of a run, at whole ``second`` of it: what had been finished by then.

    ``mean_latency`` is that of all operations so far, in seconds.
    """

    second: int
    finished: int
    mean_latency: float


@dataclass(frozen=True)
class WorkerPart:
    """The worker that ran a client, and how its clock stood to that of the mgr's host.

    ``clock_offset`` is how many seconds its clock was ahead, within ``clock_error`` either way.
    ``late_seconds`` went by from the agreed start until it started its clients.
    """

    id: str
    host: str
    clock_offset: float
    clock_error: float
    late_seconds: float


@dataclass(frozen=True)
class ClientRun:
    """One client's whole run. Latencies are seconds; ``prefix`` names the objects of a write.

    ``started_at`` is unix seconds by the clock of the mgr's host, 0 where nobody saw it begin.
    ``worker`` is None for one that ran beside the mgr.
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
        """As JSON; of each row the three numbers alone."""
        rows = [[row.second, row.finished, row.mean_latency] for row in self.rows]
        return {**asdict(replace(self, rows=())), "rows": rows}


def client_run(found: Mapping[str, Any]) -> ClientRun:
    """A run from its JSON, in which each row is its three numbers."""
    worker = found.get("worker")
    rows = tuple(Row(*row) for row in found["rows"])
    part = None if worker is None else WorkerPart(**worker)
    return ClientRun(**{**found, "rows": rows, "worker": part})


@dataclass(frozen=True)
class CombinedRun:
    """Clients while all of them ran, ``seconds`` long, and their whole runs beside it.

    ``per_second`` are the bytes/s of each whole second of that time, all clients together.
    Percentiles are of the means of each client's seconds, weighted by their operations: single
    operations are not told by ``rados bench``, but for the slowest and the fastest of all.
    ``first_done`` and ``last_done`` are seconds from the first client's start.
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


# What clients can do: write new objects, read those of before in their order or at random.
OPERATIONS = ("write", "seq", "rand")
MAX_CLIENTS, MAX_THREADS = 64, 256
MIN_SECONDS, MAX_SECONDS = 2, 3600
# Each operation in flight holds its data in the memory of the host that its client runs on.
MAX_IN_FLIGHT = 4096 << 20


@dataclass(frozen=True)
class LoadOrder:
    """One run of ``clients`` processes at a time, each with ``threads`` operations in flight.

    Everything they write stands in ``namespace`` of ``pool``. A client writes ``max_objects`` of
    ``size`` bytes at most (0: as many as it can in ``seconds``); a read takes what the same
    client's write left. They run beside the mgr or, in turn, on the ``workers`` named.
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
    """What the clients of a round do, in each of its repeats; fields as of LoadOrder.

    ``bytes_per_repeat`` is the most that a repeat of a write, or the filling before reads, leaves
    in the pool: ``max_objects`` sees to it. One that ``saturates`` runs under one load after the
    other, with at most so many clients and threads.
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
        """The load of each repeat, or the bounds of those that are searched."""
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
        """One run in that namespace; of another operation or load than the plan's where told."""
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

    ``load`` is that of a search, None where all repeats run under the plan's.
    """

    repeat: int
    started_at: float
    runs: tuple[ClientRun, ...] = ()
    why: Optional[str] = None
    load: Optional[SearchLoad] = None
