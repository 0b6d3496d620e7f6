"""All that is stored, in SQLite; the StorePlace opens the file (in RADOS, on disk, in memory)."""

from __future__ import annotations

import sqlite3
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import Any, Callable, Optional, cast

from ..core.database import DatabaseThread
from ..errors import NotFound, Unreadable
from ..model.admission import WearLedger
from ..model.bench import STILL_RUNS, Done, Sample
from ..model.comparison import Baseline
from ..model.json_fields import FAULTS, Json
from ..model.osd import Osd
from ..model.round import OsdResult, Round, RoundLine, RoundState
from ..model.schedule import Schedule, ScheduleState
from ..model.store import BY_OPERATOR, RemovedRound, UnreadableRow
from . import rows, schema, tables
from .database import Database, StorePlace, insert_rows
from .files import Files
from .retention import RetentionStore, removed_round
from .tables import FactsStore, LoadStore, SavedSchedules
from .unreadable import UnreadableRows
from .watch import WatchStore

# The columns that a list of rounds can be searched in, and sorted by.
ROUND_SEARCH = ("id", "profile", "kind", "state", "verdict", "label")
ROUND_SORTS = (*ROUND_SEARCH, "created_at", "started_at", "ended_at", "took_seconds")
# The same of a round's OSDs; an OSD is searched by its name.
RESULT_SEARCH = ("osd", "host", "class", "model")
RESULT_SORTS = (
    *RESULT_SEARCH, "samples", "median_bytes_per_second", "median_iops", "cv_percent", "robust_z",
    "percent_of_peers",
)  # fmt: skip


def _found(columns: Sequence[str]) -> str:
    """SQL that says whether one of the columns contains the parameter ``search``."""
    return " OR ".join(f"instr(casefold(CAST({name} AS BLOB)), :search)" for name in columns)


def _searched(search: str) -> str:
    """The parameter; a lone surrogate (possible in JSON) cannot be stored, so it is replaced."""
    return search.casefold().encode("utf-8", "replace").decode()


# Lists of rounds do not read the table of waves.
_ROUND = f"{', '.join(rows.ROUND_COLUMNS)}, waves FROM rounds LEFT JOIN waves ON round_id = id"
_LINE = ", ".join(rows.LINE_COLUMNS)
_FOUND = _found(ROUND_SEARCH)
_SORTS = {**{name: name for name in ROUND_SORTS}, "took_seconds": "ended_at - started_at"}
_RESULT = ", ".join(f"results.{name}" for name in rows.RESULT_COLUMNS)
# Columns of results by their public names, where these differ.
_RESULT_NAMES = {"osd": "'osd.' || osd", "class": "device_class"}
_RESULT_FOUND = _found([_RESULT_NAMES.get(name, name) for name in RESULT_SEARCH])
_RESULT_SORTS = {name: name for name in RESULT_SORTS} | {"class": "device_class"}
# The tables that ``raw`` returns, with the column of the round ID and the order of their rows.
_RAW = {
    "rounds": ("id", "id"),
    "waves": ("round_id", "round_id"),
    "samples": ("round_id", "osd, phase, repeat"),
    "results": ("round_id", "osd"),
    "loads": ("round_id", "repeat"),
}
_LARGEST = (1 << 63) - 1  # SQLite's largest integer


class Store:
    """Rounds and their samples, and all else that is stored, over one connection.

    Every method is one transaction. It raises NotFound for a round that does not exist and
    StoreUnavailable when the database cannot be reached or written.
    ``place`` opens the file, ``mons`` returns the monitors' time (unix seconds) if it is known.
    """

    def __init__(
        self,
        place: StorePlace,
        backend: str,
        mons: Callable[[], Optional[float]] = lambda: None,
    ) -> None:
        self._database = Database(place, mons=mons)
        self.files = Files(self._database)
        self._unreadable = self._database.unreadable
        self._backend = backend
        self.watch = WatchStore(self._database)
        self.facts = FactsStore(self._database)
        self.loads = LoadStore(self._database)
        self.retention = RetentionStore(self._database)

    @property
    def backend(self) -> str:
        """The kind of database, e.g. ``sqlite:.mgr`` or ``memory``."""
        return self._backend

    @property
    def writes(self) -> int:
        """Rises with all that may change what is read."""
        return self._database.writes

    def reading(self) -> AbstractContextManager[None]:
        """Let the reads in the block share one transaction, until something else is done."""
        return self._database.reading()

    def schema_version(self) -> int:
        return self._database.read(schema.version_of)

    def add_round(self, draft: Round, osds: Sequence[Osd]) -> Round:
        """Store a new round; returns it with its ID. IDs are never used twice.

        ``osds`` are those that it measures; each gets a result without figures. The bytes that its
        plan writes are booked as wear under its token.
        """

        def work(db: sqlite3.Connection) -> Round:
            row = rows.round_row(draft)
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            db.execute(
                f"INSERT OR IGNORE INTO rounds ({names}) VALUES ({marks})", tuple(row.values())
            )
            query = "SELECT id FROM rounds WHERE token = ?"
            (number,) = db.execute(query, (draft.token,)).fetchone()
            waves = number, rows.waves_text(draft)
            db.execute("INSERT OR IGNORE INTO waves VALUES (?, ?)", waves)
            unmeasured_rows = (rows.unmeasured_row(number, osd) for osd in osds)
            insert_rows(db, "results", rows.UNMEASURED_COLUMNS, unmeasured_rows)
            sizes = draft.plan.bytes_by_osd(draft.plan.most)
            booked = {osd: min(size, _LARGEST) for osd, size in sizes.items()}
            tables.book_wear(db, draft.token, draft.created_at, booked)
            return replace(draft, id=number)

        stored = self._database.write(work)
        self._database.reserve(rounds=stored.id)
        return stored

    def save_round(self, round_: Round) -> None:
        """Store the changed state of a round (its plan and its OSDs stay)."""
        self.end_round(round_, ())

    def end_round(
        self,
        round_: Round,
        results: Sequence[OsdResult],
        written: Optional[Mapping[int, int]] = None,
    ) -> None:
        """Store the end of a round and its results.

        ``written`` has by OSD the bytes that it wrote; the booking of any other OSD stays.
        """

        def work(db: sqlite3.Connection) -> None:
            row = rows.round_row(round_)
            del row["plan"]
            settings = ", ".join(f"{name} = ?" for name in row)
            changed = db.execute(
                f"UPDATE rounds SET {settings} WHERE id = ?", (*row.values(), round_.id)
            )
            if changed.rowcount != 1:
                raise _no_round(round_.id)
            self._put_results(db, round_.id, results)
            tables.note_newest(db, round_.id)
            if written is not None:
                tables.settle_wear(db, round_.token, round_.ended_at or 0.0, written)

        self._database.write(work)

    def add_samples(self, round_id: int, samples: Sequence[Sample]) -> None:
        """Store samples; an existing one (same phase, repeat, OSD) is kept."""

        def work(db: sqlite3.Connection) -> None:
            _must_exist(db, round_id, self._unreadable)
            taken = (rows.sample_row(round_id, sample) for sample in samples)
            insert_rows(db, "samples", ("round_id", *rows.SAMPLE_COLUMNS), taken)

        self._database.write(work)

    def remove_round(self, round_id: int) -> str:
        """Remove a round, readable or not, and all it has; returns its profile."""
        removed = self.retention.remove(round_id, BY_OPERATOR, self._database.now())
        if removed is None:
            self._database.read(lambda db: _must_exist(db, round_id, self._unreadable))
            raise _no_round(round_id)
        return removed.profile

    def unreadable(self) -> Sequence[UnreadableRow]:
        """The rows that could not be read, as far as they were met since this mgr is active.

        Every method passes over such rows, but ``rounds``, which marks them, and ``round``.
        """
        return self._unreadable.rows()

    def raw_sizes(self, round_id: int) -> Mapping[str, int]:
        """How many rows a round, readable or not, has by table."""

        def work(db: sqlite3.Connection) -> dict[str, int]:
            _must_exist(db, round_id, self._unreadable)
            return {
                table: db.execute(
                    f"SELECT count(*) FROM {table} WHERE {key} = ?", (round_id,)
                ).fetchone()[0]
                for table, (key, _) in _RAW.items()
            }

        return self._database.read(work)

    def raw(self, round_id: int, table: str, limit: int, offset: int) -> Sequence[Json]:
        """A page of a round's rows in a table, as they are stored; bytes are base64."""
        key, order = _RAW[table]
        query = f"SELECT * FROM {table} WHERE {key} = ? ORDER BY {order} LIMIT ? OFFSET ?"
        found = self._database.read(
            lambda db: db.execute(query, (round_id, limit, offset)).fetchall()
        )
        return [{name: _printable(row[name]) for name in row.keys()} for row in found]  # noqa: SIM118 - a Row

    def discard(self, token: str) -> None:
        """Remove the round with that token, which has not started, if it exists."""

        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM rounds WHERE token = ?", (token,))
            tables.forget_wear(db, token)

        self._database.write(work)

    def round(self, round_id: int) -> Round:
        """Raises Unreadable, too."""

        def work(db: sqlite3.Connection) -> Round:
            row = _round_row(db, round_id, self._unreadable)
            found = self._round_of(row)
            if found is None:
                why = self._unreadable.why("rounds", round_id)
                raise Unreadable(
                    f"round {round_id} cannot be read ({why}): 'ceph perf-bench round export "
                    f"{round_id} --raw' prints what is stored, 'ceph perf-bench round rm "
                    f"{round_id}' removes it"
                )
            return found

        return self._database.read(work)

    def _round_of(self, row: sqlite3.Row) -> Optional[Round]:
        return self._unreadable.one("rounds", (row["id"],), lambda: rows.round_of(row))

    def _line_of(self, row: sqlite3.Row) -> RoundLine:
        """Return the list entry of a round, marked if any part of the round is unreadable."""
        try:
            line = rows.line_of(row)
        except FAULTS as error:
            return rows.marked_line(row, self._unreadable.note("rounds", (row["id"],), error))
        why = self._unreadable.why("rounds", row["id"])
        return line if why is None else replace(line, unreadable=why)

    def rounds(
        self,
        kind: Optional[str] = None,
        state: Optional[RoundState] = None,
        limit: int = 50,
        offset: int = 0,
        search: str = "",
        sort: str = "-id",
    ) -> tuple[list[RoundLine], int]:
        """A page of the list of rounds, and how many match in all.

        ``search`` is a text in one of ROUND_SEARCH, ignoring case. ``sort`` is one of ROUND_SORTS,
        descending with "-" before it; rounds without a value come last, equal ones newest first.
        """
        conditions = {"kind = :kind": kind, "state = :state": state, f"({_FOUND})": search}
        where = " AND ".join(sql for sql, value in conditions.items() if value) or "1"
        order = _order(_SORTS, sort)
        values = {
            "kind": kind,
            "state": state.value if state else None,
            "search": _searched(search),
            "limit": limit,
            "offset": offset,
        }

        def work(db: sqlite3.Connection) -> tuple[list[RoundLine], int]:
            found = db.execute(
                f"SELECT {_LINE} FROM rounds WHERE {where} "
                f"ORDER BY {order} NULLS LAST, id DESC LIMIT :limit OFFSET :offset",
                values,
            ).fetchall()
            (total,) = db.execute(f"SELECT count(*) FROM rounds WHERE {where}", values).fetchone()
            return [self._line_of(row) for row in found], total

        return self._database.read(work)

    def unfinished(self) -> list[Round]:
        """Rounds that are queued or running, oldest first."""

        def work(db: sqlite3.Connection) -> list[Round]:
            query = f"SELECT {_ROUND} WHERE state IN ('queued', 'running') ORDER BY id"
            return self._unreadable.all("rounds", db.execute(query), _id, rows.round_of)

        return self._database.read(work)

    def samples(self, round_id: int, osds: Optional[Sequence[int]] = None) -> list[Sample]:
        """A round's samples (of these OSDs), by repeat and OSD."""
        columns = ", ".join(rows.SAMPLE_COLUMNS)
        query = f"SELECT {columns} FROM samples WHERE round_id = ?{_of_osds(osds)}"

        def work(db: sqlite3.Connection) -> list[Sample]:
            _must_exist(db, round_id, self._unreadable)
            found = self._unreadable.all(
                "samples",
                db.execute(query, (round_id,)),
                lambda row: (round_id, row["osd"], row["phase"], row["repeat"]),
                rows.sample_of,
            )
            found.sort(key=attrgetter("repeat", "osd"))
            return found

        return self._database.read(work)

    def sampled(self, round_id: int) -> Done:
        """The samples that a round has, and when the last of each phase ended."""
        query = "SELECT phase, repeat, osd FROM samples WHERE round_id = ?"
        ends = (
            "SELECT phase, max(started_at + call_seconds) FROM samples WHERE round_id = ? "
            "GROUP BY phase"
        )
        silent = (
            "SELECT DISTINCT osd FROM samples WHERE round_id = ? "
            f"AND reason IN ({', '.join(repr(one.value) for one in STILL_RUNS)})"
        )

        def work(db: sqlite3.Connection) -> Done:
            found = frozenset(tuple(row) for row in db.execute(query, (round_id,)))
            ended = dict(map(tuple, db.execute(ends, (round_id,))))
            return Done(found, ended, frozenset(osd for (osd,) in db.execute(silent, (round_id,))))

        return self._database.read(work)

    def results(
        self,
        round_id: int,
        limit: Optional[int] = None,
        offset: int = 0,
        search: str = "",
        sort: str = "",
        osds: Optional[Sequence[int]] = None,
    ) -> tuple[list[OsdResult], int]:
        """A page of a round's OSDs, slowest against their peers first, and how many match in all.

        With ``osds`` only these.
        ``search`` is a text in one of RESULT_SEARCH, ignoring case. ``sort`` is one of
        RESULT_SORTS, descending with "-" before it; OSDs without a value come last.
        """
        where = f"round_id = :round{_of_osds(osds)}" + (f" AND ({_RESULT_FOUND})" if search else "")
        values = {
            "round": round_id,
            "search": _searched(search),
            "limit": -1 if limit is None else limit,
            "offset": offset,
        }

        def work(db: sqlite3.Connection) -> tuple[list[OsdResult], int]:
            _must_exist(db, round_id, self._unreadable)
            found = db.execute(
                f"SELECT {_RESULT} FROM results WHERE {where} ORDER BY "
                f"{_order(_RESULT_SORTS, sort or 'percent_of_peers')} NULLS LAST, osd "
                "LIMIT :limit OFFSET :offset",
                values,
            ).fetchall()
            (total,) = db.execute(f"SELECT count(*) FROM results WHERE {where}", values).fetchone()
            made = self._unreadable.all(
                "results", found, lambda row: (round_id, row["osd"]), rows.result_of
            )
            return made, total

        return self._database.read(work)

    def history(self, osd: int, limit: int = 50) -> list[tuple[RoundLine, OsdResult]]:
        """The ended rounds that measured this OSD, newest first."""
        query = (
            f"SELECT {_RESULT}, round_id FROM results JOIN rounds ON rounds.id = round_id "
            f"WHERE osd = ? AND state IN {tables.ENDED} ORDER BY round_id DESC LIMIT ?"
        )
        return self._database.read(lambda db: self._with_lines(db, query, (osd, limit)))

    def latest(self) -> dict[tuple[int, str], tuple[RoundLine, OsdResult]]:
        """By (OSD, profile) the newest ended round that has a result of it."""
        query = f"SELECT {_RESULT}, round_id FROM newest JOIN results USING (round_id, osd)"
        found = self._database.read(lambda db: self._with_lines(db, query))
        return {(result.osd, line.profile): (line, result) for line, result in found}

    def past(self, profile: str, limit: int, before: Optional[int] = None) -> list[Round]:
        """The newest ended rounds of a profile with IDs under ``before``, newest first.

        Read only a few at a time: a whole round of 10,000 OSDs is 100 KiB.
        """
        ended = f"state IN {tables.ENDED}"
        query = f"SELECT {_ROUND} WHERE profile = ? AND id < ? AND {ended} ORDER BY id DESC"
        values = (profile, _LARGEST if before is None else before)

        def work(db: sqlite3.Connection) -> list[Round]:
            # Unreadable rounds do not count: fewer than ``limit`` means that there are no more.
            found = map(self._round_of, db.execute(query, values))
            return list(islice((one for one in found if one is not None), limit))

        return self._database.read(work)

    def set_baseline(self, round_id: int, set_at: float) -> None:
        """Make a round its profile's only baseline; removing the round removes the baseline.

        The caller checks that the round is fit for it.
        """

        def work(db: sqlite3.Connection) -> None:
            if not tables.put_baseline(db, round_id, set_at):
                raise _no_round(round_id)

        self._database.write(work)

    def baselines(self) -> list[Baseline]:
        """All baselines, by profile."""
        return self._database.read(lambda db: tables.load_baselines(db, self._line_of))

    def wear(self) -> WearLedger:
        """The bytes that rounds wrote to OSDs in the last day or more, also removed rounds."""
        return self._database.read(lambda db: tables.load_wear(db, self._unreadable))

    def round_of_token(self, token: str) -> Optional[int]:
        """The ID of the round with this token, if it exists."""
        query = "SELECT id FROM rounds WHERE token = ?"

        def work(db: sqlite3.Connection) -> Optional[int]:
            row = db.execute(query, (token,)).fetchone()
            return None if row is None else int(row["id"])

        return self._database.read(work)

    def put_schedule(self, schedule: Schedule) -> None:
        """Store a schedule; one of that name is replaced and keeps its state."""
        self._database.write(lambda db: tables.put_schedule(db, schedule))

    def remove_schedule(self, name: str) -> None:
        """Remove a schedule and its state. Raises NotFound."""
        found = False

        def work(db: sqlite3.Connection) -> None:
            nonlocal found  # also by a try whose commit got no answer
            query = "DELETE FROM schedules WHERE name = ?"
            found |= db.execute(query, (name,)).rowcount == 1

        self._database.write(work)
        if not found:
            raise NotFound(
                f"no schedule '{name}': 'ceph perf-bench schedule ls' lists those there are"
            )
        self._unreadable.forget("schedules", name)

    def put_schedule_states(self, states: Mapping[str, ScheduleState]) -> None:
        """Store how far schedules are; that of a schedule which is gone is passed over."""
        self._database.write(lambda db: tables.put_schedule_states(db, states))

    def schedules(self) -> SavedSchedules:
        """All schedules by name."""
        return self._database.read(lambda db: tables.load_schedules(db, self._unreadable))

    def close(self) -> None:
        self._database.close()

    def _with_lines(
        self, db: sqlite3.Connection, query: str, values: tuple[Any, ...] = ()
    ) -> list[tuple[RoundLine, OsdResult]]:
        """Return the results of a query (_RESULT, round_id), each with its round's list entry.

        Without unreadable results, and without results of unreadable rounds.
        """
        found = db.execute(query, values).fetchall()
        numbers = ", ".join(str(number) for number in {row["round_id"] for row in found})
        query = f"SELECT {_LINE} FROM rounds WHERE id IN ({numbers})"
        lines = {row["id"]: self._line_of(row) for row in db.execute(query)}
        read = self._unreadable.all(
            "results",
            found,
            lambda row: (row["round_id"], row["osd"]),
            lambda row: (lines[row["round_id"]], rows.result_of(row)),
        )
        return [(line, result) for line, result in read if not line.unreadable]

    @staticmethod
    def _put_results(db: sqlite3.Connection, round_id: int, results: Sequence[OsdResult]) -> None:
        given = (rows.result_row(round_id, result) for result in results)
        insert_rows(db, "results", ("round_id", *rows.RESULT_COLUMNS), given, "REPLACE")


def _of_osds(osds: Optional[Sequence[int]]) -> str:
    """A condition for these OSDs; without placeholders, because SQLite limits their number."""
    return "" if osds is None else f" AND osd IN ({', '.join(str(int(osd)) for osd in osds)})"


def _order(columns: Mapping[str, str], sort: str) -> str:
    """The first key of ORDER BY; ``sort`` is the name of a column, "-" before it: descending."""
    return f"{columns[sort.lstrip('+-')]} {'DESC' if sort.startswith('-') else 'ASC'}"


def _round_row(db: sqlite3.Connection, round_id: int, unreadable: UnreadableRows) -> sqlite3.Row:
    _must_exist(db, round_id, unreadable)
    row = db.execute(f"SELECT {_ROUND} WHERE id = ?", (round_id,)).fetchone()
    return cast("sqlite3.Row", row)


def _must_exist(db: sqlite3.Connection, round_id: int, unreadable: UnreadableRows) -> None:
    if db.execute("SELECT 1 FROM rounds WHERE id = ?", (round_id,)).fetchone() is None:
        raise _no_round(round_id, removed_round(db, round_id, unreadable))


def _no_round(round_id: int, gone: Optional[RemovedRound] = None) -> NotFound:
    if gone is not None:
        day = time.strftime("%Y-%m-%d %H:%M", time.gmtime(gone.removed_at))
        return NotFound(f"no round {round_id}: it was removed on {day} UTC ({gone.why})")
    return NotFound(f"no round {round_id}: 'ceph perf-bench round ls' lists those there are")


def _id(row: sqlite3.Row) -> tuple[int]:
    return (row["id"],)


def _printable(value: Any) -> Any:
    """Return a column's value JSON-ready; bytes as base64."""
    return value if not isinstance(value, bytes) else {"base64": b64encode(value).decode()}


StoreThread = DatabaseThread[Store]
