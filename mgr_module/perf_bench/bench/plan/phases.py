"""Turn a profile's steps into phases: sizes that fit the OSDs, waves, sandwiches, WALs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Optional

from ...errors import InvalidValue
from ...model.arguments import parse_duration, within
from ...model.bench import KIB, MIB, BenchLimits, Step
from ...model.osd import Osd, Wal
from ...model.phrases import listed, osd_names, plural
from ...model.plan import AFTER, BEFORE, DEFERRED, DIRECT, RESTED, TOGETHER, Phase, Request
from ...model.profile import SMALL_OPERATIONS, Profile, small_writes, writes
from ...model.selection import Selection


def lay_waves(osds: Sequence[Osd], max_parallel: int) -> tuple[tuple[int, ...], ...]:
    """Waves of OSD IDs: one OSD of each host, on all hosts in parallel.

    Later waves have only hosts with more OSDs. A wave has at most ``max_parallel`` OSDs, because
    each needs a thread of the mgr; wider ones are split into even parts.
    """
    by_host: dict[str, list[int]] = defaultdict(list)
    for osd in sorted(osds, key=lambda osd: osd.id):
        by_host[osd.host].append(osd.id)
    waves: list[tuple[int, ...]] = []
    for turn in range(max((len(ids) for ids in by_host.values()), default=0)):
        wide = [ids[turn] for _, ids in sorted(by_host.items()) if turn < len(ids)]
        parts = -(-len(wide) // max_parallel)
        waves.extend(tuple(sorted(wide[part::parts])) for part in range(parts))
    return tuple(waves)


# The bases of an estimate.
LAST_ROUND, ASSUMED = "the last round", "osd_bench limits"


def estimate(
    waves: Sequence[Sequence[int]], step: Step, limits: BenchLimits, measured: Mapping[int, float]
) -> tuple[float, str]:
    """Seconds of one pass over the waves, and the basis of that estimate.

    ``measured`` has by OSD the duration of one call of this step in the last round; otherwise the
    rate that the ``osd_bench_*`` limits assume gives an upper bound.
    """
    worst = limits.worst_seconds(step)
    seconds = sum(max(measured.get(osd, worst) for osd in wave) for wave in waves)
    known = all(osd in measured for wave in waves for osd in wave)
    return seconds, LAST_ROUND if known else ASSUMED


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
            f"'{text}' is not a size: give bytes, 1 or more, or a whole number with K "
            "or M, as 4096, 64K or 4M",
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
            f"{option} and osd_bench_duration allow only {most // step.block_size} "
            f"writes of {step.block_size} bytes in a bench, but at least "
            f"{MIN_OPERATIONS} are needed: raise {option}",
            field="size" if size is not None else "",
        )
    shrunk = replace(step, total_bytes=most)
    return shrunk, f"shortened from {step.total_bytes} to {most} bytes a sample by {option}"


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
    note = (
        f"lengthened from {step.total_bytes} to {total} bytes a sample, because it "
        f"would take only {took:.0f} ms at the rate of the last round"
    )
    for option, value in limits.needed(replace(step, total_bytes=total)).items():
        note = f"{note}; {option} is raised to {value} for that"
    return replace(step, total_bytes=total), note


def checked_multiple(size: int) -> int:
    """The size if devices accept it. Raises InvalidValue."""
    if size % 512:
        raise InvalidValue(
            f"a size of {size} bytes is not a multiple of 512",
            field="size",
        )
    if size < 4 * KIB:
        raise InvalidValue(
            f"a size of {size} bytes is under the smallest of 4096",
            field="size",
        )
    return size


def _resized(size: int) -> Step:
    """The step for another block size: 1 GiB, or for small blocks SMALL_OPERATIONS writes."""
    checked_multiple(size)
    operations = max(MIN_OPERATIONS, 1024 * MIB // size) if size >= MIB else SMALL_OPERATIONS
    return writes(size, size * operations)


# Seconds; the least is for tests, and nobody waits longer than two hours.
LEAST_REST = 2
MOST_REST = 7200
MOST_RESTS = 12


class Chosen(NamedTuple):
    """The OSDs that are measured, those of them that are measured alone, and notes."""

    osds: Sequence[Osd]
    solo: Sequence[Osd]
    notes: Sequence[str]


def rests_of(request: Request, profile: Profile) -> tuple[int, int]:
    """The number of rests and their seconds. Raises InvalidValue."""
    count = profile.rests if request.rests is None else request.rests
    within("rests", count, 0, MOST_RESTS)
    seconds = profile.rest_seconds if request.rest is None else parse_duration(request.rest, "rest")
    if not LEAST_REST <= seconds <= MOST_REST:
        raise InvalidValue(f"--rest {request.rest} is not within 2s to 2h", "rest")
    return count, seconds


def choose(up: Sequence[Osd], everything: Sequence[Osd], request: Request) -> Chosen:
    """Choose hosts and OSDs among those of the request that are ``up``. Raises InvalidValue.

    Without --osds only one host is chosen, because the load is high. The OSD with the lowest ID is
    measured alone, so that every round measures the same one.
    """
    named = _solo(up, everything, request.solo)
    hosts = _by_host(up)
    notes: list[str] = []
    if request.osds is None:
        candidates = sorted({osd.host for osd in named}) or sorted(hosts)
        host = max(candidates, key=lambda name: len(hosts[name]))
        hosts = {host: hosts[host]}
        notes.append(_one_host(host, bool(named)))
    alone = _by_host(named) if named else {host: osds[:1] for host, osds in hosts.items()}
    kept = {host: osds for host, osds in hosts.items() if len(osds) > 1 and host in alone}
    left = sorted(hosts.keys() - kept.keys())
    if not kept:
        raise InvalidValue(
            "osd-sandwich compares one OSD with all of its host, but no chosen host "
            "has two OSDs that are up: choose others",
            field="osds",
        )
    if left:
        notes.append(f"left out because they have no OSDs to compare: {listed(left)}")
    if not named:
        notes.append(
            f"alone: {osd_names([osds[0].id for osds in kept.values()])} (the lowest ID "
            "of its host, so that it is the same in every round)"
        )
    osds = [osd for of_host in kept.values() for osd in of_host]
    solo = [osd for host in kept for osd in alone[host]]
    return Chosen(sorted(osds, key=_id), sorted(solo, key=_id), notes)


def sandwich(
    chosen: Chosen, steps: Sequence[Step], rests: tuple[int, int], max_parallel: int
) -> tuple[Phase, ...]:
    """The phases in order. Raises InvalidValue if too many OSDs would run at the same time."""
    if len(chosen.osds) > max_parallel:
        raise InvalidValue(
            f"{len(chosen.osds)} OSDs would run at the same time, but "
            f"mgr/perf_bench/max_parallel is {max_parallel}: choose fewer hosts",
            field="osds",
        )
    count, seconds = rests
    alone = lay_waves(chosen.solo, max_parallel)
    together = (tuple(osd.id for osd in chosen.osds),)
    parts = [(BEFORE, alone, 0), (TOGETHER, together, 0), (AFTER, alone, 0)]
    parts += [(f"{RESTED}-{number}", alone, seconds) for number in range(1, count + 1)]
    return tuple(
        Phase(step, waves, part, float(rest) if step is steps[0] else 0.0)
        for part, waves, rest in parts
        for step in steps
    )


def _one_host(host: str, named: bool) -> str:
    if named:
        return f"one host, that of the OSD measured alone: {host} (--osds host=NAME for another)"
    return f"one host, the one with the most OSDs: {host} (--osds host=NAME for another)"


def _solo(up: Sequence[Osd], everything: Sequence[Osd], text: Optional[str]) -> Sequence[Osd]:
    if text is None:
        return []
    known = {osd.id for osd in up}
    named = Selection.parse(text).select(everything)
    others = [osd.name for osd in named if osd.id not in known]
    if others:
        raise InvalidValue(
            f"--solo {text}: {others[0]} is not among the chosen OSDs that are up",
            field="solo",
        )
    return named


def _by_host(osds: Sequence[Osd]) -> Mapping[str, list[Osd]]:
    by_host: dict[str, list[Osd]] = defaultdict(list)
    for osd in sorted(osds, key=_id):
        by_host[osd.host].append(osd)
    return by_host


def _id(osd: Osd) -> int:
    return osd.id


# The block size of mClock's threshold for spinning devices; see bench/compare/parts.py.
BELOW = 4 * KIB


class Pair(NamedTuple):
    """The two phases, their OSDs, and notes about the others."""

    phases: tuple[Phase, ...]
    osds: Sequence[Osd]
    notes: Sequence[str]


def wal_phases(osds: Sequence[Osd], wals: Mapping[int, Wal], max_parallel: int) -> Pair:
    """Deferred writes and direct writes, on OSDs with data on spinning devices.

    Raises InvalidValue if there are no such OSDs.
    """
    fit = [osd for osd in osds if _applies(wals.get(osd.id, Wal()))]
    if not fit:
        raise InvalidValue(
            "osd-wal does not apply: it needs OSDs with data on a spinning device that "
            "defer small writes, and no chosen OSD is one",
            field="osds",
        )
    # Twice the size: up to release 16 a write of exactly that size is deferred, later it is not.
    above = 2 * max(wals[osd.id].deferred_bytes for osd in fit)
    above = -(-above // BELOW) * BELOW  # which is half a MiB at most, by _applies
    waves = lay_waves(fit, max_parallel)
    phases = tuple(
        Phase(small_writes(size, size * SMALL_OPERATIONS), waves, part)
        for size, part in ((BELOW, DEFERRED), (above, DIRECT))
    )
    left = len(osds) - len(fit)
    note = f"{plural(left, 'OSD')} left out: data on flash, or nothing is deferred"
    return Pair(phases, fit, [note] if left else [])


def _applies(wal: Wal) -> bool:
    return bool(wal.spinning) and BELOW < wal.deferred_bytes <= MIB // 4
