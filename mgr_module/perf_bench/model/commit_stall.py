"""Find commits of an OSD that wait for its database, as opposed to the device.

BlueStore's commit first flushes the device (``kv_flush_lat``), then writes the transactions to
RocksDB; ``kv_sync_lat`` is the sum. RocksDB stalls writers while compaction cannot keep up
(RocksDB's documentation: write stalls), so then the second part takes long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# The mean of the commits in one report (5 s) that is slow. Ceph calls single operations of 5 s slow
# (``bluestore_log_op_age``), and an operation waits for up to two commits; a disk that seeks for
# each commit takes a twentieth of this.
_SLOW_SECONDS = 1.0
# The commit must take this multiple of the flush; otherwise the device is the cause.
_TIMES_FLUSH = 4.0

# A report of a time average: unix seconds, sum in seconds, count.
Point = tuple[float, float, int]


class CommitStall(NamedTuple):
    """The newest reports with slow commits; ``seconds`` is the sum of these commits.

    ``longest`` is the slowest mean of a report, ``slow`` the number of slow commits that Ceph
    counted (0 on 16, which does not count them). ``tables`` is the number of bytes that RocksDB
    wrote to tables meanwhile, by flushes and compactions.
    """

    seconds: float
    longest: float
    slow: int
    tables: int


def stall_of(
    syncs: Sequence[Point], flushes: Sequence[Point], slows: Sequence[Point], tables: int
) -> CommitStall:
    """Compute the stall from the newest points of the counters, oldest first.

    ``slows`` is ``slow_committed_kv_count`` with the count as second value; empty on 16. That count
    shows single slow commits, which the mean of a report hides.
    """
    seconds, longest, slow = 0.0, 0.0, 0
    flushed = {reported_at: total for reported_at, total, _ in flushes}
    counted = {reported_at: total for reported_at, total, _ in slows}
    for (begin, before, first), (end, after, last) in zip(syncs, syncs[1:]):
        count = last - first
        if count <= 0 or begin not in flushed or end not in flushed:
            continue
        flush = flushed[end] - flushed[begin]
        commit = after - before - flush
        slow_now = max(0, round(counted.get(end, 0) - counted.get(begin, 0)))
        if (slow_now or commit >= count * _SLOW_SECONDS) and commit >= _TIMES_FLUSH * flush:
            seconds += commit
            longest = max(longest, commit / count)
            slow += slow_now
    return CommitStall(seconds, longest, slow, tables)
