"""Profiles and dry runs: ``profile ls``, ``profile show``, ``round start --dry-run``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from ..model import plan
from ..model.admission import Admission, ClassWear
from ..model.phrases import osd_names, plural
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
    takes = f"at most {duration(of.estimate.seconds)} per OSD, as osd_bench limits assume"
    if of.kind == "rados":
        takes = "--seconds a repeat, and as much again to fill the pool before reads"
    pairs = [
        ("what", of.description),
        ("repeats", _repeats(of.repeats, of.max_repeats)),
        ("noisy over", f"{of.max_cv_percent:g} % (CV)"),
        *[("step", step_text(step)) for step in of.steps if of.kind == "osd"],
        ("writes", f"{size(of.estimate.bytes_per_osd)} per OSD"),
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
        ("osds", _in_turn(of.waves)),
        ("repeats", "" if load and load.saturates else _repeats(of.repeats, of.max_repeats)),
        *([("sample", step_text(step)) for step in steps] if load is None else []),
        ("sample", "" if load is None else load_text(load)),
        ("writes", f"up to {size(of.bytes_per_osd)} per OSD, {size(of.bytes)} in all"),
        ("takes", f"about {duration(of.seconds)} (from {of.seconds_basis})"),
        ("at most", _at_most(of)),
        *[("note", note) for note in of.notes],
        *[("wears", _wears(one)) for one in of.wear],
        ("changes", _changes(of)),
        *admission_facts(of.admission),
        *[("phase", _phase(one)) for one in of.phases if len(of.phases) > 1],
    ]
    return f"{of.profile} (dry run, nothing was started)\n{facts(pairs)}"


def _at_most(of: Plan) -> str:
    """Bytes and time if all optional repeats are made; empty without such."""
    if of.max_repeats <= of.repeats:
        return ""
    return f"{size(of.most_bytes_per_osd)} per OSD, {duration(of.most_seconds)}"


def _wears(wear: ClassWear) -> str:
    """What the devices of a class would have written of what they may a day."""
    share = "not known" if wear.budget_percent is None else _percent(wear.budget_percent)
    class_, budget = wear.device_class or "no class", size(wear.budget_bytes)
    return f"{class_}: {share} of the budget of {budget} a day"


def _percent(value: float) -> str:
    return f"{value:.2g} %" if value < 10 else f"{value:.0f} %"


def _changes(of: Plan) -> str:
    if of.holds is None:
        return "not known: the settings cannot be read now"
    return ", ".join(of.quiesce) or "nothing in the cluster's settings"


def _phase(of: Phase) -> str:
    """What a phase does, after which rest."""
    rest = f", after {duration(of.rest_seconds)} of rest" if of.rest_seconds else ""
    return f"{of.name}: {_DOES[of.step.operation]} on {_in_turn(of.waves)}{rest}"


def _in_turn(waves: Sequence[Sequence[int]]) -> str:
    """The first OSDs, and in how many waves these are measured."""
    osds = [osd for wave in waves for osd in wave]
    return f"{osd_names(osds)} in {plural(len(waves), 'wave')}"


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
