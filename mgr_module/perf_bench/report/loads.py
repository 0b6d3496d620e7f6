"""Rounds of clients as text, and as the rows and series of files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

from ..model.json_fields import Json
from ..model.phrases import plural
from . import workers
from .saturation import saturation
from .text import GAP, NOTHING, facts, number, rate, size, table

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


def what(load: Json) -> str:
    """What the clients do, in words."""
    most, each = ("up to ", " each") if load["saturates"] else ("", "")
    return (
        f"{most}{plural(load['clients'], 'client')} x {plural(load['threads'], 'thread')}, "
        f"{load['operation']} of "
        f"{size(load['size'])}, {load['seconds']} s{each}, pool {load['pool']}{_where(load)}"
    )


def _where(load: Json) -> str:
    return f", on workers {', '.join(load['workers'])}" if load["workers"] else ""


def figures(shape: Json) -> str:
    """A round's figures, then a row a client and repeat where they were read."""
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
    known = [f"{name} {_ms(found.get(f'{name}_latency'))}" for name in names]
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
            _ms(client["mean_latency"]),
            _ms(client["max_latency"]),
        ]
        for client in shape["clients"]
    ]
    return table(head, rows)


def _ms(seconds: Optional[float]) -> str:
    return NOTHING if seconds is None else number(1000 * seconds, 2)


def _s(seconds: Optional[float]) -> str:
    return NOTHING if seconds is None else f"{number(seconds)} s"


def seconds_of(shape: Json) -> Iterator[Json]:
    """A row for each second of each client: what was done in it."""
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
