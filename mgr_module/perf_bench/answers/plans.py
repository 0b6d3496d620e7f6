"""Profiles and dry runs: ``profile ls``, ``profile show``, ``round start --dry-run``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from ..model import plan
from ..model.admission import Admission, ClassWear
from ..model.phrases import plural
from ..model.plan import PROFILES, READ, Phase, Profile, Step, profile_named
from ..model.rados import LoadPlan
from ..model.round import Forecast
from .api import Api
from .loads import load_text
from .question import Question
from .settings import change_text
from .shape import Count, copied
from .text import Column, duration, facts, listing, size

_DOES = {"write": "writes", "read": "reads"}


@dataclass(frozen=True)
class Plan(Forecast):
    """The answer to a dry run: what a start would do.

    quiesce -- What would be changed in the cluster while the round runs, and put back.
    most_bytes_per_osd -- If all repeats up to max_repeats are needed.
    most_seconds -- If all repeats up to max_repeats are needed.
    load -- Null but for rounds of kind rados.
    most_bytes -- In all, if all repeats up to max_repeats are needed.
    """

    profile: str
    step: Step
    phases: Sequence[Phase]
    repeats: int
    waves: Sequence[Sequence[Count]]
    targets: Sequence[str]
    samples: int
    bytes: int
    bytes_per_osd: int
    seconds: float
    seconds_basis: str
    notes: Sequence[str]
    quiesce: Sequence[str]
    admission: Admission
    max_repeats: int
    most_bytes_per_osd: int
    most_seconds: float
    load: Optional[LoadPlan]
    most_bytes: int


def profiles(_api: Api) -> list[Profile]:
    """List the profiles of rounds."""
    return list(PROFILES.values())


def profile(_api: Api, name: str) -> Profile:
    """Show one profile.

    Raises NotFound.
    """
    return profile_named(name)


def plan_answer(of: plan.Plan, decision: Admission, forecast: Forecast) -> Plan:
    """The answer to a dry run."""
    return copied(
        Plan,
        of,
        **vars(forecast),
        max_repeats=of.most,
        targets=[f"osd.{osd}" for osd in of.osds],
        bytes=sum(of.bytes_by_osd(of.repeats).values()),
        most_bytes=sum(of.bytes_by_osd(of.most).values()),
        seconds_basis=of.basis,
        quiesce=list(map(change_text, forecast.holds or ())),
        admission=decision,
    )


# --- as text ---------------------------------------------------------------------------------

_PROFILES = (
    Column("PROFILE", "name", "word"),
    Column("REPEATS", "repeats", "word"),
    Column("WRITES/OSD", lambda one: size(one.estimate.bytes_per_osd), "word"),
    Column("WHAT", "description", "word"),
)


def profile_text(of: Profile) -> str:
    """Text of ``profile show``."""
    written, clients = size(of.estimate.bytes_per_osd), of.kind == "rados"
    noise = "CV between repeats" if clients else "median CV"
    pairs = [
        ("what", of.description),
        ("repeats", _repeats(of.repeats, of.max_repeats)),
        ("noisy over", f"{of.max_cv_percent:g} % ({noise})"),
    ]
    if clients:
        pairs += [
            ("writes", f"{written} per OSD in 30 s a repeat, as fast as osd_bench limits assume"),
            ("takes", "--seconds a repeat, and as much again to fill the pool before reads"),
        ]
    else:
        takes = f"at most {duration(of.estimate.seconds)} per OSD, as osd_bench limits assume"
        pairs += [
            *[("step", step_text(step)) for step in of.steps],
            ("writes", f"{written} per OSD"),
            ("takes", takes),
        ]
    return f"{of.name} ({of.kind})\n{facts(pairs)}"


def step_text(step: Step) -> str:
    """One bench call."""
    objects = f"{step.object_count} objects of {size(step.object_size)}"
    if step.operation == READ:
        return f"{size(step.total_bytes)} read from {objects} on each OSD"
    written = f"{size(step.total_bytes)} in {size(step.block_size)} writes"
    if not step.prefilled:
        return f"{written} onto fresh objects"
    return f"{written} onto {step.object_count} prefilled objects of {size(step.object_size)}"


def _repeats(least: int, most: int) -> str:
    """Planned repeats, or least to most where precision decides."""
    return str(least) if most <= least else f"{least} to {most}, until figures are sure"


def plan_text(of: Plan) -> str:
    """Text of a dry run."""
    load = of.load
    steps = dict.fromkeys(phase.step for phase in of.phases)
    pairs = [
        ("osds", _osds(of) if load is None else f"{len(of.targets)} at once"),
        ("repeats", "" if load and load.saturates else _repeats(of.repeats, of.max_repeats)),
        *([("sample", step_text(step)) for step in steps] if load is None else []),
        ("sample", "" if load is None else load_text(load)),
        ("writes", _writes(of)),
        ("takes", f"about {duration(of.seconds)} (from {of.seconds_basis})"),
        ("at most", _at_most(of)),
        *[("note", note) for note in of.notes],
        *[("wears", _wears(one)) for one in of.wear],
        ("changes", _changes(of)),
        *admission_facts(of.admission),
        *(_phases(of) if load is None else []),
    ]
    return f"{of.profile} (dry run, nothing was started)\n{facts(pairs)}"


def _osds(of: Plan) -> str:
    """How many OSDs, and which are measured at once and in turn."""
    parts = _by_part(of.phases)
    if len(parts) > 1:
        return f"{len(of.targets)} in {plural(len(parts), 'phase')}"
    return f"{len(of.targets)} in {plural(len(of.waves), 'wave')}: {_in_turn(of.waves)}"


def _writes(of: Plan) -> str:
    most = "at most " if len(of.phases) > 1 else ""
    return f"{most}{size(of.bytes_per_osd)} per OSD, {size(of.bytes)} in all"


def _at_most(of: Plan) -> str:
    """Bytes and time if all optional repeats are made; empty without such."""
    if of.max_repeats <= of.repeats:
        return ""
    return f"{size(of.most_bytes_per_osd)} per OSD, {duration(of.most_seconds)}"


def _wears(wear: ClassWear) -> str:
    """Wear of one class: of the device, of its budget, of its life."""
    told = (
        (wear.full_write_percent, "at most {} of a device written once"),
        (
            wear.rated_day_percent,
            f"{{}} of a day at {wear.rated_writes_per_day} drive writes a day",
        ),
        (wear.budget_percent, f"{{}} of the budget of {size(wear.budget_bytes)} a day"),
        (wear.used_percent, "up to {} of the rated endurance used already"),
    )
    known = [words.format(_percent(value)) for value, words in told if value is not None]
    return f"{wear.device_class or 'no class'}: {', '.join(known) or 'not known'}"


def _percent(value: float) -> str:
    return f"{value:.2g} %" if value < 10 else f"{value:.0f} %"


def _changes(of: Plan) -> str:
    if of.holds is None:
        return "not known: the settings cannot be read now"
    return ", ".join(of.quiesce) or "nothing in the cluster's settings"


def _by_part(phases: Sequence[Phase]) -> Mapping[str, Sequence[Phase]]:
    """Phases by part: writes and reads after the same rest are one part."""
    found: dict[str, list[Phase]] = {}
    for phase in phases:
        found.setdefault(phase.part or phase.name, []).append(phase)
    return found


def _phases(of: Plan) -> list[tuple[str, str]]:
    """What each of several parts does, after which rest."""
    parts = _by_part(of.phases)
    told = []
    for name, (first, *others) in parts.items():
        does = " and ".join(_DOES[one.step.operation] for one in (first, *others))
        rest = f", after {duration(first.rest_seconds)} of rest" if first.rest_seconds else ""
        told.append(("phase", f"{name}: {does} on {_in_turn(first.waves)}{rest}"))
    return told if len(parts) > 1 else []


def _in_turn(waves: Sequence[Sequence[int]]) -> str:
    """OSDs at once, with commas, and these in turn."""
    shown = [",".join(map(str, osds[:12])) + ",…" * (len(osds) > 12) for osds in waves[:20]]
    more = [f"{len(waves) - 20} more"] * (len(waves) > 20)
    return "; ".join([*shown, *more])


def admission_facts(of: Admission) -> list[tuple[str, str]]:
    """Pairs for ``text.facts``: whether the round may start, reasons against it, unknowns."""
    may = "yes" if of.allowed else "only with --force" if of.forceable else "no"
    never = {True: "", False: " (--force does not override it)"}
    return [
        ("may start", may),
        *[("because", f"{one.message}{never[one.forceable]}") for one in of.refusals],
        *[("unchecked", one.message) for one in of.unknown],
        *[("tolerated", f"{one.code}: {one.summary}") for one in of.tolerated],
    ]


QUESTIONS = (
    Question("profile ls", profiles, text=listing(_PROFILES), rest="GET profile"),
    Question("profile show", profile, text=profile_text),
)
