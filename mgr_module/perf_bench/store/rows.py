"""Records to rows and back: the only place that knows both."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from operator import attrgetter
from typing import Any

from ..model.bench import Sample, Step
from ..model.imported import Imported, Job
from ..model.plan import Phase, Plan
from ..model.rados import LoadPlan
from ..model.round import (
    Conclusion,
    OsdResult,
    Round,
    RoundLine,
    RoundState,
    Verdict,
)

ROUND_COLUMNS = (
    "id", "token", "profile", "kind", "state", "verdict", "label", "created_at", "started_at",
    "ended_at", "resumed", "plan", "environment", "reasons", "conclusions", "summary",
)  # fmt: skip
# The same without what is long, or is only looked at round by round.
LINE_COLUMNS = (
    "id", "profile", "kind", "state", "verdict", "label", "created_at", "started_at", "ended_at",
    "plan", "summary",
)  # fmt: skip
SAMPLE_COLUMNS = tuple(field.name for field in fields(Sample))
RESULT_COLUMNS = tuple(field.name for field in fields(OsdResult))
_VALID = SAMPLE_COLUMNS.index("valid")
# dataclasses.astuple() copies deeply: 12 us a sample against 1 us, at 50,000 samples a round.
_sample_values = attrgetter(*SAMPLE_COLUMNS)
_result_values = attrgetter(*RESULT_COLUMNS)


def round_row(round_: Round) -> dict[str, Any]:
    """A round's columns without its ID; its waves have a table of their own."""
    plan = asdict(replace(round_.plan, phases=()))
    phases = round_.plan.phases
    plan["phases"] = [
        {"step": asdict(phase.step), "part": phase.part, "rest_seconds": phase.rest_seconds}
        for phase in phases
    ]
    # Which of them a list of rounds shows: it reads no waves.
    plan["leading"] = phases.index(round_.plan.leading)
    return {
        "token": round_.token,
        "profile": round_.profile,
        "kind": round_.kind,
        "state": round_.state.value,
        "verdict": round_.verdict.value if round_.verdict else None,
        "label": round_.label,
        "created_at": round_.created_at,
        "started_at": round_.started_at,
        "ended_at": round_.ended_at,
        "resumed": round_.resumed,
        "plan": _dump(plan),
        "environment": _dump(round_.environment),
        "reasons": _dump(round_.reasons),
        "conclusions": _dump([asdict(conclusion) for conclusion in round_.conclusions]),
        "summary": _dump(round_.summary),
    }


def waves_text(round_: Round) -> str:
    """A round's waves, phase by phase, as they are stored."""
    return _dump([phase.waves for phase in round_.plan.phases])


def round_of(row: sqlite3.Row) -> Round:
    """The round in a row that has ROUND_COLUMNS and ``waves``."""
    return Round(
        id=row["id"],
        token=row["token"],
        profile=row["profile"],
        kind=row["kind"],
        state=RoundState(row["state"]),
        verdict=Verdict(row["verdict"]) if row["verdict"] else None,
        label=row["label"],
        created_at=row["created_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        resumed=row["resumed"],
        plan=_plan_of(json.loads(row["plan"]), json.loads(row["waves"])),
        environment=json.loads(row["environment"]),
        reasons=tuple(json.loads(row["reasons"])),
        conclusions=tuple(Conclusion(**entry) for entry in json.loads(row["conclusions"])),
        summary=json.loads(row["summary"]),
    )


def line_of(row: sqlite3.Row) -> RoundLine:
    """The round in a row that has LINE_COLUMNS."""
    return RoundLine(
        id=row["id"],
        profile=row["profile"],
        kind=row["kind"],
        state=RoundState(row["state"]),
        step=_leading_step(json.loads(row["plan"])),
        label=row["label"],
        created_at=row["created_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        verdict=Verdict(row["verdict"]) if row["verdict"] else None,
        summary=json.loads(row["summary"]),
    )


def sample_row(round_id: int, sample: Sample) -> tuple[Any, ...]:
    """A sample in the order of the columns, its round first."""
    return (round_id, *_sample_values(sample))


def sample_of(row: sqlite3.Row) -> Sample:
    """The sample in a row that is SAMPLE_COLUMNS."""
    values = list(row)
    values[_VALID] = bool(values[_VALID])
    return Sample(*values)


def result_row(round_id: int, result: OsdResult) -> tuple[Any, ...]:
    """A result in the order of the columns, its round first."""
    return (round_id, *_result_values(result))


def result_of(row: sqlite3.Row) -> OsdResult:
    """The result in a row that begins with RESULT_COLUMNS."""
    return OsdResult(*row[: len(RESULT_COLUMNS)])


def _leading_step(entry: Mapping[str, Any]) -> Step:
    return Step(**entry["phases"][entry["leading"]]["step"])


def _load_of(entry: Mapping[str, Any]) -> LoadPlan:
    return LoadPlan(**{**entry, "workers": tuple(entry.get("workers", ()))})


def _plan_of(entry: Mapping[str, Any], waves: Sequence[Sequence[Sequence[int]]]) -> Plan:
    values = {key: value for key, value in entry.items() if key != "leading"}
    values["phases"] = tuple(
        Phase(Step(**phase["step"]), tuple(map(tuple, own)), phase["part"], phase["rest_seconds"])
        for phase, own in zip(entry["phases"], waves)
    )
    values["notes"] = tuple(values["notes"])
    values["raised"] = tuple((option, value) for option, value in values.get("raised", ()))
    load = values.get("load")
    values["load"] = _load_of(load) if load else None
    imported = values.get("imported")
    values["imported"] = _imported_of(imported) if imported else None
    return Plan(**values)


def _imported_of(entry: Mapping[str, Any]) -> Imported:
    return Imported(**{**entry, "jobs": tuple(Job(**job) for job in entry["jobs"])})


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
