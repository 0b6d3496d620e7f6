"""The counters of an OSD that tell where time goes, with their names on each release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Optional

from ...model.breakdown import Answers, Stage, Total


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
