"""The database's schema, and the migration of what an earlier version has written.

``PRAGMA user_version`` is the version. A change is a new version with a step in ``_STEPS``, tested
on a database that the version before has written. A row that cannot be read must not keep the
others from being migrated.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Callable

from ..errors import StoreTooNew, StoreUnavailable
from ..model.plan import Reason

OLDEST, NEWEST = 14, 15

# Times are unix seconds. What is read and written whole is JSON, or packed JSON in a BLOB; what is
# searched or sorted has a column.
_SAMPLES = """CREATE TABLE samples (
    round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
    phase TEXT NOT NULL, repeat INTEGER NOT NULL, osd INTEGER NOT NULL, wave INTEGER NOT NULL,
    started_at REAL NOT NULL, call_seconds REAL NOT NULL, block_size INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL, seconds REAL, bytes_per_second REAL, iops REAL,
    valid INTEGER NOT NULL, why TEXT, reason TEXT,
    PRIMARY KEY (round_id, osd, phase, repeat)) WITHOUT ROWID"""
_REMOVED_ROUNDS = """CREATE TABLE removed_rounds (
    round_id INTEGER PRIMARY KEY, profile TEXT NOT NULL, label TEXT NOT NULL,
    created_at REAL NOT NULL, removed_at REAL NOT NULL, why TEXT NOT NULL)"""
# See spans.py. The order of the key is that of reading: an OSD's day is adjacent.
_SPANS = """CREATE TABLE spans (
    kind TEXT NOT NULL, level INTEGER NOT NULL, key INTEGER NOT NULL, start INTEGER NOT NULL,
    since INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (kind, key, level, start, since)) WITHOUT ROWID"""

_TABLES = (
    """CREATE TABLE rounds (
        id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL UNIQUE, profile TEXT NOT NULL,
        kind TEXT NOT NULL, state TEXT NOT NULL, verdict TEXT, label TEXT NOT NULL,
        created_at REAL NOT NULL, started_at REAL, ended_at REAL, resumed INTEGER NOT NULL,
        plan TEXT NOT NULL, environment TEXT NOT NULL, reasons TEXT NOT NULL,
        conclusions TEXT NOT NULL, summary TEXT NOT NULL)""",
    "CREATE INDEX rounds_by_state ON rounds (state)",
    # Retention reads all rounds from this index, without their long columns.
    "CREATE INDEX rounds_by_profile ON rounds (profile, id, state, verdict, created_at)",
    # The waves of 10,000 OSDs are 60 KiB of a round's plan. Reading a column behind them reads page
    # after page from RADOS, so they have their own table, which a list of rounds does not read.
    """CREATE TABLE waves (
        round_id INTEGER PRIMARY KEY REFERENCES rounds (id) ON DELETE CASCADE,
        waves TEXT NOT NULL)""",
    _SAMPLES,
    """CREATE TABLE results (
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        osd INTEGER NOT NULL, host TEXT NOT NULL, device_class TEXT, model TEXT,
        samples INTEGER NOT NULL, seconds REAL NOT NULL, median_call_seconds REAL,
        median_bytes_per_second REAL, median_iops REAL, cv_percent REAL, robust_z REAL,
        percent_of_peers REAL,
        PRIMARY KEY (round_id, osd)) WITHOUT ROWID""",
    "CREATE INDEX results_by_osd ON results (osd, round_id)",
    "CREATE INDEX results_by_rank ON results (round_id, percent_of_peers, osd)",
    # The round with the newest figures of each OSD: see tables.py.
    """CREATE TABLE newest (
        osd INTEGER NOT NULL, profile TEXT NOT NULL, round_id INTEGER,
        PRIMARY KEY (osd, profile)) WITHOUT ROWID""",
    # The repeats of client rounds; 16 clients x 60 s are about 10 KB.
    """CREATE TABLE loads (
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        repeat INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (round_id, repeat)) WITHOUT ROWID""",
    """CREATE TABLE baselines (
        profile TEXT PRIMARY KEY,
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        set_at REAL NOT NULL) WITHOUT ROWID""",
    _REMOVED_ROUNDS,
    """CREATE TABLE schedules (
        name TEXT PRIMARY KEY, schedule TEXT NOT NULL, state TEXT) WITHOUT ROWID""",
    # Bytes that rounds wrote, by the round's token: see tables.py.
    """CREATE TABLE wear (
        round TEXT PRIMARY KEY, at REAL NOT NULL, bytes TEXT NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE findings (
        id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT NOT NULL, severity TEXT NOT NULL,
        target_kind TEXT NOT NULL, target_id TEXT NOT NULL, message TEXT NOT NULL,
        evidence TEXT NOT NULL, first_seen REAL NOT NULL, last_seen REAL NOT NULL,
        state TEXT NOT NULL, muted_until REAL, closed_at REAL, acknowledged TEXT)""",
    _SPANS,
    """CREATE TABLE states (
        name TEXT PRIMARY KEY, at REAL NOT NULL, data BLOB NOT NULL) WITHOUT ROWID""",
    "CREATE TABLE episodes (start REAL PRIMARY KEY, end REAL, data TEXT NOT NULL) WITHOUT ROWID",
    # 60 disks on two paths are 25 KB, packed 2 KB.
    """CREATE TABLE host_facts (
        host TEXT PRIMARY KEY, received_at REAL NOT NULL, data BLOB NOT NULL, memory BLOB)
        WITHOUT ROWID""",
)

# What the sentences of samples mean that version 14 has stored without a reason.
_REASONS = (
    (Reason.DOWN, r"osd\.\d+ is down"),
    (Reason.WENT_DOWN, r"osd\.\d+ went down"),
    (Reason.SILENT, r"osd\.\d+ gave no answer within \d+ s"),
    (Reason.NOT_ASKED, r"osd\.\d+ was not asked again"),
    (Reason.OUT_OF_REACH, r"osd\.\d+ is primary of no placement group .*"),
    (Reason.REFUSED, r"osd\.\d+ answered: .*"),
    (Reason.FAILED, r"osd\.\d+ failed: .*"),
    (Reason.NOT_STORABLE, r"what osd\.\d+ answered cannot be stored .*"),
    (Reason.SHORT, r"too short: .*"),
)


def version_of(db: sqlite3.Connection) -> int:
    """Return the version of this database; 0 for an empty one."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def migrate(db: sqlite3.Connection) -> None:
    """Make the tables of an empty database, or migrate one to the newest version.

    Raises StoreTooNew for a database of a newer version, StoreUnavailable for one that is too old,
    and does not change it.
    """
    while _known_version(db) != NEWEST:
        db.execute("BEGIN IMMEDIATE")
        try:
            # Another mgr may have done it before the lock was ours.
            number = _known_version(db)
            if number == 0:
                for statement in _TABLES:
                    db.execute(statement)
                number = NEWEST - 1
            elif number < NEWEST:
                _STEPS[number](db)
            db.execute(f"PRAGMA user_version = {min(number + 1, NEWEST)}")
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


def _known_version(db: sqlite3.Connection) -> int:
    """As ``version_of``; raises for a version that this one cannot migrate."""
    found = version_of(db)
    if found > NEWEST:
        raise StoreTooNew(
            f"the database has schema {found}, this version knows {NEWEST}: it was written by a "
            "newer perf_bench, install that one again, or begin anew with 'ceph perf-bench store "
            "reset'"
        )
    if 0 < found < OLDEST:
        raise StoreUnavailable(
            f"the database has schema {found}, this version migrates from {OLDEST}: run a version "
            "of perf_bench with that schema once before, or begin anew with 'ceph perf-bench store "
            "reset'"
        )
    return found


def _to_15(db: sqlite3.Connection) -> None:
    """One table of spans, reasons of samples as codes, and sentences as texts alone."""
    db.execute(_SPANS)
    db.execute("INSERT INTO spans SELECT 'series', level, chunk, start, since, data FROM series")
    db.execute(
        "INSERT INTO spans SELECT 'cluster', level, 0, start, since, data FROM cluster_spans"
    )
    db.execute("DROP TABLE series")
    db.execute("DROP TABLE cluster_spans")
    # Rows of rounds that were being removed.
    for table in ("samples", "results", "loads"):
        db.execute(f"DELETE FROM {table} WHERE round_id NOT IN (SELECT id FROM rounds)")  # noqa: S608
    db.execute("ALTER TABLE removed_rounds RENAME TO removed_before")
    db.execute(_REMOVED_ROUNDS)
    names = "round_id, profile, label, created_at, removed_at, why"
    db.execute(f"INSERT INTO removed_rounds SELECT {names} FROM removed_before")  # noqa: S608
    db.execute("DROP TABLE removed_before")
    db.execute("ALTER TABLE samples ADD COLUMN reason TEXT")
    found = db.execute("SELECT DISTINCT why FROM samples WHERE typeof(why) = 'text'").fetchall()
    db.executemany(
        "UPDATE samples SET reason = ? WHERE why = ?",
        [
            (reason.value, why)
            for (why,) in found
            for reason, text in _REASONS
            if isinstance(why, str) and re.fullmatch(text, why, re.DOTALL)
        ],
    )
    # The codes of sentences.
    for table, column, path in (
        ("rounds", "summary", "$.said"),
        ("findings", "evidence", "$.said.message"),
        ("schedules", "state", "$.said"),
    ):
        removed = f"json_remove({column}, '{path}')"
        db.execute(f"UPDATE {table} SET {column} = {removed} WHERE json_valid({column})")  # noqa: S608
    none = "json_extract(evidence, '$.said') = '{}' OR json_type(evidence, '$.said.code') = 'text'"
    db.execute(
        "UPDATE findings SET evidence = json_remove(evidence, '$.said') "  # noqa: S608
        f"WHERE CASE WHEN json_valid(evidence) THEN {none} END"
    )


_STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {14: _to_15}
