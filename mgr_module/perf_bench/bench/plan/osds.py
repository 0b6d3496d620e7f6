"""Check a user's request for a round of OSDs and plan it; changes nothing.

Below: sizes that fit the OSDs, waves, sandwiches, and pairs of phases for write-ahead logs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Callable, NamedTuple, Optional

from ...errors import InvalidValue, NotNow
from ...model.admission import Ask
from ...model.cluster import Cluster
from ...model.osd import Osd, Selection, Wal
from ...model.phrases import listed, osd_names, parse_duration, plural, within
from ...model.plan import (
    AFTER,
    BEFORE,
    DEFERRED,
    DIRECT,
    KIB,
    MIB,
    READ,
    RESTED,
    SMALL_OPERATIONS,
    TOGETHER,
    BenchLimits,
    Layout,
    Phase,
    Plan,
    Profile,
    Request,
    Step,
    check_options,
    profile_named,
    writes,
)
from ...model.statistics import median

MAX_REPEATS = 100
MAX_LABEL = 100


class Draft(NamedTuple):
    """A checked request: the plan, the OSDs that are measured, and what it asks of the cluster."""

    plan: Plan
    targets: Sequence[Osd]
    ask: Ask


_NOT_RAISED = (
    "samples may be too short: the osd_bench_* options are not raised, because "
    "who asked for the round lacks the permission update of the scope "
    "config-opt"
)


class Last(NamedTuple):
    """Results of the last rounds, by OSD.

    ``seconds`` returns the duration of one call, for a profile's name and step. ``rates`` returns
    bytes/s, for a profile's name and a block size.
    """

    seconds: Callable[[str, Step], Mapping[int, float]] = lambda _profile, _step: {}
    rates: Callable[[str, int], Mapping[int, float]] = lambda _profile, _block_size: {}


def prepare(
    request: Request,
    cluster: Cluster,
    max_parallel: int,
    last: Last,
    may_raise: bool = False,
) -> Draft:
    """Check a request and plan it. Raises NotFound, InvalidValue or NotNow."""
    profile = checked_profile(request)
    repeats, most = checked_repeats(request, profile)
    chosen = everything = existing(cluster.osds())
    if request.osds is not None:
        chosen = Selection.parse(request.osds).select(everything)
    up, notes = _that_are_up(chosen)
    if profile.layout is Layout.SANDWICH:
        laid = _sandwich(request, profile, up, everything, max_parallel)
    elif profile.layout is Layout.WAL:
        laid = _wal_phases(up, cluster.wals([osd.id for osd in up]), max_parallel)
    else:
        laid = Laid((Phase(profile.steps[0], lay_waves(up, max_parallel)),), up, [])
    limits = cluster.bench_limits([osd.id for osd in laid.targets])
    phases, fitted = _fitted(laid.phases, limits, request.size)
    if profile.layout is Layout.WAVES:
        rates = last.rates(profile.name, phases[0].step.block_size)
        known = [rates[osd.id] for osd in up if osd.id in rates]
        rate, step = median(known) if known else None, phases[0].step
        longer, lengthened = lengthen(step, limits, rate, may_raise and request.may_raise)
        longest, _ = lengthen(step, limits, rate, may_raise)
        phases = (replace(phases[0], step=longer),)
        fitted += [lengthened, _NOT_RAISED if longest != longer else ""]
    seconds, basis = _estimate(phases, limits, profile, last)
    raised: dict[str, int] = {}
    for phase in phases:
        for option, value in limits.needed(phase.step).items():
            raised[option] = max(value, raised.get(option, 0))
    rests = sum(phase.rest_seconds for phase in phases)
    plan = Plan(
        profile=profile.name,
        phases=phases,
        repeats=repeats,
        seconds=round(seconds * repeats + rests, 1),
        basis=basis,
        notes=tuple(note for note in (*notes, *laid.notes, *fitted) if note),
        max_repeats=most,
        raised=tuple(sorted(raised.items())),
        copies=cluster.bench_copies(),
    )
    return Draft(plan, laid.targets, _ask(plan))


class Laid(NamedTuple):
    """The phases of a plan, the OSDs that are measured, and notes."""

    phases: tuple[Phase, ...]
    targets: Sequence[Osd]
    notes: Sequence[str]


def _fitted(
    phases: Sequence[Phase], limits: BenchLimits, size: Optional[str]
) -> tuple[tuple[Phase, ...], list[str]]:
    """The phases with steps that the OSDs allow, and a note for each that is shortened."""
    block_size = None if size is None else parse_size(size)
    steps = {phase.step: (phase.step, "") for phase in phases}
    for step in steps:
        if step.operation != READ:
            steps[step] = fit_step(step, limits, block_size)
    fitted = tuple(replace(phase, step=steps[phase.step][0]) for phase in phases)
    return fitted, [note for _, note in steps.values()]


# The bases of an estimate.
LAST_ROUND, ASSUMED = "the last round", "osd_bench limits"


def _estimate(
    phases: Sequence[Phase], limits: BenchLimits, profile: Profile, last: Last
) -> tuple[float, str]:
    """Seconds of one repeat of all phases without rests, and the basis of that estimate.

    It is the duration of a call in the last round; of OSDs without one the rate that the
    ``osd_bench_*`` limits assume gives an upper bound.
    """
    seconds, basis = 0.0, LAST_ROUND
    for phase in phases:
        measured = last.seconds(profile.name, phase.step)
        worst = limits.worst_seconds(phase.step)
        seconds += sum(max(measured.get(osd, worst) for osd in wave) for wave in phase.waves)
        if any(osd not in measured for osd in phase.osds):
            basis = ASSUMED
    return seconds, basis


def _ask(plan: Plan) -> Ask:
    """The plan's demands; a bench deletes its objects before the next begins."""
    waves = sum(len(phase.waves) for phase in plan.phases)
    return Ask(
        osds=plan.osds,
        bytes_per_osd=plan.most_bytes_per_osd,
        peak_bytes_per_osd=max(phase.step.bytes_written for phase in plan.phases),
        seconds=plan.most_seconds,
        pool_bytes=plan.kept_bytes,
        benches=plan.benches,
        # That of one call in the last round, where the estimate is no bound.
        bench_seconds=(plan.seconds - plan.rest_seconds) / (plan.repeats * waves)
        if plan.basis == LAST_ROUND and waves
        else None,
    )


def checked_profile(request: Request) -> Profile:
    """The profile of a request. Raises InvalidValue for options that it does not have."""
    profile = profile_named(request.profile)
    check_options(profile, request.given)
    checked_label(request.label)
    return profile


def existing(osds: Sequence[Osd]) -> Sequence[Osd]:
    """The OSDs; raises NotNow if there is none."""
    if not osds:
        raise NotNow("this cluster has no OSD yet")
    return osds


def checked_repeats(request: Request, profile: Profile) -> tuple[int, int]:
    """The least and the highest number of repeats. Raises InvalidValue.

    With --repeats alone both are that number.
    """
    repeats = profile.repeats if request.repeats is None else request.repeats
    within("repeats", repeats, 1, MAX_REPEATS)
    if request.max_repeats is None:
        return repeats, profile.max_repeats if request.repeats is None else repeats
    if not repeats <= request.max_repeats <= MAX_REPEATS:
        raise InvalidValue(
            f"--max-repeats {request.max_repeats} is not within {repeats} (--repeats) to "
            f"{MAX_REPEATS}",
            "max_repeats",
        )
    return repeats, request.max_repeats


def checked_label(label: Optional[str]) -> None:
    """Raise InvalidValue for a label that is too long or not printable."""
    if label and (len(label) > MAX_LABEL or not label.isprintable()):
        raise InvalidValue(
            f"a label is one line of at most {MAX_LABEL} printable characters",
            field="label",
        )


def _that_are_up(chosen: Sequence[Osd]) -> tuple[list[Osd], list[str]]:
    """The chosen OSDs that are up, and a note about the others. Raises NotNow if none is up."""
    targets = [osd for osd in chosen if osd.up]
    down = [osd.id for osd in chosen if not osd.up]
    if not targets:
        raise NotNow("none of the chosen OSDs is up: see 'ceph osd tree down'")
    if not down:
        return targets, []
    return targets, [f"left out because not up: {osd_names(down)}"]


# --- sizes, waves and phases ----------------------------------------------------------------------


def lay_waves(osds: Sequence[Osd], max_parallel: int) -> tuple[tuple[int, ...], ...]:
    """Waves of OSD IDs: one OSD of each host, on all hosts in parallel.

    Later waves have only hosts with more OSDs. A wave has at most ``max_parallel`` OSDs, because
    each needs a thread of the mgr; wider ones are split into even parts.
    """
    by_host = _by_host(osds)
    waves: list[tuple[int, ...]] = []
    for turn in range(max(map(len, by_host.values()), default=0)):
        wide = [own[turn].id for _, own in sorted(by_host.items()) if turn < len(own)]
        parts = -(-len(wide) // max_parallel)
        waves.extend(tuple(sorted(wide[part::parts])) for part in range(parts))
    return tuple(waves)


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


def _sandwich(
    request: Request,
    profile: Profile,
    up: Sequence[Osd],
    everything: Sequence[Osd],
    max_parallel: int,
) -> Laid:
    """Choose hosts and OSDs among those of the request that are ``up``. Raises InvalidValue.

    Without --osds only one host is chosen, because the load is high. The OSD with the lowest ID is
    measured alone, so that every round measures the same one.
    """
    count, seconds = _rests(request, profile)
    named = _solo(up, everything, request.solo)
    hosts = _by_host(up)
    notes: list[str] = []
    if request.osds is None:
        candidates = sorted({osd.host for osd in named}) or sorted(hosts)
        host = max(candidates, key=lambda name: len(hosts[name]))
        hosts = {host: hosts[host]}
        which = "that of the OSD measured alone" if named else "the one with the most OSDs"
        notes.append(f"one host, {which}: {host} (--osds host=NAME for another)")
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
    osds = sorted((osd for own in kept.values() for osd in own), key=lambda osd: osd.id)
    if len(osds) > max_parallel:
        raise InvalidValue(
            f"{len(osds)} OSDs would run at the same time, but "
            f"mgr/perf_bench/max_parallel is {max_parallel}: choose fewer hosts",
            field="osds",
        )
    solo = lay_waves([osd for host in kept for osd in alone[host]], max_parallel)
    together = (tuple(osd.id for osd in osds),)
    parts = [(BEFORE, solo, 0), (TOGETHER, together, 0), (AFTER, solo, 0)]
    parts += [(f"{RESTED}-{number}", solo, seconds) for number in range(1, count + 1)]
    phases = tuple(
        Phase(step, waves, part, float(rest) if step is profile.steps[0] else 0.0)
        for part, waves, rest in parts
        for step in profile.steps
    )
    return Laid(phases, osds, notes)


def _rests(request: Request, profile: Profile) -> tuple[int, int]:
    """The number of rests and their seconds. Raises InvalidValue."""
    count = profile.rests if request.rests is None else request.rests
    within("rests", count, 0, MOST_RESTS)
    seconds = profile.rest_seconds if request.rest is None else parse_duration(request.rest, "rest")
    if not LEAST_REST <= seconds <= MOST_REST:
        raise InvalidValue(f"--rest {request.rest} is not within 2s to 2h", "rest")
    return count, seconds


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
    for osd in sorted(osds, key=lambda osd: osd.id):
        by_host[osd.host].append(osd)
    return by_host


# The block size of mClock's threshold for spinning devices; see bench/compare/parts.py.
BELOW = 4 * KIB


def _wal_phases(osds: Sequence[Osd], wals: Mapping[int, Wal], max_parallel: int) -> Laid:
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
        Phase(writes(size, size * SMALL_OPERATIONS), waves, part)
        for size, part in ((BELOW, DEFERRED), (above, DIRECT))
    )
    left = len(osds) - len(fit)
    note = f"{plural(left, 'OSD')} left out: data on flash, or nothing is deferred"
    return Laid(phases, fit, [note] if left else [])


def _applies(wal: Wal) -> bool:
    return bool(wal.spinning) and BELOW < wal.deferred_bytes <= MIB // 4
