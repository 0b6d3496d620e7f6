"""Read results of elbencho, in the format of ``--jsonfile``: one object for each phase, all texts.

The figures of *last done* are used: all data moved until the slowest thread had finished. Phases
that move no data (directories, deletions) are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Optional

from ...model import json_fields
from ...model.imported import Imported, Job
from ...model.json_fields import known, needed, noun_of, read
from ...model.json_input import checked_size, document_of

_MICROSECONDS = 1e-6
_MILLISECONDS = 1e-3
_ZONE = re.compile(r"([+-]\d\d)(\d\d)$", re.ASCII)


def _moment(value: Any, path: str) -> float:
    """Unix seconds; the zone has no colon, as in "+0100", and Python 3.9 wants one."""
    return json_fields.moment(_ZONE.sub(r"\1:\2", json_fields.text(value, path)), path)


@dataclass(frozen=True)
class _ElbenchoLatency:
    min_us: Optional[int] = known(json_fields.digits)
    avg_us: Optional[int] = known(json_fields.digits)
    max_us: Optional[int] = known(json_fields.digits)


@dataclass(frozen=True)
class _IoLatency(_ElbenchoLatency):
    # Of a phase that also reads: the rest is that of the writes alone.
    rwmix_read: Optional[_ElbenchoLatency] = known(noun_of(_ElbenchoLatency))


@dataclass(frozen=True)
class _Latencies:
    io: Optional[_IoLatency] = known(noun_of(_IoLatency), key="IO")


@dataclass(frozen=True)
class _Moved:
    bytes: int = known(json_fields.digits, 0)
    bytes_per_second: Optional[int] = known(json_fields.digits, key="bytes/s")
    iops: Optional[int] = known(json_fields.digits)


@dataclass(frozen=True)
class _Done:
    elapsed_time_ms: int = needed(json_fields.digits)
    bytes: int = known(json_fields.digits, 0)
    bytes_per_second: Optional[int] = known(json_fields.digits, key="bytes/s")
    iops: Optional[int] = known(json_fields.digits)
    latency: Optional[_Latencies] = known(noun_of(_Latencies))
    # The reads of a phase that reads and writes (--rwmixpct, --rwmixthr); not in the fields above.
    rwmix_read: Optional[_Moved] = known(noun_of(_Moved))

    @property
    def moved(self) -> _Moved:
        return _Moved(self.bytes, self.bytes_per_second, self.iops)


@dataclass(frozen=True)
class _Config:
    version: str = needed(json_fields.name)
    block_size: int = known(json_fields.digits, 0)


@dataclass(frozen=True)
class _Phase:
    phase_type: str = needed(json_fields.name)
    iso_start_date: float = needed(_moment)
    config: _Config = needed(noun_of(_Config))  # noqa: RUF009 - a field
    last_done: _Done = needed(noun_of(_Done))  # noqa: RUF009 - a field
    label: str = known(json_fields.text, "")


def results_of(text: str) -> Imported:
    """The results in the text of a file. Raises InvalidValue with the path of the bad field."""
    lines = [line for line in checked_size(text, "results").splitlines() if line.strip()]
    phases = [
        read(_Phase, document_of(line, "results"), f"line[{number}]")
        for number, line in enumerate(lines)
    ]
    ended = [phase.iso_start_date + _lasted(phase) for phase in phases]
    return Imported(
        tool="elbencho",
        version=phases[-1].config.version,
        began=min(phase.iso_start_date for phase in phases),
        ended=max(ended),
        jobs=tuple(
            job for number, phase in enumerate(phases) for job in _jobs(phase, f"line[{number}]")
        ),
    )


def _jobs(phase: _Phase, path: str) -> Iterator[Job]:
    """One job of a phase, two of one that reads and writes; none if it moved no data."""
    done = phase.last_done
    latency = (done.latency.io if done.latency else None) or _IoLatency()
    if not _lasted(phase):
        return
    operation = phase.phase_type.lower() if done.rwmix_read is None else "write"
    if done.bytes:
        yield _job(phase, operation, done.moved, latency, f"{path}.last_done.iops")
    if done.rwmix_read is not None and done.rwmix_read.bytes:
        reads = latency.rwmix_read or _ElbenchoLatency()
        path = f"{path}.last_done.rwmix_read.iops"
        yield _job(phase, "read", done.rwmix_read, reads, path)


def _lasted(phase: _Phase) -> float:
    return phase.last_done.elapsed_time_ms * _MILLISECONDS


def _operations(iops: Optional[int], seconds: float, path: str) -> Optional[int]:
    """The number of operations; ``path`` is that of ``iops``. Raises InvalidValue."""
    found = None if iops is None else round(iops * seconds)
    if found is not None and found > json_fields.LARGEST_COUNT:
        raise json_fields.wrong(path, "so small that 64 bits hold its operations", iops)
    return found


def _job(phase: _Phase, operation: str, done: _Moved, latency: _ElbenchoLatency, path: str) -> Job:
    seconds, rate = _lasted(phase), done.bytes_per_second
    return Job(
        name=phase.label or phase.phase_type.lower(),
        operation=operation,
        seconds=seconds,
        bytes=done.bytes,
        bytes_per_second=done.bytes / seconds if rate is None else float(rate),
        operations=_operations(done.iops, seconds, path),
        iops=None if done.iops is None else float(done.iops),
        block_size=phase.config.block_size,
        mean_latency=_seconds(latency.avg_us),
        min_latency=_seconds(latency.min_us),
        max_latency=_seconds(latency.max_us),
    )


def _seconds(microseconds: Optional[int]) -> Optional[float]:
    return None if microseconds is None else microseconds * _MICROSECONDS
