"""What next: the steps of a finding's kind, with the finding's own names in the commands."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Callable, Optional

from ..hardware.enclosures import DrivePlaces, EnclosureInventory
from ..model import finding_kinds
from ..model.cluster import Cluster
from ..model.finding import Finding, FindingState
from ..model.finding_kinds import BY_CODE, Orchestrated, StepFacts, Steps
from .paging import MAPS_AGE
from .text import GAP, facts

SECTIONS = ("check", "relieve", "replace")
_TITLES = {
    "check": "what to check",
    "relieve": "how to relieve it now",
    "replace": "how to stop or replace it safely",
}
UNNAMED = "Nothing that can be said without knowing which OSD it is: see the evidence"
# OSDs that a command may list, and that are named as those for which the same is to be done.
MOST_OSDS, _NAMED = 64, 8


@dataclass(frozen=True)
class NextStep:
    """A step, and its command for a shell; null: none."""

    text: str
    command: Optional[str]


@dataclass(frozen=True)
class NextSteps:
    """What to check, how to relieve it now, how to stop or replace the part safely."""

    check: Sequence[NextStep]
    relieve: Sequence[NextStep]
    replace: Sequence[NextStep]


def steps_of(
    inventory: EnclosureInventory, cluster: Cluster, orchestrator: Callable[[], Optional[str]]
) -> Callable[[Finding], Optional[NextSteps]]:
    """A function that returns a finding's steps, for the findings of one answer.

    None for those that are closed, and of a kind that this version does not know.
    ``orchestrator`` returns the name of its backend, None without one.
    """
    places = DrivePlaces(inventory, cluster, MAPS_AGE)
    backend = orchestrator()

    def of(finding: Finding) -> Optional[NextSteps]:
        if finding.state is FindingState.CLOSED:
            return None
        osds = _osds(finding, places)
        place = places.of(osds[0]) if osds else None
        host = finding.target.id if finding.target.kind == "host" else None
        if host is None and place is not None:
            host = place.host
        return next_steps(finding, StepFacts(osds, host, place, backend))

    return of


def _osds(finding: Finding, places: DrivePlaces) -> list[int]:
    """The OSDs that a finding is about, those that do not exist any more left out."""
    target = finding.target
    if target.kind == "osd":
        found = [int(target.id)] if target.id.isdigit() else []
    else:
        named = finding.evidence.get("osds")
        found = [osd for osd in named if isinstance(osd, int)] if isinstance(named, list) else []
        if not found and target.kind == "host":
            found = [osd.id for osd in places.osds.values() if osd.host == target.id]
        if not found and target.kind == "enclosure":
            found = places.in_enclosure(target.id)
    return sorted(osd for osd in set(found) if osd in places.osds)


def next_steps(finding: Finding, known: StepFacts) -> Optional[NextSteps]:
    """The steps with what is known for their placeholders; None for an unknown kind."""
    kind = BY_CODE.get(finding.code)
    if kind is None:
        return None
    values = _values(finding, known)
    return NextSteps(*(_section(getattr(kind, section), values, known) for section in SECTIONS))


def _section(steps: Steps, values: Mapping[str, str], known: StepFacts) -> list[NextStep]:
    found = []
    of_one = False
    for step in steps:
        shape = _filled(step, values, known.orchestrator)
        if shape is not None:
            found.append(shape)
            of_one = of_one or bool(_OF_ONE & _names(step))
    if not found:
        return [NextStep(UNNAMED, None)]
    if of_one and len(known.osds) > 1:
        others = ", ".join(f"osd.{osd}" for osd in known.osds[1 : 1 + _NAMED])
        rest = len(known.osds) - 1 - _NAMED
        more = f" and {rest} more" if rest > 0 else ""
        found.append(
            NextStep(
                f"The commands are for osd.{known.osds[0]}; one after the other the same for "
                f"{others}{more}",
                None,
            )
        )
    return found


def _filled(
    step: finding_kinds.NextStep, values: Mapping[str, str], backend: Optional[str]
) -> Optional[NextStep]:
    """The step with its names; None if it is left out."""
    possible = {
        Orchestrated.ANY: True,
        Orchestrated.SOME: backend is not None,
        Orchestrated.CEPHADM: backend == "cephadm",
        Orchestrated.NOT_CEPHADM: backend != "cephadm",
    }
    if not possible[step.needs]:
        return None
    if _names(step) <= values.keys():
        quoted = {name: _quoted(name, value) for name, value in values.items()}
        command = step.command.format_map(quoted)
        return NextStep(step.words.format_map(values), command or None)
    if step.unknown and _used(step.unknown) <= values.keys() and "osd" in values:
        return NextStep(step.unknown.format_map(values), None)
    return None


def _names(step: finding_kinds.NextStep) -> set[str]:
    return _used(step.words) | _used(step.command)


def _used(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


# Lists of OSDs: several words of a command.
_LISTS = ("osds", "on_drive", "units")
# Placeholders that are of one OSD: where there are several, the same is to be done for each.
_OF_ONE = {"osd", "on_drive"}


def _quoted(name: str, value: str) -> str:
    return value if name in _LISTS else shlex.quote(value)


def _values(finding: Finding, known: StepFacts) -> dict[str, str]:
    """The placeholders whose value is known."""
    found: dict[str, Optional[str]] = {"target": finding.target.id, "host": known.host}
    if known.osds:
        found["osd"] = str(known.osds[0])
    if 0 < len(known.osds) <= MOST_OSDS:
        found["osds"] = _listed(known.osds)
    place = known.place
    if place is not None:
        on_drive = place.osds or (place.osd,)
        found.update(
            device=place.device,
            device_id=place.device_id,
            enclosure=place.enclosure,
            slot=place.slot,
            on_drive=_listed(on_drive),
            units=" ".join(f"ceph-osd@{osd}" for osd in on_drive),
            drive_osds=", ".join(f"osd.{osd}" for osd in place.osds) or None,
            shared=place.device if len(place.osds) > 1 else None,
            perhaps=_named(place.perhaps),
        )
    return {name: value for name, value in found.items() if value}


def _listed(osds: Sequence[int]) -> str:
    return " ".join(map(str, osds))


def _named(osds: Sequence[int]) -> str:
    """The first OSDs by name, and how many more; "" for none."""
    some = ", ".join(f"osd.{osd}" for osd in osds[:_NAMED])
    return f"{some} and {len(osds) - _NAMED} more" if len(osds) > _NAMED else some


def steps_text(steps: Optional[NextSteps]) -> str:
    """The steps below a finding; empty for none."""
    if steps is None:
        return ""
    parts = []
    for section in SECTIONS:
        lines = [_TITLES[section]]
        for step in getattr(steps, section):
            lines.append(facts([("-", step.text)]))
            if step.command:
                lines.append(f"     {step.command}")
        parts.append("\n".join(lines))
    return GAP + GAP.join(parts)


def documented(step: finding_kinds.NextStep, names: Mapping[str, str]) -> str:
    """The step for the documentation, with ``names`` for its placeholders."""
    words = step.words.format_map(names)
    command = step.command.format_map(names)
    when = "" if step.needs is Orchestrated.ANY else f" ({step.needs.value})"
    return f"{words}{when}" + (f": `{command}`" if command else "")
