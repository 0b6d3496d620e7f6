"""The options of OSDs that this module sets, and those that bound a bench.

The only place where they are named: whoever proves that all is as it was reads ``TOUCHED``.
"""

from __future__ import annotations

BENCH_MAX_BLOCK_SIZE = "osd_bench_max_block_size"
BENCH_SMALL_MAX_IOPS = "osd_bench_small_size_max_iops"
BENCH_LARGE_MAX_THROUGHPUT = "osd_bench_large_size_max_throughput"
BENCH_DURATION = "osd_bench_duration"
# By kind of device. An OSD that uses mClock sets its own when it starts for the first time.
MCLOCK_CAPACITY = {
    "hdd": "osd_mclock_max_capacity_iops_hdd",
    "ssd": "osd_mclock_max_capacity_iops_ssd",
}

# A round raises two of the four limits of benches; ``mclock propose --apply`` sets capacities.
TOUCHED = (
    BENCH_MAX_BLOCK_SIZE,
    BENCH_SMALL_MAX_IOPS,
    BENCH_LARGE_MAX_THROUGHPUT,
    BENCH_DURATION,
    *MCLOCK_CAPACITY.values(),
)
