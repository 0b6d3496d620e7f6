"""Read results of warp (S3), in the format of ``warp analyze --json``, since 1.1.

Latencies are not taken: warp tells them by client and by part of the run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

from ...errors import InvalidValue
from ...model import json_fields
from ...model.json_fields import documents_of, known, needed, noun_of, read
from ...model.plan import Imported, Job
from .imported import refusal, several_runs

_MILLISECONDS = 1e-3
# Python 3.9 wants 3 or 6 digits, Go writes up to 9.
_FRACTION = re.compile(r"\.\d+", re.ASCII)


def _moment(value: Any, path: str) -> float:
    """Unix seconds."""
    return json_fields.moment(_FRACTION.sub("", json_fields.text(value, path)), path)


@dataclass(frozen=True)
class _Throughput:
    """Of the time in which all threads ran."""

    measure_duration_millis: int = needed(json_fields.count)
    bytes: float = needed(json_fields.number)
    ops: int = needed(json_fields.count)


@dataclass(frozen=True)
class _Operation:
    start_time: float = needed(_moment)
    end_time: float = needed(_moment)
    throughput: _Throughput = needed(noun_of(_Throughput))  # noqa: RUF009 - a field
    total_errors: int = known(json_fields.count, 0)


def _operations(value: Any, path: str) -> Mapping[str, _Operation]:
    if not isinstance(value, Mapping):
        raise json_fields.wrong(path, "an object", value)
    return {
        json_fields.name(key, path): read(_Operation, one, f"{path}.{key}")
        for key, one in value.items()
    }


@dataclass(frozen=True)
class _Results:
    by_op_type: Mapping[str, _Operation] = needed(_operations)
    version: str = known(json_fields.name, "unknown", key="warp_version")
    final: bool = known(json_fields.flag, False)


def results_of(text: str) -> Imported:
    """The results in the text of a file. Raises InvalidValue with the path of the bad field."""
    documents = list(documents_of(text, "results"))
    found = [
        (line, one) for line, one in documents if isinstance(one, Mapping) and "by_op_type" in one
    ]
    if not found:
        raise refusal("warp", [one for _, one in documents])
    results = [read(_Results, one) for _, one in found]
    began = [_began(one) for one in results]
    if len(found) > 1:
        raise several_runs("warp", began, found[-1][0])
    (result,) = results
    if not result.final:
        raise InvalidValue("final is not true: warp wrote this before the run ended", "final")
    ended = max((one.end_time for one in result.by_op_type.values()), default=0.0)
    jobs = [_job(name, one) for name, one in result.by_op_type.items()]
    return Imported("warp", result.version, began[0], ended, tuple(filter(None, jobs)))


def _began(results: _Results) -> float:
    return min((one.start_time for one in results.by_op_type.values()), default=0.0)


def _job(name: str, operation: _Operation) -> Optional[Job]:
    """None of one that moved no data, as DELETE. Raises InvalidValue if requests failed."""
    if operation.total_errors:
        path = f"by_op_type.{name}.total_errors"
        raise InvalidValue(
            f"{path} is {operation.total_errors}: warp counts requests that failed", path
        )
    done = operation.throughput
    seconds = done.measure_duration_millis * _MILLISECONDS
    if not (done.bytes >= 1 and done.ops and seconds):
        return None
    if done.bytes > json_fields.LARGEST_COUNT:
        path = f"by_op_type.{name}.throughput.bytes"
        raise json_fields.wrong(path, "bytes that 64 bits hold", done.bytes)
    return Job(
        name=name.lower(),
        operation=name.lower(),
        seconds=seconds,
        bytes=int(done.bytes),
        bytes_per_second=done.bytes / seconds,
        operations=done.ops,
        iops=done.ops / seconds,
        block_size=round(done.bytes / done.ops),
    )
