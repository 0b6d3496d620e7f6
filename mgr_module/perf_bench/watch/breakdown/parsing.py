"""What an OSD answers: dumps of tracked operations, and the counters that tell where time goes.

An OSD may be of another release, damaged or hostile: sizes and numbers are bounded, an entry that
cannot be read is left out and counted, and an answer that is not JSON is refused with a sentence.

16, 18 and 20 give each event a time. The field ``duration`` beside it is not used: on 16 it is the
time to the next event, on 20 that since the last one, and 4294967295 s if stamps are not in order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Optional

from ...errors import InvalidValue
from ...model.json_fields import document_of
from ...model.verdict import Answers, Event, Stage, Total, TrackedOperation

# A dump of 20 operations has 70 kB; of those in flight there are usually at most 256 of clients.
LARGEST_ANSWER = 4 << 20
# Operations that are read of one dump, and events of one operation.
MOST_OPERATIONS = 500
MOST_EVENTS = 100
_LONGEST_NAME = 200
# Seconds: the longest time that an operation can have taken.
_LONGEST = 30 * 86400.0
_MOST_COUNTED = 1e18
# Stamps are counted from here, so that a double keeps microseconds.
_BEGIN = datetime(2000, 1, 1)  # noqa: DTZ001 - only differences of an OSD's stamps are used
_STAMP = len("2026-11-22T21:00:00.123456")
# The flags at the end of a client's operation, as "ondisk+write+known_if_redirected".
_FLAGS = re.compile(r"[a-z_]+(?:\+[a-z_]+)+", re.ASCII)


def operations(out: bytes, in_flight: bool) -> tuple[Sequence[TrackedOperation], int]:
    """Parse ``dump_historic_ops_by_duration``, or ``dump_ops_in_flight``. Raises InvalidValue.

    Returns the operations, and how many could not be read or were too many.
    """
    document = _document(out, "operations")
    listed = document.get("ops") if isinstance(document, Mapping) else None
    if not isinstance(listed, list):
        raise InvalidValue("the operations are not a dump of tracked operations")
    found, unread = [], max(0, len(listed) - MOST_OPERATIONS)
    for entry in listed[:MOST_OPERATIONS]:
        if entry == {}:  # an operation that was being created at that moment
            continue
        try:
            found.append(_operation(entry, in_flight))
        except (ValueError, KeyError, TypeError, AttributeError):
            unread += 1
    return found, unread


def counters(out: bytes) -> dict[str, Total]:
    """Parse ``perf dump``: the counters that are used, by our names. Raises InvalidValue.

    A counter that this release does not have, or that cannot be read, is absent.
    """
    document = _document(out, "counters")
    if not isinstance(document, Mapping):
        raise InvalidValue("the counters are not a dump of performance counters")
    found: dict[str, Total] = {}
    for counter in COUNTERS:
        for name in counter.names.split():
            total = _total(document, counter.group, name)
            if total is not None:
                found.setdefault(counter.name, total)
    return found


def _document(out: bytes, what: str) -> Any:
    if len(out) > LARGEST_ANSWER:
        raise InvalidValue(f"the {what} are over {LARGEST_ANSWER >> 20} MiB and were not read")
    if not out.strip():
        raise InvalidValue("the answer is empty")
    return document_of(out.decode("utf-8", "replace"), what)


def _operation(entry: Mapping[str, Any], in_flight: bool) -> TrackedOperation:
    """Raises ValueError, KeyError, TypeError or AttributeError for what is no operation."""
    description = _text(entry["description"], 10 * _LONGEST_NAME)
    begun = _text(entry["initiated_at"])
    events = entry["type_data"]["events"]
    if not 0 < len(events) <= MOST_EVENTS:
        raise ValueError("no events, or too many")
    read = [Event(_seconds(one["time"]), _text(one["event"])) for one in events]
    read.sort(key=lambda event: event.at)
    began, last = read[0].at, read[-1].at
    # In flight it goes on until now, which the OSD tells as its age.
    end = max(last, _seconds(begun) + _number(entry["age"], _LONGEST)) if in_flight else last
    flags = {flag for found in _FLAGS.findall(description) for flag in found.split("+")}
    _number(end - began, _LONGEST)
    return TrackedOperation(
        key=f"{begun} {description}",
        kind=description.partition("(")[0][:_LONGEST_NAME],
        events=tuple(read),
        end=end,
        reads="read" in flags,
        writes="write" in flags,
        in_flight=in_flight,
    )


def _text(value: str, longest: int = _LONGEST_NAME) -> str:
    """A printable text, cut where it is too long: an object's name may have 2 kB."""
    if not value[:longest].isprintable():
        raise ValueError("not printable")
    return value[:longest]


def _seconds(stamp: str) -> float:
    """Seconds of a stamp, in the zone of the OSD: only differences are used."""
    return (datetime.fromisoformat(stamp[:_STAMP]) - _BEGIN).total_seconds()


def _number(value: Any, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
        raise ValueError("not a number in its bounds")
    return float(value)


def _total(document: Mapping[str, Any], group: str, name: str) -> Optional[Total]:
    try:
        value = document[group][name]
        count, seconds = value["avgcount"], _number(value["sum"], _MOST_COUNTED)
        whole = isinstance(count, int)
        return Total(int(_number(count, _MOST_COUNTED)), seconds) if whole else None
    except (ValueError, KeyError, TypeError):
        return None


# --- the counters, with their names on each release ------------------------------------------


class Counter(NamedTuple):
    """A latency counter: our name, what one operation of it is, its group, its names in Ceph.

    The newest name comes first; 16 has ``commit_lat`` for ``txc_commit_lat``, 15 ``_deferred_…``.
    """

    name: str
    words: str
    group: str
    names: str


# Throttles count who had to wait: our name, the option, Ceph's name of the throttle.
_THROTTLES = (
    ("client_bytes", "osd_client_message_size_cap", "osd_client_bytes"),
    ("client_messages", "osd_client_message_cap", "osd_client_messages"),
    ("dispatch_client", "ms_dispatch_throttle_bytes (clients)", "msgr_dispatch_throttler-client"),
    ("dispatch_cluster", "ms_dispatch_throttle_bytes (OSDs)", "msgr_dispatch_throttler-cluster"),
    ("store_bytes", "bluestore_throttle_bytes", "bluestore_throttle_bytes"),
    ("store_deferred", "bluestore_throttle_deferred_bytes", "bluestore_throttle_deferred_bytes"),
)
_LATENCIES = (
    ("client_write", "client's write", "osd", "op_w_latency"),
    ("client_read", "client's read", "osd", "op_r_latency"),
    ("sub_write", "write as a replica", "osd", "subop_w_latency"),
    ("op_queue", "wait in the op queue", "osd", "op_before_dequeue_op_lat"),
    ("transaction", "transaction until commit", "bluestore", "txc_commit_lat commit_lat"),
    ("store_throttle", "throttled by BlueStore", "bluestore", "txc_throttle_lat throttle_lat"),
    ("prepare", "preparing a transaction", "bluestore", "state_prepare_lat"),
    ("data_write", "writing its data", "bluestore", "state_aio_wait_lat"),
    ("kv_queue", "queued for the kv commit", "bluestore", "state_kv_queued_lat"),
    ("kv_commit", "kv commit", "bluestore", "state_kv_commiting_lat"),
    ("deferred_queue", "deferred write, queued", "bluestore", "state_deferred_queued_lat"),
    ("deferred_write", "deferred write, writing", "bluestore", "state_deferred_aio_wait_lat"),
    ("deferred_cleanup", "deferred write, removal", "bluestore", "state_deferred_cleanup_lat"),
    ("read", "read of the object store", "bluestore", "read_lat"),
    ("read_metadata", "reading its metadata", "bluestore", "read_onode_meta_lat"),
    ("read_device", "reading from the device", "bluestore", "read_wait_aio_lat"),
    ("checksum", "verifying checksums", "bluestore", "csum_lat"),
)
COUNTERS = (
    *(Counter(*one) for one in _LATENCIES),
    *(
        Counter(f"throttle_{name}", f"wait for {option}", f"throttle-{throttle}", "wait")
        for name, option, throttle in _THROTTLES
    ),
)
WORDS: Mapping[str, str] = {counter.name: counter.words for counter in COUNTERS}
THROTTLES = frozenset(f"throttle_{name}" for name, _, _ in _THROTTLES)
# The counters whose times a stage is made of.
PARTS: Mapping[Stage, tuple[str, ...]] = {
    Stage.THROTTLED: tuple(sorted(THROTTLES)),
    Stage.COMMIT: ("store_throttle", "prepare", "data_write", "kv_queue", "kv_commit"),
    Stage.READ: ("read_metadata", "read_device", "checksum"),
}


def totals_of(answers: Answers) -> tuple[Mapping[str, Total], Optional[float]]:
    """What was added between the first and the newest answer, so many seconds apart.

    If nothing was, or the OSD restarted between them, the totals since its start, and None.
    """
    added = {
        name: Total(end.count - first.count, end.seconds - first.seconds)
        for name, first in answers.first.items()
        for end in [answers.last.get(name, first)]
    }
    grew = all(one.count >= 0 and one.seconds >= 0 for one in added.values())
    if answers.seconds > 0 and grew and any(one.count for one in added.values()):
        return _disjoint(added), answers.seconds
    return _disjoint(answers.last), None


def _disjoint(totals: Mapping[str, Total]) -> Mapping[str, Total]:
    """The totals with "prepare" less the wait for the throttles, which BlueStore counts in both.

    It takes the time of "prepare" when the transaction leaves that state, and the throttles are
    waited for before (``BlueStore::queue_transactions``).
    """
    prepare, throttled = totals.get("prepare"), totals.get("store_throttle")
    if prepare is None or throttled is None:
        return totals
    rest = max(0.0, prepare.seconds - throttled.seconds)
    return {**totals, "prepare": Total(prepare.count, rest)}


def mean_ms(totals: Mapping[str, Total], name: str) -> Optional[float]:
    """The mean of a counter in ms; None without an operation."""
    total = totals.get(name)
    if total is None or not total.count:
        return None
    return round(1000 * total.seconds / total.count, 4)
