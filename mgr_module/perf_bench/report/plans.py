"""The plan of a dry run as JSON and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ..answers.text import GAP, NOTHING, duration, facts, iso, size, table
from ..model.admission import Admission, ClassWear
from ..model.comparison import Forecast, NotedLatency, PastRound
from ..model.json_fields import Json
from ..model.phrases import plural
from ..model.plan import Phase, Plan
from ..model.quiesce import SettingChange
from . import loads
from .profiles import repeats_text, step, step_text
from .quiesce import changes_text

_DOES = {"write": "writes", "read": "reads"}


def plan(plan_: Plan, decision: Admission, forecast: Forecast) -> Json:
    """The answer to a dry run. ``holds`` are the settings that change, null if unknown."""
    holds = forecast.holds
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
        "most_bytes": sum(plan_.bytes_by_osd(plan_.most).values()),
        "most_bytes_per_osd": plan_.most_bytes_per_osd,
        "most_seconds": plan_.most_seconds,
        "seconds": plan_.seconds,
        "seconds_basis": plan_.basis,
        "notes": list(plan_.notes),
        "load": None if plan_.load is None else asdict(plan_.load),
        "quiesce": changes_text(holds or ()),
        "holds": None if holds is None else [_held(change) for change in holds],
        "held_seconds": forecast.held_seconds,
        "wear": [_wear(one) for one in forecast.wear],
        "clients": {
            "state": forecast.clients.state.value,
            "rounds": [_felt(one) for one in forecast.clients.rounds],
        },
        "admission": admission(decision),
    }


def _held(change: SettingChange) -> Json:
    return {"what": change.what, "was": change.was, "want": change.want}


def _wear(found: ClassWear) -> Json:
    shape = asdict(found)
    return {"class": shape.pop("device_class"), **shape}


def _felt(found: PastRound) -> Json:
    """What clients felt of a round; ``times`` is the median against before."""
    clients = found.clients
    return {
        "round": found.id,
        "at": iso(found.ended_at),
        "verdict": None if found.verdict is None else found.verdict.value,
        "at_once": found.at_once,
        **(client_latency(clients) if clients is not None else {}),
    }


def client_latency(found: NotedLatency) -> Json:
    """Clients' latency around a round; ``times`` is the median against before."""
    return {**asdict(found), "times": found.median_ms / found.before_ms}


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
    decided, load = shape["admission"], shape["load"]
    pairs = [
        ("osds", _osds(shape) if load is None else f"{len(shape['targets'])} at once"),
        ("repeats", repeats_text(shape) if load is None or not load["saturates"] else ""),
        *[("sample", step_text(one)) for one in _steps(shape["phases"]) if load is None],
        *([] if load is None else [("sample", loads.what(load))]),
        ("writes", _writes(shape)),
        ("takes", f"about {duration(shape['seconds'])} (from {shape['seconds_basis']})"),
        ("at most", _at_most(shape)),
        *[("note", note) for note in shape["notes"]],
        *[("wears", _wears(one)) for one in shape["wear"]],
        *_clients(shape["clients"]),
        ("changes", _changes(shape)),
        *admission_facts(decided),
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


def _wears(wear: Json) -> str:
    """Wear of one class: of the device, of its budget, of its life."""
    name = wear["class"] or "no class"
    full, rated, spent, used = (
        wear[key]
        for key in ("full_write_percent", "rated_day_percent", "budget_percent", "used_percent")
    )
    parts = [
        "size of the devices not known"
        if full is None
        else f"at most {_percent(full)} of a device written once",
        ""
        if rated is None
        else f"{_percent(rated)} of a day at {wear['rated_writes_per_day']:g} drive writes a day",
        ""
        if spent is None
        else f"{_percent(spent)} of the budget of {size(wear['budget_bytes'])} a day",
        ("" if wear["class"] == "hdd" else "used endurance not known")
        if used is None
        else f"up to {_percent(used)} of the rated endurance used already",
    ]
    return f"{name}: {', '.join(part for part in parts if part)}"


def _percent(value: float) -> str:
    return f"{value:.2g} %" if value < 10 else f"{value:.0f} %"


_NOT_FELT = {
    "no-rounds": "not known: no comparable round yet",
    "not-measured": "not known: too few operations in the comparable rounds, or the watch was off",
    "own-clients": "not known: rounds of clients do most of the operations themselves",
    "unread": "not known: the database does not answer",
}


def _clients(shape: Json) -> list[tuple[str, str]]:
    if shape["state"] in _NOT_FELT:
        return [("clients", _NOT_FELT[shape["state"]])]
    line = "{before_ms:.3g} to {median_ms:.3g} ms, at worst {highest_ms:.3g} ms, in round {round}"
    return [("clients", line.format_map(felt)) for felt in shape["rounds"]]


def _changes(shape: Json) -> str:
    if shape["holds"] is None:
        return "not known: the settings cannot be read now"
    return ", ".join(shape["quiesce"]) or "nothing in the cluster's settings"


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


def admission(decision: Admission) -> Json:
    """The decision on a round. ``forceable``: ``--force`` overrides the refusal."""
    return {
        "allowed": decision.allowed,
        "reasons": list(map(str, decision.reasons)),
        "refusals": [asdict(refusal) for refusal in decision.refusals],
        "forceable": not decision.allowed and decision.forceable,
        "unknown": [asdict(unknown) for unknown in decision.unknowns],
        "tolerated": [asdict(check) for check in decision.tolerated],
    }


def admission_facts(shape: Json) -> list[tuple[str, str]]:
    """Pairs for ``text.facts``: whether the round may start, reasons against it, unknowns."""
    may = "yes" if shape["allowed"] else "only with --force" if shape["forceable"] else "no"
    return [
        ("may start", may),
        *[("because", _reason(refusal)) for refusal in shape["refusals"]],
        *[("unchecked", unknown["message"]) for unknown in shape["unknown"]],
        *[("tolerated", f"{one['code']}: {one['summary']}") for one in shape["tolerated"]],
    ]


def _reason(refusal: Json) -> str:
    never = "" if refusal["forceable"] else " (--force does not override it)"
    return f"{refusal['message']}{never}"
