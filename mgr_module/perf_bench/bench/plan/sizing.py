"""Fit a profile's step into what the OSDs allow."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Optional

from ...errors import InvalidValue
from ...model.bench import KIB, MIB, BenchLimits, Step
from ...model.profile import SMALL_OPERATIONS, writes

# With fewer writes than this a single slow one moves the result by more than 6 %, which is past
# the run-to-run variance of a tuned cluster (1 to 2.5 %, Stachecki 2024).
MIN_OPERATIONS = 16
# Twice what a sample must last to mean anything (bench/compare/summary.py), for OSDs differ.
LEAST_SECONDS = 0.2
# 96,000 writes of a profile with 3,000: enough at 480,000 a second, and 400 MB of 4 KiB.
MOST_TIMES = 32
_UNITS = {"": 1, "K": KIB, "M": MIB}
_SIZE = re.compile(r"^(\d{1,12})\s*([KM]?)(?:I?B)?$", re.IGNORECASE | re.ASCII)


def parse_size(text: str) -> int:
    """Bytes from "4096", "64K", "4M" or "4MiB"; raises InvalidValue."""
    match = _SIZE.match(text.strip())
    if not match or int(match.group(1)) == 0:
        raise InvalidValue(
            f"'{text}' is not a size: give bytes or a number with K or M, as 4096, 64K or 4M",
            field="size",
        )
    return int(match.group(1)) * _UNITS[match.group(2).upper()]


def fit_step(step: Step, limits: BenchLimits, size: Optional[int]) -> tuple[Step, str]:
    """The step to run and, if it had to shrink, a note that says so (else "").

    ``size`` replaces its block size (bytes). Raises InvalidValue that names the
    ``osd_bench_*`` option in the way.
    """
    block_size = step.block_size if size is None else size
    if block_size > limits.max_block_size:
        raise InvalidValue(
            f"writes of {block_size} bytes are over this cluster's "
            f"osd_bench_max_block_size of {limits.max_block_size} bytes",
            field="size",
        )
    if size is not None:
        step = _resized(size)
    most = limits.max_bytes(step.block_size) // step.block_size * step.block_size
    if step.total_bytes <= most:
        return step, ""
    option = BenchLimits.option_for(step.block_size)
    if most < MIN_OPERATIONS * step.block_size:
        raise InvalidValue(
            f"{option} and osd_bench_duration allow only {most // step.block_size} writes of "
            f"{step.block_size} bytes a bench, and {MIN_OPERATIONS} are needed to mean "
            f"anything: raise {option}",
            field="size" if size is not None else "",
        )
    shrunk = replace(step, total_bytes=most)
    return shrunk, f"shortened from {step.total_bytes} to {most} bytes a sample by {option}"


def lengthen(
    step: Step, limits: BenchLimits, rate: Optional[float], may_raise: bool = False
) -> tuple[Step, str]:
    """The step with more work if a sample of it would be too short at this rate, and a note.

    ``rate`` is what the last round measured, in bytes/s. Doubled as often as needed and not fitted
    to the rate, so that rounds go on doing the same work and can be compared. No more than the
    ``osd_bench_*`` options allow, unless the round ``may_raise`` them for its time, and then no
    more than MOST_TIMES as much. Where nothing more is allowed, the round will say which option
    is in the way.
    """
    total = step.total_bytes
    if not rate or total / rate >= LEAST_SECONDS:
        return step, ""
    allowed = limits.max_bytes(step.block_size)
    most = max(allowed, MOST_TIMES * step.total_bytes) if may_raise else allowed
    while total / rate < LEAST_SECONDS and 2 * total <= most:
        total *= 2
    if total == step.total_bytes:
        return step, ""
    took = 1000 * step.total_bytes / rate
    note = (
        f"lengthened from {step.total_bytes} to {total} bytes a sample, which would take "
        f"{took:.0f} ms as fast as the last round was"
    )
    for option, value in limits.needed(replace(step, total_bytes=total)).items():
        note += f"; {option} is raised to {value} for that"
    return replace(step, total_bytes=total), note


def checked_multiple(size: int) -> int:
    """The size if it is one that devices take; else raises InvalidValue."""
    if size % 512:
        raise InvalidValue(f"a size of {size} bytes is not a multiple of 512", field="size")
    if size < 4 * KIB:
        raise InvalidValue(f"a size of {size} bytes is under the smallest of 4096", field="size")
    return size


def _resized(size: int) -> Step:
    """The step of another block size: 1 GiB, or for small blocks as many writes as profiles do."""
    checked_multiple(size)
    operations = max(MIN_OPERATIONS, 1024 * MIB // size) if size >= MIB else SMALL_OPERATIONS
    return writes(size, size * operations)
