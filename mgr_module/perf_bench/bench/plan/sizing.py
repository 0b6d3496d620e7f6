"""Adapt a profile's step to the limits and the speed of the OSDs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Optional

from ...errors import InvalidValue
from ...model.bench import KIB, MIB, BenchLimits, Step
from ...model.profile import SMALL_OPERATIONS, writes
from ...model.said import say

# With fewer writes a single slow one changes the result by more than 6 %, while runs on a tuned
# cluster differ by 1 to 2.5 % (Stachecki 2024).
MIN_OPERATIONS = 16
# Seconds: twice the least duration of a valid sample (bench/compare/summary.py), as OSDs differ.
LEAST_SECONDS = 0.2
# The highest factor: 96,000 instead of 3,000 writes are enough at 480,000 a second, and are 400 MB
# of 4 KiB.
MOST_TIMES = 32
_UNITS = {"": 1, "K": KIB, "M": MIB}
# More digits are over any limit.
_MOST_DIGITS = 18
_SIZE = re.compile(r"^(\d+)\s*([KM]?)(?:I?B)?$", re.IGNORECASE | re.ASCII)


def parse_size(text: str) -> int:
    """Parse "4096", "64K", "4M" or "4MiB" into bytes. Raises InvalidValue."""
    match = _SIZE.match(text.strip())
    digits = match.group(1).lstrip("0")[:_MOST_DIGITS] if match else ""
    if not match or not digits:
        raise InvalidValue(
            say(
                "no-size",
                "'{given}' is not a size: give bytes, 1 or more, or a whole number with K or M, as "
                "4096, 64K or 4M",
                given=text,
            ),
            field="size",
        )
    return int(digits) * _UNITS[match.group(2).upper()]


def fit_step(step: Step, limits: BenchLimits, size: Optional[int]) -> tuple[Step, str]:
    """The step to run, and a note if it had to be shortened (else "").

    ``size`` replaces its block size (bytes). Raises InvalidValue that names the limiting
    ``osd_bench_*`` option.
    """
    block_size = step.block_size if size is None else size
    if block_size > limits.max_block_size:
        raise InvalidValue(
            say(
                "block-size",
                "writes of {size} bytes are over this cluster's osd_bench_max_block_size of "
                "{most} bytes",
                size=str(block_size),
                most=str(limits.max_block_size),
            ),
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
            say(
                "bench-limits",
                "{option} and osd_bench_duration allow only {allowed} writes of {size} bytes in a "
                "bench, but at least {needed} are needed: raise {option}",
                option=option,
                allowed=most // step.block_size,
                size=str(step.block_size),
                needed=MIN_OPERATIONS,
            ),
            field="size" if size is not None else "",
        )
    shrunk = replace(step, total_bytes=most)
    return shrunk, say(
        "plan-shortened",
        "shortened from {before} to {bytes} bytes a sample by {option}",
        before=step.total_bytes,
        bytes=most,
        option=option,
    )


def lengthen(
    step: Step, limits: BenchLimits, rate: Optional[float], may_raise: bool = False
) -> tuple[Step, str]:
    """The step, with more bytes if a sample would be too short at this rate, and a note.

    ``rate`` is the last round's result in bytes/s. The bytes are doubled as often as needed, and
    not fitted to the rate, so that rounds do the same work and stay comparable. The
    ``osd_bench_*`` options limit them, unless the round ``may_raise`` these; then the limit is
    MOST_TIMES the step's bytes.
    """
    total = step.total_bytes
    if not rate:
        return step, ""
    allowed = limits.max_bytes(step.block_size)
    most = max(allowed, MOST_TIMES * step.total_bytes) if may_raise else allowed
    while total / rate < LEAST_SECONDS and 2 * total <= most:
        total *= 2
    if total == step.total_bytes:
        return step, ""
    took = 1000 * step.total_bytes / rate
    note = say(
        "plan-lengthened",
        "lengthened from {before} to {bytes} bytes a sample, because it would take only "
        "{took:.0f} ms at the rate of the last round",
        before=step.total_bytes,
        bytes=total,
        took=took,
    )
    for option, value in limits.needed(replace(step, total_bytes=total)).items():
        note = say(
            "plan-raised",
            "{note}; {option} is raised to {value} for that",
            note=note,
            option=option,
            value=value,
        )
    return replace(step, total_bytes=total), note


def checked_multiple(size: int) -> int:
    """The size if devices accept it. Raises InvalidValue."""
    if size % 512:
        raise InvalidValue(
            say("size-512", "a size of {size} bytes is not a multiple of 512", size=str(size)),
            field="size",
        )
    if size < 4 * KIB:
        raise InvalidValue(
            say(
                "size-least", "a size of {size} bytes is under the smallest of 4096", size=str(size)
            ),
            field="size",
        )
    return size


def _resized(size: int) -> Step:
    """The step for another block size: 1 GiB, or for small blocks SMALL_OPERATIONS writes."""
    checked_multiple(size)
    operations = max(MIN_OPERATIONS, 1024 * MIB // size) if size >= MIB else SMALL_OPERATIONS
    return writes(size, size * operations)
