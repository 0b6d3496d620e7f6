"""Rounds of clients as JSON, as text, and as the rows and series of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Optional

from ..answers.text import GAP, NOTHING, facts, iso, milliseconds, number, rate, size, table
from ..model.json_fields import Json
from ..model.phrases import plural
from ..model.rados import CombinedRun, LoadPlan, LoadSample, Row
from . import workers
from .saturation import saturation

CSV = (
    "round", "profile", "repeat", "client", "second", "operations", "bytes_per_second",
    "mean_latency",
)  # fmt: skip
# name, help, key in summary
SERIES = (
    ("load_bytes_per_second", "Bandwidth of all clients while all ran", "median_bytes_per_second"),
    ("load_iops", "Operations per second of all clients while all ran", "median_iops"),
    ("load_latency_seconds", "Mean latency of an operation", "mean_latency"),
    ("load_spread_percent", "Coefficient of variation between repeats", "spread_percent"),
)


def clients(repeats: Sequence[LoadSample]) -> Json:
    """The additional keys of a round of clients: each client of each repeat."""
    return {
        "clients": [client for sample_ in repeats for client in _clients_of(sample_)],
        "unmeasured": [
            {"repeat": sample_.repeat, "why": sample_.why} for sample_ in repeats if sample_.why
        ],
    }


def live(
    round_id: int, phase: Optional[str], repeat: Optional[int], rows: Mapping[int, Sequence[Row]]
) -> Json:
    """The clients of the running repeat, with their seconds in the form of ``clients``."""
    return {
        "id": round_id,
        "phase": phase,
        "repeat": repeat,
        "clients": [{"client": client, "series": _series(rows[client])} for client in sorted(rows)],
    }


def _series(rows: Sequence[Row]) -> list[list[float]]:
    """For each second the operations finished by then, and their mean latency."""
    return [[row.second, row.finished, row.mean_latency] for row in list(rows)]


def load_sample(load: LoadPlan, sample_: LoadSample, done: Optional[CombinedRun], why: str) -> Json:
    """A repeat of a round of clients, in the form of a sample.

    ``done`` has the figures of the time in which all clients ran; None where nothing was
    measured, for the reason ``why``. ``bytes`` are those of that time.
    """
    under = sample_.load or load.most
    return {
        "target": f"pool.{load.pool}",
        "phase": load.operation,
        "repeat": sample_.repeat,
        "wave": 1,
        "started_at": iso(sample_.started_at),
        "call_seconds": None if done is None else done.last_done,
        "bytes": 0 if done is None else round(done.bytes_per_second * done.seconds),
        "block_size": load.size,
        "seconds": None if done is None else done.seconds,
        "bytes_per_second": None if done is None else done.bytes_per_second,
        "iops": None if done is None else done.iops,
        "latency_ms": None if done is None else 1000 * done.mean_latency,
        "valid": done is not None,
        "why": why or None,
        "clients": under.clients,
        "threads": under.threads,
    }


def _clients_of(sample_: LoadSample) -> list[Json]:
    """Each client of a repeat, with its seconds."""
    return [
        {
            "repeat": sample_.repeat,
            "client": number,
            "worker": "" if run.worker is None else run.worker.id,
            "started_at": iso(run.started_at),
            "seconds": run.seconds,
            "operations": run.operations,
            "bytes_per_second": run.bytes_per_second,
            "mean_latency": run.mean_latency,
            "min_latency": run.min_latency,
            "max_latency": run.max_latency,
            "series": _series(run.rows),
        }
        for number, run in enumerate(sample_.runs)
    ]


# --- as text ---------------------------------------------------------------------------------


def what(load: Json) -> str:
    """The load as text."""
    most, each = ("up to ", " each") if load["saturates"] else ("", "")
    return (
        f"{most}{plural(load['clients'], 'client')} x {plural(load['threads'], 'thread')}, "
        f"{load['operation']} of "
        f"{size(load['size'])}, {load['seconds']} s{each}, pool {load['pool']}{_where(load)}"
    )


def _where(load: Json) -> str:
    return f", on workers {', '.join(load['workers'])}" if load["workers"] else ""


def figures(shape: Json) -> str:
    """Text of a round's figures, then a row for each client and repeat that was read."""
    found = shape["summary"]
    pairs = [
        ("throughput", f"{rate(found.get('median_bytes_per_second'))} MiB/s"),
        ("operations", f"{number(found.get('median_iops'), 0)} a second"),
        ("latency", _latencies(found)),
        ("per second", f"CV {number(found.get('cv_percent'))} %"),
        ("done", f"first after {_s(found.get('first_done'))}, last {_s(found.get('last_done'))}"),
    ]
    searched = saturation(shape["saturation"])
    listed = _clients(shape) if shape["clients"] and not searched else ""
    led = workers.parts_table(shape["workers"]) if shape["workers"] and not searched else ""
    return GAP.join(part for part in (facts(pairs), searched, listed, led) if part)


def _latencies(found: Json) -> str:
    names = ("mean", "p50", "p95", "p99", "max")
    known = [f"{name} {milliseconds(found.get(f'{name}_latency'))}" for name in names]
    return ", ".join(known) + " ms"


def _clients(shape: Json) -> str:
    head = ["REPEAT", "CLIENT", "MiB/s", "OPERATIONS", "SECONDS", "MEAN ms", "MAX ms"]
    rows = [
        [
            str(client["repeat"]),
            str(client["client"]),
            rate(client["bytes_per_second"]),
            str(client["operations"]),
            number(client["seconds"]),
            milliseconds(client["mean_latency"]),
            milliseconds(client["max_latency"]),
        ]
        for client in shape["clients"]
    ]
    return table(head, rows)


def _s(seconds: Optional[float]) -> str:
    return NOTHING if seconds is None else f"{number(seconds)} s"


def seconds_of(shape: Json) -> Iterator[Json]:
    """A row of a file for each second of each client."""
    block = shape["load"]["size"]
    for client in shape["clients"]:
        before = 0
        waited = 0.0
        for second, finished, mean in client["series"]:
            if second > 0:
                done, total = finished - before, finished * mean
                yield {
                    "round": shape["id"],
                    "profile": shape["profile"],
                    "repeat": client["repeat"],
                    "client": client["client"],
                    "second": second,
                    "operations": done,
                    "bytes_per_second": done * block,
                    "mean_latency": max(0.0, total - waited) / done if done else None,
                }
                before, waited = finished, total
