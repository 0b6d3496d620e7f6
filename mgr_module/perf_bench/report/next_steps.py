"""What next: the steps of a finding's kind, with the finding's own names in the commands."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Optional

from ..answers.text import GAP, facts
from ..model.finding import Finding
from ..model.finding_kinds import BY_CODE, NextStep, Orchestrated, StepFacts, Steps
from ..model.json_fields import Json

SECTIONS = ("check", "relieve", "replace")
_TITLES = {
    "check": "what to check",
    "relieve": "how to relieve it now",
    "replace": "how to stop or replace it safely",
}
UNNAMED = "Nothing that can be said without knowing which OSD it is: see the evidence"
SAME_FOR = "The commands are for osd.{osd}; one after the other the same for {others}"
SAME_FOR_MORE = f"{SAME_FOR} and {{more}} more"
# OSDs that a command may list, and that are named as those for which the same is to be done.
MOST_OSDS, _NAMED = 64, 8


def next_steps(finding: Finding, known: StepFacts) -> Optional[Json]:
    """By section the steps, each ``{text, command}``; None for an unknown kind.

    ``words`` is the text without its names, for translations, ``values`` are the names.
    """
    kind = BY_CODE.get(finding.code)
    if kind is None:
        return None
    values = _values(finding, known)
    return {section: _section(getattr(kind, section), values, known) for section in SECTIONS}


def _section(steps: Steps, values: Mapping[str, str], known: StepFacts) -> list[Json]:
    found = []
    of_one = False
    for step in steps:
        shape = _filled(step, values, known.orchestrator)
        if shape is not None:
            found.append(shape)
            of_one = of_one or "osd" in _names(step)
    if not found:
        return [_step(UNNAMED)]
    if of_one and len(known.osds) > 1:
        others = ", ".join(f"osd.{osd}" for osd in known.osds[1 : 1 + _NAMED])
        rest = len(known.osds) - 1 - _NAMED
        named = {"osd": str(known.osds[0]), "others": others}
        if rest > 0:
            found.append(_step(SAME_FOR_MORE, {**named, "more": str(rest)}))
        else:
            found.append(_step(SAME_FOR, named))
    return found


def _filled(step: NextStep, values: Mapping[str, str], backend: Optional[str]) -> Optional[Json]:
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
        return _step(step.words, values, step.command.format_map(quoted))
    if step.unknown and _used(step.unknown) <= values.keys() and "osd" in values:
        return _step(step.unknown, values)
    return None


def _step(words: str, values: Optional[Mapping[str, str]] = None, command: str = "") -> Json:
    named = {name: (values or {})[name] for name in sorted(_used(words))}
    return {
        "text": words.format_map(named),
        "command": command or None,
        "words": words,
        "values": named,
    }


def _names(step: NextStep) -> set[str]:
    return _used(step.words) | _used(step.command)


def _used(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


# Lists of OSDs: several words of a command, made of numbers.
_LISTS = ("osds", "on_drive")


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


def text(shape: Optional[Json]) -> str:
    """Print the steps below a finding; empty for none."""
    if shape is None:
        return ""
    parts = []
    for section in SECTIONS:
        lines = [f"{_TITLES[section]}"]
        for step in shape[section]:
            lines.append(facts([("-", step["text"])]))
            if step["command"]:
                lines.append(f"     {step['command']}")
        parts.append("\n".join(lines))
    return GAP + GAP.join(parts)


def documented(step: NextStep, names: Mapping[str, str]) -> str:
    """The step for the documentation, with ``names`` for its placeholders."""
    words = step.words.format_map(names)
    command = step.command.format_map(names)
    when = "" if step.needs is Orchestrated.ANY else f" ({step.needs.value})"
    return f"{words}{when}" + (f": `{command}`" if command else "")
