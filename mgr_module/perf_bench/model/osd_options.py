"""The options of OSDs that this module sets, and those that limit a bench.

Tests read ``TOUCHED`` to check that all options are put back.
"""

from __future__ import annotations

BENCH_MAX_BLOCK_SIZE = "osd_bench_max_block_size"
BENCH_SMALL_MAX_IOPS = "osd_bench_small_size_max_iops"
BENCH_LARGE_MAX_THROUGHPUT = "osd_bench_large_size_max_throughput"
BENCH_DURATION = "osd_bench_duration"
# By ``Osd.option_suffix``. An OSD that uses mClock sets it when it first starts.
MCLOCK_CAPACITY = {
    "hdd": "osd_mclock_max_capacity_iops_hdd",
    "ssd": "osd_mclock_max_capacity_iops_ssd",
}

# A round may raise two of the four limits of benches; ``mclock propose --apply`` sets capacities.
TOUCHED = (
    BENCH_MAX_BLOCK_SIZE,
    BENCH_SMALL_MAX_IOPS,
    BENCH_LARGE_MAX_THROUGHPUT,
    BENCH_DURATION,
    *MCLOCK_CAPACITY.values(),
)
