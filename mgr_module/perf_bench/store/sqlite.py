"""All that is stored, in SQLite; the StorePlace opens the file (in RADOS, on disk, in memory)."""

from __future__ import annotations

import sqlite3
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from operator import attrgetter
from typing import Any, Callable, Optional

from ..core.database import DatabaseThread
from ..errors import NotFound, Unreadable
from ..model.admission import WearLedger
from ..model.json_fields import FAULTS, Json, decode, from_json
from ..model.osd import Osd
from ..model.plan import STILL_RUNS, Done, Sample, Schedule, ScheduleState
from ..model.rados import LoadSample
from ..model.round import Baseline, OsdResult, Round, RoundLine, RoundState
from ..model.store import BY_OPERATOR
from . import rows, schema, tables
from .database import Database, StorePlace, Values, insert_rows
from .files import Files
from .retention import RetentionStore
from .rows import dump, pack
from .tables import SavedFacts
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
_RESULT = ", ".join(f"results.{name}" for name in (*rows.RESULT_COLUMNS, "round_id"))
# Other types, as in a damaged row, are no rates.
# Columns of results by their public names, where these differ.
_RESULT_NAMES = {"osd": "'osd.' || osd", "class": "device_class"}
_RESULT_FOUND = _found([_RESULT_NAMES.get(name, name) for name in RESULT_SEARCH])
_RESULT_SORTS = {name: name for name in RESULT_SORTS} | {"class": "device_class"}
# The tables that ``raw`` returns; their keys begin with the ID of the round.
_RAW = ("rounds", "waves", "samples", "results", "loads")
# Baselines: the rounds that later rounds of their profile are compared with.
_SET_BASELINE = """
    INSERT INTO baselines (profile, round_id, set_at)
    SELECT profile, id, ? FROM rounds WHERE id = ?
    ON CONFLICT (profile) DO UPDATE SET round_id = excluded.round_id, set_at = excluded.set_at"""
_BASELINES = f"""
    SELECT {", ".join(f"rounds.{name}" for name in rows.LINE_COLUMNS)}, set_at
    FROM baselines JOIN rounds ON rounds.id = round_id ORDER BY rounds.profile"""
_LARGEST = (1 << 63) - 1  # SQLite's largest integer
# By name a schedule and its state, if it has one yet.
SavedSchedules = Mapping[str, tuple[Schedule, Optional[ScheduleState]]]


class Store(Database):
    """Rounds and their samples, and all else that is stored, over one connection.

    Every method is one transaction. It passes over rows that cannot be read, but for ``rounds``,
    which marks them, and ``round``. It raises NotFound for a round that does not exist and
    StoreUnavailable when the database cannot be reached or written.
    ``place`` opens the file, ``backend`` is what kind of database it is, e.g. ``sqlite:.mgr``;
    ``mons`` returns the monitors' time (unix seconds) if it is known.
    """

    def __init__(
        self,
        place: StorePlace,
        backend: str,
        mons: Callable[[], Optional[float]] = lambda: None,
    ) -> None:
        super().__init__(place, mons=mons)
        self.backend = backend
        self.files = Files(self)
        self.watch = WatchStore(self)
        self.retention = RetentionStore(self)

    def schema_version(self) -> int:
        return self.read(schema.version_of)

    def add_round(self, draft: Round, osds: Sequence[Osd]) -> Round:
        """Store a new round; returns it with its ID. IDs are never used twice.

        ``osds`` are those that it measures; each gets a result without figures. The bytes that its
        plan writes are booked as wear under its token.
        """

        def work(db: sqlite3.Connection) -> Round:
            row = rows.round_row(draft)
            insert_rows(db, "rounds", tuple(row), [tuple(row.values())])
            query = "SELECT id FROM rounds WHERE token = ?"
            (number,) = db.execute(query, (draft.token,)).fetchone()
            waves = number, dump([phase.waves for phase in draft.plan.phases])
            db.execute("INSERT OR IGNORE INTO waves VALUES (?, ?)", waves)
            given = ((number, o.id, o.host, o.device_class, o.model, 0, 0.0) for o in osds)
            insert_rows(db, "results", rows.UNMEASURED_COLUMNS, given)
            tables.book_wear(db, draft.token, draft.created_at, _booked(draft))
            return replace(draft, id=number)

        stored = self.write(work)
        self.reserve(rounds=stored.id)
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
                raise NotFound(f"no round {round_.id}")
            given = ((round_.id, *rows.result_values(result)) for result in results)
            insert_rows(db, "results", ("round_id", *rows.RESULT_COLUMNS), given, "REPLACE")
            tables.note_newest(db, round_.id)
            if written is not None:
                all_ = {**_booked(round_), **written}
                tables.settle_wear(db, round_.token, round_.ended_at or 0.0, all_)

        self.write(work)

    def add_samples(self, round_id: int, samples: Sequence[Sample]) -> None:
        """Store samples; an existing one (same phase, repeat, OSD) is kept."""
        names = ("round_id", *rows.SAMPLE_COLUMNS)

        def work(db: sqlite3.Connection) -> None:
            if db.execute("SELECT 1 FROM rounds WHERE id = ?", (round_id,)).fetchone() is None:
                raise NotFound(f"no round {round_id}")
            taken = ((round_id, *rows.sample_values(sample)) for sample in samples)
            insert_rows(db, "samples", names, taken)

        self.write(work)

    def remove_round(self, round_id: int) -> str:
        """Remove a round, readable or not, and all it has; returns its profile."""
        removed = self.retention.remove(round_id, BY_OPERATOR, self.now())
        if removed is None:
            raise self._no_round(round_id)
        return removed.profile

    def raw(self, round_id: int) -> Mapping[str, Sequence[Json]]:
        """The rows of a round, readable or not, by table as they are stored; bytes are base64."""
        self._must_exist(round_id)
        return {
            table: [
                {name: _printable(value) for name, value in dict(row).items()}
                for row in self.rows(
                    f"SELECT * FROM {table} WHERE {rows.KEYS[table][0]} = ? "
                    f"ORDER BY {', '.join(rows.KEYS[table])}",
                    (round_id,),
                )
            ]
            for table in _RAW
        }

    def discard(self, token: str) -> None:
        """Remove the round with that token, which has not started, if it exists."""

        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM rounds WHERE token = ?", (token,))
            db.execute("DELETE FROM wear WHERE round = ?", (token,))

        self.write(work)

    def round(self, round_id: int) -> Round:
        """Raises Unreadable, too."""
        self._must_exist(round_id)
        query = f"SELECT {_ROUND} WHERE id = ?"
        for found in self.load("rounds", query, (round_id,), rows.round_of):
            return found
        raise Unreadable(
            f"round {round_id} cannot be read ({self.unreadable.why('rounds', round_id)}): "
            f"'ceph perf-bench round export {round_id} --raw' prints what is stored, "
            f"'ceph perf-bench round rm {round_id}' removes it"
        )

    def _line_of(self, row: sqlite3.Row) -> RoundLine:
        """Return the list entry of a round, marked if any part of the round is unreadable."""
        try:
            line = rows.line_of(row)
        except FAULTS as error:
            return rows.marked_line(row, self.unreadable.note("rounds", row, error))
        why = self.unreadable.why("rounds", row["id"])
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
        order = f"{_order(_SORTS, sort)} NULLS LAST, id DESC"
        values: dict[str, Any] = {"kind": kind, "state": state.value if state else None}
        values |= {"search": _searched(search), "limit": limit, "offset": offset}
        found, count = self._page(_LINE, f"rounds WHERE {where}", order, values)
        return [self._line_of(row) for row in found], count

    def unfinished(self) -> list[Round]:
        """Rounds that are queued or running, oldest first."""
        query = f"SELECT {_ROUND} WHERE state IN ('queued', 'running') ORDER BY id"
        return self.load("rounds", query, (), rows.round_of)

    def samples(self, round_id: int, osds: Optional[Sequence[int]] = None) -> list[Sample]:
        """A round's samples (of these OSDs), by repeat and OSD."""
        self._must_exist(round_id)
        columns = ", ".join((*rows.SAMPLE_COLUMNS, "round_id"))
        query = f"SELECT {columns} FROM samples WHERE round_id = ?{_of_osds(osds)}"
        found = self.load("samples", query, (round_id,), rows.sample_of)
        return sorted(found, key=attrgetter("repeat", "osd"))

    def sampled(self, round_id: int) -> Done:
        """The samples that a round has, and when the last of each phase ended."""
        found = sorted(self.samples(round_id), key=lambda one: one.started_at + one.call_seconds)
        return Done(
            frozenset((one.phase, one.repeat, one.osd) for one in found),
            {one.phase: one.started_at + one.call_seconds for one in found},
            frozenset(one.osd for one in found if one.reason in STILL_RUNS),
        )

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
        most = -1 if limit is None else limit
        values = {"round": round_id, "search": _searched(search), "limit": most, "offset": offset}
        order = f"{_order(_RESULT_SORTS, sort or 'percent_of_peers')} NULLS LAST, osd"
        self._must_exist(round_id)
        found, count = self._page(_RESULT, f"results WHERE {where}", order, values)
        return self.unreadable.all("results", found, rows.result_of), count

    def history(self, osd: int, limit: int = 50) -> list[tuple[RoundLine, OsdResult]]:
        """The ended rounds that measured this OSD, newest first."""
        query = (
            f"SELECT {_RESULT} FROM results JOIN rounds ON rounds.id = round_id "
            f"WHERE osd = ? AND state IN {tables.ENDED} ORDER BY round_id DESC LIMIT ?"
        )
        return self._with_lines(query, (osd, limit))

    def latest(self) -> dict[tuple[int, str], tuple[RoundLine, OsdResult]]:
        """By (OSD, profile) the newest ended round that has a result of it."""
        query = f"SELECT {_RESULT} FROM newest JOIN results USING (round_id, osd)"
        found = self._with_lines(query, ())
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
            found: list[Round] = []
            for row in db.execute(query, values):
                found += self.unreadable.all("rounds", [row], rows.round_of)
                if len(found) == limit:
                    break
            return found

        return self.read(work)

    def set_baseline(self, round_id: int, set_at: float) -> None:
        """Make a round its profile's only baseline; removing the round removes the baseline.

        The caller checks that the round is fit for it.
        """
        self._must_exist(round_id)
        self.execute(_SET_BASELINE, (set_at, round_id))

    def baselines(self) -> list[Baseline]:
        """All baselines by profile, without those whose round is unreadable."""
        found = self.rows(_BASELINES)
        made = [Baseline(self._line_of(row), row["set_at"]) for row in found]
        return [one for one in made if not one.round.unreadable]

    def wear(self) -> WearLedger:
        """The bytes that rounds wrote to OSDs in the last day or more, also removed rounds."""
        query = "SELECT round, at, bytes FROM wear ORDER BY at, round"
        return WearLedger(tuple(self.load("wear", query, (), tables.wear_of)))

    def round_of_token(self, token: str) -> Optional[int]:
        """The ID of the round with this token, if it exists."""
        found = self.rows("SELECT id FROM rounds WHERE token = ?", (token,))
        return int(found[0]["id"]) if found else None

    def add_load(self, round_id: int, sample: LoadSample) -> None:
        """Store a repeat of clients; an existing one is kept, and one of no round is ignored."""
        runs = [run.packed() for run in sample.runs]
        data = pack({**asdict(replace(sample, runs=())), "runs": runs})
        query = "INSERT OR IGNORE INTO loads SELECT id, ?, ? FROM rounds WHERE id = ?"
        self.execute(query, (sample.repeat, data, round_id))

    def loads(self, round_id: int) -> list[LoadSample]:
        """A round's repeats of clients, in order."""
        query = "SELECT * FROM loads WHERE round_id = ? ORDER BY repeat"
        return self.load("loads", query, (round_id,), tables.load_of)

    def put_facts(
        self, host: str, received_at: float, document: Mapping[str, Any], memory: Mapping[str, Any]
    ) -> None:
        """Replace a host's facts, the document that was received, and its history (JSON-ready)."""
        query = "INSERT OR REPLACE INTO host_facts VALUES (?, ?, ?, ?)"
        self.execute(query, (host, received_at, pack(document), pack(memory)))

    def facts(self) -> SavedFacts:
        """The newest facts of every host."""
        query = "SELECT host, received_at, data, memory FROM host_facts"
        return dict(self.load("host_facts", query, (), tables.facts_of))

    def put_schedule(self, schedule: Schedule) -> None:
        """Store a schedule; one of that name is replaced and keeps its state."""
        query = (
            "INSERT INTO schedules (name, schedule) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET schedule = excluded.schedule"
        )
        self.execute(query, (schedule.name, dump(schedule)))

    def remove_schedule(self, name: str) -> None:
        """Remove a schedule and its state. Raises NotFound."""
        if not self.rows("SELECT 1 FROM schedules WHERE name = ?", (name,)):
            raise NotFound(
                f"no schedule '{name}': 'ceph perf-bench schedule ls' lists those there are"
            )
        self.execute("DELETE FROM schedules WHERE name = ?", (name,))

    def put_schedule_states(self, states: Mapping[str, ScheduleState]) -> None:
        """Store how far schedules are; that of a schedule which is gone is passed over."""
        query = "UPDATE schedules SET state = ? WHERE name = ?"
        values = [(dump(state), name) for name, state in states.items()]
        self.write(lambda db: db.executemany(query, values))

    def schedules(self) -> SavedSchedules:
        """All schedules by name, without those that cannot be read."""
        query = "SELECT name, schedule, state FROM schedules ORDER BY name"
        return dict(self.load("schedules", query, (), _schedule))

    def _with_lines(self, query: str, values: Values) -> list[tuple[RoundLine, OsdResult]]:
        """Return the results of a query for _RESULT, each with its round's list entry.

        Without unreadable results, and without results of unreadable rounds.
        """
        found = self.rows(query, values)
        numbers = ", ".join(str(number) for number in {row["round_id"] for row in found})
        query = f"SELECT {_LINE} FROM rounds WHERE id IN ({numbers})"
        lines = {row["id"]: self._line_of(row) for row in self.rows(query)}
        read = self.unreadable.all(
            "results", found, lambda row: (lines[row["round_id"]], rows.result_of(row))
        )
        return [(line, result) for line, result in read if not line.unreadable]

    def _page(
        self, columns: str, what: str, order: str, values: Mapping[str, Any]
    ) -> tuple[list[sqlite3.Row], int]:
        """The rows of a page, and how many there are in all."""
        page = f"SELECT {columns} FROM {what} ORDER BY {order} LIMIT :limit OFFSET :offset"
        ((count,),) = self.rows(f"SELECT count(*) FROM {what}", values)
        return self.rows(page, values), count

    def _must_exist(self, round_id: int) -> None:
        if not self.rows("SELECT 1 FROM rounds WHERE id = ?", (round_id,)):
            raise self._no_round(round_id)

    def _no_round(self, round_id: int) -> NotFound:
        for gone in self.retention.removed(1, round_id):
            day = time.strftime("%Y-%m-%d %H:%M", time.gmtime(gone.removed_at))
            return NotFound(f"no round {round_id}: it was removed on {day} UTC ({gone.why})")
        return NotFound(f"no round {round_id}: 'ceph perf-bench round ls' lists those there are")


def _booked(round_: Round) -> dict[int, int]:
    """The bytes that a round's plan writes, by OSD."""
    sizes = round_.plan.bytes_by_osd(round_.plan.most)
    return {osd: min(size, _LARGEST) for osd, size in sizes.items()}


def _of_osds(osds: Optional[Sequence[int]]) -> str:
    """A condition for these OSDs; without placeholders, because SQLite limits their number."""
    return "" if osds is None else f" AND osd IN ({', '.join(str(int(osd)) for osd in osds)})"


def _order(columns: Mapping[str, str], sort: str) -> str:
    """The first key of ORDER BY; ``sort`` is the name of a column, "-" before it: descending."""
    return f"{columns[sort.lstrip('+-')]} {'DESC' if sort.startswith('-') else 'ASC'}"


def _schedule(row: sqlite3.Row) -> tuple[str, tuple[Schedule, Optional[ScheduleState]]]:
    schedule, state = decode(Schedule, from_json(row["schedule"], "schedule")), row["state"]
    known = None if state is None else decode(ScheduleState, from_json(state, "state"))
    return row["name"], (schedule, known)


def _printable(value: Any) -> Any:
    """Return a column's value JSON-ready; bytes as base64."""
    return value if not isinstance(value, bytes) else {"base64": b64encode(value).decode()}


StoreThread = DatabaseThread[Store]
