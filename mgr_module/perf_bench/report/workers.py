"""Workers as JSON and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ..answers.paging import keyed
from ..answers.text import NOTHING, clip, clip_front, iso, number, rate, rounded, short_time, table
from ..model.json_fields import Json
from ..model.rados import ClientRun, LoadSample, Worker, WorkerPart

SEARCHED = ("id", "host", "version", "state", "note")
FIELDS = keyed("id", "host", "version", "state", "last_seen", "clock_offset", "note")


def worker(one: Worker) -> Json:
    """A worker. ``clock_offset``: seconds that its clock is ahead, null if not known."""
    return {
        "id": one.id,
        "host": one.host,
        "version": one.version,
        "state": one.state.value,
        "last_seen": iso(one.last_seen),
        "clock_offset": rounded(one.clock_offset, 6),
        "clock_error": rounded(one.clock_error, 6),
        "instance": one.instance,
        "note": one.note,
    }


def workers(shapes: Sequence[Mapping[str, Any]]) -> str:
    """Text of ``worker ls``."""
    if not shapes:
        return "no worker waits: run 'ceph-perf-bench worker' on a host (docs/workers.md)"
    head = ["WORKER", "HOST", "VERSION", "STATE", "LAST SEEN (UTC)", "CLOCK", "NOTE"]
    rows = [
        [
            shape["id"],
            clip_front(shape["host"], 24),
            shape["version"],
            shape["state"],
            short_time(shape["last_seen"]),
            _clock(shape["clock_offset"], shape["clock_error"]),
            clip(shape["note"], 60) or NOTHING,
        ]
        for shape in shapes
    ]
    return table(head, rows)


def parts(repeats: Sequence[LoadSample]) -> list[Json]:
    """The part of each worker in each repeat. Clients on the mgr's host belong to no worker."""
    found: list[Json] = []
    for sample in repeats:
        runs: dict[WorkerPart, dict[int, ClientRun]] = {}
        for client, run in enumerate(sample.runs):
            if run.worker is not None:
                runs.setdefault(run.worker, {})[client] = run
        found += [_part(sample.repeat, one, its) for one, its in runs.items()]
    return found


def _part(repeat: int, one: WorkerPart, runs: Mapping[int, ClientRun]) -> Json:
    return {
        "repeat": repeat,
        "id": one.id,
        "host": one.host,
        "clients": list(runs),
        "clock_offset": rounded(one.clock_offset, 6),
        "clock_error": rounded(one.clock_error, 6),
        "late_seconds": rounded(one.late_seconds, 6),
        "bytes_per_second": sum(run.bytes_per_second for run in runs.values()),
    }


def parts_table(shapes: Sequence[Mapping[str, Any]]) -> str:
    """Text of a round's workers."""
    head = ["REPEAT", "WORKER", "HOST", "ITS CLIENTS", "MiB/s", "LATE s", "CLOCK"]
    rows = [
        [
            str(shape["repeat"]),
            shape["id"],
            clip_front(shape["host"], 24),
            ",".join(map(str, shape["clients"])),
            rate(shape["bytes_per_second"]),
            number(shape["late_seconds"], 2),
            _clock(shape["clock_offset"], shape["clock_error"]),
        ]
        for shape in shapes
    ]
    return table(head, rows)


def _clock(offset: Optional[float], error: Optional[float]) -> str:
    if offset is None or error is None:
        return NOTHING
    return f"{offset:+.3f} s ± {error:.3f}"
