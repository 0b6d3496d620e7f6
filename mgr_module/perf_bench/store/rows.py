"""Converts records to rows and back; rows that cannot be read are skipped and listed."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from operator import attrgetter
from typing import Any, Callable, Optional, TypeVar, Union, get_type_hints

from ..model.json_fields import FAULTS, from_json, inflated, reader_of
from ..model.osd import Osd
from ..model.plan import Reason, Sample, Step
from ..model.round import KINDS, OsdResult, Round, RoundLine, RoundState
from ..model.store import Key, UnreadableRow

T = TypeVar("T")
ROUND_COLUMNS = (
    "id", "token", "profile", "kind", "state", "verdict", "label", "created_at", "started_at",
    "ended_at", "resumed", "plan", "environment", "reasons", "conclusions", "summary",
)  # fmt: skip
# The columns of a list of rounds, without the long ones.
LINE_COLUMNS = (
    "id", "profile", "kind", "state", "verdict", "label", "created_at", "started_at", "ended_at",
    "plan", "summary",
)  # fmt: skip
SAMPLE_COLUMNS = tuple(field.name for field in fields(Sample))
RESULT_COLUMNS = tuple(field.name for field in fields(OsdResult))
# Those of an OSD that has not been measured yet; the others are figures, and NULL.
UNMEASURED_COLUMNS = ("round_id", "osd", "host", "device_class", "model", "samples", "seconds")
_JSON = ("environment", "reasons", "conclusions", "summary")
_COLUMN_TYPES: dict[Any, tuple[type, ...]] = {
    bool: (bool,),
    int: (int,),
    float: (float, int),
    str: (str,),
    Reason: (str,),
}
_COLUMN_TYPES.update(
    {Optional[t]: (*found, type(None)) for t, found in list(_COLUMN_TYPES.items())}
)
_SAMPLE_TYPES = tuple(_COLUMN_TYPES[hint] for hint in get_type_hints(Sample).values())
_RESULT_TYPES = tuple(_COLUMN_TYPES[hint] for hint in get_type_hints(OsdResult).values())
_ROUND, _LINE = reader_of(Round), reader_of(RoundLine)
_VALID, _REASON = SAMPLE_COLUMNS.index("valid"), SAMPLE_COLUMNS.index("reason")
# dataclasses.astuple() copies deeply: 12 us a sample against 1 us, at 50,000 samples a round.
_sample_values = attrgetter(*SAMPLE_COLUMNS)
_result_values = attrgetter(*RESULT_COLUMNS)

# By table the columns that name a row, in the order of its name (model/store.py).
_KEYS: Mapping[str, tuple[str, ...]] = {
    "rounds": ("id",),
    "schedules": ("name",),
    "samples": ("round_id", "osd", "phase", "repeat"),
    "results": ("round_id", "osd"),
    "loads": ("round_id", "repeat"),
    "findings": ("id",),
    "states": ("name",),
    "episodes": ("start",),
    "host_facts": ("host",),
    "wear": ("round",),
    "removed_rounds": ("round_id",),
    "spans": ("kind", "level", "key", "start", "since"),
}
# Maximum number of listed rows: a completely damaged table has millions.
MOST_LISTED = 1000


def dump(value: Any) -> str:
    """Return a value, or a dataclass, as JSON; ``decode`` of its type reads it back."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    return json.dumps(value, separators=(",", ":"))


def pack(value: Any) -> bytes:
    """Return a JSON-ready value packed, for what is large and read whole."""
    return zlib.compress(dump(value).encode(), 6)


def unpack(data: Any) -> Any:
    """Return the value of ``pack``. Raises one of FAULTS."""
    return json.loads(inflated(data))


def round_row(round_: Round) -> dict[str, Any]:
    """Return a round's columns without its ID and its waves, which have their own table."""
    plan = asdict(replace(round_.plan, phases=()))
    phases = round_.plan.phases
    plan["phases"] = [
        {"step": asdict(phase.step), "part": phase.part, "rest_seconds": phase.rest_seconds}
        for phase in phases
    ]
    # The index of the phase that a list of rounds shows: a list reads no waves.
    plan["leading"] = phases.index(round_.plan.leading)
    columns = {name: getattr(round_, name) for name in ROUND_COLUMNS if name != "id"}
    columns.update(
        plan=dump(plan),
        environment=dump(round_.environment),
        reasons=dump(round_.reasons),
        conclusions=dump([asdict(conclusion) for conclusion in round_.conclusions]),
        summary=dump(round_.summary),
    )
    return columns


def waves_text(round_: Round) -> str:
    """Return a round's waves by phase, as JSON."""
    return dump([phase.waves for phase in round_.plan.phases])


def round_of(row: sqlite3.Row) -> Round:
    """Return the round in a row with ROUND_COLUMNS and ``waves``. Raises ValueError."""
    plan = _plan_json(row)
    _leading(plan)
    plan["phases"] = _with_waves(plan["phases"], from_json(row["waves"], "waves"))
    columns = {name: from_json(row[name], name) for name in _JSON}
    saved = {**dict(row), **columns, "verdict": row["verdict"] or None, "plan": plan}
    return _ROUND(saved, "")


def line_of(row: sqlite3.Row) -> RoundLine:
    """Return the list entry of a round in a row with LINE_COLUMNS. Raises ValueError."""
    columns = {
        "verdict": row["verdict"] or None,
        "step": _leading(_plan_json(row))["step"],
        "summary": from_json(row["summary"], "summary"),
    }
    return _LINE({**dict(row), **columns}, "")


def marked_line(row: sqlite3.Row, why: str) -> RoundLine:
    """Return the list entry of an unreadable round: it counts as failed, and is not resumed."""
    profile, at = row["profile"], row["created_at"]
    return RoundLine(
        id=row["id"],
        profile=profile if isinstance(profile, str) else "",
        kind=row["kind"] if row["kind"] in KINDS else KINDS[0],
        state=RoundState.FAILED,
        step=Step("", 0, 0),
        created_at=at if isinstance(at, float) else 0.0,
        unreadable=why,
    )


def sample_row(round_id: int, sample: Sample) -> tuple[Any, ...]:
    """Return a sample's values in the order of the columns, the round ID first."""
    return (round_id, *_sample_values(sample))


def sample_of(row: Iterable[Any]) -> Sample:
    """Return the sample in a row of SAMPLE_COLUMNS. Raises ValueError."""
    values = [*row][: len(SAMPLE_COLUMNS)]
    values[_VALID] = bool(values[_VALID])
    _check(values, _SAMPLE_TYPES, SAMPLE_COLUMNS)
    if values[_REASON] is not None:
        values[_REASON] = Reason(values[_REASON])
    return Sample(*values)


def unmeasured_row(round_id: int, osd: Osd) -> tuple[Any, ...]:
    """Return the values of UNMEASURED_COLUMNS of an OSD as it is at planning."""
    return (round_id, osd.id, osd.host, osd.device_class, osd.model, 0, 0.0)


def result_row(round_id: int, result: OsdResult) -> tuple[Any, ...]:
    """Return a result's values in the order of the columns, the round ID first."""
    return (round_id, *_result_values(result))


def result_of(row: Union[sqlite3.Row, Sequence[Any]]) -> OsdResult:
    """Return the result in a row that begins with RESULT_COLUMNS. Raises ValueError."""
    values = row[: len(RESULT_COLUMNS)]
    _check(values, _RESULT_TYPES, RESULT_COLUMNS)
    return OsdResult(*values)


def _check(values: Sequence[Any], types: Sequence[Any], names: Sequence[str]) -> None:
    """Raise ValueError for a value of the wrong type: SQLite's columns accept any type."""
    if not all(map(isinstance, values, types)):
        wrong = next(n for n, v, t in zip(names, values, types) if not isinstance(v, t))
        raise ValueError(f"{wrong} is of another type than its column")


def _plan_json(row: sqlite3.Row) -> dict[str, Any]:
    """Return the plan's JSON. Raises ValueError if it has no list of phases."""
    plan = from_json(row["plan"], "plan")
    if isinstance(plan, dict) and isinstance(plan.get("phases"), list):
        return plan
    raise ValueError("plan.phases is missing")


def _leading(plan: Mapping[str, Any]) -> Any:
    """Return the phase that a list of rounds shows. Raises ValueError."""
    phases, leading = plan["phases"], plan.get("leading")
    if type(leading) is not int or not 0 <= leading < len(phases):
        raise ValueError(f"plan.leading is {leading} of {len(phases)}")
    return phases[leading]


def _with_waves(phases: Sequence[Any], waves: Any) -> list[Any]:
    if not isinstance(waves, list) or len(waves) != len(phases):
        found = len(waves) if isinstance(waves, list) else 0
        raise ValueError(f"waves are of {found} phases, not {len(phases)}")
    return [{**phase, "waves": own} for phase, own in zip(phases, waves)]


# --- rows that cannot be read -------------------------------------------------------------------


class UnreadableRows:
    """The rows that could not be decoded, by table and key.

    It changes on the database's thread; ``rows`` and ``why`` may be called from any thread.
    """

    def __init__(self) -> None:
        # Replaced at each change: other threads read it.
        self._rows: Mapping[tuple[str, Key], UnreadableRow] = {}

    def rows(self) -> tuple[UnreadableRow, ...]:
        """Return the unreadable rows by name."""
        return tuple(sorted(self._rows.values(), key=str))

    def why(self, table: str, *key: Any) -> Optional[str]:
        """Return why this row is unreadable; None if it is not listed."""
        found = self._rows.get((table, key))
        return None if found is None else found.why

    def note(self, table: str, row: Any, error: Exception) -> str:
        """Add a row; returns the reason."""
        why, key = str(error) or type(error).__name__, _key(table, row)
        if len(self._rows) < MOST_LISTED or (table, key) in self._rows:
            self._rows = {**self._rows, (table, key): UnreadableRow(table, key, why)}
        return why

    def forget_gone(self, db: sqlite3.Connection) -> None:
        """Remove rows that are there no more, whatever has deleted them."""
        for row in self.rows():
            if any(isinstance(part, bytes) for part in row.key):
                continue  # damaged text, which cannot be searched for
            where = " AND ".join(f"{name} IS ?" for name in _KEYS[row.table])
            query = f"SELECT 1 FROM {row.table} WHERE {where}"  # noqa: S608 - names of tables
            if db.execute(query, row.key).fetchone() is None:
                self._forget(row.table, row.key)

    def clear(self) -> None:
        """Remove all rows: another file is in use."""
        self._rows = {}

    def all(self, table: str, found: Iterable[Any], make: Callable[[Any], T]) -> list[T]:
        """Return what ``make`` returns for each row; one for which it raises a fault is noted.

        The rows have the columns of the table's key.
        """
        made = []
        for row in found:
            try:
                made.append(make(row))
            except FAULTS as error:
                self.note(table, row, error)
            else:
                if self._rows:
                    self._forget(table, _key(table, row))
        return made

    def _forget(self, table: str, key: Key) -> None:
        if (table, key) in self._rows:
            self._rows = {one: row for one, row in self._rows.items() if one != (table, key)}


def _key(table: str, row: Any) -> Key:
    return tuple(row[name] for name in _KEYS[table])
