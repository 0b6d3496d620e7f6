"""What next: the steps of a finding's kind, with the finding's own names in the commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Callable, Optional

from ..hardware.enclosures import DrivePlaces
from ..model.finding import Finding, FindingState
from ..model.finding_kinds import BY_CODE, steps_in
from ..model.hardware import DrivePlace
from .api import MAPS_AGE, Api
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


def steps_of(api: Api) -> Callable[[Finding], Optional[NextSteps]]:
    """A function that returns a finding's steps, for the findings of one answer.

    None for those that are closed, and of a kind that this version does not know.
    """
    places = DrivePlaces(api.inventory, api.cluster, MAPS_AGE)
    backend = api.orchestrator()

    def of(finding: Finding) -> Optional[NextSteps]:
        if finding.state is FindingState.CLOSED:
            return None
        osds = _osds(finding, places)
        return next_steps(finding, osds, places.of(osds[0]) if osds else None, backend)

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


def next_steps(
    finding: Finding,
    osds: Sequence[int] = (),
    place: Optional[DrivePlace] = None,
    orchestrator: Optional[str] = None,
) -> Optional[NextSteps]:
    """The steps with what is known for their placeholders; None for an unknown kind.

    ``osds`` are all OSDs of the finding, ``place`` is that of the first.
    """
    kind = BY_CODE.get(finding.code)
    if kind is None:
        return None
    values = _values(finding, osds, place)
    possible = {
        "": True,
        "(with an orchestrator) ": orchestrator is not None,
        "(with cephadm) ": orchestrator == "cephadm",
        "(without cephadm) ": orchestrator != "cephadm",
    }
    found = []
    for section in SECTIONS:
        steps = [_STEP.fullmatch(step) for step in steps_in(getattr(kind, section))]
        here = [step for step in steps if step and possible[step["needs"] or ""]]
        found.append(_section(here, values, osds))
    return NextSteps(*found)


# A step, as in the table of kinds.
_STEP = re.compile(
    r"(?P<needs>\(with[^)]*\) )?(?P<words>[^`]+?)( `(?P<command>[^`]+)`)?( ELSE (?P<unknown>.+))?"
)


def _section(
    steps: Sequence[re.Match[str]], values: Mapping[str, str], osds: Sequence[int]
) -> list[NextStep]:
    quoted = {name: _quoted(name, value) for name, value in values.items()}
    found = []
    of_one = False
    for step in steps:
        words, command, unknown = step["words"], step["command"] or "", step["unknown"]
        names = _names(words + command)
        if names <= values.keys():
            found.append(NextStep(words.format_map(values), command.format_map(quoted) or None))
            of_one = of_one or bool(_OF_ONE & names)
        elif unknown and _names(unknown) <= values.keys() and "osd" in values:
            found.append(NextStep(unknown.format_map(values), None))
    if not found:
        return [NextStep(UNNAMED, None)]
    if of_one and len(osds) > 1:
        text = f"The commands are for osd.{osds[0]}; one after the other the same for "
        found.append(NextStep(text + _named(osds[1:]), None))
    return found


def _names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


# Lists of OSDs: several words of a command.
_LISTS = ("osds", "its_osds", "osd_units")
# Placeholders that are of one OSD: where there are several, the same is to be done for each.
_OF_ONE = {"osd", "its_osds"}


def _quoted(name: str, value: str) -> str:
    return value if name in _LISTS else shlex.quote(value)


def _values(finding: Finding, osds: Sequence[int], place: Optional[DrivePlace]) -> dict[str, str]:
    """The placeholders whose value is known."""
    target = finding.target
    of_place = place.host if place else None
    host = target.id if target.kind == "host" else of_place
    found: dict[str, Optional[str]] = {"target": target.id, "host": host}
    if osds:
        found["osd"] = str(osds[0])
    if 0 < len(osds) <= MOST_OSDS:
        found["osds"] = _listed(osds)
    if place is not None:
        its_osds = place.osds or (place.osd,)
        found.update(
            device=place.device,
            device_id=place.device_id,
            enclosure=place.enclosure,
            slot=place.slot,
            its_osds=_listed(its_osds),
            osd_units=" ".join(f"ceph-osd@{osd}" for osd in its_osds),
            drive_osds=", ".join(f"osd.{osd}" for osd in place.osds) or None,
            shared_device=place.device if len(place.osds) > 1 else None,
            other_osds=_named(place.perhaps),
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
