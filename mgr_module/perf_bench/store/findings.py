"""Stores findings as rows, so that they survive the mgr; the ledger (watch/) manages them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..model.decode import decode, from_json
from ..model.finding import Finding
from .rows import dump
from .unreadable import UnreadableRows

_COLUMNS = (
    "id", "code", "severity", "target_kind", "target_id", "message", "evidence", "first_seen",
    "last_seen", "state", "muted_until", "closed_at", "acknowledged",
)  # fmt: skip
_NAMES, _MARKS = ", ".join(_COLUMNS), ", ".join("?" * len(_COLUMNS))
_SET = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
_INSERT = f"INSERT INTO findings ({_NAMES}) VALUES ({_MARKS})"  # noqa: S608 - names and marks
_PUT = f"{_INSERT} ON CONFLICT (id) DO UPDATE SET {_SET}"
_LOAD = f"SELECT {_NAMES} FROM findings ORDER BY id"  # noqa: S608


def put(db: sqlite3.Connection, findings: Sequence[Finding], forgotten: Sequence[int]) -> None:
    """Insert or update ``findings``, and remove the IDs ``forgotten``."""
    db.executemany(_PUT, list(map(_row, findings)))
    db.executemany("DELETE FROM findings WHERE id = ?", [(number,) for number in forgotten])


def load(db: sqlite3.Connection, unreadable: UnreadableRows) -> tuple[list[Finding], int]:
    """Return all findings by ID, and the next ID; an ID is never used twice."""
    found = unreadable.all("findings", db.execute(_LOAD), lambda row: (row["id"],), finding_of)
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'findings'").fetchone()
    return found, (row[0] if row else 0) + 1


def _row(finding: Finding) -> tuple[Any, ...]:
    saved = asdict(finding)
    target, note = saved.pop("target"), saved["acknowledged"]
    saved.update(target_kind=target["kind"], target_id=target["id"])
    saved["evidence"] = dump(finding.evidence)
    saved["acknowledged"] = None if note is None else dump(note)
    return tuple(saved[name] for name in _COLUMNS)


def finding_of(row: sqlite3.Row) -> Finding:
    """Return the finding in a row. Raises ValueError."""
    note = row["acknowledged"]
    return decode(
        Finding,
        {
            **dict(row),
            "target": {"kind": row["target_kind"], "id": row["target_id"]},
            "evidence": from_json(row["evidence"], "evidence"),
            "acknowledged": None if note is None else from_json(note, "acknowledged"),
        },
    )
