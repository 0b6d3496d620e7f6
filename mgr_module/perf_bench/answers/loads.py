"""Rounds of clients, and results of other tools: clients, workers, searches, jobs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from ..model.phrases import plural
from ..model.plan import Imported
from ..model.rados import LoadPlan, LoadPoint, LoadSample, Row, Saturation, Worker, WorkerPart
from .api import Api
from .paging import WHOLE, Page
from .question import File, Question
from .shape import Count, Stamp, copied
from .text import NOTHING, Column, listing, milliseconds, number, rate, short_time, size


@dataclass(frozen=True)
class LoadClient:
    """A client in one repeat.

    Latencies are seconds; a row of series is second, operations finished by then, their mean
    latency.

    worker -- The worker that ran it; empty: it ran beside the mgr.
    """

    repeat: Count
    client: Count
    started_at: Optional[Stamp]
    seconds: float
    operations: Count
    bytes_per_second: float
    mean_latency: float
    min_latency: float
    max_latency: float
    series: Sequence[Sequence[float]]
    worker: str


@dataclass(frozen=True)
class LoadWorker(WorkerPart):
    """A worker in one repeat.

    Its clock was so many seconds ahead of the mgr's, within clock_error, and it started so late.

    clients -- Which of the clients it ran.
    """

    repeat: Count
    clients: Sequence[Count]
    bytes_per_second: float


def waiting(api: Api, page: Page = WHOLE) -> tuple[list[Worker], int]:
    """List the hosts that wait to run clients of rounds."""
    return page.of(api.bench.loader.workers(), Worker)


def worker_next(api: Api, id_: str, message: File) -> str:
    """For workers only: what to do (JSON with -i)."""
    return json.dumps(api.bench.loader.worker_next(id_, message))


def worker_tell(api: Api, id_: str, message: File) -> str:
    """For workers only: what was done (JSON with -i)."""
    return json.dumps(api.bench.loader.worker_tell(id_, message))


def series(rows: Sequence[Row]) -> list[list[float]]:
    """For each second the operations finished by then, and their mean latency."""
    return [[row.second, row.finished, row.mean_latency] for row in list(rows)]


def clients(repeats: Sequence[LoadSample]) -> list[LoadClient]:
    """Each client of each repeat."""
    return [
        copied(
            LoadClient,
            run,
            repeat=repeat.repeat,
            client=client,
            worker="" if run.worker is None else run.worker.id,
            series=series(run.rows),
        )
        for repeat in repeats
        for client, run in enumerate(repeat.runs)
    ]


def workers(repeats: Sequence[LoadSample]) -> list[LoadWorker]:
    """The part of each worker in each repeat. Clients on the mgr's host belong to no worker."""
    found: list[LoadWorker] = []
    for repeat in repeats:
        for part in dict.fromkeys(run.worker for run in repeat.runs if run.worker is not None):
            own = {client: run for client, run in enumerate(repeat.runs) if run.worker == part}
            rate = sum(run.bytes_per_second for run in own.values())
            found.append(
                LoadWorker(
                    **vars(part), repeat=repeat.repeat, clients=list(own), bytes_per_second=rate
                )
            )
    return found


# --- as text ---------------------------------------------------------------------------------


def load_text(load: LoadPlan) -> str:
    """What the clients of a round do."""
    most, each = ("up to ", " each") if load.saturates else ("", "")
    where = f", on workers {', '.join(load.workers)}" if load.workers else ""
    return (
        f"{most}{plural(load.clients, 'client')} x {plural(load.threads, 'thread')}, "
        f"{load.operation} of {size(load.size)}, {load.seconds} s{each}, pool {load.pool}{where}"
    )


def _clock(offset: Optional[float], error: Optional[float]) -> str:
    if offset is None or error is None:
        return NOTHING
    return f"{offset:+.3f} s ± {error:.3f}"


# The mean and the highest latency of what has clients are those that count.
CLIENTS = (
    Column("REPEAT", "repeat", "count"),
    Column("CLIENT", "client", "count"),
    Column("MiB/s", "bytes_per_second", "rate"),
    Column("OPERATIONS", "operations", "count"),
    Column("SECONDS", "seconds", "0.0"),
    Column("MEAN ms", "mean_latency", "ms"),
    Column("MAX ms", "max_latency", "ms"),
)
_CLOCK = Column("CLOCK", lambda one: _clock(one.clock_offset, one.clock_error), "word")
JOBS = (
    Column("JOB", "name", "count", 16),
    Column("DOES", "operation", "count", 8),
    Column("BLOCK", lambda job: job.block_size or None, "size"),
    Column("SECONDS", "seconds", "0.0"),
    Column("MiB/s", "bytes_per_second", "rate"),
    Column("IOPS", "iops", "0"),
    Column("MEAN ms", "mean_latency", "ms"),
    Column("p99 ms", "p99_latency", "ms"),
    Column("MAX ms", "max_latency", "ms"),
)
_WORKERS = (
    Column("WORKER", "id", "word"),
    Column("HOST", "host", "word", 24, front=True),
    Column("VERSION", "version", "word"),
    Column("STATE", "state", "word"),
    Column("LAST SEEN (UTC)", lambda one: short_time(one.last_seen), "word"),
    _CLOCK,
    Column("NOTE", lambda one: one.note or NOTHING, "word", 60),
)


_CURVE = (
    Column("CLIENTS", "clients", "count"),
    Column("THREADS", "threads", "count"),
    Column("IN FLIGHT", "in_flight", "count"),
    Column("RUNS", "runs", "count"),
    Column("MiB/s", "bytes_per_second", "rate"),
    Column("IOPS", "iops", "0"),
    Column("MEAN ms", "mean_latency", "ms"),
    Column("p99 ms", "p99_latency", "ms"),
)


def curve(found: Saturation) -> Sequence[Column]:
    """The columns of the curve of a search."""
    return (*_CURVE, Column("IS", found.is_, "count"))


def load_facts(found: Mapping[str, Optional[float]]) -> list[tuple[str, str]]:
    """The figures of a round of clients (``found``) as pairs."""
    return [
        ("throughput", f"{rate(found.get('median_bytes_per_second'))} MiB/s"),
        ("operations", f"{number(found.get('median_iops'), 0)} a second"),
        ("latency", _latencies(found)),
    ]


def _latencies(found: Mapping[str, Optional[float]]) -> str:
    names = ("mean", "p50", "p95", "p99", "max")
    known = [f"{name} {milliseconds(found.get(f'{name}_latency'))}" for name in names]
    return ", ".join(known) + " ms"


def search_facts(found: Optional[Saturation]) -> list[tuple[str, str]]:
    """What a search has found so far as pairs."""
    if found is None:
        return []
    named = [("peak", found.peak), ("knee", found.knee), ("recommended", found.recommended)]
    pairs = [(name, _under(point)) for name, point in named if point is not None]
    return [*pairs, ("why", found.reason or "")]


def _under(point: LoadPoint) -> str:
    return (
        f"{plural(point.clients, 'client')} x {plural(point.threads, 'thread')}: "
        f"{rate(point.bytes_per_second)} MiB/s, {milliseconds(point.mean_latency)} ms"
    )


def imported_text(found: Imported) -> str:
    """The tool and its version."""
    version = found.version.removeprefix(f"{found.tool}-")
    return f"by {found.tool} {version}, and taken over"


QUESTIONS = (
    Question(
        "worker ls",
        waiting,
        text=listing(
            _WORKERS, "no worker waits: run 'ceph-perf-bench worker' on a host (docs/workers.md)"
        ),
        rest="GET worker",
    ),
    Question("worker next", worker_next, writes=True),
    Question("worker tell", worker_tell, writes=True),
)
