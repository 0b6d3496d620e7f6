"""Check a user's request for a round of OSDs and plan it; changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Callable, NamedTuple, Optional

from ...errors import InvalidValue, NotNow
from ...model.admission import Ask
from ...model.arguments import within
from ...model.bench import BenchLimits, Step
from ...model.cluster import Cluster
from ...model.osd import Osd
from ...model.phrases import osd_names
from ...model.plan import Phase, Plan, Request
from ...model.profile import Layout, Profile, check_options, profile_named
from ...model.selection import Selection
from ...model.statistics import median
from .phases import (
    ASSUMED,
    LAST_ROUND,
    choose,
    estimate,
    fit_step,
    lay_waves,
    lengthen,
    parse_size,
    rests_of,
    sandwich,
    wal_phases,
)

MAX_REPEATS = 100
MAX_LABEL = 100


class Draft(NamedTuple):
    """A checked request: the plan, the OSDs that are measured, and what it asks of the cluster."""

    profile: Profile
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
    selection = Selection.parse(request.osds if request.osds is not None else "all")
    everything = existing(cluster.osds())
    targets, notes = _that_are_up(selection.select(everything))
    inputs = PlanningInputs(
        request, profile, cluster, max_parallel, last, targets, everything, may_raise
    )
    laid = _LAYOUTS[profile.layout](inputs)
    limits = laid.limits
    seconds, basis = _estimate(laid.phases, limits, profile, last)
    raised: dict[str, int] = {}
    for phase in laid.phases:
        for option, value in limits.needed(phase.step).items():
            raised[option] = max(value, raised.get(option, 0))
    rests = sum(phase.rest_seconds for phase in laid.phases)
    plan = Plan(
        profile=profile.name,
        phases=laid.phases,
        repeats=repeats,
        seconds=round(seconds * repeats + rests, 1),
        basis=basis,
        notes=(*notes, *laid.notes),
        max_repeats=most,
        raised=tuple(sorted(raised.items())),
        copies=cluster.bench_copies(),
    )
    return Draft(profile, plan, laid.targets, _ask(plan))


class Laid(NamedTuple):
    """The phases of a plan, the OSDs that are measured, notes, and the limits of these OSDs."""

    phases: tuple[Phase, ...]
    targets: Sequence[Osd]
    notes: Sequence[str]
    limits: BenchLimits


class PlanningInputs(NamedTuple):
    """The input of a plan. ``targets`` are the chosen OSDs that are up."""

    request: Request
    profile: Profile
    cluster: Cluster
    max_parallel: int
    last: Last
    targets: Sequence[Osd]
    everything: Sequence[Osd]
    may_raise: bool


def _in_waves(inputs: PlanningInputs) -> Laid:
    request, profile, ids = inputs.request, inputs.profile, [osd.id for osd in inputs.targets]
    size = parse_size(request.size) if request.size is not None else None
    limits = inputs.cluster.bench_limits(ids)
    step, shortened = fit_step(profile.steps[0], limits, size)
    rates = inputs.last.rates(profile.name, step.block_size)
    known = [rates[osd] for osd in ids if osd in rates]
    rate = median(known) if known else None
    longer, lengthened = lengthen(step, limits, rate, inputs.may_raise and request.may_raise)
    longest, _ = lengthen(step, limits, rate, inputs.may_raise)
    waves = lay_waves(inputs.targets, inputs.max_parallel)
    barred = _NOT_RAISED if longest != longer else ""
    notes = [note for note in (shortened, lengthened, barred) if note]
    return Laid((Phase(longer, waves),), inputs.targets, notes, limits)


def _as_sandwich(inputs: PlanningInputs) -> Laid:
    rests = rests_of(inputs.request, inputs.profile)
    chosen = choose(inputs.targets, inputs.everything, inputs.request)
    limits = inputs.cluster.bench_limits([osd.id for osd in chosen.osds])
    write, read = inputs.profile.steps
    write, shortened = fit_step(write, limits, None)
    phases = sandwich(chosen, (write, read), rests, inputs.max_parallel)
    notes = [*chosen.notes, *([shortened] if shortened else [])]
    return Laid(phases, chosen.osds, notes, limits)


def _for_wals(inputs: PlanningInputs) -> Laid:
    wals = inputs.cluster.wals([osd.id for osd in inputs.targets])
    phases, targets, notes = wal_phases(inputs.targets, wals, inputs.max_parallel)
    limits = inputs.cluster.bench_limits([osd.id for osd in targets])
    fitted = [(phase, *fit_step(phase.step, limits, None)) for phase in phases]
    notes = [*notes, *(shortened for _, _, shortened in fitted if shortened)]
    return Laid(
        tuple(replace(phase, step=step) for phase, step, _ in fitted), targets, notes, limits
    )


_LAYOUTS: Mapping[Layout, Callable[[PlanningInputs], Laid]] = {
    Layout.WAVES: _in_waves,
    Layout.SANDWICH: _as_sandwich,
    Layout.WAL: _for_wals,
}


def _estimate(
    phases: Sequence[Phase], limits: BenchLimits, profile: Profile, last: Last
) -> tuple[float, str]:
    """Seconds of one repeat of all phases without rests, and the basis of that estimate."""
    estimates = [
        estimate(phase.waves, phase.step, limits, last.seconds(profile.name, phase.step))
        for phase in phases
    ]
    return sum(seconds for seconds, _ in estimates), max(
        (basis for _, basis in estimates), key=lambda basis: basis == ASSUMED
    )


def _ask(plan: Plan) -> Ask:
    """The plan's demands; a bench deletes its objects before the next begins."""
    return Ask(
        osds=plan.osds,
        bytes_per_osd=plan.most_bytes_per_osd,
        peak_bytes_per_osd=max(phase.step.bytes_written for phase in plan.phases),
        seconds=plan.most_seconds,
        pool_bytes=plan.kept_bytes,
        benches=plan.benches,
        bench_seconds=_bench_seconds(plan),
    )


def _bench_seconds(plan: Plan) -> Optional[float]:
    """Seconds of one call in the last round, from the estimate; None if that is only a bound."""
    waves = sum(len(phase.waves) for phase in plan.phases)
    if plan.basis != LAST_ROUND or not waves:
        return None
    return (plan.seconds - plan.rest_seconds) / (plan.repeats * waves)


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
