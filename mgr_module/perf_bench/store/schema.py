"""The database's schema, as a list of migration steps.

``PRAGMA user_version`` is the number of steps that a database has had. A released step is never
edited; a change is a new step, with a test that starts from the one before. An unreadable row
(``json_valid``) must not prevent the migration of the others.
"""

from __future__ import annotations

import sqlite3

from ..errors import StoreTooNew
from ..model.said import say

# The tables of the watch, step 4. Times are unix seconds. A row of series has a chunk of OSDs over
# one span, packed (encoding.py). The order of its key is that of reading: the rows of one OSD's
# day are adjacent.
WATCH: tuple[str, ...] = (
    """CREATE TABLE findings (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        code TEXT NOT NULL,
        severity TEXT NOT NULL,
        target_kind TEXT NOT NULL,
        target_id TEXT NOT NULL,
        message TEXT NOT NULL,
        evidence TEXT NOT NULL,
        first_seen REAL NOT NULL,
        last_seen REAL NOT NULL,
        state TEXT NOT NULL,
        muted_until REAL,
        closed_at REAL)""",
    """CREATE TABLE series (
        level INTEGER NOT NULL,
        chunk INTEGER NOT NULL,
        start INTEGER NOT NULL,
        since INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (level, chunk, start, since)) WITHOUT ROWID""",
    """CREATE TABLE states (
        name TEXT PRIMARY KEY,
        at REAL NOT NULL,
        data BLOB NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE episodes (
        start REAL PRIMARY KEY,
        end REAL,
        data TEXT NOT NULL) WITHOUT ROWID""",
)


# Times are unix seconds. plan, environment, reasons, conclusions and summary are JSON, because
# they are read and written whole. Searched and sorted values have columns.
_V1: tuple[str, ...] = (
    """CREATE TABLE rounds (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        token TEXT NOT NULL UNIQUE,
        profile TEXT NOT NULL,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        verdict TEXT,
        label TEXT NOT NULL,
        created_at REAL NOT NULL,
        started_at REAL,
        ended_at REAL,
        resumed INTEGER NOT NULL,
        plan TEXT NOT NULL,
        environment TEXT NOT NULL,
        reasons TEXT NOT NULL,
        conclusions TEXT NOT NULL,
        summary TEXT NOT NULL)""",
    "CREATE INDEX rounds_by_state ON rounds (state)",
    """CREATE TABLE samples (
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        phase TEXT NOT NULL,
        repeat INTEGER NOT NULL,
        osd INTEGER NOT NULL,
        wave INTEGER NOT NULL,
        started_at REAL NOT NULL,
        call_seconds REAL NOT NULL,
        block_size INTEGER NOT NULL,
        bytes_written INTEGER NOT NULL,
        seconds REAL,
        bytes_per_second REAL,
        iops REAL,
        valid INTEGER NOT NULL,
        why TEXT,
        PRIMARY KEY (round_id, osd, phase, repeat)) WITHOUT ROWID""",
    """CREATE TABLE results (
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        osd INTEGER NOT NULL,
        host TEXT NOT NULL,
        device_class TEXT,
        model TEXT,
        samples INTEGER NOT NULL,
        seconds REAL NOT NULL,
        median_call_seconds REAL,
        median_bytes_per_second REAL,
        median_iops REAL,
        cv_percent REAL,
        robust_z REAL,
        percent_of_peers REAL,
        PRIMARY KEY (round_id, osd)) WITHOUT ROWID""",
    "CREATE INDEX results_by_osd ON results (osd, round_id)",
    "CREATE INDEX results_by_rank ON results (round_id, percent_of_peers, osd)",
)

# The round with the newest figures of each OSD: see latest_results.py.
_V2: tuple[str, ...] = (
    """CREATE TABLE newest (
        osd INTEGER NOT NULL,
        profile TEXT NOT NULL,
        round_id INTEGER,
        PRIMARY KEY (osd, profile)) WITHOUT ROWID""",
    """INSERT INTO newest (osd, profile, round_id)
        SELECT osd, profile, max(round_id) FROM results JOIN rounds ON rounds.id = round_id
        WHERE median_bytes_per_second IS NOT NULL AND state IN ('done', 'aborted', 'failed')
        GROUP BY osd, profile""",
)

# The waves of 10,000 OSDs are 60 KiB of a round's plan. Reading a column behind them reads page
# after page from RADOS, so they have their own table, which a list of rounds does not read.
_V3: tuple[str, ...] = (
    """CREATE TABLE waves (
        round_id INTEGER PRIMARY KEY REFERENCES rounds (id) ON DELETE CASCADE,
        waves TEXT NOT NULL)""",
    """INSERT INTO waves (round_id, waves)
        SELECT id, CASE WHEN json_valid(plan)
        THEN coalesce(json_extract(plan, '$.waves'), '[]') ELSE '[]' END FROM rounds""",
    "UPDATE rounds SET plan = json_remove(plan, '$.waves') WHERE json_valid(plan)",
)

# The baseline of each profile; it is removed with its round.
_V5: tuple[str, ...] = (
    """CREATE TABLE baselines (
        profile TEXT PRIMARY KEY,
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        set_at REAL NOT NULL) WITHOUT ROWID""",
    "CREATE INDEX rounds_by_profile ON rounds (profile, id)",
)

# Bytes that rounds wrote, by OSD and the round's token (see wear.py). A schedule and its state are
# JSON, because they are read and written whole.
_V6: tuple[str, ...] = (
    """CREATE TABLE wear (
        round TEXT NOT NULL,
        osd INTEGER NOT NULL,
        at REAL NOT NULL,
        bytes INTEGER NOT NULL,
        PRIMARY KEY (round, osd)) WITHOUT ROWID""",
    """CREATE TABLE schedules (
        name TEXT PRIMARY KEY,
        schedule TEXT NOT NULL,
        state TEXT) WITHOUT ROWID""",
)

# The facts of hosts: compressed JSON; 60 disks on two paths are 25 KB, compressed 2 KB.
_V7: tuple[str, ...] = (
    """CREATE TABLE host_facts (
        host TEXT PRIMARY KEY,
        received_at REAL NOT NULL,
        data BLOB NOT NULL) WITHOUT ROWID""",
)

# A plan has phases, and waves by phase. Existing plans get one phase without rests; one whose step
# is no object stays unreadable. CASE, because in an AND the order is SQLite's.
_V8: tuple[str, ...] = (
    """UPDATE rounds SET plan = json_set(
        json_remove(plan, '$.step'), '$.leading', 0, '$.phases',
        json_array(json_object('part', '', 'rest_seconds', 0.0, 'step', json_set(
            json_remove(json_extract(plan, '$.step'), '$.phase'),
            '$.operation', json_extract(plan, '$.step.phase')))))
        WHERE CASE WHEN json_valid(plan) THEN json_type(plan, '$.step') = 'object' END""",
    "UPDATE waves SET waves = '[' || waves || ']'",
)

# The history of a host beyond its newest facts: compressed JSON.
_V9: tuple[str, ...] = ("ALTER TABLE host_facts ADD COLUMN memory BLOB",)

# The repeats of client rounds: compressed JSON; 16 clients x 60 s are about 10 KB.
_V10: tuple[str, ...] = (
    """CREATE TABLE loads (
        round_id INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
        repeat INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (round_id, repeat)) WITHOUT ROWID""",
)

# Retention (retention.py) reads all rounds from an index, without their long columns. Removed
# rounds are remembered; ``rows_left`` is 1 until all rows of the round are deleted (removal.py).
_V11: tuple[str, ...] = (
    "DROP INDEX rounds_by_profile",
    "CREATE INDEX rounds_by_profile ON rounds (profile, id, state, verdict, created_at)",
    """CREATE TABLE removed_rounds (
        round_id INTEGER PRIMARY KEY,
        profile TEXT NOT NULL,
        label TEXT NOT NULL,
        created_at REAL NOT NULL,
        removed_at REAL NOT NULL,
        why TEXT NOT NULL,
        rows_left INTEGER NOT NULL)""",
)

# What an operator noted on a finding: JSON, because it is read and written whole.
_V12: tuple[str, ...] = ("ALTER TABLE findings ADD COLUMN acknowledged TEXT",)

# The whole cluster over five minutes or an hour: JSON, 1 to 10 KB, because it is read whole.
_V13: tuple[str, ...] = (
    """CREATE TABLE cluster_spans (
        level INTEGER NOT NULL,
        start INTEGER NOT NULL,
        since INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (level, start, since)) WITHOUT ROWID""",
)

# The wear of a round in one row (see wear.py): JSON, because it is read and written whole.
_V14: tuple[str, ...] = (
    "ALTER TABLE wear RENAME TO wear_by_osd",
    """CREATE TABLE wear (
        round TEXT PRIMARY KEY,
        at REAL NOT NULL,
        bytes TEXT NOT NULL) WITHOUT ROWID""",
    """INSERT INTO wear (round, at, bytes)
        SELECT round, max(at), json_group_array(json_array(bytes, json(osds)))
        FROM (SELECT round, max(at) AS at, bytes, json_group_array(osd) AS osds FROM wear_by_osd
            WHERE typeof(osd) = 'integer' AND typeof(bytes) = 'integer' AND typeof(at) = 'real'
            GROUP BY round, bytes)
        GROUP BY round""",
    "DROP TABLE wear_by_osd",
)

STEPS: tuple[tuple[str, ...], ...] = (
    *(_V1, _V2, _V3, WATCH, _V5, _V6, _V7, _V8, _V9, _V10),
    *(_V11, _V12, _V13, _V14),
)
NEWEST = len(STEPS)


def version_of(db: sqlite3.Connection) -> int:
    """Return the number of steps that this database has had; 0 for an empty one."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def migrate(db: sqlite3.Connection, upto: int = NEWEST) -> None:
    """Migrate the database to schema ``upto``, each step in its own transaction.

    Raises StoreTooNew for a database of a newer version, and does not change it.
    """
    while _known_version(db) < upto:
        db.execute("BEGIN IMMEDIATE")
        try:
            # Another mgr may have done this step before the lock was ours.
            number = _known_version(db)
            if number < upto:
                for statement in STEPS[number]:
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {number + 1}")
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


def _known_version(db: sqlite3.Connection) -> int:
    """As ``version_of``; raises StoreTooNew for that of a newer version of this module."""
    found = version_of(db)
    if found > NEWEST:
        raise StoreTooNew(
            say(
                "schema-newer",
                "the database has schema {found}, this version knows {known}: it was written by a "
                "newer perf_bench, install that one again",
                found=found,
                known=NEWEST,
            )
        )
    return found
