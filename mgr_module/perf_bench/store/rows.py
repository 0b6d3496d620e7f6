"""Converts records to rows and back; rows that cannot be read are skipped and listed."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from operator import attrgetter
from typing import Any, Callable, Optional, TypeVar, Union, get_args, get_type_hints

from ..model.json_fields import FAULTS, WrongValue, from_json, inflated, reader_of
from ..model.plan import Reason, Sample, Step
from ..model.round import KINDS, OsdResult, Round, RoundLine, RoundState
from ..model.store import Key, UnreadableRow

T = TypeVar("T")
ROUND_COLUMNS = tuple(field.name for field in fields(Round))
# The columns of a list of rounds, without the long ones.
LINE_COLUMNS = (
    *(one.name for one in fields(RoundLine) if one.name not in ("step", "unreadable")),
    "plan",
)
SAMPLE_COLUMNS = tuple(field.name for field in fields(Sample))
RESULT_COLUMNS = tuple(field.name for field in fields(OsdResult))
# Those of an OSD that has not been measured yet; the others are figures, and NULL.
UNMEASURED_COLUMNS = ("round_id", "osd", "host", "device_class", "model", "samples", "seconds")
_JSON = ("environment", "reasons", "conclusions", "summary")


def _types(kind: type) -> tuple[Any, ...]:
    """What the column of each field of a dataclass may hold, as ``isinstance`` takes it."""
    stored: Mapping[Any, Any] = {float: (float, int), Reason: str}
    hints = get_type_hints(kind).values()
    return tuple(tuple(stored.get(one, one) for one in get_args(hint) or (hint,)) for hint in hints)


_SAMPLE_TYPES, _RESULT_TYPES = _types(Sample), _types(OsdResult)
_ROUND, _LINE = reader_of(Round), reader_of(RoundLine)
_VALID, _REASON = SAMPLE_COLUMNS.index("valid"), SAMPLE_COLUMNS.index("reason")
# dataclasses.astuple() copies deeply: 12 us a sample against 1 us, at 50,000 samples a round.
sample_values = attrgetter(*SAMPLE_COLUMNS)
result_values = attrgetter(*RESULT_COLUMNS)

# By table the columns that name a row, in the order of its name (model/store.py).
KEYS: Mapping[str, tuple[str, ...]] = {
    "rounds": ("id",),
    "waves": ("round_id",),
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
    """Return a value, which may hold dataclasses, as JSON; ``decode`` of its type reads it back."""
    return json.dumps(value, separators=(",", ":"), default=asdict)


def pack(value: Any) -> bytes:
    """Return a JSON-ready value packed, for what is large and read whole."""
    return zlib.compress(dump(value).encode(), 6)


def unpack(data: Any) -> Any:
    """Return the value of ``pack``. Raises one of FAULTS."""
    return json.loads(inflated(data))


def round_row(round_: Round) -> dict[str, Any]:
    """Return a round's columns without its ID and its waves, which have their own table."""
    phases = round_.plan.phases
    plan = asdict(replace(round_.plan, phases=()))
    plan["phases"] = [
        {"step": phase.step, "part": phase.part, "rest_seconds": phase.rest_seconds}
        for phase in phases
    ]
    # The index of the phase that a list of rounds shows: a list reads no waves.
    plan["leading"] = phases.index(round_.plan.leading)
    columns = {name: getattr(round_, name) for name in ROUND_COLUMNS if name != "id"}
    return {**columns, "plan": dump(plan), **{name: dump(columns[name]) for name in _JSON}}


def round_of(row: sqlite3.Row) -> Round:
    """Return the round in a row with ROUND_COLUMNS and ``waves``. Raises ValueError."""
    plan, _ = _plan_json(row)
    phases, waves = plan["phases"], from_json(row["waves"], "waves")
    found = len(waves) if isinstance(waves, list) else 0
    if found != len(phases):
        raise ValueError(f"waves are of {found} phases, not {len(phases)}")
    plan["phases"] = [{**phase, "waves": own} for phase, own in zip(phases, waves)]
    columns = {name: from_json(row[name], name) for name in _JSON}
    saved = {**dict(row), **columns, "verdict": row["verdict"] or None, "plan": plan}
    return _ROUND(saved, "")


def line_of(row: sqlite3.Row) -> RoundLine:
    """Return the list entry of a round in a row with LINE_COLUMNS. Raises ValueError."""
    _, leading = _plan_json(row)
    summary = from_json(row["summary"], "summary")
    verdict = row["verdict"] or None
    saved = {**dict(row), "verdict": verdict, "step": leading["step"], "summary": summary}
    return _LINE(saved, "")


def _plan_json(row: sqlite3.Row) -> tuple[dict[str, Any], Any]:
    """Return the plan's JSON, and the phase that a list of rounds shows. Raises ValueError."""
    plan = from_json(row["plan"], "plan")
    phases = plan.get("phases") if isinstance(plan, dict) else None
    if not isinstance(phases, list):
        raise WrongValue("is missing", "plan.phases")
    leading = plan.get("leading")
    if type(leading) is not int or not 0 <= leading < len(phases):
        raise ValueError(f"plan.leading is {leading} of {len(phases)}")
    return plan, phases[leading]


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


def sample_of(row: Iterable[Any]) -> Sample:
    """Return the sample in a row of SAMPLE_COLUMNS. Raises ValueError."""
    values = [*row][: len(SAMPLE_COLUMNS)]
    values[_VALID] = bool(values[_VALID])
    _check(values, _SAMPLE_TYPES, SAMPLE_COLUMNS)
    if values[_REASON] is not None:
        values[_REASON] = Reason(values[_REASON])
    return Sample(*values)


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


# --- rows that cannot be read -------------------------------------------------------------------


class UnreadableRows:
    """The rows that could not be decoded, by table and key.

    It changes on the database's thread; ``rows`` and ``why`` may be called from any thread.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[str, Key], UnreadableRow] = {}

    def rows(self) -> tuple[UnreadableRow, ...]:
        """Return the unreadable rows by name."""
        return tuple(sorted(self._rows.values(), key=str))  # which are copied in one step

    def why(self, table: str, *key: Any) -> Optional[str]:
        """Return why this row is unreadable; None if it is not listed."""
        found = self._rows.get((table, key))
        return None if found is None else found.why

    def note(self, table: str, row: Any, error: Exception) -> str:
        """Add a row; returns the reason."""
        why, key = str(error) or type(error).__name__, _key(table, row)
        if len(self._rows) < MOST_LISTED or (table, key) in self._rows:
            self._rows[table, key] = UnreadableRow(table, key, why)
        return why

    def forget_gone(self, db: sqlite3.Connection) -> None:
        """Remove rows that are there no more, whatever has deleted them."""
        for row in self.rows():
            if any(isinstance(part, bytes) for part in row.key):
                continue  # damaged text, which cannot be searched for
            where = " AND ".join(f"{name} IS ?" for name in KEYS[row.table])
            query = f"SELECT 1 FROM {row.table} WHERE {where}"  # noqa: S608 - names of tables
            if db.execute(query, row.key).fetchone() is None:
                self._rows.pop((row.table, row.key), None)

    def clear(self) -> None:
        """Remove all rows: another file is in use."""
        self._rows.clear()

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
                    self._rows.pop((table, _key(table, row)), None)
        return made


def _key(table: str, row: Any) -> Key:
    return tuple(row[name] for name in KEYS[table])
