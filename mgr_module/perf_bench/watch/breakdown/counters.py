"""The counters of an OSD that tell where time goes, with their names on each release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Optional

from ...model.breakdown import Total
from ...model.said import Said, say

# Our names of the counters.
CLIENT_WRITE, CLIENT_READ, SUB_WRITE = "client_write", "client_read", "sub_write"
OP_QUEUE = "op_queue"
TRANSACTION, STORE_THROTTLE, PREPARE, DATA_WRITE = (
    "transaction", "store_throttle", "prepare", "data_write",
)  # fmt: skip
KV_QUEUE, KV_COMMIT = "kv_queue", "kv_commit"
DEFERRED_QUEUE, DEFERRED_WRITE, DEFERRED_CLEANUP = (
    "deferred_queue", "deferred_write", "deferred_cleanup",
)  # fmt: skip
READ, READ_METADATA, READ_DEVICE, CHECKSUM = (
    "read", "read_metadata", "read_device", "checksum",
)  # fmt: skip


class Counter(NamedTuple):
    """A latency counter: our name, what one operation of it is, its group, its names in Ceph.

    The newest name comes first; 16 has ``commit_lat`` for ``txc_commit_lat``, 15 ``_deferred_…``.
    """

    name: str
    words: Said
    group: str
    names: tuple[str, ...]


_BLUESTORE = "bluestore"
_DISPATCH_THROTTLE = "ms_dispatch_throttle_bytes"


def _waits(throttle: str) -> Said:
    return say("counter-throttle", "wait for {throttle}", throttle=throttle)


# Throttles: our name, the words, and the throttle's name; each counts who had to wait.
_THROTTLES = (
    ("throttle_client_bytes", _waits("osd_client_message_size_cap"), "osd_client_bytes"),
    ("throttle_client_messages", _waits("osd_client_message_cap"), "osd_client_messages"),
    (
        "throttle_dispatch_client",
        say(
            "counter-throttle-clients", "wait for {throttle} (clients)", throttle=_DISPATCH_THROTTLE
        ),
        "msgr_dispatch_throttler-client",
    ),
    (
        "throttle_dispatch_cluster",
        say("counter-throttle-osds", "wait for {throttle} (OSDs)", throttle=_DISPATCH_THROTTLE),
        "msgr_dispatch_throttler-cluster",
    ),
    ("throttle_store_bytes", _waits("bluestore_throttle_bytes"), "bluestore_throttle_bytes"),
    (
        "throttle_store_deferred",
        _waits("bluestore_throttle_deferred_bytes"),
        "bluestore_throttle_deferred_bytes",
    ),
)
THROTTLES = tuple(name for name, _, _ in _THROTTLES)

COUNTERS = (
    Counter(CLIENT_WRITE, say("counter-client-write", "client's write"), "osd", ("op_w_latency",)),
    Counter(CLIENT_READ, say("counter-client-read", "client's read"), "osd", ("op_r_latency",)),
    Counter(SUB_WRITE, say("counter-sub-write", "write as a replica"), "osd", ("subop_w_latency",)),
    Counter(
        OP_QUEUE,
        say("counter-op-queue", "wait in the op queue"),
        "osd",
        ("op_before_dequeue_op_lat",),
    ),
    Counter(
        TRANSACTION,
        say("counter-transaction", "transaction until commit"),
        _BLUESTORE,
        ("txc_commit_lat", "commit_lat"),
    ),
    Counter(
        STORE_THROTTLE,
        say("counter-store-throttle", "throttled by BlueStore"),
        _BLUESTORE,
        ("txc_throttle_lat", "throttle_lat"),
    ),
    Counter(
        PREPARE,
        say("counter-prepare", "preparing a transaction"),
        _BLUESTORE,
        ("state_prepare_lat",),
    ),
    Counter(
        DATA_WRITE,
        say("counter-data-write", "writing its data"),
        _BLUESTORE,
        ("state_aio_wait_lat",),
    ),
    Counter(
        KV_QUEUE,
        say("counter-kv-queue", "queued for the kv commit"),
        _BLUESTORE,
        ("state_kv_queued_lat",),
    ),
    Counter(
        KV_COMMIT, say("counter-kv-commit", "kv commit"), _BLUESTORE, ("state_kv_commiting_lat",)
    ),
    Counter(
        DEFERRED_QUEUE,
        say("counter-deferred-queue", "deferred write, queued"),
        _BLUESTORE,
        ("state_deferred_queued_lat",),
    ),
    Counter(
        DEFERRED_WRITE,
        say("counter-deferred-write", "deferred write, writing"),
        _BLUESTORE,
        ("state_deferred_aio_wait_lat",),
    ),
    Counter(
        DEFERRED_CLEANUP,
        say("counter-deferred-cleanup", "deferred write, removal"),
        _BLUESTORE,
        ("state_deferred_cleanup_lat",),
    ),
    Counter(READ, say("counter-read", "read of the object store"), _BLUESTORE, ("read_lat",)),
    Counter(
        READ_METADATA,
        say("counter-read-metadata", "reading its metadata"),
        _BLUESTORE,
        ("read_onode_meta_lat",),
    ),
    Counter(
        READ_DEVICE,
        say("counter-read-device", "reading from the device"),
        _BLUESTORE,
        ("read_wait_aio_lat",),
    ),
    Counter(CHECKSUM, say("counter-checksum", "verifying checksums"), _BLUESTORE, ("csum_lat",)),
    *(
        Counter(name, words, f"throttle-{throttle}", ("wait",))
        for name, words, throttle in _THROTTLES
    ),
)
WORDS: Mapping[str, Said] = {counter.name: counter.words for counter in COUNTERS}
# The parts of a transaction up to its commit, and of a read.
COMMIT_PARTS = (STORE_THROTTLE, PREPARE, DATA_WRITE, KV_QUEUE, KV_COMMIT)
READ_PARTS = (READ_METADATA, READ_DEVICE, CHECKSUM)


def increase(first: Mapping[str, Total], last: Mapping[str, Total]) -> Mapping[str, Total]:
    """What was added between two answers, by counter; empty if the OSD restarted between them."""
    found = {}
    for name, end in last.items():
        begin = first.get(name)
        if begin is None:
            continue
        added = Total(end.count - begin.count, end.seconds - begin.seconds)
        if added.count < 0 or added.seconds < 0:
            return {}
        found[name] = added
    return found


def disjoint(totals: Mapping[str, Total]) -> Mapping[str, Total]:
    """The totals with PREPARE less the wait for the throttles, which BlueStore counts in both.

    It takes the time of PREPARE when the transaction leaves that state, and the throttles are
    waited for before (``BlueStore::queue_transactions``).
    """
    prepare, throttled = totals.get(PREPARE), totals.get(STORE_THROTTLE)
    if prepare is None or throttled is None:
        return totals
    rest = max(0.0, prepare.seconds - throttled.seconds)
    return {**totals, PREPARE: Total(prepare.count, rest)}


def mean_ms(totals: Mapping[str, Total], name: str) -> Optional[float]:
    """The mean of a counter in ms; None without an operation."""
    total = totals.get(name)
    return 1000 * total.seconds / total.count if total is not None and total.count else None
