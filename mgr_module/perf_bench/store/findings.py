"""Stores findings as rows, so that they survive the mgr; the ledger (watch/) manages them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from ..model.decode import decode, from_json
from ..model.finding import CLOSED_KEPT_SECONDS, Finding
from ..model.said import packed, unpacked
from .set_aside import SetAside
from .two_clocks import Times

_COLUMNS = (
    "id", "code", "severity", "target_kind", "target_id", "message", "evidence", "first_seen",
    "last_seen", "state", "muted_until", "closed_at", "acknowledged",
)  # fmt: skip
# In the evidence: the codes of its sentences by their keys, and that of the message. Older versions
# show it there. Earlier ones wrote the message's alone, without its key.
_SAID, _MESSAGE = "said", "message"
_NAMES, _MARKS = ", ".join(_COLUMNS), ", ".join("?" * len(_COLUMNS))
_SET = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
_INSERT = f"INSERT INTO findings ({_NAMES}) VALUES ({_MARKS})"  # noqa: S608 - names and marks
_PUT = f"{_INSERT} ON CONFLICT (id) DO UPDATE SET {_SET}"
_LOAD = f"SELECT {_NAMES} FROM findings ORDER BY id"  # noqa: S608
_FORGET = """
    DELETE FROM findings
    WHERE id = ? AND (closed_at IS NULL OR closed_at < ? OR closed_at >= ?)"""


def put(
    db: sqlite3.Connection,
    findings: Sequence[Finding],
    forgotten: Sequence[int],
    at: float,
    times: Times,
) -> None:
    """Insert or update ``findings``, and remove the IDs ``forgotten``.

    Closed ones that are old by this mgr's clock alone, which says ``at``, stay.
    """
    db.executemany(_PUT, list(map(_row, findings)))
    old = times.earlier - CLOSED_KEPT_SECONDS, at - CLOSED_KEPT_SECONDS
    db.executemany(_FORGET, [(number, *old) for number in forgotten])


def load(db: sqlite3.Connection, aside: SetAside) -> tuple[list[Finding], int]:
    """Return all findings by ID, and the next ID; an ID is never used twice."""
    found = aside.all("findings", db.execute(_LOAD), lambda row: (row["id"],), finding_of)
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'findings'").fetchone()
    return found, (row[0] if row else 0) + 1


def _row(finding: Finding) -> tuple[Any, ...]:
    note, said = finding.acknowledged, packed(finding.message)
    evidence = dict(finding.evidence)
    if said is not None:
        evidence[_SAID] = {**evidence.get(_SAID, {}), _MESSAGE: said}
    return (
        finding.id,
        finding.code,
        finding.severity.value,
        finding.target.kind,
        finding.target.id,
        finding.message,
        json.dumps(evidence, separators=(",", ":")),
        finding.first_seen,
        finding.last_seen,
        finding.state.value,
        finding.muted_until,
        finding.closed_at,
        None if note is None else json.dumps(asdict(note), separators=(",", ":")),
    )


def finding_of(row: sqlite3.Row) -> Finding:
    """Return the finding in a row. Raises ValueError."""
    note = row["acknowledged"]
    evidence = from_json(row["evidence"], "evidence")
    said = _take_said(evidence) if isinstance(evidence, dict) else None
    found = decode(
        Finding,
        {
            **dict(row),
            "target": {"kind": row["target_kind"], "id": row["target_id"]},
            "evidence": evidence,
            "acknowledged": None if note is None else from_json(note, "acknowledged"),
        },
    )
    return replace(found, message=unpacked(found.message, said))


def _take_said(evidence: dict[str, Any]) -> object:
    """Take the message's code out of the evidence; those of its own sentences stay."""
    said = evidence.pop(_SAID, None)
    if not isinstance(said, dict) or isinstance(said.get("code"), str):
        return said
    own = {name: one for name, one in said.items() if name != _MESSAGE}
    if own:
        evidence[_SAID] = own
    return said.get(_MESSAGE)
