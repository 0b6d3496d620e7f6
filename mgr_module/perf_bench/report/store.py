"""The database: its public JSON, and what people read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple, Optional

from ..answers.text import facts, iso, minute, size
from ..model.bench import MIB
from ..model.json_fields import Json
from ..model.phrases import plural
from ..model.store import (
    BY_OPERATOR,
    RemovedRound,
    RetentionRules,
    Sizes,
    StoreChecked,
    StoreJob,
    StoreState,
    StoreUsage,
    UnreadableRow,
)


class Found(NamedTuple):
    """What the database answers; ``removed`` are the rounds that were removed last."""

    backend: str
    usage: StoreUsage
    rounds: int
    version: int
    removed: Sequence[RemovedRound]


class File(NamedTuple):
    """``found`` is None while nothing answers, ``sizes`` before all rows were read."""

    found: Optional[Found]
    error: Optional[str]
    integrity: str
    checked: Optional[StoreChecked]
    state: StoreState
    rules: RetentionRules
    sizes: Optional[Sizes]


def status(file: File, unreadable: Sequence[UnreadableRow], job: Optional[StoreJob]) -> Json:
    """The database, its size, what of it was set aside or removed, and its backups."""
    mark, found = file.state.mark, file.found
    usage = found.usage if found else None
    return {
        "backend": found.backend if found else None,
        "file": mark.file if mark else None,
        "bytes": usage.bytes if usage else None,
        "free_bytes": usage.free if usage else None,
        "can_shrink": usage.shrinkable if usage else None,
        "limits": {
            "keep_rounds": file.rules.rounds,
            "keep_round_days": file.rules.days,
            "keep_store_mib": file.rules.mebibytes,
        },
        "rounds": found.rounds if found else None,
        "kinds": [one._asdict() for one in file.sizes.kinds] if file.sizes else [],
        "kinds_at": iso(file.sizes.at) if file.sizes else None,
        "removed": [_removed(one) for one in found.removed] if found else [],
        "schema_version": found.version if found else None,
        "integrity": file.integrity,
        "checked_at": iso(file.checked.at) if file.checked else None,
        "set_aside": [
            *({"kind": "row", "what": str(row), "why": row.why} for row in unreadable),
            *(
                {
                    "kind": "file",
                    "what": one.file,
                    "why": one.why,
                    "at": iso(one.at),
                    "event": one.event.value,
                    "rows_taken_over": one.rows,
                    "missing": list(one.missing),
                }
                for one in (mark.incidents if mark else ())
            ),
        ],
        "backups": [{**asdict(one), "at": iso(one.at)} for one in (mark.backups if mark else ())],
        "job": None if job is None else job_shape(job),
        "error": file.error,
    }


def job_shape(job: StoreJob) -> Json:
    """A copy of the database; ``file`` is the one that it makes or restores."""
    return {
        "what": job.what,
        "file": job.file,
        "state": job.state,
        "problem": job.problem,
        "missing": [],
    }


def _removed(one: RemovedRound) -> Json:
    return {
        "round": one.round_id,
        "profile": one.profile,
        "label": one.label,
        "created_at": iso(one.created_at),
        "removed_at": iso(one.removed_at),
        "why": one.why,
    }


def removed_note(history: Sequence[RemovedRound]) -> str:
    """What retention has removed, in a line; empty for nothing. ``history`` is newest first."""
    ours = [one for one in history if one.why != BY_OPERATOR]
    if not ours:
        return ""
    newest = ours[0]
    return (
        f"\nretention has removed {plural(len(ours), 'round')}, last round {newest.round_id} on "
        f"{minute(iso(newest.removed_at))} UTC: 'ceph perf-bench store status'"
    )


def status_text(shape: Json) -> str:
    """Print ``store status``."""
    lines = [
        ("backend", f"{shape['backend'] or '-'}, {shape['file'] or '-'}"),
        ("size", _size(shape)),
        *(("takes", _kind(one)) for one in shape["kinds"] if one["rows"]),
        ("rounds", "-" if shape["rounds"] is None else str(shape["rounds"])),
        ("schema", "-" if shape["schema_version"] is None else str(shape["schema_version"])),
        ("integrity", _integrity(shape)),
    ]
    if shape["error"]:
        lines.append(("error", shape["error"]))
    job = shape["job"]
    if job is not None:
        lines.append(("newest job", job_text(job)))
    lines += [("set aside", _set_aside(one)) for one in shape["set_aside"]]
    lines += [
        ("backup", f"{one['file']}, {minute(one['at'])} UTC, {one['rows']} rows")
        for one in shape["backups"]
    ]
    lines += [("removed", _removed_text(one)) for one in shape["removed"]]
    return facts(lines)


def _size(shape: Json) -> str:
    if shape["bytes"] is None:
        return "-"
    most = size(shape["limits"]["keep_store_mib"] * MIB)
    free = f", {size(shape['free_bytes'])} of it unused" if shape["free_bytes"] else ""
    fixed = "" if shape["can_shrink"] else ", cannot shrink"
    return f"{size(shape['bytes'])} of at most {most}{free}{fixed}"


def _kind(one: Json) -> str:
    return f"about {size(one['bytes'])} for {one['rows']} {one['kind']}"


def _removed_text(one: Json) -> str:
    label = f", {one['label']}" if one["label"] else ""
    when = f"of {minute(one['created_at'])}, removed {minute(one['removed_at'])} UTC"
    return f"round {one['round']} ({one['profile']}{label}) {when}: {one['why']}"


def _integrity(shape: Json) -> str:
    checked = f", checked {minute(shape['checked_at'])} UTC" if shape["checked_at"] else ""
    return f"{shape['integrity']}{checked}"


def _set_aside(one: Json) -> str:
    if one["kind"] == "row":
        return f"{one['what']}: {one['why']}"
    taken = f", {one['rows_taken_over']} rows taken over" if one["rows_taken_over"] else ""
    missing = f", missing: {', '.join(one['missing'])}" if one["missing"] else ""
    return f"{one['what']} {one['event']} {minute(one['at'])} UTC ({one['why']}){taken}{missing}"


def job_text(job: Json) -> str:
    """What became of a backup or a restore."""
    file = f" {job['file']}" if job["file"] else ""
    if job["state"] == "running":
        return f"{job['what']}{file} goes on: 'ceph perf-bench store status' tells when it is done"
    problem = f": {job['problem']}" if job["problem"] else ""
    return f"{job['what']}{file} {job['state']}{problem}"
