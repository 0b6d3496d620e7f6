"""A search for saturation as JSON and as text: its points and its curve."""

from __future__ import annotations

from typing import Optional

from ..answers.text import GAP, facts, milliseconds, number, rate, table
from ..model.json_fields import Json
from ..model.phrases import plural
from ..model.rados import CurvePoint, Search, SearchRun

_NAMED = ("peak", "knee", "recommended")


def search_json(search: Optional[Search]) -> Optional[Json]:
    """The runs of a search and its result so far; None if the round is no search."""
    if search is None:
        return None
    found = search.found
    return {
        "most_runs": search.most_runs,
        "grid": search.grid,
        "runs": [_run(run) for run in search.runs],
        "curve": [_point(point, search.size) for point in found.curve] if found else [],
        **{name: _point(getattr(found, name), search.size) if found else None for name in _NAMED},
        "share_percent": found.share_percent if found else None,
        "reason": found.reason if found else None,
        "confirmed": found.confirmed if found else False,
    }


def _run(run: SearchRun) -> Json:
    measured = run.measured
    return {
        "repeat": run.repeat,
        "clients": run.load.clients if run.load else None,
        "threads": run.load.threads if run.load else None,
        "bytes_per_second": measured.bytes_per_second if measured else None,
        "mean_latency": measured.latency_seconds if measured else None,
        "p99_latency": measured.p99_seconds if measured else None,
        "why": run.why,
    }


def _point(point: CurvePoint, size: int) -> Json:
    return {
        "clients": point.load.clients,
        "threads": point.load.threads,
        "in_flight": point.load.in_flight,
        "runs": point.runs,
        "bytes_per_second": point.bytes_per_second,
        "lowest_bytes_per_second": point.lowest,
        "highest_bytes_per_second": point.highest,
        "iops": point.bytes_per_second / size,
        "mean_latency": point.latency_seconds,
        "p99_latency": point.p99_seconds,
    }


# --- as text ---------------------------------------------------------------------------------


def saturation(shape: Optional[Json]) -> str:
    """Text of a search; empty while no run has figures."""
    if shape is None or not shape["curve"]:
        return ""
    pairs = [(name, _under(shape[name])) for name in _NAMED]
    pairs.append(("why", shape["reason"]))
    return f"{facts(pairs)}{GAP}{_curve(shape)}"


def _under(point: Json) -> str:
    return (
        f"{plural(point['clients'], 'client')} x {plural(point['threads'], 'thread')}: "
        f"{rate(point['bytes_per_second'])} MiB/s, {milliseconds(point['mean_latency'])} ms"
    )


def _curve(shape: Json) -> str:
    rows = [
        [
            str(point["clients"]),
            str(point["threads"]),
            str(point["in_flight"]),
            str(point["runs"]),
            rate(point["bytes_per_second"]),
            number(point["iops"], 0),
            milliseconds(point["mean_latency"]),
            milliseconds(point["p99_latency"]),
            ", ".join(name for name in _NAMED if shape[name] == point),
        ]
        for point in shape["curve"]
    ]
    head = ["CLIENTS", "THREADS", "IN FLIGHT", "RUNS", "MiB/s", "IOPS", "MEAN ms", "p99 ms", "IS"]
    return table(head, rows)
