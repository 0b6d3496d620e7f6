"""Parse what an OSD answers: dumps of tracked operations, and performance counters.

An OSD may be of another release, damaged or hostile: sizes and numbers are bounded, an entry that
cannot be read is left out and counted, and an answer that is not JSON is refused with a sentence.

16, 18 and 20 give each event a time. The field ``duration`` beside it is not used: on 16 it is the
time to the next event, on 20 that since the last one, and 4294967295 s if stamps are not in order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple, Optional

from ...errors import InvalidValue
from ...model.breakdown import Event, Total, TrackedOperation
from ...model.json_input import document_of
from .counters import COUNTERS

# A dump of 20 operations has 70 kB; of those in flight there are usually at most 256 of clients.
LARGEST_ANSWER = 4 << 20
# Operations that are read of one dump, and events of one operation.
MOST_OPERATIONS = 500
MOST_EVENTS = 100
_LONGEST_NAME = 200
# Seconds: the longest time that an operation can have taken.
_LONGEST = 30 * 86400.0
_MOST_COUNTED = 1e18
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?", re.ASCII)
# The flags at the end of a client's operation, as "ondisk+write+known_if_redirected".
_FLAGS = re.compile(r"[a-z_]+(?:\+[a-z_]+)+", re.ASCII)


class Dump(NamedTuple):
    """Operations of a dump. ``skipped`` could not be read; ``left_out`` were too many.

    ``window`` is how long the OSD remembers its slowest operations, in seconds.
    """

    operations: tuple[TrackedOperation, ...]
    skipped: int = 0
    left_out: int = 0
    window: Optional[int] = None


def operations(out: bytes, in_flight: bool) -> Dump:
    """Parse ``dump_historic_ops_by_duration``, or ``dump_ops_in_flight``. Raises InvalidValue."""
    document = _document(out, "operations")
    listed = document.get("ops") if isinstance(document, Mapping) else None
    if not isinstance(listed, list):
        raise InvalidValue("the operations are not a dump of tracked operations")
    found, skipped = [], 0
    for entry in listed[:MOST_OPERATIONS]:
        if entry == {}:  # an operation that was being created at that moment
            continue
        try:
            found.append(_operation(entry, in_flight))
        except _UnreadableEntry:
            skipped += 1
    window = document.get("duration")
    known = type(window) is int and 0 < window <= _LONGEST
    left_out = max(0, len(listed) - MOST_OPERATIONS)
    return Dump(tuple(found), skipped, left_out, window if known else None)


def counters(out: bytes) -> dict[str, Total]:
    """Parse ``perf dump``: the counters that are used, by our names. Raises InvalidValue.

    A counter that this release does not have, or that cannot be read, is absent.
    """
    document = _document(out, "counters")
    if not isinstance(document, Mapping):
        raise InvalidValue("the counters are not a dump of performance counters")
    found = {}
    for counter in COUNTERS:
        group = document.get(counter.group)
        if not isinstance(group, Mapping):
            continue
        for name in counter.names:
            total = _total(group.get(name))
            if total is not None:
                found[counter.name] = total
                break
    return found


def _document(out: bytes, what: str) -> Any:
    if len(out) > LARGEST_ANSWER:
        raise InvalidValue(f"the {what} are over {LARGEST_ANSWER >> 20} MiB and were not read")
    if not out.strip():
        raise InvalidValue("the answer is empty")
    return document_of(out.decode("utf-8", "replace"), what)


class _UnreadableEntry(Exception):
    """An entry of a dump that cannot be read."""


def _operation(entry: Any, in_flight: bool) -> TrackedOperation:
    fields = _mapping(entry)
    details = _mapping(fields.get("type_data"))
    description = _text(fields.get("description"), 10 * _LONGEST_NAME)
    kind = description.partition("(")[0]
    begun = _text(fields.get("initiated_at"))
    events = details.get("events")
    if not isinstance(events, list) or not events or len(events) > MOST_EVENTS:
        raise _UnreadableEntry
    read = sorted((_event(event) for event in events), key=lambda event: event.at)
    began, last = read[0].at, read[-1].at
    # In flight it goes on until now, which the OSD tells as its age.
    end = max(last, _seconds(begun) + _age(fields)) if in_flight else last
    if not 0 <= end - began <= _LONGEST:
        raise _UnreadableEntry
    flags = {flag for found in _FLAGS.findall(description) for flag in found.split("+")}
    return TrackedOperation(
        key=f"{begun} {description}",
        kind=kind[:_LONGEST_NAME],
        events=tuple(read),
        end=end,
        reads="read" in flags,
        writes="write" in flags,
        in_flight=in_flight,
    )


def _event(value: Any) -> Event:
    fields = _mapping(value)
    return Event(_seconds(_text(fields.get("time"))), _text(fields.get("event")))


def _age(fields: Mapping[str, Any]) -> float:
    age = fields.get("age")
    if isinstance(age, bool) or not isinstance(age, (int, float)) or not 0 <= age <= _LONGEST:
        raise _UnreadableEntry
    return float(age)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _UnreadableEntry
    return value


def _text(value: Any, longest: int = _LONGEST_NAME) -> str:
    """A printable text, cut where it is too long: an object's name may have 2 kB."""
    if not isinstance(value, str) or not value or not value[:longest].isprintable():
        raise _UnreadableEntry
    return value[:longest]


def _seconds(text: str) -> float:
    """Seconds of a stamp, in the zone of the OSD: only differences are used."""
    parts = _TIME.match(text)
    if parts is None:
        raise _UnreadableEntry
    year, month, day, hours, minutes, seconds, fraction = parts.groups()
    days = _day(int(year), int(month), int(day))
    if days is None:
        raise _UnreadableEntry
    whole = 3600 * int(hours) + 60 * int(minutes) + int(seconds)
    return 86400.0 * days + whole + (float(f"0.{fraction}") if fraction else 0.0)


@lru_cache(maxsize=8)
def _day(year: int, month: int, day: int) -> Optional[int]:
    """Days since 2000, so that a double keeps microseconds; None for no date."""
    try:
        return date(year, month, day).toordinal() - date(2000, 1, 1).toordinal()
    except ValueError:
        return None


def _total(value: Any) -> Optional[Total]:
    if not isinstance(value, Mapping):
        return None
    count, seconds = value.get("avgcount"), value.get("sum")
    if isinstance(count, bool) or not isinstance(count, int):
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        return None
    if not 0 <= count <= _MOST_COUNTED or not 0 <= seconds <= _MOST_COUNTED:
        return None
    return Total(count, float(seconds)) if math.isfinite(seconds) else None
