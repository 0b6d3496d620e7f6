"""Read results of elbencho, in the format of ``--jsonfile``: one object for each phase, all texts.

elbencho appends to this file, run after run; since 3.1-3 it keeps one below /var/tmp by itself.
Lines of another command are another run, and a round is of one. Phases that read and write at once
(--rwmixpct, --rwmixthr) are refused: their figures are of the writes alone.

The figures of *last done* are used: all data moved until the slowest thread had finished. Phases
that move no data (directories, deletions) are ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Optional

from ...errors import InvalidValue
from ...model import json_fields
from ...model.json_fields import documents_of, known, needed, noun_of, read
from ...model.plan import Imported, Job
from .imported import refusal, several_runs

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
class _Latencies:
    io: Optional[_ElbenchoLatency] = known(noun_of(_ElbenchoLatency), key="IO")


@dataclass(frozen=True)
class _Done:
    elapsed_time_ms: int = needed(json_fields.digits)
    bytes: int = known(json_fields.digits, 0)
    bytes_per_second: Optional[int] = known(json_fields.digits, key="bytes/s")
    iops: Optional[int] = known(json_fields.digits)
    latency: Optional[_Latencies] = known(noun_of(_Latencies))
    rwmix_read: Any = known(lambda value, _path: value)


def _command(value: Any, _path: str) -> str:
    """Only compared, never shown: it may be long."""
    return str(value)


@dataclass(frozen=True)
class _Config:
    version: str = needed(json_fields.name)
    block_size: int = known(json_fields.digits, 0)
    command: str = known(_command, "")


@dataclass(frozen=True)
class _Phase:
    phase_type: str = needed(json_fields.name)
    iso_start_date: float = needed(_moment)
    last_done: _Done = needed(noun_of(_Done))  # noqa: RUF009 - a field
    config: _Config = needed(noun_of(_Config))  # noqa: RUF009 - a field
    label: str = known(json_fields.text, "")

    @property
    def run(self) -> tuple[str, str]:
        """The same for all phases of a run."""
        return self.config.version, self.config.command


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
            jobs += _jobs(phase)
        except InvalidValue as error:
            raise InvalidValue(f"line {line}: {error}", error.field) from None
        phases.append(phase)
        lines.append(line)
    if not phases:
        raise refusal("elbencho")
    later = range(len(phases) - 1, 0, -1)
    last = next((n for n in later if not _continues(phases[n - 1], phases[n])), 0)
    if last:
        began = [phase.iso_start_date for phase in (phases[0], phases[last])]
        raise several_runs("elbencho", began, lines[last] if lines[last] > lines[last - 1] else 0)
    return Imported(
        tool="elbencho",
        version=phases[-1].run[0],
        began=min(phase.iso_start_date for phase in phases),
        ended=max(map(_ended, phases)),
        jobs=tuple(jobs),
    )


def _continues(one: _Phase, later: _Phase) -> bool:
    """Whether a phase can be the next one of the same run: soon after it, by the same command."""
    earliest, latest = one.iso_start_date - _LONGEST_PAUSE, _ended(one) + _LONGEST_PAUSE
    return one.run == later.run and earliest <= later.iso_start_date <= latest


def _ended(phase: _Phase) -> float:
    return phase.iso_start_date + _lasted(phase)


def _lasted(phase: _Phase) -> float:
    return phase.last_done.elapsed_time_ms * _MILLISECONDS


def _jobs(phase: _Phase) -> list[Job]:
    """The job of a phase; none if it moved no data."""
    done, seconds = phase.last_done, _lasted(phase)
    if done.rwmix_read is not None:
        raise InvalidValue("phases that read and write at once cannot be imported", "results")
    if not (seconds and done.bytes):
        return []
    latency = (done.latency.io if done.latency else None) or _ElbenchoLatency()
    operations = None if done.iops is None else round(done.iops * seconds)
    if operations is not None and operations > json_fields.LARGEST_COUNT:
        expected = "so small that 64 bits hold its operations"
        raise json_fields.wrong("last_done.iops", expected, done.iops)
    rate = done.bytes_per_second
    return [
        Job(
            name=phase.label or phase.phase_type.lower(),
            operation=phase.phase_type.lower(),
            seconds=seconds,
            bytes=done.bytes,
            bytes_per_second=done.bytes / seconds if rate is None else float(rate),
            operations=operations,
            iops=None if done.iops is None else float(done.iops),
            block_size=phase.config.block_size,
            mean_latency=_seconds(latency.avg_us),
            min_latency=_seconds(latency.min_us),
            max_latency=_seconds(latency.max_us),
        )
    ]


def _seconds(microseconds: Optional[int]) -> Optional[float]:
    return None if microseconds is None else microseconds * _MICROSECONDS
