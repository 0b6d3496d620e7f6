"""Read results of elbencho, in the format of ``--jsonfile``: one object for each phase, all texts.

elbencho appends to this file, run after run; since 3.1-3 it keeps one below /var/tmp by itself.

The figures of *last done* are used: all data moved until the slowest thread had finished. Phases
that move no data (directories, deletions) are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ...errors import InvalidValue
from ...model import json_fields
from ...model.json_fields import documents_of, known, needed, noun_of, read
from ...model.plan import Imported, Job
from .other_files import refusal, several_runs

_MICROSECONDS = 1e-6
_MILLISECONDS = 1e-3
# Seconds between phases of one run: elbencho waits for its hosts, or for --phasedelay.
_LONGEST_PAUSE = 300.0
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


def _command(value: Any, _path: str) -> str:
    """Only compared, never shown: it may be long."""
    return str(value)


@dataclass(frozen=True)
class _Config:
    version: str = known(json_fields.name, "")
    block_size: int = known(json_fields.digits, 0)
    command: str = known(_command, "")


@dataclass(frozen=True)
class _Phase:
    phase_type: str = needed(json_fields.name)
    iso_start_date: float = needed(_moment)
    last_done: _Done = needed(noun_of(_Done))  # noqa: RUF009 - a field
    config: _Config = known(noun_of(_Config), _Config())
    label: str = known(json_fields.text, "")
    # Of 3.0-27 to 3.0-35, which have no config.
    version: str = known(json_fields.name, "")
    command: str = known(_command, "")

    @property
    def run(self) -> tuple[str, str]:
        """The same for all phases of a run."""
        return (self.config.version or self.version, self.config.command or self.command)


def results_of(text: str) -> Imported:
    """The results in the text of a file. Raises InvalidValue, with the line of a bad field."""
    phases: list[_Phase] = []
    jobs: list[Job] = []
    lines: list[int] = []
    for line, document in documents_of(text, "results"):
        if not (isinstance(document, dict) and "phase_type" in document) and not phases:
            raise refusal("elbencho", [document])
        try:
            phase = read(_Phase, document)
            if not phase.run[0]:
                raise InvalidValue("config.version is missing", "config.version")
            jobs += _jobs(phase)
        except InvalidValue as error:
            raise InvalidValue(f"line {line}: {error}", error.field) from None
        phases.append(phase)
        lines.append(line)
    if not phases:
        raise refusal("elbencho")
    _one_run(phases, lines)
    return Imported(
        tool="elbencho",
        version=phases[-1].run[0],
        began=min(phase.iso_start_date for phase in phases),
        ended=max(map(_ended, phases)),
        jobs=tuple(jobs),
    )


def _one_run(phases: Sequence[_Phase], lines: Sequence[int]) -> None:
    """Refuse phases of several runs. Raises InvalidValue."""
    first = [0]
    first += [n for n in range(1, len(phases)) if not _continues(phases[n - 1], phases[n])]
    if len(first) > 1:
        last = lines[first[-1]]
        times = [phases[number].iso_start_date for number in first]
        raise several_runs("elbencho", times, 0 if last == lines[first[-1] - 1] else last)


def _continues(one: _Phase, later: _Phase) -> bool:
    """Whether a phase can be the next one of the same run: soon after it, by the same command."""
    earliest, latest = one.iso_start_date - _LONGEST_PAUSE, _ended(one) + _LONGEST_PAUSE
    return one.run == later.run and earliest <= later.iso_start_date <= latest


def _ended(phase: _Phase) -> float:
    return phase.iso_start_date + _lasted(phase)


def _jobs(phase: _Phase) -> Iterator[Job]:
    """One job of a phase, two of one that reads and writes; none if it moved no data."""
    done = phase.last_done
    latency = (done.latency.io if done.latency else None) or _IoLatency()
    if not _lasted(phase):
        return
    operation = phase.phase_type.lower() if done.rwmix_read is None else "write"
    if done.bytes:
        yield _job(phase, operation, done.moved, latency, "last_done.iops")
    if done.rwmix_read is not None and done.rwmix_read.bytes:
        reads = latency.rwmix_read or _ElbenchoLatency()
        yield _job(phase, "read", done.rwmix_read, reads, "last_done.rwmix_read.iops")


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
