"""Commits of an OSD that wait for its database, told from those that wait for the device.

BlueStore's commit first flushes the device (``kv_flush_lat``), then hands the transactions to
RocksDB and waits; both together are ``kv_sync_lat``. RocksDB lets writers wait while compaction
cannot keep up (RocksDB's documentation: write stalls), so then the second part takes long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# Mean of the commits of one report (5 s). Of single operations Ceph calls 5 s slow
# (``bluestore_log_op_age``), and an operation waits for up to two commits; a disk that seeks for
# each commit takes a twentieth of this.
_SLOW_SECONDS = 1.0
# Where the flush takes long too, it is the device.
_TIMES_FLUSH = 4.0

# When, the sum in seconds, the number: as a time average is reported.
Point = tuple[float, float, int]


class CommitStall(NamedTuple):
    """The reports with slow commits, of the last ones: ``seconds`` that these took together.

    ``longest`` is the slowest mean of a report, ``slow`` how many operations Ceph counted as slow
    to commit in them (on 16, which does not count, 0). ``tables`` is what RocksDB wrote meanwhile
    into its tables, by flushes and compactions, in bytes.
    """

    seconds: float
    longest: float
    slow: int
    tables: int


def stall_of(
    syncs: Sequence[Point], flushes: Sequence[Point], slows: Sequence[Point], tables: int
) -> CommitStall:
    """Of the newest points of the counters, which OSDs report together, oldest first.

    ``slows`` is ``slow_committed_kv_count``, its second value the count; empty on 16. A commit that
    takes seconds hides among quick ones of the same report: there that count tells of it.
    """
    seconds, longest, slow = 0.0, 0.0, 0
    flushed = {at: total for at, total, _ in flushes}
    counted = {at: total for at, total, _ in slows}
    for (begin, before, first), (end, after, last) in zip(syncs, syncs[1:]):
        count = last - first
        if count <= 0 or begin not in flushed or end not in flushed:
            continue
        flush = flushed[end] - flushed[begin]
        commit = after - before - flush
        told = max(0, round(counted.get(end, 0) - counted.get(begin, 0)))
        if (told or commit >= count * _SLOW_SECONDS) and commit >= _TIMES_FLUSH * flush:
            seconds += commit
            longest = max(longest, commit / count)
            slow += told
    return CommitStall(seconds, longest, slow, tables)
