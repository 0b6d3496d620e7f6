"""The database: its public JSON, and what people read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple, Optional

from ..model.damage import StoreChecked, StoreJob, StoreState, UnreadableRow
from ..model.json_fields import Json
from .text import facts, iso, minute, size


class File(NamedTuple):
    """``found`` is backend, bytes, rounds and schema version; None while nothing answers."""

    found: Optional[tuple[str, int, int, int]]
    error: Optional[str]
    integrity: str
    checked: Optional[StoreChecked]
    state: StoreState


def status(file: File, unreadable: Sequence[UnreadableRow], job: Optional[StoreJob]) -> Json:
    """The database, what of it was set aside, and its backups."""
    backend, bytes_, rounds, version = file.found or (None, None, None, None)
    mark = file.state.mark
    return {
        "backend": backend,
        "file": mark.file if mark else None,
        "bytes": bytes_,
        "rounds": rounds,
        "schema_version": version,
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
        "job": None
        if job is None
        else {"what": job.what, "file": job.file, "state": job.state, "problem": job.problem},
        "error": file.error,
    }


def status_text(shape: Json) -> str:
    """Print ``store status``."""
    lines = [
        ("backend", f"{shape['backend'] or '-'}, {shape['file'] or '-'}"),
        ("size", "-" if shape["bytes"] is None else size(shape["bytes"])),
        ("rounds", "-" if shape["rounds"] is None else str(shape["rounds"])),
        ("schema", "-" if shape["schema_version"] is None else str(shape["schema_version"])),
        ("integrity", _integrity(shape)),
    ]
    if shape["error"]:
        lines.append(("error", shape["error"]))
    job = shape["job"]
    if job is not None and job["what"] != "check":
        lines.append(("newest job", job_text(job)))
    lines += [("set aside", _set_aside(one)) for one in shape["set_aside"]]
    lines += [
        ("backup", f"{one['file']}, {minute(one['at'])} UTC, {one['rows']} rows")
        for one in shape["backups"]
    ]
    return facts(lines)


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
    return f"{job['what']}{file} {job['state']}{': ' + job['problem'] if job['problem'] else ''}"
