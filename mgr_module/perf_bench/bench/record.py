"""Makes rounds of what other tools wrote, as fio, elbencho and warp print it in JSON.

A reader finds the runs in a file's JSON objects, and a round is of one. What is no result of the
tool is passed over as a note where tools print notes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, NamedTuple, Optional

from ..errors import InvalidValue
from ..model import json_fields
from ..model.json_fields import Reader, WrongValue, decode, documents_of, known, needed, not_json
from ..model.phrases import not_one_of
from ..model.plan import MOST_JOBS, TOOLS, Imported, Job, Phase, Plan, Step
from ..model.round import Round, RoundState, Verdict

# Seconds that a host's clock may be ahead.
_AHEAD_SECONDS = 86400.0
# Seconds; shorter jobs are not meaningful, as in rounds of clients.
_LEAST_SECONDS = 1.0
# A division by 0, as C prints it: not JSON.
_NO_NUMBER = re.compile(r'(":\s*)-?(?:nan|inf)\b')
_MILLISECONDS, _MICROSECONDS, _NANOSECONDS = 1e-3, 1e-6, 1e-9

# JSON objects, each with the line of the file in which it begins.
Documents = Sequence[tuple[int, Any]]


class _Tool(NamedTuple):
    """How its file is made, also with fewer results, a key of its JSON objects, and its reader."""

    flags: str
    fewer: str
    keys: frozenset[str]
    imported: Callable[[Documents, str], Imported]


def round_from(text: str, tool: str, label: str, token: str, now: float) -> Round:
    """The round to store; ``now`` is unix seconds. Raises InvalidValue with a field's path."""
    found = _imported(text, tool)
    _check(found, now)
    first = max(found.jobs, key=lambda job: job.bytes)
    seconds = sum(job.seconds for job in found.jobs)
    step = Step(first.operation, first.block_size, first.bytes)
    verdict, reason = _verdict(found)
    return Round(
        id=0,
        profile=tool,
        kind=tool,
        state=RoundState.DONE,
        plan=Plan(tool, (Phase(step, ()),), 1, seconds, "as reported", imported=found),
        token=token,
        label=label,
        created_at=now,
        started_at=found.began,
        ended_at=found.ended,
        verdict=verdict,
        reasons=(reason,),
        environment={"tool": tool, "version": found.version},
        summary=_summary(found.jobs),
    )


def _imported(text: str, tool: str) -> Imported:
    if tool not in _TOOLS:
        raise not_one_of("as", tool, TOOLS)
    documents = list(documents_of(_NO_NUMBER.sub(r"\1null", text), "results"))
    own = [(line, one) for line, one in documents if _TOOLS[tool].keys & _keys(one)]
    # A line of elbencho is all that it prints, so another object is the rest of a cut line.
    if not own or (tool == "elbencho" and len(own) < len(documents)):
        raise _refusal(tool, [one for _, one in documents])
    return _TOOLS[tool].imported(own, text)


def _keys(document: Any) -> frozenset[str]:
    return frozenset(document) if isinstance(document, Mapping) else frozenset()


def _refusal(tool: str, found: Sequence[Any]) -> InvalidValue:
    """The error for a file without results of ``tool``; ``found`` are its JSON objects."""
    keys = frozenset().union(*map(_keys, found))
    for other, its in _TOOLS.items():
        if other != tool and keys & its.keys:
            return InvalidValue(
                f"these are results of {other}: import them with --as {other}", "results"
            )
    made = f"import what {tool} {_TOOLS[tool].flags} wrote"
    if not found:
        return not_json("results", made)
    return InvalidValue(f"the results are not of {tool}: {made}", "results")


def _one_run(tool: str, lines: Sequence[int]) -> None:
    """Refuse several runs, which begin in these lines."""
    if len(lines) > 1:
        raise InvalidValue(
            f"the file has {len(lines)} runs or reports of {tool}, and a round is of one: give "
            f"that one; the last begins in line {lines[-1]}",
            "results",
        )


def _at(document: Any, path: str, reader: Reader, default: Any = None, below: str = "") -> Any:
    """What stands at a path as "last_done.iops"; needed if ``default`` is ``...``."""
    value = document
    for key in path.split("."):
        if not isinstance(value, Mapping):
            raise json_fields.wrong(f"{below}{path}".rpartition(".")[0], "an object", value)
        value = value.get(key)
        if value is None:
            if default is ...:
                raise WrongValue("is missing", f"{below}{path}")
            return default
    return reader(value, f"{below}{path}")


def _check(found: Imported, now: float) -> None:
    if not found.jobs:
        raise InvalidValue(f"no job of these results of {found.tool} moved any data", "results")
    if len(found.jobs) > MOST_JOBS:
        raise InvalidValue(
            f"{len(found.jobs)} results are over the {MOST_JOBS} that a round takes: "
            f"{_TOOLS[found.tool].fewer}",
            "results",
        )
    if not 0 <= found.began <= found.ended <= now + _AHEAD_SECONDS:
        raise InvalidValue("the results' time is in the future: is a clock wrong?", "results")


def _verdict(found: Imported) -> tuple[Verdict, str]:
    shortest = min(job.seconds for job in found.jobs)
    if shortest < _LEAST_SECONDS:
        return Verdict.TOO_SHORT, f"as {found.tool} reported it; a job took {shortest:.2f} s only"
    return Verdict.VALID, (
        f"as {found.tool} reported it, not measured here: the spread between runs is not known"
    )


def _summary(jobs: Sequence[Job]) -> dict[str, Any]:
    """The figures of a single job; whether several ran at once or in turn is not told."""
    if len(jobs) > 1:
        return {"jobs": len(jobs)}
    (job,) = jobs
    latencies = ("mean_latency", "p50_latency", "p95_latency", "p99_latency", "max_latency")
    return {
        "jobs": 1,
        "median_bytes_per_second": job.bytes_per_second,
        "median_iops": job.iops,
        "seconds": job.seconds,
        **{name: getattr(job, name) for name in latencies},
    }


# --- fio ------------------------------------------------------------------------------------------
#
# As of ``--output-format=json``, also as CBT keeps it. Beside its report fio prints notes, and with
# ``json,normal`` its text. A file of several reports, as ``--status-interval`` makes them, is
# refused: they may be of one run or of several.

# The operation in place of all others, with unified_rw_reporting; beside them it is their sum.
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


def _percentiles(value: Any, path: str) -> Mapping[float, float]:
    """Nanoseconds by percent; fio's keys are as "99.000000"."""
    if not isinstance(value, Mapping):
        raise json_fields.wrong(path, "an object", value)
    found = {}
    for key, given in value.items():
        below = f"{path}.{json_fields.text(key, path)}"
        try:
            percent = float(key)
        except ValueError:
            raise json_fields.wrong(below, "a percentile", key) from None
        found[percent] = json_fields.number(given, below)
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
    lat_ns: _FioLatency = known(default=_FioLatency())
    clat_ns: _FioLatency = known(default=_FioLatency())


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
    read: Optional[_Direction] = None
    write: Optional[_Direction] = None
    trim: Optional[_Direction] = None
    mixed: Optional[_Direction] = None

    def directions(self) -> Mapping[str, _Direction]:
        """Those with operations, by name; not the sum of others."""
        told = {name: getattr(self, name) for name in ("read", "write", "trim", _MIXED)}
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


@dataclass(frozen=True)
class _Report:
    timestamp: float = needed(json_fields.number)
    version: str = needed(json_fields.name, key="fio version")
    jobs: tuple[_FioJob, ...] = ()
    # With --client, in place of jobs: those of all hosts, and their sum.
    client_stats: tuple[_FioJob, ...] = ()


def _fio(documents: Documents, text: str) -> Imported:
    _one_run("fio", [line for line, _ in documents])
    report = decode(_Report, documents[0][1])
    # The timestamp is that of the end, with --client of the start.
    began = ended = report.timestamp
    if report.client_stats:
        ended += max(map(_FioJob.lasted, report.client_stats))
    else:
        began -= max((job.elapsed for job in report.jobs), default=0.0)
    return Imported("fio", report.version, began, ended, tuple(_fio_jobs(report, text)))


def _fio_jobs(report: _Report, text: str) -> Sequence[Job]:
    if re.match(r"fio-[012]\.", report.version):  # other units
        raise InvalidValue(f"results of {report.version}: fio 3 or later is needed", "fio version")
    placed = [
        (f"{name}[{number}]", job)
        for name in ("jobs", "client_stats")
        for number, job in enumerate(getattr(report, name))
    ]
    for path, job in placed:
        _check_job(job, path)
    lost = _NO_HOST.search(text)
    if lost:
        raise InvalidValue(f"the results of a host are missing: {lost.group()!a}", "results")
    hosts = [one for one in placed if not one[1].is_sum]
    _check_once(hosts)
    jobs = [made for _, job in hosts for made in _of_directions(job)]
    if not 0 < len(jobs) <= MOST_JOBS:
        return [made for _, job in placed if job.is_sum for made in _of_directions(job)] or jobs
    return jobs


def _check_job(job: _FioJob, path: str) -> None:
    if job.error:
        path = f"{path}.error" + (f" of {job.hostname}" if job.hostname else "")
        raise InvalidValue(f"{path} is {job.error}: fio says that the job failed", path)
    if job.eta:
        raise InvalidValue(
            f"fio had {job.eta} s to go at the file's report: the run's end is missing",
            field=f"{path}.eta",
        )


def _check_once(jobs: Sequence[tuple[str, _FioJob]]) -> None:
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


def _of_directions(job: _FioJob) -> Iterator[Job]:
    """One job for each direction with operations."""
    name = f"{job.hostname}: {job.jobname}" if job.hostname and not job.is_sum else job.jobname
    for operation, found in job.directions().items():
        seconds, size, whole = found.runtime * _MILLISECONDS, found.io_bytes, found.lat_ns
        # Without any sample the least one is the largest number.
        least = None if whole.max is not None and (whole.min or 0) > whole.max else whole.min
        percentiles = whole.percentile or found.clat_ns.percentile or {}
        yield Job(
            name=name,
            operation=operation,
            seconds=seconds,
            bytes=size,
            bytes_per_second=size / seconds,
            operations=found.total_ios,
            iops=found.total_ios / seconds,
            block_size=round(size / found.total_ios),
            mean_latency=_measured(whole.mean),
            min_latency=_measured(least),
            max_latency=_measured(whole.max),
            p50_latency=_measured(percentiles.get(50.0)),
            p95_latency=_measured(percentiles.get(95.0)),
            p99_latency=_measured(percentiles.get(99.0)),
        )


def _measured(told: Optional[float]) -> Optional[float]:
    """Seconds; None for 0: fio tells that of what it did not measure (``gtod_reduce``)."""
    return told * _NANOSECONDS if told else None


# --- elbencho -------------------------------------------------------------------------------------
#
# As of ``--jsonfile``: one object for each phase, all texts; before 3.0-37 without ``config``, with
# version and command in the phase itself. It appends to this file, run after
# run; since 3.1-3 it keeps one below /var/tmp by itself. Lines of another command are another run.
# The figures of *last done* are used: all data moved until the slowest thread had finished.

# Seconds between phases of one run: elbencho waits for its hosts, or for --phasedelay.
_LONGEST_PAUSE = 300.0
_ZONE = re.compile(r"([+-]\d\d)(\d\d)$", re.ASCII)


def _zoned(value: Any, path: str) -> float:
    """Unix seconds; the zone has no colon, as in "+0100", and Python 3.9 wants one."""
    return json_fields.moment(_ZONE.sub(r"\1:\2", json_fields.text(value, path)), path)


class _Phase(NamedTuple):
    """``command`` is only compared, never shown: it may be long. Times are unix seconds."""

    version: str
    command: str
    began: float
    ended: float
    jobs: Sequence[Job]


def _elbencho(documents: Documents, _text: str) -> Imported:
    phases: list[_Phase] = []
    for line, document in documents:
        try:
            phases.append(_phase(document))
        except InvalidValue as error:
            raise InvalidValue(f"line {line}: {error}", error.field) from None
    lines = [line for line, _ in documents]
    apart = [not _continues(*pair) for pair in zip(phases, phases[1:])]
    _one_run("elbencho", [lines[0], *(line for line, begins in zip(lines[1:], apart) if begins)])
    began, ended = min(one.began for one in phases), max(one.ended for one in phases)
    jobs = tuple(job for one in phases for job in one.jobs)
    return Imported("elbencho", phases[0].version, began, ended, jobs)


def _continues(one: _Phase, later: _Phase) -> bool:
    """Whether a phase can be the next one of the same run: soon after it, by the same command."""
    same = (one.version, one.command) == (later.version, later.command)
    return same and one.began - _LONGEST_PAUSE <= later.began <= one.ended + _LONGEST_PAUSE


def _phase(document: Any) -> _Phase:
    """A phase with its job; with none if it moved no data, as of directories and deletions."""
    told, number, counted = partial(_at, document), json_fields.digits, json_fields.count
    if told("last_done.rwmix_read", lambda one, _path: one) is not None:
        # Its figures are of the writes alone.
        raise InvalidValue("phases that read and write at once cannot be imported", "results")
    version = told("version", json_fields.name) or told("config.version", json_fields.name, ...)
    kind = told("phase_type", json_fields.name, ...)
    seconds = told("last_done.elapsed_time_ms", number, ...) * _MILLISECONDS
    moved, rate = told("last_done.bytes", number, 0), told("last_done.bytes/s", number)
    iops = told("last_done.iops", number)
    mean, least, most = (
        told(f"last_done.latency.IO.{name}", number) for name in ("avg_us", "min_us", "max_us")
    )
    job = Job(
        name=told("label", json_fields.text) or kind.lower(),
        operation=kind.lower(),
        seconds=seconds,
        bytes=moved,
        bytes_per_second=moved / (seconds or 1.0) if rate is None else float(rate),
        operations=None if iops is None else counted(round(iops * seconds), "last_done.iops"),
        iops=None if iops is None else float(iops),
        block_size=told("config.block_size", number, 0),
        mean_latency=None if mean is None else mean * _MICROSECONDS,
        min_latency=None if least is None else least * _MICROSECONDS,
        max_latency=None if most is None else most * _MICROSECONDS,
    )
    began = told("iso_start_date", _zoned, ...)
    command = str([told(path, lambda one, _path: one) for path in ("command", "config.command")])
    return _Phase(version, command, began, began + seconds, [job] if seconds and moved else [])


# --- warp (S3) ------------------------------------------------------------------------------------
#
# As of ``warp analyze --json``, since 1.1. Latencies are not taken: warp tells them by client and
# by part of the run.

# Python 3.9 wants 3 or 6 digits, Go writes up to 9.
_FRACTION = re.compile(r"\.\d+", re.ASCII)


def _to_seconds(value: Any, path: str) -> float:
    """Unix seconds, without their fraction."""
    return json_fields.moment(_FRACTION.sub("", json_fields.text(value, path)), path)


_objects = json_fields.reader_of(dict)
# Bytes, as Go prints a float.
_bytes = json_fields.within(json_fields.number, 0, json_fields.LARGEST_COUNT)


def _warp(documents: Documents, _text: str) -> Imported:
    """One job for each operation that moved data; DELETE does not."""
    _one_run("warp", [line for line, _ in documents])
    told = partial(_at, documents[0][1])
    if not told("final", json_fields.flag, False):
        raise InvalidValue("final is not true: warp wrote this before the run ended", "final")
    jobs: list[Job] = []
    times: list[float] = []
    for name, operation in told("by_op_type", _objects, ...).items():
        kind = json_fields.name(name, "by_op_type").lower()
        below = f"by_op_type.{name}."
        of = partial(_at, operation, default=..., below=below)
        times += [of("start_time", _to_seconds), of("end_time", _to_seconds)]
        errors = _at(operation, "total_errors", json_fields.count, 0, below)
        if errors:
            path = f"{below}total_errors"
            raise InvalidValue(f"{path} is {errors}: warp counts requests that failed", path)
        # Of the time in which all threads ran.
        seconds = of("throughput.measure_duration_millis", json_fields.count) * _MILLISECONDS
        moved = of("throughput.bytes", _bytes)
        operations = of("throughput.ops", json_fields.count)
        if moved >= 1 and operations and seconds:
            job = Job(
                name=kind,
                operation=kind,
                seconds=seconds,
                bytes=int(moved),
                bytes_per_second=moved / seconds,
                operations=operations,
                iops=operations / seconds,
                block_size=round(moved / operations),
            )
            jobs.append(job)
    version = told("warp_version", json_fields.name, "unknown")
    return Imported("warp", version, min(times, default=0.0), max(times, default=0.0), tuple(jobs))


_TOOLS: Mapping[str, _Tool] = {
    "fio": _Tool(
        "--output-format=json",
        "run fio with --group_reporting",
        frozenset(("jobs", "client_stats")),
        _fio,
    ),
    "elbencho": _Tool(
        "--jsonfile", "give fewer lines of the file", frozenset(("phase_type",)), _elbencho
    ),
    "warp": _Tool(
        "analyze --json",
        "let warp analyze --analyze.op choose the operation",
        frozenset(("by_op_type",)),
        _warp,
    ),
}
