"""Read results of fio, in the format of ``--output-format=json``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Optional

from ...errors import InvalidValue
from ...model import json_fields
from ...model.imported import Imported, Job
from ...model.json_fields import known, list_of, needed, noun_of, read
from ...model.json_input import document_of
from ...model.said import say

_DIRECTIONS = ("read", "write", "trim")
_NANOSECONDS = 1e-9
_MICROSECONDS = 1e-6
_MILLISECONDS = 1e-3


def _percentiles(value: Any, path: str) -> Mapping[float, float]:
    """Nanoseconds by percent; fio's keys are as "99.000000"."""
    if not isinstance(value, Mapping):
        raise json_fields.wrong(path, "an object", value)
    found = {}
    for key, given in value.items():
        try:
            percent = float(key)
        except ValueError:
            raise json_fields.wrong(
                f"{path}.{json_fields.text(key, path)}", "a percentile", key
            ) from None
        found[percent] = json_fields.number(given, f"{path}.{key}")
    return found


@dataclass(frozen=True)
class _FioLatency:
    min: Optional[float] = known(json_fields.number)
    max: Optional[float] = known(json_fields.number)
    mean: Optional[float] = known(json_fields.number)
    percentile: Optional[Mapping[float, float]] = known(_percentiles)


@dataclass(frozen=True)
class _Direction:
    io_bytes: int = needed(json_fields.count)
    runtime: int = needed(json_fields.count)
    total_ios: int = needed(json_fields.count)
    # Since 2.21; before, io_bytes was in KiB.
    io_kbytes: Optional[int] = known(json_fields.count)
    # The latency of an operation from its start; by default only clat_ns has percentiles.
    lat_ns: Optional[_FioLatency] = known(noun_of(_FioLatency))
    clat_ns: Optional[_FioLatency] = known(noun_of(_FioLatency))
    # The same before version 3, in microseconds.
    lat: Optional[_FioLatency] = known(noun_of(_FioLatency))
    clat: Optional[_FioLatency] = known(noun_of(_FioLatency))


@dataclass(frozen=True)
class _FioJob:
    jobname: str = needed(json_fields.text)
    error: int = known(json_fields.count, 0)
    elapsed: float = known(json_fields.number, 0.0)
    read: Optional[_Direction] = known(noun_of(_Direction))
    write: Optional[_Direction] = known(noun_of(_Direction))
    trim: Optional[_Direction] = known(noun_of(_Direction))


@dataclass(frozen=True)
class _Report:
    timestamp: float = needed(json_fields.number)
    jobs: tuple[_FioJob, ...] = needed(list_of(_FioJob))
    version: str = needed(json_fields.name, key="fio version")


def results_of(text: str) -> Imported:
    """The results in the text of a file. Raises InvalidValue with the path of the bad field."""
    report = read(_Report, document_of(_without_notes(text), "results"))
    jobs: list[Job] = []
    for number, job in enumerate(report.jobs):
        if job.error:
            path = f"jobs[{number}].error"
            raise InvalidValue(
                say(
                    "import-job-failed",
                    "{path} is {error}: fio says that the job failed",
                    path=path,
                    error=job.error,
                ),
                field=path,
            )
        jobs += _jobs(job, f"jobs[{number}]", _in_kib(report.version))
    longest = max((job.elapsed for job in report.jobs), default=0.0)
    return Imported(
        "fio", report.version, report.timestamp - longest, report.timestamp, tuple(jobs)
    )


def _without_notes(text: str) -> str:
    """The text from the first line with a brace on; fio may print notes before it."""
    lines = text.split("\n{", 1)
    noted = len(lines) == 2 and not text.lstrip().startswith("{")
    return "{" + lines[1] if noted else text


def _in_kib(version: str) -> bool:
    """Whether this version may tell ``io_bytes`` in KiB."""
    return re.match(r"fio-[012]\.", version) is not None


def _jobs(job: _FioJob, path: str, in_kib: bool) -> Iterator[Job]:
    """One job for each direction with operations."""
    for name in _DIRECTIONS:
        found: Optional[_Direction] = getattr(job, name)
        if found is not None and found.total_ios and found.runtime:
            size = found.io_bytes
            if in_kib and found.io_kbytes is None:
                size <<= 10
            if size > json_fields.LARGEST_COUNT:
                where = f"{path}.{name}.io_bytes"
                raise json_fields.wrong(where, "bytes that 64 bits hold", found.io_bytes)
            yield _result(job.jobname, name, found, size)


def _result(job: str, name: str, found: _Direction, size: int) -> Job:
    seconds = found.runtime * _MILLISECONDS
    new = found.lat_ns is not None or found.clat_ns is not None
    whole, done = (found.lat_ns, found.clat_ns) if new else (found.lat, found.clat)
    whole, unit = whole or _FioLatency(), _NANOSECONDS if new else _MICROSECONDS
    percentiles = whole.percentile or (done or _FioLatency()).percentile or {}
    return Job(
        name=job,
        operation=name,
        seconds=seconds,
        bytes=size,
        bytes_per_second=size / seconds,
        operations=found.total_ios,
        iops=found.total_ios / seconds,
        block_size=round(size / found.total_ios),
        mean_latency=_seconds(whole.mean, unit),
        min_latency=_seconds(whole.min, unit),
        max_latency=_seconds(whole.max, unit),
        p50_latency=_seconds(percentiles.get(50.0), unit),
        p95_latency=_seconds(percentiles.get(95.0), unit),
        p99_latency=_seconds(percentiles.get(99.0), unit),
    )


def _seconds(told: Optional[float], unit: float) -> Optional[float]:
    """Seconds; None for 0: fio tells that of what it did not measure (``gtod_reduce``)."""
    return told * unit if told else None
