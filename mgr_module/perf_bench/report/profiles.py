"""Profiles and their steps, as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from ..answers.text import duration, facts, size, table
from ..model.bench import READ, BenchLimits, Step
from ..model.json_fields import Json
from ..model.profile import Profile


def step(step_: Step) -> Json:
    """One bench call: its sizes in bytes, and whether it writes onto prefilled objects."""
    return {**asdict(step_), "prefilled": step_.prefilled}


def profile(profile_: Profile) -> Json:
    """A profile. The estimate is an upper bound for one OSD, at the rate its limits assume."""
    limits = BenchLimits()
    times = profile_.repeats * profile_.parts
    worst = times * sum(limits.worst_seconds(step_) for step_ in profile_.steps)
    written = profile_.writings * sum(step_.bytes_written for step_ in profile_.steps)
    kept = sum(step_.prepared_bytes for step_ in profile_.steps if step_.operation == READ)
    return {
        "name": profile_.name,
        "kind": profile_.kind,
        "description": profile_.description,
        "repeats": profile_.repeats,
        "max_repeats": profile_.max_repeats,
        "max_cv_percent": profile_.max_cv_percent,
        "steps": [step(step_) for step_ in profile_.steps],
        "estimate": {
            "seconds": round(worst + profile_.rests * profile_.rest_seconds, 1),
            "bytes_per_osd": written + kept,
        },
    }


# --- as text ---------------------------------------------------------------------------------


def profiles_text(shapes: Sequence[Json]) -> str:
    """Text of ``profile ls``."""
    rows = [
        [s["name"], str(s["repeats"]), size(s["estimate"]["bytes_per_osd"]), s["description"]]
        for s in shapes
    ]
    head = ["PROFILE", "REPEATS", "WRITES/OSD", "WHAT"]
    return table(head, rows)


def profile_text(shape: Json) -> str:
    """Text of ``profile show``."""
    estimate = shape["estimate"]
    if shape["kind"] == "rados":
        return _load_profile(shape)
    pairs = [
        ("what", shape["description"]),
        ("repeats", repeats_text(shape)),
        ("noisy over", f"{shape['max_cv_percent']:g} % (median CV)"),
        *[("step", step_text(s)) for s in shape["steps"]],
        ("writes", f"{size(estimate['bytes_per_osd'])} per OSD"),
        ("takes", f"at most {duration(estimate['seconds'])} per OSD, as osd_bench limits assume"),
    ]
    return f"{shape['name']} ({shape['kind']})\n{facts(pairs)}"


def _load_profile(shape: Json) -> str:
    written = size(shape["estimate"]["bytes_per_osd"])
    pairs = [
        ("what", shape["description"]),
        ("repeats", repeats_text(shape)),
        ("noisy over", f"{shape['max_cv_percent']:g} % (CV between repeats)"),
        ("writes", f"{written} per OSD in 30 s a repeat, as fast as osd_bench limits assume"),
        ("takes", "--seconds a repeat, and as much again to fill the pool before reads"),
    ]
    return f"{shape['name']} ({shape['kind']})\n{facts(pairs)}"


def step_text(shape: Json) -> str:
    """One bench call as text."""
    if shape["operation"] == "read":
        objects = f"{shape['object_count']} objects of {size(shape['object_size'])}"
        return f"{size(shape['total_bytes'])} read from {objects} on each OSD"
    written = f"{size(shape['total_bytes'])} in {size(shape['block_size'])} writes"
    if not shape["prefilled"]:
        return f"{written} onto fresh objects"
    objects = f"{shape['object_count']} prefilled objects of {size(shape['object_size'])}"
    return f"{written} onto {objects}"


def repeats_text(shape: Json) -> str:
    """Repeats as text: planned ones, or least to most where precision decides."""
    least, most = shape["repeats"], shape["max_repeats"]
    return str(least) if most <= least else f"{least} to {most}, until figures are sure"
