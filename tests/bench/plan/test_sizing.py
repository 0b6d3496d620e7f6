"""Sizes as people type them, and steps that the OSDs' own limits let through."""

from __future__ import annotations

import pytest

from perf_bench.bench.plan.osds import (
    fit_step,
    parse_size,
)
from perf_bench.errors import InvalidValue
from perf_bench.model.plan import KIB, MIB, BenchLimits, profile_named

THROUGHPUT, IOPS = profile_named("osd-throughput"), profile_named("osd-iops")
DEFAULT = BenchLimits()


def test_sizes() -> None:
    for text, size in [
        ("4096", 4096),
        ("4k", 4 * KIB),
        ("4K", 4 * KIB),
        ("4KB", 4 * KIB),
        ("4KiB", 4 * KIB),
        ("64 KiB", 64 * KIB),
        ("4M", 4 * MIB),
        ("4mib", 4 * MIB),
        (" 4M ", 4 * MIB),
        ("4096B", 4096),
    ]:
        assert parse_size(text) == size


def test_what_is_no_size() -> None:
    for text in [
        *("", " ", "big", "K", "4G", "4KK", "-4K", "4.5M", "0", "0M", "4 K i B", "1e6", "4096\n5"),
        # the sign of the unit kelvin, which is a K to whoever ignores case
        "4\N{KELVIN SIGN}",
        # digits, but none that Ceph would read
        "٤K",
    ]:
        with pytest.raises(InvalidValue) as caught:
            parse_size(text)
        assert str(caught.value) == (
            f"'{text}' is not a size: give bytes, 1 or more, or a whole number with K or "
            "M, as 4096, 64K or 4M"
        )
        assert caught.value.field == "size"


@pytest.mark.parametrize("text", ["9999999999999", "9" * 5000 + "K"])
def test_a_number_of_many_digits_is_a_size_over_all_limits(text: str) -> None:
    with pytest.raises(InvalidValue, match="are over this cluster's osd_bench_max_block_size"):
        fit_step(IOPS.steps[0], DEFAULT, parse_size(text))


def test_a_step_shrinks_to_the_limits_and_says_so() -> None:
    for limits, size, total, note in [
        # 10 MiB/s for 30 s: 300 MiB is 75 writes of 4 MiB
        (
            BenchLimits(large_max_throughput=10 * MIB),
            None,
            300 * MIB,
            (
                "shortened from 1073741824 to 314572800 bytes a sample by "
                "osd_bench_large_size_max_throughput"
            ),
        ),
        # 7 s: 700 MiB
        (
            BenchLimits(duration=7),
            None,
            700 * MIB,
            (
                "shortened from 1073741824 to 734003200 bytes a sample by "
                "osd_bench_large_size_max_throughput"
            ),
        ),
        # cut to whole writes
        (
            BenchLimits(large_max_throughput=10 * MIB, duration=7),
            None,
            68 * MIB,
            (
                "shortened from 1073741824 to 71303168 bytes a sample by "
                "osd_bench_large_size_max_throughput"
            ),
        ),
        # 50 writes a second for 30 s
        (
            BenchLimits(small_max_iops=50),
            4 * KIB,
            1500 * 4 * KIB,
            "shortened from 12288000 to 6144000 bytes a sample by osd_bench_small_size_max_iops",
        ),
    ]:
        step, said = fit_step(THROUGHPUT.steps[0], limits, size)
        assert (step.total_bytes, said) == (total, note)
        assert step.total_bytes <= limits.max_bytes(step.block_size)


def test_a_shrunk_step_keeps_its_prefill() -> None:
    step, _ = fit_step(IOPS.steps[0], BenchLimits(small_max_iops=50), None)
    assert (step.object_size, step.object_count) == (4 * MIB, 100)


def test_what_the_osds_would_refuse_is_refused_with_the_option() -> None:
    for limits, size, sentence in [
        (DEFAULT, 4608 + 100, "a size of 4708 bytes is not a multiple of 512"),
        (DEFAULT, 3584, "a size of 3584 bytes is under the smallest of 4096"),
        # each limit is told by the option that sets it
        (
            DEFAULT,
            65 * MIB,
            (
                "writes of 68157440 bytes are over this cluster's osd_bench_max_block_size of "
                "67108864 bytes"
            ),
        ),
        (
            BenchLimits(max_block_size=MIB),
            None,
            (
                "writes of 4194304 bytes are over this cluster's osd_bench_max_block_size of "
                "1048576 bytes"
            ),
        ),
        (
            BenchLimits(large_max_throughput=MIB),
            None,
            (
                "osd_bench_large_size_max_throughput and osd_bench_duration allow only 7 writes of "
                "4194304 bytes in a bench, but at least 16 are needed: raise "
                "osd_bench_large_size_max_throughput"
            ),
        ),
        (
            BenchLimits(small_max_iops=1, duration=1),
            4096,
            (
                "osd_bench_small_size_max_iops and osd_bench_duration allow only 1 writes of "
                "4096 bytes in a bench, but at least 16 are needed: raise "
                "osd_bench_small_size_max_iops"
            ),
        ),
        # switched off
        (
            BenchLimits(duration=0),
            4096,
            (
                "osd_bench_small_size_max_iops and osd_bench_duration allow only 0 writes of "
                "4096 bytes in a bench, but at least 16 are needed: raise "
                "osd_bench_small_size_max_iops"
            ),
        ),
    ]:
        with pytest.raises(InvalidValue) as caught:
            fit_step(THROUGHPUT.steps[0], limits, size)
        assert str(caught.value) == sentence
        # too few writes of the profile's own size are not about --size
        asked = size is not None or "over this cluster's" in sentence
        assert caught.value.field == ("size" if asked else "")


# --- samples that were too short ---------------------------------------------------------------
