"""What ``rados bench`` reported: one client's run, and several of them together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .saturation import Bounds, Load


@dataclass(frozen=True)
class Row:
    """A line of a run, at whole ``second`` of it: what had been finished by then.

    ``mean_latency`` is that of all operations so far, in seconds.
    """

    second: int
    finished: int
    mean_latency: float


@dataclass(frozen=True)
class ClientRun:
    """One client's whole run. Latencies are seconds; ``prefix`` names the objects of a write.

    ``started_at`` is unix seconds, 0 where nobody saw it begin.
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

    @property
    def ended_at(self) -> float:
        return self.started_at + self.seconds

    @property
    def bytes_per_second(self) -> float:
        return self.operations * self.op_size / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Together:
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


@dataclass(frozen=True)
class LoadOrder:
    """One run of ``clients`` processes at a time, each with ``threads`` operations in flight.

    Everything they write stands in ``namespace`` of ``pool``. A client writes ``max_objects`` of
    ``size`` bytes at most (0: as many as it can in ``seconds``); a read takes what the same
    client's write left.
    """

    pool: str
    namespace: str
    operation: str
    seconds: int
    clients: int
    threads: int
    size: int
    max_objects: int = 0


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

    @property
    def most(self) -> Load:
        """The load of each repeat, or the bounds of those that are searched."""
        return Load(self.clients, self.threads)

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.clients, self.threads)

    @property
    def reads(self) -> bool:
        return self.operation != "write"

    def order(self, namespace: str, operation: str = "", under: Optional[Load] = None) -> LoadOrder:
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
    load: Optional[Load] = None
