"""The plan of a dry run as JSON and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ..model.json_fields import Json
from ..model.phrases import plural
from ..model.plan import Phase, Plan
from . import loads
from .profiles import repeats_text, step, step_text
from .schedules import admission_facts
from .text import GAP, NOTHING, duration, facts, size, table

_DOES = {"write": "writes", "read": "reads"}


def plan(plan_: Plan, admission: Json, quiesce: Sequence[str]) -> Json:
    """The answer to a dry run. ``quiesce`` lists the settings that would be changed."""
    return {
        "profile": plan_.profile,
        "step": step(plan_.step),
        "phases": [planned_phase(phase) for phase in plan_.phases],
        "repeats": plan_.repeats,
        "max_repeats": plan_.most,
        "waves": [list(wave) for wave in plan_.waves],
        "targets": [f"osd.{osd}" for osd in plan_.osds],
        "samples": plan_.samples,
        "bytes": sum(plan_.bytes_by_osd(plan_.repeats).values()),
        "bytes_per_osd": plan_.bytes_per_osd,
        "most_bytes_per_osd": plan_.most_bytes_per_osd,
        "most_seconds": plan_.most_seconds,
        "seconds": plan_.seconds,
        "seconds_basis": plan_.basis,
        "notes": list(plan_.notes),
        "load": None if plan_.load is None else asdict(plan_.load),
        "quiesce": list(quiesce),
        "admission": admission,
    }


def planned_phase(phase: Phase) -> Json:
    """One phase of a plan; ``rest_seconds`` is the rest before it."""
    return {
        "name": phase.name,
        "part": phase.part,
        "rest_seconds": phase.rest_seconds,
        "step": step(phase.step),
        "waves": [list(wave) for wave in phase.waves],
    }


# --- as text ---------------------------------------------------------------------------------


def plan_text(shape: Json) -> str:
    """Text of a dry run."""
    admission, load = shape["admission"], shape["load"]
    pairs = [
        ("osds", _osds(shape) if load is None else f"{len(shape['targets'])} at once"),
        ("repeats", repeats_text(shape) if load is None or not load["saturates"] else ""),
        *[("sample", step_text(one)) for one in _steps(shape["phases"]) if load is None],
        *([] if load is None else [("sample", loads.what(load))]),
        ("writes", _writes(shape)),
        ("takes", f"about {duration(shape['seconds'])} (from {shape['seconds_basis']})"),
        ("at most", _at_most(shape)),
        *[("note", note) for note in shape["notes"]],
        ("changes", ", ".join(shape["quiesce"]) or "nothing in the cluster's settings"),
        *admission_facts(admission),
    ]
    if len(shape["phases"]) > 1:
        head = f"{shape['profile']} (dry run, nothing was started)"
        return f"{head}\n{facts(pairs)}{GAP}{_phases(shape['phases'])}"
    rows = [
        [str(number_), _wave(wave)] for number_, wave in enumerate(shape["waves"][:20], start=1)
    ]
    more = len(shape["waves"]) - len(rows)
    tail = f"\n… and {more} more waves" if more else ""
    head = f"{shape['profile']} (dry run, nothing was started)"
    if load is not None:
        return f"{head}\n{facts(pairs)}"
    return f"{head}\n{facts(pairs)}{GAP}{table(['WAVE', 'OSD'], rows)}{tail}"


def _steps(phases: Sequence[Json]) -> list[Json]:
    """The distinct steps of all phases, in order."""
    found: list[Json] = []
    for phase in phases:
        if phase["step"] not in found:
            found.append(phase["step"])
    return found


def _osds(shape: Json) -> str:
    count, phases = len(shape["targets"]), _by_part(shape["phases"])
    if len(phases) == 1:
        return f"{count} in {plural(len(shape['waves']), 'wave')}"
    return f"{count} in {plural(len(phases), 'phase')}"


def _writes(shape: Json) -> str:
    most = "at most " if len(shape["phases"]) > 1 else ""
    return f"{most}{size(shape['bytes_per_osd'])} per OSD, {size(shape['bytes'])} in all"


def _by_part(shapes: Sequence[Json]) -> Mapping[str, Sequence[Json]]:
    """Phases by part: writes and reads after the same rest are one part."""
    found: dict[str, list[Json]] = {}
    for shape in shapes:
        found.setdefault(shape["part"] or shape["name"], []).append(shape)
    return found


def _phases(shapes: Sequence[Json]) -> str:
    rows = [
        [
            name,
            duration(first["rest_seconds"]) if first["rest_seconds"] else NOTHING,
            " + ".join(_wave(wave) for wave in first["waves"][:4])
            + (" + …" if len(first["waves"]) > 4 else ""),
            ", ".join(_DOES[one["step"]["operation"]] for one in (first, *others)),
        ]
        for name, (first, *others) in _by_part(shapes).items()
    ]
    return table(["PHASE", "REST BEFORE", "OSD", "DOES"], rows)


def _at_most(shape: Json) -> str:
    """Bytes and time if all optional repeats are made; empty without such."""
    if shape["max_repeats"] <= shape["repeats"]:
        return ""
    return f"{size(shape['most_bytes_per_osd'])} per OSD, {duration(shape['most_seconds'])}"


def _wave(osds: Sequence[int]) -> str:
    shown = ",".join(str(osd) for osd in osds[:12])
    return shown + (f",… ({len(osds)} OSDs)" if len(osds) > 12 else "")
