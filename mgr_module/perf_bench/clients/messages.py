"""What workers send with ``worker next`` and ``worker tell``: read once, checked and bounded."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Callable, Optional, TypeVar

from ..errors import InvalidValue
from ..model import json_fields as fields
from ..model.json_input import document_of
from ..model.rados import MAX_SECONDS
from ..model.worker import NAME

T = TypeVar("T")

# Bytes of a message. A worker sends its rows once a second, some 60 bytes for each client.
LARGEST_MESSAGE = 64 << 10
MOST_LINES = 500
# Seconds that a client may run longer than ordered.
GRACE = 60
_LONGEST_NAME = 255
_LATEST = 1e11  # unix seconds that have a date
_LONGEST_TRIP = 3600.0


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


def _lines(value: Any, path: str) -> Any:
    """Read the lines of a report, which the run checks one by one (``checked_line``)."""
    if not isinstance(value, list) or len(value) > MOST_LINES:
        raise fields.wrong(path, f"a list of at most {MOST_LINES} lines", value)
    return value


_token = _matching(re.compile(r"[A-Za-z0-9]{1,64}"))
_amount = fields.within(fields.count, 0, 1 << 53)
_seconds = fields.within(fields.number, 0, MAX_SECONDS + GRACE)


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
    lines: Any = fields.known(_lines, default=())
    leaving: bool = fields.known(fields.flag, default=False)


def read(noun: Callable[..., T], worker: str, text: str) -> T:
    """Return a message of the worker of this name. Raises InvalidValue."""
    if not NAME.fullmatch(worker):
        raise InvalidValue(f"{worker[:80]!a} is no name of a worker", field="id")
    if len(text) > LARGEST_MESSAGE:
        raise InvalidValue(f"a message has at most {LARGEST_MESSAGE >> 10} KiB", field="message")
    return fields.read(noun, document_of(text, "message"))


@dataclass(frozen=True)
class _Totals:
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


def checked_line(found: Any, numbers: Collection[int], seconds: int) -> dict[str, Any]:
    """Return one checked line of a worker that runs the clients ``numbers`` for ``seconds``.

    Keys: ``client`` with ``row`` or ``run``; ``errno`` with ``error``; ``ended``; ``started`` with
    how many seconds late it began. Raises InvalidValue.
    """
    if not isinstance(found, Mapping):
        raise fields.wrong("a line", "an object", found)
    if "row" in found or "run" in found:
        number = fields.count(found.get("client"), "client")
        if number not in numbers:
            raise fields.wrong("client", "one of its clients", number)
        if "row" in found:
            return {"client": number, "row": _row(found["row"], seconds)}
        return {"client": number, "run": vars(fields.read(_Totals, found["run"], "run"))}
    clean: dict[str, Any] = {"ended": True} if "ended" in found else {}
    if "error" in found:
        clean["errno"] = fields.within(fields.count, 1, 4095)(found.get("errno"), "errno")
        clean["error"] = fields.text(found["error"], "error")
    if "started" in found:
        clean["started"] = _seconds(found["started"], "started")
    return clean


def _row(found: Any, seconds: int) -> tuple[int, int, float]:
    if not isinstance(found, list) or len(found) != 3:
        raise fields.wrong("row", "three numbers", found)
    second, finished, latency = found
    return (
        fields.within(fields.count, 0, seconds + GRACE)(second, "row"),
        _amount(finished, "row"),
        _seconds(latency, "row"),
    )
