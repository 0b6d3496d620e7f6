"""What workers send with ``worker next`` and ``worker tell``: read once, checked and bounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, TypeVar

from ..errors import InvalidValue
from ..model import json_fields as fields
from ..model.json_fields import document_of
from ..model.rados import MAX_SECONDS, NAME, Row

T = TypeVar("T")

# Bytes of a message. A worker sends its rows once a second, some 60 bytes for each client.
LARGEST_MESSAGE = 64 << 10
MOST_LINES = 500
# Seconds that a client may run longer than ordered.
GRACE = 60
_LONGEST_NAME = 255
_LATEST = 1e11  # unix seconds that have a date
_LONGEST_TRIP = 3600.0


def _short(value: Any, path: str) -> str:
    found = fields.name(value, path)
    if len(found) > _LONGEST_NAME:
        raise fields.wrong(path, f"at most {_LONGEST_NAME} letters long", value)
    return found


_token = fields.matching("[A-Za-z0-9]{1,64}", "a name")
_amount = fields.within(fields.count, 0, 1 << 53)
_seconds = fields.within(fields.number, 0, MAX_SECONDS + GRACE)


def _row(value: Any, path: str) -> Row:
    if not isinstance(value, list) or len(value) != 3:
        raise fields.wrong(path, "three numbers", value)
    return Row(_amount(value[0], path), _amount(value[1], path), _seconds(value[2], path))


@dataclass(frozen=True)
class Totals:
    """The fields of ``model.rados.ClientRun`` that a worker reports; its rows came before.

    ``started_at`` is seconds after the agreed start.
    """

    op_size: int = fields.needed(_amount)
    seconds: float = fields.needed(_seconds)
    operations: int = fields.needed(_amount)
    mean_latency: float = fields.needed(_seconds)
    min_latency: float = fields.needed(_seconds)
    max_latency: float = fields.needed(_seconds)
    started_at: float = fields.needed(_seconds)
    prefix: str = fields.needed(fields.text)


@dataclass(frozen=True)
class Line:
    """A line of a report.

    A ``client`` has a new ``row``, or has ended with its ``run``. The worker has ``started`` that
    many seconds late, has met an ``error``, or has ``ended``: it runs no client any more.
    """

    client: Optional[int] = fields.known(_amount)
    row: Optional[Row] = fields.known(_row)
    run: Optional[Totals] = None
    started: Optional[float] = fields.known(_seconds)
    errno: int = fields.known(fields.within(fields.count, 1, 4095), default=5)
    error: Optional[str] = fields.known(fields.text)
    ended: bool = fields.known(fields.flag, default=False)


@dataclass(frozen=True)
class Sender:
    """Who asks: one process of a worker.

    ``clock`` is its time of day as it sends, ``trip`` the seconds that its question before took.
    """

    host: str = fields.needed(_short)
    version: str = fields.needed(_short)
    instance: str = fields.needed(_token)
    clock: float = fields.needed(fields.within(fields.number, 0, _LATEST))
    trip: float = fields.known(fields.within(fields.number, 0, _LONGEST_TRIP), default=0.0)


@dataclass(frozen=True)
class Report(Sender):
    """What a worker tells of a run: its lines from number ``at`` on.

    ``leaving``: the process ends, and is not waited for.
    """

    run: Optional[str] = fields.known(_token)
    at: int = fields.known(_amount, default=0)
    lines: Sequence[Line] = fields.known(fields.many(Line, MOST_LINES), default=())
    leaving: bool = fields.known(fields.flag, default=False)


def read(noun: Callable[..., T], worker: str, text: str) -> T:
    """Return a message of the worker of this name. Raises InvalidValue."""
    if not NAME.fullmatch(worker):
        raise InvalidValue(f"{worker[:80]!a} is no name of a worker", field="id")
    if len(text) > LARGEST_MESSAGE:
        raise InvalidValue(f"a message has at most {LARGEST_MESSAGE >> 10} KiB", field="message")
    return fields.decode(noun, document_of(text, "message"))
