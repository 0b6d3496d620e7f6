"""Rounds of clients, and results of other tools: clients, workers, searches, jobs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Optional

from ..model import rados
from ..model.phrases import plural
from ..model.plan import Job
from ..model.rados import CurvePoint, LoadPlan, LoadSample, Row, SearchRun, WorkerState
from .api import Api
from .paging import WHOLE, Page
from .question import LIST, ArgumentKind, Question, needed
from .shape import Count, Stamp, copied
from .text import (
    GAP,
    NOTHING,
    Column,
    facts,
    milliseconds,
    number,
    rate,
    rounded,
    short_time,
    size,
    table,
)


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
class LoadWorker:
    """A worker in one repeat.

    Its clock was so many seconds ahead of the mgr's, within clock_error, and it started so late.

    clients -- Which of the clients it ran.
    """

    repeat: Count
    id: str
    host: str
    clients: Sequence[Count]
    clock_offset: Optional[float]
    clock_error: Optional[float]
    late_seconds: Optional[float]
    bytes_per_second: float


@dataclass(frozen=True)
class Unmeasured:
    """A repeat without figures, and why."""

    repeat: Count
    why: str


@dataclass(frozen=True)
class LoadRun:
    """A run of a search; latencies are seconds, null where there is no figure, and why not."""

    repeat: Count
    clients: Optional[Count]
    threads: Optional[Count]
    bytes_per_second: Optional[float]
    mean_latency: Optional[float]
    p99_latency: Optional[float]
    why: Optional[str]


@dataclass(frozen=True)
class LoadPoint:
    """A load with the means of its runs; latencies are seconds.

    in_flight -- Operations in flight at any time, all clients together.
    """

    clients: Count
    threads: Count
    in_flight: Count
    runs: Count
    bytes_per_second: float
    lowest_bytes_per_second: float
    highest_bytes_per_second: float
    iops: float
    mean_latency: float
    p99_latency: Optional[float]


@dataclass(frozen=True)
class Saturation:
    """What a search found so far.

    Peak is the highest throughput, knee the lowest latency that reaches it within noise,
    recommended the load to run at.

    most_runs -- So many runs are made at most.
    grid -- So many a grid of all loads would take.
    runs -- In the order in which they were made.
    curve -- By operations in flight.
    share_percent -- What the recommended load reaches of the peak.
    reason -- Why it is recommended.
    confirmed -- Whether peak and knee were measured more than once each.
    """

    most_runs: Count
    grid: Count
    runs: Sequence[LoadRun]
    curve: Sequence[LoadPoint]
    peak: Optional[LoadPoint]
    knee: Optional[LoadPoint]
    recommended: Optional[LoadPoint]
    share_percent: Optional[float]
    reason: Optional[str]
    confirmed: bool

    def is_(self, point: LoadPoint) -> str:
        """What a point of the curve is, as "peak, knee"."""
        named = (("peak", self.peak), ("knee", self.knee), ("recommended", self.recommended))
        return ", ".join(name for name, one in named if one == point)


@dataclass(frozen=True)
class Imported:
    """What another tool measured, taken over."""

    tool: Literal["fio", "elbencho", "warp"]
    version: str
    jobs: Sequence[Job]


@dataclass(frozen=True)
class Worker:
    """A host that waits to run clients of rounds.

    clock_offset -- Seconds its clock is ahead of the mgr's; null: not known.
    instance -- Another one each time it starts.
    note -- A sentence about it; empty where there is nothing to say.
    """

    id: str
    host: str
    version: str
    state: WorkerState
    last_seen: Optional[Stamp]
    clock_offset: Optional[float]
    clock_error: Optional[float]
    instance: str
    note: str


def waiting(api: Api, page: Page = WHOLE) -> tuple[list[Worker], int]:
    """List the hosts that wait to run clients of rounds."""
    return page.of([worker(one) for one in api.bench.loader.workers()], Worker)


def worker_next(api: Api, id_: str, message: str) -> str:
    """For workers only: what to do (JSON with -i)."""
    return json.dumps(api.bench.loader.worker_next(id_, message))


def worker_tell(api: Api, id_: str, message: str) -> str:
    """For workers only: what was done (JSON with -i)."""
    return json.dumps(api.bench.loader.worker_tell(id_, message))


def worker(one: rados.Worker) -> Worker:
    """A worker, its clock to the microsecond."""
    return copied(
        Worker,
        one,
        clock_offset=rounded(one.clock_offset, 6),
        clock_error=rounded(one.clock_error, 6),
    )


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
            found.append(
                LoadWorker(
                    repeat.repeat,
                    part.id,
                    part.host,
                    list(own),
                    rounded(part.clock_offset, 6),
                    rounded(part.clock_error, 6),
                    rounded(part.late_seconds, 6),
                    sum(run.bytes_per_second for run in own.values()),
                )
            )
    return found


def saturation(search: Optional[rados.Search]) -> Optional[Saturation]:
    """The runs of a search and its result so far; None if the round is no search."""
    if search is None:
        return None
    found = search.found
    peak, knee, recommended = (
        _point(point, search.size) if point else None
        for point in (found and found.peak, found and found.knee, found and found.recommended)
    )
    return Saturation(
        most_runs=search.most_runs,
        grid=search.grid,
        runs=[_run(run) for run in search.runs],
        curve=[_point(point, search.size) for point in found.curve] if found else [],
        peak=peak,
        knee=knee,
        recommended=recommended,
        share_percent=found.share_percent if found else None,
        reason=found.reason if found else None,
        confirmed=found.confirmed if found else False,
    )


def _run(run: SearchRun) -> LoadRun:
    load, measured = run.load, run.measured
    return LoadRun(
        run.repeat,
        load.clients if load else None,
        load.threads if load else None,
        measured.bytes_per_second if measured else None,
        measured.latency_seconds if measured else None,
        measured.p99_seconds if measured else None,
        run.why,
    )


def _point(point: CurvePoint, operation: int) -> LoadPoint:
    return LoadPoint(
        point.load.clients,
        point.load.threads,
        point.load.in_flight,
        point.runs,
        point.bytes_per_second,
        point.lowest,
        point.highest,
        point.bytes_per_second / operation,
        point.latency_seconds,
        point.p99_seconds,
    )


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
_LED = (
    Column("REPEAT", "repeat", "count"),
    Column("WORKER", "id", "word"),
    Column("HOST", "host", "word", 24, front=True),
    Column("ITS CLIENTS", lambda one: ",".join(map(str, one.clients)), "word"),
    Column("MiB/s", "bytes_per_second", "rate"),
    Column("LATE s", "late_seconds", "0.00"),
    _CLOCK,
)
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


def curve(found: Saturation) -> Sequence[Column]:
    """The columns of the curve of a search."""
    return (
        Column("CLIENTS", "clients", "count"),
        Column("THREADS", "threads", "count"),
        Column("IN FLIGHT", "in_flight", "count"),
        Column("RUNS", "runs", "count"),
        Column("MiB/s", "bytes_per_second", "rate"),
        Column("IOPS", "iops", "0"),
        Column("MEAN ms", "mean_latency", "ms"),
        Column("p99 ms", "p99_latency", "ms"),
        Column("IS", found.is_, "count"),
    )


def load_facts(found: Mapping[str, Optional[float]]) -> list[tuple[str, str]]:
    """The figures of a round of clients (``found``) as pairs."""
    return [
        ("throughput", f"{rate(found.get('median_bytes_per_second'))} MiB/s"),
        ("operations", f"{number(found.get('median_iops'), 0)} a second"),
        ("latency", _latencies(found)),
        ("per second", f"CV {number(found.get('cv_percent'))} %"),
        ("done", f"first after {_s(found.get('first_done'))}, last {_s(found.get('last_done'))}"),
    ]


def figures_text(
    found: Mapping[str, Optional[float]],
    search: Optional[Saturation],
    of_clients: Sequence[LoadClient],
    of_workers: Sequence[LoadWorker],
) -> str:
    """A round's figures (``found``), then its curve, or a row for each client and repeat."""
    searched = _saturation_text(search)
    listed = table(CLIENTS, of_clients) if of_clients and not searched else ""
    led = table(_LED, of_workers) if of_workers and not searched else ""
    return GAP.join(part for part in (facts(load_facts(found)), searched, listed, led) if part)


def _latencies(found: Mapping[str, Optional[float]]) -> str:
    names = ("mean", "p50", "p95", "p99", "max")
    known = [f"{name} {milliseconds(found.get(f'{name}_latency'))}" for name in names]
    return ", ".join(known) + " ms"


def _s(seconds: Optional[float]) -> str:
    return NOTHING if seconds is None else f"{number(seconds)} s"


def _saturation_text(found: Optional[Saturation]) -> str:
    """Text of a search; empty while no run has figures."""
    if found is None or not found.curve:
        return ""
    named = [("peak", found.peak), ("knee", found.knee), ("recommended", found.recommended)]
    pairs = [(name, _under(point)) for name, point in named if point is not None]
    text = facts([*pairs, ("why", found.reason or "")])
    return f"{text}{GAP}{table(curve(found), found.curve)}"


def _under(point: LoadPoint) -> str:
    return (
        f"{plural(point.clients, 'client')} x {plural(point.threads, 'thread')}: "
        f"{rate(point.bytes_per_second)} MiB/s, {milliseconds(point.mean_latency)} ms"
    )


def imported_text(found: Imported) -> str:
    """The tool and its version."""
    version = found.version.removeprefix(f"{found.tool}-")
    return f"by {found.tool} {version}, and taken over"


def workers_text(found: Sequence[Worker]) -> str:
    """Text of ``worker ls``."""
    if not found:
        return "no worker waits: run 'ceph-perf-bench worker' on a host (docs/workers.md)"
    return table(_WORKERS, found)


_TOLD = (*needed("id"), *needed("message", kind=ArgumentKind.FILE))

QUESTIONS = (
    Question("worker ls", waiting, LIST, workers_text, rest="GET worker"),
    Question("worker next", worker_next, _TOLD, writes=True),
    Question("worker tell", worker_tell, _TOLD, writes=True),
)
