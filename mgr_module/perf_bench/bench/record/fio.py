"""Read results of fio, in the format of ``--output-format=json``, also as CBT keeps them.

Beside its report fio prints notes, and with ``json,normal`` its text. A file of several reports, as
``--status-interval`` makes them, is refused: they may be of one run or of several.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ...errors import InvalidValue
from ...model import json_fields
from ...model.json_fields import documents_of, known, list_of, needed, noun_of, read
from ...model.plan import MOST_JOBS, Imported, Job
from .imported import refusal, several_runs

_DIRECTIONS = ("read", "write", "trim")
# The operation in place of these, with unified_rw_reporting; beside them it is their sum.
_MIXED = "mixed"
# The sum that fio adds after the jobs of all hosts.
_ALL_CLIENTS = "All clients"
# fio's "eta" where it does not know it.
_UNKNOWN_ETA = (1 << 31) - 1
# Seconds between two reports of --status-interval.
_LEAST_INTERVAL = 1.0
# What fio prints of a host without results (client.c); its jobs would be missing without a word.
_NO_HOST = re.compile(
    r"^client <[^>\n]{1,255}>: exited with error \d+|^fio: failed to connect to \S{1,255}"
    r"|^fio: client \S{1,255} timed out",
    re.MULTILINE,
)
# A division by 0, as C prints it: not JSON.
_NO_NUMBER = re.compile(r'(":\s*)-?(?:nan|inf)\b')
_NANOSECONDS = 1e-9
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
    # The latency of an operation from its start; by default only clat_ns has percentiles.
    lat_ns: Optional[_FioLatency] = known(noun_of(_FioLatency))
    clat_ns: Optional[_FioLatency] = known(noun_of(_FioLatency))


def _eta(value: Any, _path: str) -> int:
    """Seconds to go, 0 if fio does not know them."""
    return value if type(value) is int and 0 < value < _UNKNOWN_ETA else 0


@dataclass(frozen=True)
class _FioJob:
    jobname: str = needed(json_fields.text)
    error: int = known(json_fields.count, 0)
    eta: int = known(_eta, 0)
    elapsed: float = known(json_fields.number, 0.0)
    # With --client.
    hostname: str = known(json_fields.text, "")
    port: int = known(json_fields.count, 0)
    read: Optional[_Direction] = known(noun_of(_Direction))
    write: Optional[_Direction] = known(noun_of(_Direction))
    trim: Optional[_Direction] = known(noun_of(_Direction))
    mixed: Optional[_Direction] = known(noun_of(_Direction))

    def directions(self) -> Mapping[str, _Direction]:
        """Those with operations, by name; not the sum of others."""
        told = {name: getattr(self, name) for name in (*_DIRECTIONS, _MIXED)}
        found = {name: one for name, one in told.items() if one and one.total_ios and one.runtime}
        if len(found) > 1:
            found.pop(_MIXED, None)
        return found

    @property
    def is_sum(self) -> bool:
        """Whether it is fio's sum of the jobs of all hosts."""
        return bool(self.hostname) and self.jobname == _ALL_CLIENTS

    def lasted(self) -> float:
        """Seconds of its longest direction."""
        longest = max((one.runtime for one in self.directions().values()), default=0)
        return longest * _MILLISECONDS


# With its path in the file.
_Placed = tuple[str, _FioJob]


@dataclass(frozen=True)
class _Report:
    timestamp: float = needed(json_fields.number)
    version: str = needed(json_fields.name, key="fio version")
    jobs: tuple[_FioJob, ...] = known(list_of(_FioJob), ())
    # With --client, in place of jobs: those of all hosts, and their sum.
    client_stats: tuple[_FioJob, ...] = known(list_of(_FioJob), ())

    def all_jobs(self) -> list[_Placed]:
        return [
            *((f"jobs[{number}]", job) for number, job in enumerate(self.jobs)),
            *((f"client_stats[{number}]", job) for number, job in enumerate(self.client_stats)),
        ]

    def span(self) -> tuple[float, float]:
        """Its begin and end; the timestamp is that of the end, with --client of the start."""
        if self.client_stats:
            return self.timestamp, self.timestamp + max(map(_FioJob.lasted, self.client_stats))
        longest = max((job.elapsed for job in self.jobs), default=0.0)
        return self.timestamp - longest, self.timestamp


def results_of(text: str) -> Imported:
    """The results in the text of a file. Raises InvalidValue with the path of the bad field."""
    report = _whole_run(text)
    if re.match(r"fio-[012]\.", report.version):  # other units
        raise InvalidValue(f"results of {report.version}: fio 3 or later is needed", "fio version")
    for path, job in report.all_jobs():
        _check(job, path)
    lost = _NO_HOST.search(text)
    if lost:
        raise InvalidValue(f"the results of a host are missing: {lost.group()!a}", "results")
    total = [one for one in report.all_jobs() if one[1].is_sum]
    hosts = [one for one in report.all_jobs() if not one[1].is_sum]
    _check_once(hosts)
    jobs = [made for _, job in hosts for made in _jobs(job)]
    if total and not 0 < len(jobs) <= MOST_JOBS:
        jobs = [made for _, job in total for made in _jobs(job)]
    return Imported("fio", report.version, *report.span(), tuple(jobs))


def _whole_run(text: str) -> _Report:
    """The report of a run."""
    reports: list[_Report] = []
    others: list[Any] = []
    for _, document in documents_of(_NO_NUMBER.sub(r"\1null", text), "results"):
        if isinstance(document, Mapping) and ("jobs" in document or "client_stats" in document):
            reports.append(read(_Report, document))
        else:
            others.append(document)
    if not reports:
        raise refusal("fio", others)
    if len(reports) > 1:
        raise several_runs("fio", [report.span()[0] for report in reports])
    return reports[0]


def _check(job: _FioJob, path: str) -> None:
    if job.error:
        path = f"{path}.error" + (f" of {job.hostname}" if job.hostname else "")
        raise InvalidValue(
            f"{path} is {job.error}: fio says that the job failed",
            field=path,
        )
    if job.eta:
        raise InvalidValue(
            f"fio had {job.eta} s to go at the file's report: the run's end is missing",
            field=f"{path}.eta",
        )


def _check_once(jobs: Sequence[_Placed]) -> None:
    """Refuse what fio has done with --client and --status-interval.

    It puts the reports of the middle of the run beside those of its end.
    """
    lasted: dict[tuple[str, int, str], float] = {}
    for path, job in jobs:
        key = (job.hostname, job.port, job.jobname)
        if job.hostname and job.lasted() - lasted.get(key, math.inf) >= _LEAST_INTERVAL:
            raise InvalidValue(
                f"{path} is {job.jobname} of {job.hostname} again, later: run fio without "
                "--status-interval, and with --group_reporting if a host has several such jobs",
                path,
            )
        lasted[key] = job.lasted()


def _jobs(job: _FioJob) -> Iterator[Job]:
    """One job for each direction with operations."""
    name = f"{job.hostname}: {job.jobname}" if job.hostname and not job.is_sum else job.jobname
    for operation, found in job.directions().items():
        yield _result(name, operation, found)


def _result(job: str, name: str, found: _Direction) -> Job:
    seconds, size = found.runtime * _MILLISECONDS, found.io_bytes
    whole, done = found.lat_ns or _FioLatency(), found.clat_ns or _FioLatency()
    # Without any sample the least one is the largest number.
    least = None if whole.max is not None and (whole.min or 0) > whole.max else whole.min
    percentiles = whole.percentile or done.percentile or {}
    return Job(
        name=job,
        operation=name,
        seconds=seconds,
        bytes=size,
        bytes_per_second=size / seconds,
        operations=found.total_ios,
        iops=found.total_ios / seconds,
        block_size=round(size / found.total_ios),
        mean_latency=_seconds(whole.mean),
        min_latency=_seconds(least),
        max_latency=_seconds(whole.max),
        p50_latency=_seconds(percentiles.get(50.0)),
        p95_latency=_seconds(percentiles.get(95.0)),
        p99_latency=_seconds(percentiles.get(99.0)),
    )


def _seconds(told: Optional[float]) -> Optional[float]:
    """Seconds; None for 0: fio tells that of what it did not measure (``gtod_reduce``)."""
    return told * _NANOSECONDS if told else None
