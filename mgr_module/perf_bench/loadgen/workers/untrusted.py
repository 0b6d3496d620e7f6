"""Validates everything that is read from the pool: orders, answers, registrations and results.

Any client that may write to the pool may have written it. No other module of this package parses
JSON from RADOS. The checks cover sizes, counts, types, ranges, finite numbers, printable text and
the depth of JSON.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Callable, Optional, TypeVar

from ...errors import InvalidValue
from ...model import json_fields as fields
from ...model.json_input import document_of
from ...model.rados import MAX_SECONDS
from ...model.worker import NAME

# Maximum bytes of a value or notification, and of a line of results (a row for each second).
LARGEST_VALUE = 64 << 10
LARGEST_LINE = 1 << 20
# Maximum number of listed workers; a round uses at most as many as it has clients.
MOST_WORKERS = 1000
# Seconds that a client may run longer than ordered.
GRACE = 60
# The key of the orders that holds a proof for each worker, by instance.
PROOFS = "proofs"
_TOKEN = re.compile(r"[A-Za-z0-9]{1,64}")
_LATEST = 1e11  # unix seconds that have a date
_LONGEST_NAME = 255
_LARGEST = 1 << 53


def message(data: bytes, largest: int = LARGEST_VALUE) -> Optional[Mapping[str, Any]]:
    """Return the JSON object in these bytes; None if it is too large or invalid."""
    if len(data) > largest:
        return None
    try:
        found = document_of(data.decode(), "messages")
    except (InvalidValue, UnicodeDecodeError):
        return None
    return found if isinstance(found, dict) else None


# --- readers of one value -------------------------------------------------------------------


def _matching(pattern: re.Pattern[str]) -> fields.Reader:
    def reader(value: Any, path: str) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise fields.wrong(path, "a name", value)
        return value

    return reader


def _short(value: Any, path: str) -> str:
    found = fields.name(value, path)
    if len(found) > _LONGEST_NAME:
        raise fields.wrong(path, f"at most {_LONGEST_NAME} letters long", value)
    return found


def _offset(value: Any, path: str) -> float:
    """Read how many seconds one clock is ahead of another."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise fields.wrong(path, "a number", value)
    if not -_LATEST <= value <= _LATEST:
        raise fields.wrong(path, "a number of seconds", value)
    return float(value)


def _by_worker(reader: fields.Reader) -> fields.Reader:
    def of_all(value: Any, path: str) -> Mapping[str, Any]:
        if not isinstance(value, dict) or len(value) > MOST_WORKERS:
            raise fields.wrong(path, "an object of few workers", value)
        return {_name(key, path): reader(one, f"{path}.{key}") for key, one in value.items()}

    return of_all


def _as_it_is(value: Any, _path: str) -> Any:
    """Return the value unchecked: ``model.worker`` checks it before use."""
    return value


_name, _token = _matching(NAME), _matching(_TOKEN)
_moment = fields.within(fields.number, 0, _LATEST)
_amount = fields.within(fields.count, 0, _LARGEST)
_seconds = fields.within(fields.number, 0, MAX_SECONDS + GRACE)


# --- what a worker reads --------------------------------------------------------------------


@dataclass(frozen=True)
class Orders:
    """The orders of a run. ``workers`` and ``start_at`` are by instance."""

    run: str = fields.needed(_token)
    phase: str = fields.needed(fields.word("gather", "go", "end"))
    beat: int = fields.needed(_amount)
    load: object = fields.needed(_as_it_is)
    workers: Mapping[str, Any] = fields.needed(_by_worker(_as_it_is))
    start_at: Mapping[str, float] = fields.known(_by_worker(_moment), default=None)


@dataclass(frozen=True)
class Call:
    """A notification of the mgr: a roll call, or the end of a run."""

    call: Optional[str] = fields.known(_token)
    at: Optional[float] = fields.known(_moment)
    end: Optional[str] = fields.known(_token)


# --- what the mgr's side reads --------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """A worker's answer to a roll call."""

    id: str = fields.needed(_name)
    host: str = fields.needed(_short)
    version: str = fields.needed(_short)
    instance: str = fields.needed(_name)
    answer: str = fields.needed(_token)
    clock: float = fields.needed(_moment)
    busy: bool = fields.known(fields.flag, default=False)


@dataclass(frozen=True)
class Registration:
    """A worker's stored registration, shown while it does not answer; times by its own clock."""

    id: str = fields.needed(_name)
    host: str = fields.needed(_short)
    version: str = fields.needed(_short)
    seen: float = fields.known(_moment, default=0.0)
    offset: float = fields.known(_offset, default=0.0)


T = TypeVar("T")


def read(noun: Callable[..., T], found: Optional[Mapping[str, Any]]) -> Optional[T]:
    """Return the value as one of the classes above; None if it is missing or invalid."""
    if found is None:
        return None
    try:
        return fields.read(noun, found)
    except InvalidValue:
        return None


# --- what a worker reports of a run ---------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """The fields of ``model.rados.ClientRun`` that a worker reports."""

    op_size: int = fields.needed(_amount)
    seconds: float = fields.needed(_seconds)
    operations: int = fields.needed(_amount)
    mean_latency: float = fields.needed(_seconds)
    min_latency: float = fields.needed(_seconds)
    max_latency: float = fields.needed(_seconds)
    started_at: float = fields.needed(_moment)
    prefix: str = fields.needed(fields.text)


def checked_line(
    found: Mapping[str, Any], numbers: Collection[int], seconds: int
) -> dict[str, Any]:
    """Return one checked line of a worker that runs the clients ``numbers`` for ``seconds``.

    Keys: ``client`` with ``row`` or ``run``; ``errno`` with ``error``; ``accepted``, ``ended``;
    ``started`` with how many seconds late it began. Raises InvalidValue.
    """
    if "row" in found or "run" in found:
        number = fields.count(found.get("client"), "client")
        if number not in numbers:
            raise fields.wrong("client", "one of its clients", number)
        if "row" in found:
            return {"client": number, "row": _row(found["row"], "row", seconds)}
        return {"client": number, "run": _run(found["run"], seconds)}
    clean: dict[str, Any] = {key: True for key in ("accepted", "ended") if key in found}
    if "error" in found:
        clean["errno"] = fields.within(fields.count, 1, 4095)(found.get("errno"), "errno")
        clean["error"] = fields.text(found["error"], "error")
    if "started" in found:
        clean["started"] = _seconds(found["started"], "started")
    return clean


def _run(found: Any, seconds: int) -> dict[str, Any]:
    clean = fields.read(_Run, found, "run")
    rows = found.get("rows")
    if not isinstance(rows, list) or len(rows) > seconds + GRACE:
        raise fields.wrong("run.rows", "a list with a row a second", rows)
    rows = [_row(row, f"run.rows[{number}]", seconds) for number, row in enumerate(rows)]
    return {**vars(clean), "rows": rows}


def _row(found: Any, path: str, seconds: int) -> list[Any]:
    if not isinstance(found, list) or len(found) != 3:
        raise fields.wrong(path, "three numbers", found)
    second, finished, latency = found
    return [
        fields.within(fields.count, 0, seconds + GRACE)(second, path),
        _amount(finished, path),
        _seconds(latency, path),
    ]
